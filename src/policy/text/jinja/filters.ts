/** Filters of jinja2 (`filters.py`), with transformers' own `tojson`. A filter that is not listed is refused by name. */
import { toJson } from './json.ts';
import { escaped, marked } from './markup.ts';
import { binary, ownAttribute, subscript } from './operators.ts';
import { capitalize, joined, replace, splitLines, stringMethod, strip } from './strings.ts';
import { tests } from './tests.ts';
import {
  compare,
  type Dict,
  equal,
  Float,
  fail,
  fixed,
  Group,
  integerOf,
  itemsOf,
  type Keywords,
  Markup,
  numberOf,
  OneTime,
  text,
  textOf,
  truth,
  tupleOf,
  typeName,
  Undefined,
  unmarked,
  type Value,
  whole,
  wholeOf,
} from './values.ts';
import { makeText, work } from './work.ts';

export type Filter = (value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** Argument by place or name. */
const given = (args: readonly Value[], keywords: Keywords, at: number, name: string, otherwise: Value): Value =>
  at < args.length ? args[at] : keywords.has(name) ? keywords.get(name)! : otherwise;

/** Value at a path such as "a.b" or "0". */
function atPath(item: Value, path: Value): Value {
  if (typeof path === 'number') return subscript(item, path);
  return textOf(path)
    .split('.')
    .reduce(
      (value: Value, part) => (/^\d+$/.test(part) ? subscript(value, Number(part)) : subscript(value, part)),
      item,
    );
}

const folded = (value: Value, sensitive: Value): Value =>
  typeof value === 'string' && !truth(sensitive) ? value.toLowerCase() : value;

/** Key by which filters order and group: an attribute, without case unless requested. */
const keyBy =
  (path: Value, sensitive: Value) =>
  (item: Value): Value =>
    folded(path === null ? item : atPath(item, path), sensitive);

function sort(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const [reverse, sensitive, path] = [
    given(args, keywords, 0, 'reverse', false),
    given(args, keywords, 1, 'case_sensitive', false),
    given(args, keywords, 2, 'attribute', null),
  ];
  const paths = typeof path === 'string' ? path.split(',') : [path];
  const sign = truth(reverse) ? -1 : 1;
  const keys = paths.map((each) =>
    keyBy(typeof each === 'string' && /^\d+$/.test(each) ? Number(each) : each, sensitive),
  );
  return [...itemsOf(value)].sort((a, b) => {
    const differing = keys.find((key) => !equal(key(a), key(b)));
    return differing ? sign * compare(differing(a), differing(b)) : 0;
  });
}

function dictSort(value: Value, args: readonly Value[], keywords: Keywords): Value {
  if (!(value instanceof Map)) return fail(`dictsort takes a dict, not ${typeName(value)}`);
  const sensitive = given(args, keywords, 0, 'case_sensitive', false);
  const at = given(args, keywords, 1, 'by', 'key') === 'value' ? 1 : 0;
  const sign = truth(given(args, keywords, 2, 'reverse', false)) ? -1 : 1;
  const pairs = [...value].map(([key, each]) => tupleOf(key, each));
  return pairs.sort((a, b) => sign * compare(folded(a[at], sensitive), folded(b[at], sensitive)));
}

function groupBy(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const path = given(args, keywords, 0, 'attribute', null);
  const [otherwise, sensitive] = [
    given(args, keywords, 1, 'default', null),
    given(args, keywords, 2, 'case_sensitive', false),
  ];
  const of = (item: Value) => {
    const found = atPath(item, path);
    return found instanceof Undefined && otherwise !== null ? otherwise : found;
  };
  const key = (item: Value) => folded(of(item), sensitive);
  const groups: Value[][] = [];
  for (const item of [...itemsOf(value)].sort((a, b) => compare(key(a), key(b)))) {
    const last = groups.at(-1);
    if (last && equal(key(last[0]), key(item))) last.push(item);
    else groups.push([item]);
  }
  return groups.map((group) => {
    const pair = new Group();
    pair.push(of(group[0]), group);
    return pair;
  });
}

function unique(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const key = keyBy(given(args, keywords, 1, 'attribute', null), given(args, keywords, 0, 'case_sensitive', false));
  const kept: Value[] = [];
  for (const item of itemsOf(value)) if (!kept.some((each) => equal(key(each), key(item)))) kept.push(item);
  return new OneTime(kept);
}

function extreme(sign: 1 | -1): Filter {
  return (value, args, keywords) => {
    const key = keyBy(given(args, keywords, 1, 'attribute', null), given(args, keywords, 0, 'case_sensitive', false));
    const items = itemsOf(value);
    if (items.length === 0) return new Undefined('No aggregated item, sequence was empty, so the value');
    return items.reduce((best, item) => (sign * compare(key(item), key(best)) > 0 ? item : best));
  };
}

function join(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const path = given(args, keywords, 1, 'attribute', null);
  const items = itemsOf(value).map((item) => text(path === null ? item : atPath(item, path)));
  return joined(items, text(given(args, keywords, 0, 'd', '')));
}

function map(value: Value, args: readonly Value[], keywords: Keywords): Value {
  // None and other values that are not true have no items, as in jinja2.
  if (!truth(value)) return new OneTime([]);
  const path = keywords.get('attribute');
  if (args.length === 0 && path !== undefined) {
    const otherwise = keywords.get('default');
    return new OneTime(
      itemsOf(value).map((item) => {
        const found = atPath(item, path);
        return found instanceof Undefined && otherwise !== undefined ? otherwise : found;
      }),
    );
  }
  const [name, ...rest] = args;
  const filter = filterNamed(textOf(name ?? new Undefined('the filter'), 'map requires a filter argument that'));
  return new OneTime(itemsOf(value).map((item) => filter(item, rest, keywords)));
}

/** `select`, `reject`, `selectattr` and `rejectattr`. */
function selecting(keeps: boolean, byAttribute: boolean): Filter {
  return (value, args) => {
    if (!truth(value)) return new OneTime([]);
    const [name, ...rest] = byAttribute ? args.slice(1) : args;
    const test = name === undefined ? truth : (item: Value) => testNamed(textOf(name))(item, rest);
    return new OneTime(itemsOf(value).filter((item) => test(byAttribute ? atPath(item, args[0]) : item) === keeps));
  };
}

/** An unknown test fails where it is applied: it may stand in a branch that is never taken. */
export function testNamed(name: string): (value: Value, args: readonly Value[]) => boolean {
  if (!Object.hasOwn(tests, name)) return () => fail(`No test named '${name}'`);
  if (name === 'escaped') return tests[name];
  return (value, args) => tests[name](unmarked(value), args.map(unmarked));
}

/** Text of Python's int() and float(). */
const wholeText = /^[+-]?\d+(?:_\d+)*$/;
const realText = /^[+-]?(?:(?:\d+(?:_\d+)*)?\.?\d+(?:_\d+)*\.?(?:[eE][+-]?\d+)?|\d+\.(?:[eE][+-]?\d+)?)$/;

function realOf(value: Value): number | undefined {
  if (value instanceof Undefined) return fail(`${value.what} is undefined`);
  if (typeof value !== 'string') return numberOf(value);
  const stripped = strip(value, null);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(stripped);
  if (special) return special[2].toLowerCase() === 'nan' ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
  return realText.test(stripped) ? Number(stripped.replaceAll('_', '')) : undefined;
}

/** A text as Python's int(text, base) reads it; undefined: it is none. A base of 0 is that of the prefix. */
function parsedWhole(value: string, base: number): Value | undefined {
  const [, sign, prefix, digits] = /^([+-]?)(0[xob](?=.))?(.*)$/is.exec(value)!;
  const bases: { readonly [prefix: string]: number } = { '0x': 16, '0o': 8, '0b': 2 };
  const own = prefix ? bases[prefix.toLowerCase()] : undefined;
  if (own !== undefined && base !== 0 && own !== base) return parsedDigits(sign, `${prefix}${digits}`, base);
  if (own === undefined && base === 0 && /^0[0_]*[1-9]/.test(digits)) return undefined;
  return parsedDigits(sign, own === undefined ? digits : digits.replace(/^_/, ''), base || (own ?? 10));
}

function parsedDigits(sign: string, digits: string, base: number): Value | undefined {
  const plain = digits.replace(/(?<=[a-z\d])_(?=[a-z\d])/gi, '').toLowerCase();
  const values = Array.from(plain, (digit) => (/[a-z\d]/.test(digit) ? Number.parseInt(digit, 36) : Infinity));
  if (values.length === 0 || values.some((digit) => digit >= base)) return undefined;
  makeText(values.length ** 2);
  const number = values.reduce((sum, digit) => sum * BigInt(base) + BigInt(digit), 0n);
  return whole(sign === '-' ? -number : number);
}

function int(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const [otherwise, base] = [given(args, keywords, 0, 'default', 0), integerOf(given(args, keywords, 1, 'base', 10))];
  if (typeof value === 'string' && base !== 10) {
    const parsed = parsedWhole(strip(value, null), base);
    if (parsed !== undefined) return parsed;
  }
  const exact = wholeOf(value);
  if (exact !== undefined) return whole(exact);
  if (typeof value === 'string' && wholeText.test(strip(value, null)))
    return whole(BigInt(strip(value, null).replaceAll('_', '')));
  const real = realOf(value);
  return real === undefined || !Number.isFinite(real) ? otherwise : whole(BigInt(Math.trunc(real)));
}

function round(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const precision = integerOf(given(args, keywords, 0, 'precision', 0));
  const method = given(args, keywords, 1, 'method', 'common');
  const number = numberOf(value) ?? fail(`type ${typeName(value)} doesn't define round`);
  const scale = 10 ** precision;
  if (method === 'ceil') return new Float(Math.ceil(number * scale) / scale);
  if (method === 'floor') return new Float(Math.floor(number * scale) / scale);
  if (wholeOf(value) !== undefined && precision >= 0) return value === true ? 1 : value || 0;
  if (wholeOf(value) !== undefined) return halfEven(number * scale) / scale;
  return new Float(precision > 0 ? Number(fixed(number, precision)) : halfEven(number * scale) / scale);
}

function halfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** As many spaces as a number says. */
function spacesOf(width: Value): string {
  const count = Math.max(0, integerOf(width));
  makeText(count);
  return ' '.repeat(count);
}

function indent(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const width = given(args, keywords, 0, 'width', 4);
  const by = typeof width === 'string' ? width : spacesOf(width);
  const [first, blank] = [given(args, keywords, 1, 'first', false), given(args, keywords, 2, 'blank', false)];
  if (typeof value !== 'string') fail(`indent takes a text, not ${typeName(value)}`);
  const [head, ...rest] = splitLines(`${value}\n`);
  makeText(value.length + rest.length * by.length);
  const lines = rest.map((line) => (line || truth(blank) ? by + line : line));
  return (truth(first) ? by : '') + [head, ...lines].join('\n');
}

function json(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const indention = given(args, keywords, 1, 'indent', null);
  const separators = given(args, keywords, 2, 'separators', null);
  const [item, key] =
    separators === null ? [indention === null ? ', ' : ',', ': '] : itemsOf(separators).map((each) => textOf(each));
  return toJson(value, {
    ascii: truth(given(args, keywords, 0, 'ensure_ascii', false)),
    indent: indention === null ? null : typeof indention === 'string' ? indention : spacesOf(indention),
    separators: [item, key],
    sorted: truth(given(args, keywords, 3, 'sort_keys', false)),
  });
}

function length(value: Value): Value {
  if (value instanceof Map) return value.size;
  if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof Undefined))
    return fail(`object of type '${typeName(value)}' has no len()`);
  if (typeof value === 'number' || typeof value === 'boolean')
    return fail(`object of type '${typeName(value)}' has no len()`);
  return itemsOf(value).length;
}

