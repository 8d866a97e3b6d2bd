/**
 * WebArena's judge of addresses (URLEvaluator). Host and path of a reference must be contained in the page's, and for
 * every key in the references' queries the page must have one of their values. Addresses are parsed like Python's
 * urllib. Independent of any page.
 */

/** An invalid address, or an unknown rule for comparing addresses. */
export class UrlMatchError extends Error {
  override name = 'UrlMatchError';
}

interface Parts {
  base: string;
  query: Map<string, string[]>;
}

/** urllib.parse.unquote_plus: bytes that are not UTF-8 become U+FFFD, and broken escapes are kept. */
function unquote(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = run.split('%').slice(1);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      Uint8Array.from(bytes.map((byte) => Number.parseInt(byte, 16))),
    );
  });
}

/** Parses a query string into the values of each key; empty values are dropped. */
function parseQuery(query: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const entry of query.split('&')) {
    const at = entry.indexOf('=');
    if (at < 0 || at === entry.length - 1) continue;
    const key = unquote(entry.slice(0, at));
    found.set(key, [...(found.get(key) ?? []), unquote(entry.slice(at + 1))]);
  }
  return found;
}

/** An address as parsed by urllib.parse.urlparse: the path excludes the `;params` of its last segment. */
export interface Address {
  scheme: string;
  host: string;
  path: string;
  query: string;
}

const schemeOf = /^([a-z][a-z0-9+.-]*):/i;

/** Schemes whose paths have parameters (urllib.parse.uses_params). */
const withParams = new Set(' ftp hdl prospero http imap https shttp rtsp rtspu sip sips mms sftp tel'.split(' '));

export function splitAddress(url: string): Address {
  // urlsplit removes leading control characters and spaces, and all tabs and line ends.
  let rest = url.replace(/^[\0- ]+/, '').replace(/[\t\r\n]/g, '');
  const scheme = schemeOf.exec(rest)?.[1] ?? '';
  if (scheme) rest = rest.slice(scheme.length + 1);
  const host = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? '';
  if (rest.startsWith('//')) rest = rest.slice(2 + host.length);
  checkHost(host);
  [rest] = rest.split('#', 1);
  const question = rest.indexOf('?');
  const path = question < 0 ? rest : rest.slice(0, question);
  const query = question < 0 ? '' : rest.slice(question + 1);
  const hasParams = withParams.has(scheme.toLowerCase());
  return { scheme: scheme.toLowerCase(), host, path: hasParams ? withoutParams(path) : path, query };
}

/**
 * Throws for hosts that urlsplit refuses: brackets around anything but an IPv6 address, and characters that NFKC turns
 * into one of `/?#@:`.
 */
function checkHost(host: string): void {
  const name = host.slice(host.lastIndexOf('@') + 1);
  const inBrackets = /^\[([^\]]*)\](?::.*)?$/s.exec(name)?.[1];
  const isBracketed = /[[\]]/.test(host);
  if (isBracketed && (inBrackets === undefined || !isIpv6(inBrackets))) throw new UrlMatchError('Invalid IPv6 URL');
  const bare = host.replace(/[@:#?]/g, '');
  const plain = bare.normalize('NFKC');
  if (plain !== bare && /[/?#@:]/.test(plain))
    throw new UrlMatchError(`netloc '${host}' contains invalid characters under NFKC normalization`);
}

/** True for an IPv6 address (with or without a zone) and for an address of a future version (`v1.…`). */
function isIpv6(address: string): boolean {
  if (address.startsWith('v')) return /^v[a-f0-9]+\.[^\n]+$/i.test(address);
  const [plain, zone, ...more] = address.split('%');
  return zone !== '' && more.length === 0 && URL.canParse(`http://[${plain}]/`);
}

function parse(url: string): Parts {
  const { host, path, query } = splitAddress(url);
  return { base: host + path, query: parseQuery(query) };
}

function withoutParams(path: string): string {
  const at = path.indexOf(';', Math.max(0, path.lastIndexOf('/')));
  return at < 0 ? path : path.slice(0, at);
}

const trimmed = (url: string) => {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end--;
  return url.slice(0, end);
};

/**
 * True if the page's address matches one of the references and their queries. `reference` may contain several
 * addresses, joined by " |OR| ".
 */
export function matchesUrl(reference: string, url: string, rule = 'GOLD in PRED'): boolean {
  if (rule !== 'GOLD in PRED') throw new UrlMatchError(`Unknown matching rule: ${rule}`);
  const page = parse(trimmed(url));
  const references = reference.split(' |OR| ').map((entry) => parse(trimmed(entry)));
  const wanted = new Map<string, Set<string>>();
  for (const { query } of references)
    for (const [key, values] of query) wanted.set(key, new Set([...(wanted.get(key) ?? []), ...values]));
  const queryHolds = [...wanted].every(([key, values]) => page.query.get(key)?.some((value) => values.has(value)));
  return references.some(({ base }) => page.base.includes(base)) && queryHolds;
}
