/**
 * CPython's handling of text: repr, isspace, strip, split and str of a value. WebArena's observations and errors depend
 * on these, and JavaScript's own rules differ (JS trims U+FEFF but not U+001C; its `\p{C}` follows a newer Unicode).
 * Independent of the web.
 */
import { unprintableRanges } from './python-unprintable.ts';

/** Characters for which str.isspace() is true, as the inside of a character class. */
const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leading = new RegExp(`^[${space}]+`);
const between = new RegExp(`[${space}]+`);
const anyVisible = new RegExp(`[^${space}]`);

/**
 * str.strip(). Walks back from the end, because a regular expression anchored there is quadratic on long runs of
 * spaces.
 */
export function strip(text: string): string {
  const start = text.replace(leading, '');
  let end = start.length;
  while (end > 0 && !anyVisible.test(start[end - 1])) end--;
  return start.slice(0, end);
}

/** str.split() without arguments. */
export function splitWords(text: string): string[] {
  return text.split(between).filter((word) => word !== '');
}

export const isBlank = (text: string) => !anyVisible.test(text);

/** First and last code point of every range, alternating, for a binary search. */
const ranges: Uint32Array = (() => {
  const found: number[] = [];
  let last = 0;
  for (const entry of unprintableRanges.split(' ')) {
    const [step, more = '0'] = entry.split('+');
    const first = last + Number.parseInt(step, 36);
    last = first + Number.parseInt(more, 36);
    found.push(first, last);
  }
  return Uint32Array.from(found);
})();

function isPrintable(code: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[2 * middle + 1] < code) low = middle + 1;
    else high = middle;
  }
  return 2 * low >= ranges.length || ranges[2 * low] > code;
}

const named: { [character: string]: string } = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

function escapeCode(code: number): string {
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/** repr(text): single quotes, or double quotes if the text contains a single quote and no double quote. */
export function repr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inside = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character === quote) inside += `\\${quote}`;
    else if (named[character]) inside += named[character];
    else inside += code === 0x20 || isPrintable(code) ? character : escapeCode(code);
  }
  return quote + inside + quote;
}

/**
 * repr of a float. The digits are the shortest ones, as in JS; the notation differs. `str` prints whole numbers as
 * ints.
 */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const exponential = value.toExponential();
  const [digits, exponent] = exponential.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 16) return plainDigits(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function plainDigits(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text.includes('.') ? text : `${text}.0`;
  const [digits, exponent] = text.split('e');
  const bare = digits.replace('-', '').replace('.', '');
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(-Number(exponent) - 1)}${bare}`;
}

/** A value returned by a page's script. */
export type Value = null | undefined | boolean | number | bigint | string | Value[] | { [key: string]: Value };

function reprValue(value: Value): string {
  return typeof value === 'string' ? repr(value) : str(value);
}

/**
 * str(value) of a value that a page's script returned and the browser driver passed to Python (whole numbers are ints).
 */
export function str(value: Value): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) < 1e21
      ? String(value)
      : floatText(value);
  if (Array.isArray(value)) return `[${value.map(reprValue).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, entry]) => `${repr(key)}: ${reprValue(entry)}`)
    .join(', ')}}`;
}

const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** int() of decimal digits of any script. Unicode places the ten digits of a script next to each other. */
export function decimal(digits: string): string {
  const values = [...digits].map((character) => {
    const code = character.codePointAt(0)!;
    let zero = code;
    while (isDigit(zero - 1)) zero--;
    return (code - zero) % 10;
  });
  return BigInt(values.join('')).toString();
}

/** int(value) in decimal digits, or null if Python's int raises an error. */
export function int(value: Value): string | null {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : null;
  if (typeof value === 'bigint') return String(value);
  const found = typeof value === 'string' && /^([+-]?)(\p{Nd}+(?:_\p{Nd}+)*)$/u.exec(strip(value));
  if (!found) return null;
  const digits = decimal(found[2].replaceAll('_', ''));
  return found[1] === '-' && digits !== '0' ? `-${digits}` : digits;
}
