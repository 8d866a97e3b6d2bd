/** Methods of Python's str, with all their arguments. */
import { space as spaces, strip as stripSpaces } from '../../../python/text.ts';
import {
  type Call,
  type Dict,
  fail,
  integerOf,
  itemsOf,
  type Keywords,
  Tuple,
  text,
  textOf,
  tupleOf,
  type Value,
  viewOf,
} from './values.ts';
import { divided, madeText, makeText, wasRead } from './work.ts';

const spaceRun = new RegExp(`[${spaces}]+`);
const lineEnds = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029';
const lineEnd = new RegExp(`\\r\\n|[${lineEnds}]`, 'g');

/** Strips one or both ends of white space, or of the given characters. */
export function strip(value: string, chars: Value | undefined, ends: 'both' | 'left' | 'right' = 'both'): string {
  if (chars === undefined || chars === null) return stripSpaces(value, ends);
  const set = new Set(Array.from(textOf(chars, 'strip arg')));
  const characters = Array.from(value);
  let [start, end] = [0, characters.length];
  if (ends !== 'right') while (start < end && set.has(characters[start])) start++;
  if (ends !== 'left') while (end > start && set.has(characters[end - 1])) end--;
  return characters.slice(start, end).join('');
}

export function splitLines(value: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const match of value.matchAll(lineEnd)) {
    lines.push(value.slice(start, keepEnds ? match.index + match[0].length : match.index));
    start = match.index + match[0].length;
  }
  if (start < value.length) lines.push(value.slice(start));
  return lines;
}

/** Parts between runs of white space. What is left after `most` splits keeps the white space at its end. */
function splitSpaces(value: string, most: number): string[] {
  const parts: string[] = [];
  let rest = strip(value, null, 'left');
  while (rest !== '') {
    const match = parts.length < most ? spaceRun.exec(rest) : null;
    if (!match) {
      parts.push(rest);
      break;
    }
    parts.push(rest.slice(0, match.index));
    rest = rest.slice(match.index + match[0].length);
  }
  return parts;
}

const reversed = (value: string) => Array.from(value).reverse().join('');

/** `str.split`, or `str.rsplit` when `fromEnd`. */
function split(value: string, separator: Value | undefined, most: number, fromEnd = false): string[] {
  const limit = most < 0 ? Infinity : most;
  if (separator === undefined || separator === null)
    return fromEnd ? splitSpaces(reversed(value), limit).map(reversed).reverse() : splitSpaces(value, limit);
  const mark = textOf(separator, 'separator');
  if (mark === '') fail('empty separator');
  const parts = value.split(mark);
  if (parts.length - 1 <= limit) return parts;
  return fromEnd
    ? [parts.slice(0, parts.length - limit).join(mark), ...parts.slice(parts.length - limit)]
    : [...parts.slice(0, limit), parts.slice(limit).join(mark)];
}

export function replace(value: string, from: string, to: string, count = -1): string {
  const most = count < 0 ? Infinity : count;
  if (from === '') {
    divided(value);
    makeText(value.length + (value.length + 1) * to.length);
    return between(value, to, most);
  }
  const parts = value.split(from);
  const cut = Math.min(most, parts.length - 1);
  makeText(value.length + cut * Math.max(0, to.length - from.length));
  return (
    parts.slice(0, cut + 1).join(to) +
    parts
      .slice(cut + 1)
      .map((part) => from + part)
      .join('')
  );
}

/** Puts a text before each of the first `count` characters, and after the last. */
function between(value: string, to: string, count: number): string {
  const characters = Array.from(value);
  return [...characters, ''].map((each, i) => (i < count ? to + each : each)).join('');
}

const titleCase = (value: string): string =>
  value.replace(/\p{L}+/gu, (word) => {
    const [first, ...rest] = Array.from(word);
    return first.toUpperCase() + rest.join('').toLowerCase();
  });

