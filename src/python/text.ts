/**
 * CPython's handling of text: repr, isspace, strip, split and int of decimal digits. JavaScript's own rules differ: it
 * trims U+FEFF but not U+001C, and its `\p{C}` follows a newer Unicode.
 */
import { unprintableRanges } from './unprintable.ts';

/** Characters for which str.isspace() is true, as the inside of a character class. */
export const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leading = new RegExp(`^[${space}]+`);
const between = new RegExp(`[${space}]+`);
const anyVisible = new RegExp(`[^${space}]`);

/**
 * str.strip(), lstrip() or rstrip() of white space. Walks back from the end, because a regular expression anchored there
 * is quadratic on long runs of spaces.
 */
export function strip(text: string, ends: 'both' | 'left' | 'right' = 'both'): string {
  const start = ends === 'right' ? text : text.replace(leading, '');
  let end = start.length;
  if (ends !== 'left') while (end > 0 && !anyVisible.test(start[end - 1])) end--;
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

/** repr of a float. The digits are the shortest ones, as in JS; the notation differs. */
export function floatText(value: number): string {
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
