/** Texts for the findings of a connection check. */
import { msg, str } from '@lit/localize';
import type { ConnectionFinding, ConnectionReport } from '../../envs/module.ts';

const words: { [what in ConnectionFinding['kind']]: (detail: string) => string } = {
  'no-address': () => msg('Type the address of the server first.'),
  'bad-address': (why) => msg(str`Not a server address: ${why}.`),
  unreachable: (why) => msg(str`No answer: ${why}. Is the server running, and is the address right?`),
  'closed-to-pages': () =>
    msg('The server answers, but it does not accept requests from pages. Use the proxy or the command line.'),
  refused: (why) => msg(str`The server refused this page: ${why}.`),
  lacks: (what) => msg(str`Something is missing: ${what}.`),
  insecure: () =>
    msg(
      'This page came over HTTPS, and a browser lets it reach an unencrypted server on this machine alone. Use an https address, or run the page on this machine.',
    ),
  'not-understood': (why) => msg(str`The address answers, but not like a server of worlds: ${why}.`),
  'another-kind': (answer) => msg(str`This is another kind of server. Its answer: “${answer}”`),
  'routes-missing': (routes) => msg(str`Missing: ${routes}.`),
  'may-not-post': () =>
    msg('This page can read from the server, but not act: the server does not allow its POST requests.'),
  'no-version': () => msg('The server does not report its version.'),
  'no-schema': () =>
    msg(
      'The server does not publish its action schema. Enter it in the advanced settings; without it, an action is a single text named “message”.',
    ),
  full: (why) => msg(str`The server is full: ${why}. Try again later.`),
  places: (count) => msg(str`Episodes that the server runs at once: ${count}. The others wait.`),
  'stays-open': () => msg('The server cannot close its environments: they stay open until it restarts.'),
};

export const findingText = ({ kind, detail }: ConnectionFinding): string => words[kind](detail.replace(/\.$/, ''));

/** Summary of a report, shown as its first line. */
export function reportText({ works, description: says, version, ms }: ConnectionReport): string {
  if (ms === null) return msg('The connection does not work.');
  const time = ms < 10 ? ms.toFixed(1) : Math.round(ms);
  const name = /[.!?]$/.test(says) ? says : `${says}.`;
  const server = version ? msg(str`${name} Version ${version}.`) : name;
  return works
    ? msg(str`The connection works. ${server} Response time: ${time} ms.`)
    : msg(str`Response time ${time} ms: ${server}`);
}