export function capitalize(value: string): string {
  const [first = '', ...rest] = Array.from(value);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

const swapCase = (value: string) =>
  Array.from(value, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('');

/** Part of a text between two positions in characters, as Python's slices. */
function sliced(value: string, start: Value | undefined, end: Value | undefined): string {
  if (start === undefined && end === undefined) return value;
  return Array.from(value)
    .slice(start == null ? 0 : integerOf(start), end == null ? undefined : integerOf(end))
    .join('');
}

function hasEnd(method: 'startsWith' | 'endsWith', value: string, [affix, start, end]: readonly Value[]): boolean {
  const part = sliced(value, start, end);
  if (affix instanceof Tuple) return itemsOf(affix).some((each) => part[method](textOf(each)));
  return part[method](textOf(affix, 'first arg'));
}

/** Position in characters, from the start or the end; -1: none. */
function find(value: string, [part, start, end]: readonly Value[], last = false): number {
  const inside = sliced(value, start, end);
  const at = last ? inside.lastIndexOf(textOf(part)) : inside.indexOf(textOf(part));
  if (at < 0) return -1;
  const { length } = Array.from(value);
  const from = start == null ? 0 : integerOf(start);
  return Math.max(from < 0 ? length + from : from, 0) + Array.from(inside.slice(0, at)).length;
}

function found(at: number): number {
  return at < 0 ? fail('substring not found') : at;
}

function count(value: string, [part, start, end]: readonly Value[]): number {
  const inside = sliced(value, start, end);
  const mark = textOf(part);
  return mark === '' ? Array.from(inside).length + 1 : inside.split(mark).length - 1;
}

function padded(value: string, [width, fill = ' ']: readonly Value[], side: 'left' | 'right' | 'both'): string {
  divided(value);
  const missing = Math.max(0, integerOf(width) - Array.from(value).length);
  const filling = textOf(fill);
  makeText(value.length + missing * filling.length);
  if (side === 'left') return filling.repeat(missing) + value;
  if (side === 'right') return value + filling.repeat(missing);
  const left = Math.floor(missing / 2) + (missing & integerOf(width) & 1);
  return filling.repeat(left) + value + filling.repeat(missing - left);
}

function partition(value: string, mark: Value, last = false): Value {
  const separator = textOf(mark);
  const at = last ? value.lastIndexOf(separator) : value.indexOf(separator);
  if (at < 0) return last ? tupleOf('', '', value) : tupleOf(value, '', '');
  return tupleOf(value.slice(0, at), separator, value.slice(at + separator.length));
}

/** True for a non-empty text of which every character is in the class. */
const all = (expression: RegExp) => (value: string) => expression.test(value);
const isCase = (value: string, cased: string, other: string) => value === cased && value !== other;

/** `str.format` with fields `{}`, `{0}` and `{name}`; formats behind a colon are not read. */
function format(value: string, args: readonly Value[], keywords: Keywords): string {
  let next = 0;
  const out = value.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (whole, field) => {
    if (whole === '{{' || whole === '}}') return whole[0];
    if (!/^\w*$/.test(field)) return fail(`the field "{${field}}" of str.format is not read`);
    const chosen = field === '' ? args[next++] : /^\d+$/.test(field) ? args[Number(field)] : keywords.get(field);
    return chosen === undefined ? fail(`str.format has no value for "{${field}}"`) : text(chosen);
  });
  return madeText(out);
}

function join(value: string, items: Value): string {
  return joined(
    itemsOf(items).map((each) => textOf(each, 'sequence item')),
    value,
  );
}

/** Texts with a separator between them. */
export function joined(texts: readonly string[], separator: string): string {
  makeText(texts.reduce((sum, each) => sum + each.length + separator.length, 0));
  return texts.join(separator);
}

function zeroFilled(value: string, width: Value): string {
  const sign = /^[+-]/.test(value) ? value[0] : '';
  const { length } = Array.from(value);
  makeText(Math.max(value.length, integerOf(width)));
  return sign + '0'.repeat(Math.max(0, integerOf(width) - length)) + value.slice(sign.length);
}

type Method = (value: string, args: readonly Value[], keywords: Keywords) => Value;

const most = (args: readonly Value[], keywords: Keywords) => integerOf(args[1] ?? keywords.get('maxsplit') ?? -1);
const separatorOf = (args: readonly Value[], keywords: Keywords) => args[0] ?? keywords.get('sep');

const methods: { readonly [name: string]: Method } = {
  strip: (value, [chars]) => strip(value, chars),
  lstrip: (value, [chars]) => strip(value, chars, 'left'),
  rstrip: (value, [chars]) => strip(value, chars, 'right'),
  split: (value, args, keywords) => split(value, separatorOf(args, keywords), most(args, keywords)),
  rsplit: (value, args, keywords) => split(value, separatorOf(args, keywords), most(args, keywords), true),
  splitlines: (value, [keepEnds = false]) => splitLines(value, keepEnds === true),
  join: (value, [items]) => join(value, items),
  replace: (value, [from, to, n], keywords) =>
    replace(value, textOf(from), textOf(to), integerOf(n ?? keywords.get('count') ?? -1)),
  startswith: (value, args) => hasEnd('startsWith', value, args),
  endswith: (value, args) => hasEnd('endsWith', value, args),
  removeprefix: (value, [affix]) => (value.startsWith(textOf(affix)) ? value.slice(textOf(affix).length) : value),
  removesuffix: (value, [affix]) =>
    affix !== '' && value.endsWith(textOf(affix)) ? value.slice(0, -textOf(affix).length) : value,
  upper: (value) => value.toUpperCase(),
  lower: (value) => value.toLowerCase(),
  casefold: (value) => value.toLowerCase().replaceAll('ß', 'ss'),
  title: titleCase,
  capitalize,
  swapcase: swapCase,
  find: (value, args) => find(value, args),
  rfind: (value, args) => find(value, args, true),
  index: (value, args) => found(find(value, args)),
  rindex: (value, args) => found(find(value, args, true)),
  count,
  zfill: (value, [width]) => zeroFilled(value, width),
  ljust: (value, args) => padded(value, args, 'right'),
  rjust: (value, args) => padded(value, args, 'left'),
  center: (value, args) => padded(value, args, 'both'),
  partition: (value, [mark]) => partition(value, mark),
  rpartition: (value, [mark]) => partition(value, mark, true),
  format,
  isdigit: all(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\u2460-\u2468]+$/u),
  isdecimal: all(/^\p{Nd}+$/u),
  isnumeric: all(/^\p{N}+$/u),
  isalpha: all(/^\p{L}+$/u),
  isalnum: all(/^[\p{L}\p{N}]+$/u),
  isspace: all(new RegExp(`^[${spaces}]+$`)),
  isupper: (value) => isCase(value, value.toUpperCase(), value.toLowerCase()),
  islower: (value) => isCase(value, value.toLowerCase(), value.toUpperCase()),
  istitle: (value) =>
    isCase(value, titleCase(value), value.toLowerCase()) || (value.length === 1 && /\p{Lu}/u.test(value)),
};

