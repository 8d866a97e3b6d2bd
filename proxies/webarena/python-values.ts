/**
 * Values of a request as the original's Python code uses them: keys of a dict, texts in an f-string, parts of a path.
 * The original accepts any JSON value, and its error messages quote it.
 */

import { repr } from '../../src/python/text.ts';
import { str, type Value } from '../../src/python/values.ts';
import { type ParsedJson, PythonNumber } from '../../src/server/agentgym/json.ts';

/** A dict of the original lacks this key. The message is Python's message of a KeyError. */
export class MissingKey extends Error {
  override name = 'MissingKey';
}

function plain(value: ParsedJson): Value {
  if (value instanceof PythonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  return value;
}

/** f'{value}' */
export function formatted(value: ParsedJson): string {
  if (value instanceof PythonNumber) return numberText(value.source);
  return typeof value === 'string' ? value : str(plain(value));
}

function numberText(source: string): string {
  if (/^-?\d+$/.test(source)) return source;
  const value = Number(source);
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : str(value);
}

/** repr(value), as a KeyError quotes its key. */
const quoted = (value: ParsedJson): string => (typeof value === 'string' ? repr(value) : formatted(value));

/** The integer that equals a dict's key: 0, 0.0 and False are one key. null if no integer equals it. */
function wholeKey(value: ParsedJson): number | null {
  if (typeof value === 'boolean') return Number(value);
  const number = value instanceof PythonNumber ? Number(value.source) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/**
 * `dict[key]` of a dict with integer keys. Throws `MissingKey`, also with the message of the TypeError for an
 * unhashable key.
 */
export function lookUp<T>(dict: ReadonlyMap<number, T>, key: ParsedJson): T {
  if (key !== null && typeof key === 'object' && !(key instanceof PythonNumber))
    throw new MissingKey(`unhashable type: '${Array.isArray(key) ? 'list' : 'dict'}'`);
  const whole = wholeKey(key);
  const found = whole === null ? undefined : dict.get(whole);
  if (found === undefined) throw new MissingKey(quoted(key));
  return found;
}

/** The number of the file `config_files/{idx}.json`, or null if the path leads to no such file. */
export function configNumber(idx: ParsedJson): number | null {
  const folders: string[] = [];
  const parts = `config_files/${formatted(idx)}.json`.split('/');
  const file = parts.pop()!;
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (folders.pop() === undefined) return null;
    } else if (folders.length === 0 && part === 'config_files') folders.push(part);
    else return null;
  }
  const found = /^(0|[1-9]\d{0,8})\.json$/.exec(file);
  return folders.length === 1 && found ? Number(found[1]) : null;
}

/** int() of a query's value, or null if it is not an integer (Quart then gives None). */
export function wholeOfQuery(text: string | null): number | null {
  const found = /^\s*([+-]?\d+(?:_\d+)*)\s*$/.exec(text ?? '');
  return found ? Number(found[1].replaceAll('_', '')) : null;
}
