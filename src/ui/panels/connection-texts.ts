/** Texts for the findings of a connection check. */
import { msg, str } from '@lit/localize';
import type { ConnectionFinding, ConnectionReport } from '../../envs/module.ts';

const words: { [what in ConnectionFinding['what']]: (detail: string) => string } = {
  'no-address': () => msg('Type the address of the server first.'),
  'bad-address': (why) => msg(str`This is no address of a server: ${why}.`),
  unreachable: (why) => msg(str`No answer: ${why}. Is the server running, and is the address right?`),
  'closed-to-pages': () =>
    msg('The server answers, but this server does not allow pages; use the proxy or the command line.'),
  refused: (why) => msg(str`It does not let this page in: ${why}.`),
  lacks: (what) => msg(str`Not everything is there: ${what}.`),
  insecure: () =>
    msg(
      'This page came over HTTPS, and a browser lets it reach an unencrypted server on this machine alone. Use an https address, or run the page on this machine.',
    ),
  'not-understood': (why) => msg(str`Something answers, but not as a server of worlds would: ${why}.`),
  'another-kind': (said) => msg(str`This is another kind of server. It says: “${said}”`),
  'routes-missing': (routes) => msg(str`Missing: ${routes}.`),
  'may-not-post': () => msg('The server lets this page look, but not act: it does not allow its POST requests.'),
  'no-version': () => msg('It does not say which version it is.'),
  'no-schema': () =>
    msg(
      'It does not let us read what an action is made of. Type its action schema in the advanced settings; without it an action is one text named “message”.',
    ),
  full: (why) => msg(str`No room: ${why}. Try again when somebody has left.`),
  places: (count) => msg(str`It has room for so many episodes at once: ${count}. The others wait their turn.`),
  'stays-open': () => msg('It cannot close what it opens: its environments stay with it until it is started anew.'),
};

export const findingWords = ({ what, detail }: ConnectionFinding): string => words[what](detail.replace(/\.$/, ''));

/** Summary of a report, shown as its first line. */
export function reportWords({ works, says, version, ms }: ConnectionReport): string {
  if (ms === null) return msg('It cannot be used.');
  const time = ms < 10 ? ms.toFixed(1) : Math.round(ms);
  const said = /[.!?]$/.test(says) ? says : `${says}.`;
  const who = version ? msg(str`${said} Version ${version}.`) : said;
  return works ? msg(str`It works. ${who} It answers in ${time} ms.`) : msg(str`It answers in ${time} ms: ${who}`);
}