/** A method of a text; undefined: it has none of this name. */
export const stringMethod = (value: string, name: string): Call | undefined => {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return (
    method &&
    ((args, keywords) => {
      wasRead(value);
      return method(value, args, keywords);
    })
  );
};

/** Methods of dict that read; `update` and the like are refused, as in transformers' sandbox. */
export function dictMethod(dict: Dict, name: string): Call | undefined {
  const pairs = () => [...dict].map(([key, value]) => tupleOf(key, value));
  const reading: { readonly [name: string]: Call } = {
    get: ([key, other = null]) => (dict.has(key) ? dict.get(key)! : other),
    items: () => viewOf('dict_items', pairs()),
    keys: () => viewOf('dict_keys', [...dict.keys()]),
    values: () => viewOf('dict_values', [...dict.values()]),
    copy: () => new Map(dict),
  };
  const changing = ['update', 'pop', 'popitem', 'clear', 'setdefault'];
  if (changing.includes(name)) return () => fail(`dict.${name} would change a value, which a template may not`);
  return Object.hasOwn(reading, name) ? reading[name] : undefined;
}

export function listMethod(
  list: readonly Value[],
  name: string,
  equal: (a: Value, b: Value) => boolean,
): Call | undefined {
  const reading: { readonly [name: string]: Call } = {
    index: ([item]) => found(list.findIndex((each) => equal(each, item))),
    count: ([item]) => list.filter((each) => equal(each, item)).length,
    copy: () => [...list],
  };
  const changing = ['append', 'extend', 'insert', 'pop', 'remove', 'clear', 'sort', 'reverse'];
  if (!(list instanceof Tuple) && changing.includes(name))
    return () => fail(`list.${name} would change a value, which a template may not`);
  return Object.hasOwn(reading, name) ? reading[name] : undefined;
}
