/**
 * Reads fields as FastAPI with pydantic 1 does, which the original servers run: whole numbers also from strings, floats
 * and booleans, strings also from numbers. A field that cannot be read is a 422 with its location.
 * (docs.pydantic.dev/1.10/usage/types, and recordings.)
 */
import type { Field, Fields, Values } from '../../envs/serving/form.ts';
import { floatText } from '../../python/text.ts';
import { JsonDecodeError, MOST_DIGITS, type ParsedJson, PythonNumber, parseJson } from './json.ts';
import { jsonText } from './json-bytes.ts';

export interface Problem {
  loc: (string | number)[];
  msg: string;
  type: string;
  /** Details of an error in the JSON itself. */
  ctx?: { msg: string; doc: string; pos: number; lineno: number; colno: number };
}

/** A body whose bytes are not text, or whose JSON is beyond Python's limits: FastAPI answers 400. */
export class UnreadableBody extends Error {
  override name = 'UnreadableBody';
  constructor() {
    super('There was an error parsing the body');
  }
}

/** A request with missing or invalid fields. */
export class Unreadable extends Error {
  override name = 'Unreadable';
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
  }
}

const missing = (loc: Problem['loc']): Problem => ({ loc, msg: 'field required', type: 'value_error.missing' });
const noObject: Problem = { loc: ['body'], msg: 'value is not a valid dict', type: 'type_error.dict' };

/**
 * The strings that Python's int() accepts: surrounding whitespace, a sign, single underscores between digits of any
 * script.
 */
const wholeNumber = /^([+-]?)(\p{Nd}+(?:_\p{Nd}+)*)$/u;
/** Whitespace that int() strips: C's, and Unicode's beyond ASCII, to which the byte order mark does not belong. */
const isSpace = (character: string) =>
  /[\t\n\v\f\r \x85]/.test(character) || (character > '\x7f' && character !== '\ufeff' && /\s/.test(character));

function stripped(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return text.slice(from, to);
}

/** Value of a decimal digit of any script: Unicode lists such digits in runs of ten, starting at the script's zero. */
function digitOf(character: string): number {
  let code = character.codePointAt(0)!;
  if (code < 128) return code - 48;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) {
    code--;
    value++;
  }
  return value;
}

function wholeOf(text: string): bigint | undefined {
  const found = wholeNumber.exec(stripped(text));
  // Python refuses longer numbers.
  if (!found || [...found[2].replaceAll('_', '')].length > MOST_DIGITS) return undefined;
  const digits = [...found[2].replaceAll('_', '')].map(digitOf).join('');
  return found[1] === '-' ? -BigInt(digits) : BigInt(digits);
}

function intOf(value: ParsedJson): bigint | undefined {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return wholeOf(value);
  if (!(value instanceof PythonNumber)) return undefined;
  if (/^-?\d+$/.test(value.source)) return BigInt(value.source);
  const float = Number(value.source);
  return Number.isFinite(float) ? BigInt(Math.trunc(float)) : undefined;
}

function strOf(value: ParsedJson): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (!(value instanceof PythonNumber)) return undefined;
  return /^-?\d+$/.test(value.source) ? value.source : floatText(Number(value.source));
}

const readers = {
  int: { read: intOf, msg: 'value is not a valid integer', type: 'type_error.integer' },
  str: { read: strOf, msg: 'str type expected', type: 'type_error.str' },
} as const;

function readField(
  { type, optional, whenAbsent }: Field,
  value: ParsedJson | undefined,
  loc: Problem['loc'],
): bigint | string | null | Problem {
  if (value === undefined) return optional ? (whenAbsent ?? null) : missing(loc);
  if (value === null)
    return optional ? null : { loc, msg: 'none is not an allowed value', type: 'type_error.none.not_allowed' };
  const { read, msg, type: kind } = readers[type];
  return read(value) ?? { loc, msg, type: kind };
}

function readAll(fields: Fields, given: { [key: string]: ParsedJson }, where: 'body' | 'query'): Values {
  const values: { [name: string]: bigint | string | null } = {};
  const problems: Problem[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const read = readField(field, Object.hasOwn(given, name) ? given[name] : undefined, [where, name]);
    if (read !== null && typeof read === 'object') problems.push(read);
    else values[name] = read;
  }
  if (problems.length) throw new Unreadable(problems);
  return values;
}

/** Reads query parameters. The last value of a repeated name counts. */
export function readQuery(fields: Fields, query: { readonly [name: string]: string | string[] }): Values {
  const last = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1)! : value]);
  return readAll(fields, Object.fromEntries(last), 'query');
}

/** True if the content type is JSON, empty or absent, as FastAPI reads it with Python's email.message. */
function isJson(type: string | undefined): boolean {
  if (!type) return true;
  const [main, sub, ...more] = type.split(';', 1)[0].trim().toLowerCase().split('/');
  return main === 'application' && more.length === 0 && (sub === 'json' || sub?.endsWith('+json') === true);
}

/** Maximum number of characters of a body that an error repeats. The original repeats a body of any length. */
const mostRepeated = 10_000;

const shortened = (text: string) =>
  text.length <= mostRepeated ? text : `${text.slice(0, mostRepeated)} [cut: it has ${text.length} characters]`;

/** Returns the body's JSON, or undefined for an empty body. Throws `Unreadable` or `UnreadableBody`. */
export function parseBody(bytes: Buffer | undefined, type: string | undefined): ParsedJson | undefined {
  if (!bytes?.length) return undefined;
  if (!isJson(type)) throw new Unreadable([noObject]);
  try {
    return parseJson(jsonText(bytes));
  } catch (error) {
    if (!(error instanceof JsonDecodeError)) throw new UnreadableBody();
    const { message, msg, doc, pos, lineno, colno } = error;
    const ctx = { msg, doc: shortened(doc), pos, lineno, colno };
    throw new Unreadable([{ loc: ['body', pos], msg: message, type: 'value_error.jsondecode', ctx }]);
  }
}

/** The members of a value; null if Python cannot iterate it. */
function membersOf(value: ParsedJson): ParsedJson[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  return value !== null && typeof value === 'object' && !(value instanceof PythonNumber) ? Object.keys(value) : null;
}

/** The entry that Python's dict() makes of a member: two items, the first of which can be a key. Null: it makes none. */
function pairOf(member: ParsedJson): [ParsedJson, ParsedJson] | null {
  const [key, value, ...more] = membersOf(member) ?? [];
  const isKey = key !== undefined && (key === null || typeof key !== 'object' || key instanceof PythonNumber);
  return isKey && value !== undefined && !more.length ? [key, value] : null;
}

/** The object that Python's dict() would make of the value: a list of pairs is accepted too. */
function objectOf(value: ParsedJson): { [key: string]: ParsedJson } {
  if (Array.isArray(value) || value === '') {
    const pairs = [...value].map(pairOf);
    if (pairs.every((pair) => pair !== null)) {
      if (pairs.every((pair): pair is [string, ParsedJson] => typeof pair[0] === 'string'))
        return Object.fromEntries(pairs);
      throw new Unreadable([{ loc: ['body'], msg: 'keywords must be strings', type: 'type_error' }]);
    }
  } else if (value !== null && typeof value === 'object' && !(value instanceof PythonNumber)) return value;
  throw new Unreadable([noObject]);
}

export function readBody(fields: Fields, body: ParsedJson | undefined): Values {
  if (body === undefined || body === null) throw new Unreadable([missing(['body'])]);
  return readAll(fields, objectOf(body), 'body');
}
