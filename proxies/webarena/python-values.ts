/**
 * Values of a request as the original's Python sees them: keys of a dict, texts of an f-string, a path that is put together. Its server
 * takes whatever JSON brings, and its errors quote it.
 */

import { type ParsedJson, PythonNumber } from '../../src/server/agentgym/json.ts';
import { repr, str, type Value } from '../../src/webarena/python.ts';

/** A dict of the original has no such key. Its message is what Python prints of a KeyError. */
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

/** The whole number that a dict's key equals: 0, 0.0 and False are one key. null: no whole number does. */
function wholeKey(value: ParsedJson): number | null {
  if (typeof value === 'boolean') return Number(value);
  const number = value instanceof PythonNumber ? Number(value.source) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** `dict[key]` of a dict with whole numbers as keys; throws `MissingKey`, or the TypeError of what is no key. */
export function lookUp<T>(dict: ReadonlyMap<number, T>, key: ParsedJson): T {
  if (key !== null && typeof key === 'object' && !(key instanceof PythonNumber))
    throw new MissingKey(`unhashable type: '${Array.isArray(key) ? 'list' : 'dict'}'`);
  const whole = wholeKey(key);
  const found = whole === null ? undefined : dict.get(whole);
  if (found === undefined) throw new MissingKey(quoted(key));
  return found;
}

/** The number of `config_files/{idx}.json`, where the path leads to one; null: there is no such file. */
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

/** int() of a query's value; undefined: it is none, and Quart gives None. */
export function wholeOfQuery(text: string | null): number | null {
  const found = /^\s*([+-]?\d+(?:_\d+)*)\s*$/.exec(text ?? '');
  return found ? Number(found[1].replaceAll('_', '')) : null;
}
