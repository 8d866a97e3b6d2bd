/**
 * Reads JSON as Python's `json.loads` does, where it differs from JSON.parse in a way that a client can observe: whole
 * numbers of any size, floats that stay floats (`2.0`), NaN and the infinities. Such numbers become a `PythonNumber`;
 * everything else is as JSON.parse returns it.
 */

/**
 * The source text of a number that a double cannot represent, or that a double cannot distinguish from a whole number.
 */
export class PythonNumber {
  constructor(readonly source: string) {}
}

export type ParsedJson = null | boolean | number | string | PythonNumber | ParsedJson[] | { [key: string]: ParsedJson };

/**
 * Quick test for a number that may need care: with a decimal point or an exponent, over 15 digits, or not valid in
 * JSON.
 */
const special = /\d[.eE]|\d{16}|NaN|Infinity/;
/** A number or the start of a string, from the current position on. */
const token = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity/g;
const plain = /^-?(?:0|[1-9]\d{0,14})$/;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$|^NaN$|^-?Infinity$/;
const tag = '\0number';

function tagged(token: string): string {
  if (plain.test(token) || !number.test(token)) return token;
  return JSON.stringify({ [tag]: token });
}

function revive(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !(tag in value)) return value;
  return new PythonNumber(String(value[tag]));
}

/** Index after the closing quote of the string that begins at `start`; the end of the text if it is never closed. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** Tags the numbers of a JSON text. One pass over the text, whatever it contains. */
function tagNumbers(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === '"') {
      token.lastIndex = stringEnd(text, found.index);
      continue;
    }
    pieces.push(text.slice(done, found.index), tagged(found[0]));
    done = token.lastIndex;
  }
  return pieces.join('') + text.slice(done);
}

/** Throws a SyntaxError as JSON.parse does. */
export function parseJson(text: string): ParsedJson {
  if (!special.test(text)) return JSON.parse(text);
  return JSON.parse(tagNumbers(text), revive);
}
