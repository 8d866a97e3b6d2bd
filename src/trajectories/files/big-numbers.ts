/**
 * Numbers that a JavaScript number does not hold: JSON.parse would change 9007199254740993 to 9007199254740992, and 1e400
 * to infinity, and refuses the NaN and Infinity that Python writes. While a record is in memory such a number is a text with a mark, and it is written with its own digits.
 */
import { TrajectoryFileError } from './record.ts';

const mark = '\u0000int:';
/** A mark at the beginning of a text. A quotation mark behind a backslash is inside of one. */
const marked = /(^|[^\\])"\\u0000int:(-?[\d.eE+]+|NaN|-?Infinity)"/g;
const maybe = /\d{16}|[eE]\+?\d{3}|\\u0000|NaN|Infinity/;
/** A number of JSON: `01` is none, and must stay an error. */
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/g;
/** Beginning of a text of JSON that would be taken for a mark, however its characters are spelled. */
const spelledMark = /^"\\u0000(?:i|\\u0069)(?:n|\\u006[eE])(?:t|\\u0074)(?::|\\u003[aA])/;
const longestSpelledMark = 31;

const isWhole = (digits: string) => /^-?\d{16,}$/.test(digits);
const isHeld = (digits: string) =>
  Number.isFinite(Number(digits)) && (!isWhole(digits) || BigInt(Number(digits)) === BigInt(digits));
const held = (digits: string) => (isHeld(digits) ? digits : `"\\u0000int:${digits}"`);

/** End of the text of JSON whose quotation mark is at `open`; a text that does not end reaches to the end. */
function textEnd(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at - 1;
    while (json[before] === '\\') before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return json.length;
}

/** JSON with marks in place of such numbers. Throws TrajectoryFileError for a text that begins like a mark. */
export function protectedNumbers(json: string): string {
  if (!maybe.test(json)) return json;
  const parts: string[] = [];
  for (let from = 0; from < json.length; ) {
    const quote = json.indexOf('"', from);
    const open = quote < 0 ? json.length : quote;
    const end = quote < 0 ? open : textEnd(json, open);
    if (spelledMark.test(json.slice(open, open + longestSpelledMark)))
      throw new TrajectoryFileError('A text begins with \\u0000int:, by which large numbers are marked: change it.');
    parts.push(json.slice(from, open).replace(number, held), json.slice(open, end));
    from = end;
  }
  return parts.join('');
}

/** JSON with the numbers again. */
export const restoredNumbers = (json: string): string => json.replace(marked, '$1$2');

/** Digits of a marked number; null: another value. */
export const bigNumber = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : null;