function batch(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const [size, fill] = [
    integerOf(given(args, keywords, 0, 'linecount', 1)),
    given(args, keywords, 1, 'fill_with', null),
  ];
  if (!(size >= 1)) fail('batch takes a number of items, 1 or more');
  const items = itemsOf(value);
  if (fill !== null) work(size);
  const rows = Array.from({ length: Math.ceil(items.length / size) }, (_, i) => [
    ...items.slice(i * size, (i + 1) * size),
  ]);
  const last = rows.at(-1);
  if (last && fill !== null) while (last.length < size) last.push(fill);
  return new OneTime(rows);
}

const titled = (value: string) =>
  value
    .split(/([-\s({[<]+)/)
    .filter((part) => part)
    .map((part) => part[0].toUpperCase() + part.slice(1).toLowerCase())
    .join('');

const defaulted: Filter = (value, args, keywords) => {
  const absent = value instanceof Undefined || (truth(given(args, keywords, 1, 'boolean', false)) && !truth(value));
  return absent ? given(args, keywords, 0, 'default_value', '') : value;
};

function sum(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const path = given(args, keywords, 0, 'attribute', null);
  const items = itemsOf(value).map((item) => (path === null ? item : atPath(item, path)));
  return items.reduce((total, item) => binary('+', total, item), given(args, keywords, 1, 'start', 0));
}

/** A text reversed is a text, what can be gone over once a list, a list gone over once. */
function reversed(value: Value): Value {
  if (typeof value === 'string') return Array.from(value).reverse().join('');
  const items = [...itemsOf(value)].reverse();
  return value instanceof OneTime ? items : new OneTime(items);
}
const absolute = (value: Value) => {
  if (value instanceof Float) return new Float(Math.abs(value.value));
  const exact = wholeOf(value) ?? fail(`bad operand type for abs(): '${typeName(value)}'`);
  return whole(exact < 0n ? -exact : exact);
};

const orUndefined = (value: Value | undefined, what: string): Value =>
  value === undefined ? new Undefined(what) : value;

const filters: { readonly [name: string]: Filter } = {
  abs: absolute,
  attr: (value, [name]) => ownAttribute(value, textOf(name)),
  batch,
  capitalize: (value) => capitalize(text(value)),
  center: (value, [width = 80]) => stringMethod(text(value), 'center')!([width], new Map()),
  count: length,
  d: defaulted,
  default: defaulted,
  dictsort: dictSort,
  e: (value) => new Markup(escaped(value)),
  escape: (value) => new Markup(escaped(value)),
  first: (value) =>
    orUndefined(
      value instanceof OneTime ? value.next() : itemsOf(value)[0],
      'No first item, sequence was empty, so the value',
    ),
  float: (value, args, keywords) => {
    const real = realOf(value);
    return real === undefined ? given(args, keywords, 0, 'default', new Float(0)) : new Float(real);
  },
  format: (value, args, keywords) =>
    binary(
      '%',
      value instanceof Markup ? value : text(value),
      keywords.size > 0 ? (new Map(keywords) as Dict) : tupleOf(...args),
    ),
  groupby: groupBy,
  indent,
  int,
  items: (value) =>
    value instanceof Undefined || value instanceof Map
      ? new OneTime(value instanceof Map ? [...value].map(([k, v]) => tupleOf(k, v)) : [])
      : fail('Can only get item pairs from a mapping.'),
  join,
  last: (value) =>
    value instanceof OneTime
      ? fail("'generator' object is not reversible")
      : orUndefined(itemsOf(value).at(-1), 'No last item, sequence was empty, so the value'),
  length,
  list: (value) => [...itemsOf(value)],
  lower: (value) => text(value).toLowerCase(),
  map,
  max: extreme(1),
  min: extreme(-1),
  reject: selecting(false, false),
  rejectattr: selecting(false, true),
  replace: (value, args, keywords) => {
    const count = given(args, keywords, 2, 'count', null);
    const [from, to] = [given(args, keywords, 0, 'old', ''), given(args, keywords, 1, 'new', '')];
    return replace(text(value), text(from), text(to), count === null ? -1 : integerOf(count));
  },
  reverse: reversed,
  round,
  safe: (value) => new Markup(text(value)),
  select: selecting(true, false),
  selectattr: selecting(true, true),
  sort,
  string: (value) => text(value),
  sum,
  title: (value) => titled(text(value)),
  tojson: json,
  trim: (value, args, keywords) => strip(text(value), given(args, keywords, 0, 'chars', null)),
  unique,
  upper: (value) => text(value).toUpperCase(),
  urlencode: (value) =>
    encodeURIComponent(typeof value === 'object' && value !== null ? fail('urlencode takes a text') : text(value))
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
  wordcount: (value) => text(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
};

/** Filters that take marked text as it is, and those whose result is marked if the input is. */
const takesMarked = new Set(['attr', 'd', 'default', 'e', 'escape', 'format', 'safe']);
const keepsMark = new Set(['capitalize', 'center', 'indent', 'lower', 'reverse', 'string', 'trim', 'upper']);

/** An unknown filter fails where it is applied: it may stand in a branch that is never taken. */
export function filterNamed(name: string): Filter {
  if (!Object.hasOwn(filters, name)) return () => fail(`No filter named '${name}'`);
  const filter = filters[name];
  if (takesMarked.has(name)) return filter;
  return (value, args, keywords) => {
    const result = filter(unmarked(value), args, keywords);
    return value instanceof Markup && keepsMark.has(name) ? marked(result) : result;
  };
}
