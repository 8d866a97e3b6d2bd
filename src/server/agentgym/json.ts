/**
 * JSON as Python's `json.loads` reads it, where that differs from JSON.parse and a client could tell: whole numbers of any size, floats
 * that stay floats (`2.0`), NaN and the infinities. Such numbers come back as `PythonNumber`; all else as JSON.parse has it.
 */

/** A number that a double does not hold or does not tell from a whole one, as it was written. */
export class PythonNumber {
  constructor(readonly source: string) {}
}

export type ParsedJson = null | boolean | number | string | PythonNumber | ParsedJson[] | { [key: string]: ParsedJson };

/** Written with a point or an exponent, longer than 15 digits, or no number in JSON. */
const special = /\d[.eE]|\d{16}|NaN|Infinity/;
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity/g;
const plain = /^-?(?:0|[1-9]\d{0,14})$/;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$|^NaN$|^-?Infinity$/;
const tag = '\0number';

function tagged(token: string): string {
  if (token[0] === '"' || plain.test(token) || !number.test(token)) return token;
  return JSON.stringify({ [tag]: token });
}

function revive(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !(tag in value)) return value;
  return new PythonNumber(String(value[tag]));
}

/** Throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): ParsedJson {
  if (!special.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(tokens, tagged), revive);
}
