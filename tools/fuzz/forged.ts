/**
 * Files by somebody who knows the format: parts exchanged, repeated, reordered or cut off, JSON with values and keys
 * that JavaScript treats specially, and sizes and checksums that are right again.
 */

type Random = (below: number) => number;

const mark = '"@forged@"';

/** A text that must be escaped wherever it becomes HTML. */
export const markup = '<img src=x onerror=alert(1)>';

/** Texts of JSON values. Some have no equal in JavaScript, some are objects that cannot become texts or numbers. */
const values = [
  ...['1e999', '-1e999', '-0', '1e-400', '9007199254740993', '18446744073709551616', '0.1e1', '1E+2', '4294967296'],
  ...['null', 'true', '[]', '{}', '""', '[null]', '" "', '"NaN"', '"Infinity"', '"1"', '"0x10"', '"1e3"', '"-0"'],
  ...['{"toString":1,"valueOf":1}', '{"toJSON":1}', '{"length":1e9}', '{"length":-1,"0":1}', '{"then":1}'],
  ...['{"__proto__":null}', '{"__proto__":{"bytes":1,"step":1}}', '{"constructor":{"prototype":1}}'],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\u202e.zip"',
    '"e\\u0301"',
    '"\\u2028"',
    '"\\u001b[2J"',
    '"../../x"',
    '"C:\\\\x"',
    '"//x/y"',
  ],
  ...[`"${markup}"`, `"'\\"></style><script>"`, '"javascript:alert(1)"'],
  ...[
    `"${'x'.repeat(300_000)}"`,
    `${'['.repeat(40_000)}${']'.repeat(40_000)}`,
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  ],
  ...[`1${'0'.repeat(5000)}`, `[${'0,'.repeat(30_000)}0]`],
];

const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'hasOwnProperty',
  'length',
  'then',
  '',
  '\0',
  markup,
  '../x',
  '1e3',
  '-1',
  'ﬁ',
];

type Container = { [key: string]: unknown };
const isContainer = (value: unknown): value is Container => value !== null && typeof value === 'object';

/** Puts the mark in place of a value, or under a key that was not there. */
function marked(value: unknown, random: Random): void {
  const containers: Container[] = [];
  const visit = (each: unknown): void => {
    if (!isContainer(each)) return;
    containers.push(each);
    Object.values(each).forEach(visit);
  };
  visit(value);
  const chosen = containers[random(containers.length)];
  const own = Object.keys(chosen);
  const added = random(3) === 0 || own.length === 0;
  const key = added ? keys[random(keys.length)] : own[random(own.length)];
  Object.defineProperty(chosen, key, {
    value: mark.slice(1, -1),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** The text of a JSON value with one value or key forged. */
export function forgedJson(text: string, random: Random): string {
  const value = JSON.parse(text);
  if (!isContainer(value) || random(20) === 0) return values[random(values.length)];
  marked(value, random);
  return JSON.stringify(value).replace(mark, () => values[random(values.length)]);
}

/** The bytes of a text, cut off, in another encoding, or with something before or after it. */
export function forgedText(text: string, random: Random): Uint8Array {
  const kind = random(7);
  if (kind === 0) return new TextEncoder().encode(text.slice(0, random(text.length)));
  if (kind === 1) return new Uint8Array(Buffer.from(text, 'utf16le'));
  if (kind === 2) return new TextEncoder().encode(`\ufeff${text}`);
  if (kind === 3) return new TextEncoder().encode(text.replaceAll('\n', '\r\n'));
  if (kind === 4) return new TextEncoder().encode(text + text);
  if (kind === 5) return new Uint8Array([...new TextEncoder().encode(text.slice(0, 20)), 0xff, 0xc0, 0x80]);
  return new TextEncoder().encode(`${text}\0`);
}

/** Lines in another order, one twice, or one left out. */
export function forgedLines(lines: readonly string[], random: Random): string[] {
  const out = [...lines];
  const [a, b] = [random(out.length), random(out.length)];
  const kind = random(4);
  if (kind === 0) [out[a], out[b]] = [out[b], out[a]];
  else if (kind === 1) out.splice(b, 0, out[a]);
  else if (kind === 2) out.splice(a, 1);
  else out[a] = forgedJson(out[a], random);
  return out;
}

export interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

const names = [
  '../x',
  '/etc/x',
  'C:\\x',
  'a\\..\\b',
  '__proto__',
  'constructor',
  '\u202ex',
  'e\u0301',
  '',
  '.',
  'a/../b',
  'x\0y',
];

/** Parts with two exchanged, one twice, one under another name, or one more. */
export function forgedParts(parts: readonly NamedBytes[], random: Random): NamedBytes[] {
  const out = [...parts];
  const [a, b] = [random(out.length), random(out.length)];
  const kind = random(4);
  if (kind === 0)
    [out[a], out[b]] = [
      { ...out[a], bytes: out[b].bytes },
      { ...out[b], bytes: out[a].bytes },
    ];
  else if (kind === 1) out.push({ name: out[a].name, bytes: out[b].bytes });
  else if (kind === 2) out[a] = { ...out[a], name: names[random(names.length)] };
  else out.push({ name: names[random(names.length)], bytes: out[a].bytes });
  return out;
}
