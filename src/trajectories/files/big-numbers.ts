/**
 * Whole numbers that a JavaScript number does not hold: JSON.parse would change 9007199254740993 to 9007199254740992.
 * While a record is in memory such a number is a text with a mark, and it is written with its own digits.
 */
const mark = '\u0000int:';
const marked = /"\\u0000int:(-?\d+)"/g;
const maybe = /\d{16}/;
/**
 * Strings, which are passed over, and numbers. A string that nothing ends reaches to the end: the search would begin anew
 * at each of its quotes.
 */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const isHeld = (digits: string) => BigInt(Number(digits)) === BigInt(digits);

/** JSON with marks in place of such numbers. */
export const protectedNumbers = (json: string): string =>
  maybe.test(json)
    ? json.replace(token, (each) => (/^-?\d{16,}$/.test(each) && !isHeld(each) ? `"\\u0000int:${each}"` : each))
    : json;

/** JSON with the numbers again. */
export const restoredNumbers = (json: string): string => json.replace(marked, '$1');

/** Digits of a marked number; null: another value. */
export const bigNumber = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : null;
