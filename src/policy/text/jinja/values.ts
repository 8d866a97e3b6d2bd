/**
 * Values of a template, with Python's meaning: null is None, a number is an integer up to 2^53, a bigint a larger one,
 * `Float` a float, an array a list, `Tuple` a tuple, a Map a dict. A name without a value is `Undefined`, which prints as
 * nothing and fails elsewhere.
 */
import { floatText, repr as textRepr } from '../../../python/text.ts';
import { copied, deeper, divided, fail, madeText, work } from './work.ts';

export { fail };

export class Float {
  constructor(readonly value: number) {}
}

/** Text that `safe` or `escape` has marked: what is joined to it is escaped (markupsafe's `Markup`). */
export class Markup {
  constructor(readonly text: string) {}
}

export class Undefined {
  constructor(readonly what: string) {}
}

/** A list that cannot change. Methods of Array return plain arrays. */
export class Tuple extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

export function tupleOf(...items: Value[]): Tuple {
  const tuple = new Tuple();
  for (const item of items) tuple.push(item);
  return tuple;
}

/** A pair of `groupby`: its items are also `grouper` and `list`. */
export class Group extends Tuple {}

/** A view of a dict or a range: has a length and is gone over again, but is no list. A view of a dict has no index. */
export class View extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  typeName = 'dict_keys';
  /** Bounds and step of a range. */
  bounds: readonly number[] = [];
}

export function viewOf(typeName: string, items: readonly Value[], bounds: readonly number[] = []): View {
  const view = new View();
  for (const item of items) view.push(item);
  return Object.assign(view, { typeName, bounds });
}

/** True for a list or a tuple. */
export const isList = (value: Value): value is Value[] => Array.isArray(value) && !(value instanceof View);

export const isRange = (value: Value): value is View => value instanceof View && value.typeName === 'range';

/** What `map`, `select` and the like return: it is true though it may be empty, has no index, and is gone over once. */
export class OneTime {
  constructor(private items: Value[]) {}

  get size(): number {
    return this.items.length;
  }

  /** All items that are left. */
  take(): Value[] {
    const { items } = this;
    this.items = [];
    return items;
  }

  next(): Value | undefined {
    return this.items.shift();
  }
}

/** Mutable fields, for `{% set ns.x = ... %}`. */
export class Namespace {
  constructor(readonly fields: Map<string, Value>) {}
}

/** Object with read-only attributes, such as `loop`. */
export class Attributes {
  constructor(
    readonly get: (name: string) => Value | undefined,
    readonly call?: Call,
  ) {}
}

export type Keywords = ReadonlyMap<string, Value>;
export type Call = (args: readonly Value[], keywords: Keywords) => Value;

export class Callable {
  constructor(readonly call: Call) {}
}

export type Dict = Map<Value, Value>;
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Markup
  | Float
  | Undefined
  | Value[]
  | OneTime
  | Dict
  | Namespace
  | Attributes
  | Callable;

/** Largest integer that a template may make: Python prints at most 4,300 digits. */
const largest = 10n ** 4300n;

/** An integer as a value. Fails if it has more than 4,300 digits. */
export function whole(value: bigint): number | bigint {
  if (value >= largest || value <= -largest) fail('Exceeds the limit (4300 digits) for integer string conversion');
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Integer of an integer or boolean; undefined: another type. */
export function wholeOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? BigInt(value) : undefined;
}

/** A JSON value as a template's value. */
export function toValue(value: unknown): Value {
  if (value === undefined) return new Undefined('a value');
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  // From 1e21 on JSON has an exponent, which Python reads as a float.
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? whole(BigInt(value)) : new Float(value);
  if (Array.isArray(value)) return value.map(toValue);
  return new Map(Object.entries(value as object).map(([key, each]) => [key, toValue(each)]));
}

export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof Markup) return 'Markup';
  if (value instanceof Float) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof View) return value.typeName;
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof OneTime) return 'generator';
  return value instanceof Undefined ? 'Undefined' : 'object';
}

export function truth(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof Float) return value.value !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Markup) return value.text !== '';
  return typeof value === 'object' ? true : Boolean(value);
}

/** Marked text as a text, another value as it is. */
export const unmarked = (value: Value): Value => (value instanceof Markup ? value.text : value);

/** Number of an integer, rounded if it is above 2^53, of a float or boolean; undefined: another type. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (value instanceof Float) return value.value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** Decimal digits of a number, with an exact half rounded to the even digit. JavaScript rounds it up. */
export function fixed(value: number, digits: number): string {
  const places = Math.min(digits, 60);
  const exact = value.toFixed(Math.min(places + 40, 100));
  const rest = exact.slice(exact.length - (Math.min(places + 40, 100) - places));
  if (!/^50*$/.test(rest)) return value.toFixed(places);
  const down = exact.slice(0, exact.length - rest.length).replace(/\.$/, '');
  return Number(down.at(-1)) % 2 === 0 ? down : value.toFixed(places);
}

/** Python's repr. */
export function repr(value: Value): string {
  work();
  return madeText(deeper(() => shownInside(value)));
}

function shownInside(value: Value): string {
  if (typeof value === 'string') {
    divided(value);
    return textRepr(value);
  }
  if (value instanceof Markup) return `Markup(${repr(value.text)})`;
  if (value instanceof Tuple) return value.length === 1 ? `(${repr(value[0])},)` : `(${value.map(repr).join(', ')})`;
  if (value instanceof View) return `${value.typeName}(${shownView(value)})`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, each]) => `${repr(key)}: ${repr(each)}`).join(', ')}}`;
  return value instanceof Undefined ? 'Undefined' : text(value);
}

/** Bounds of a range, without a step of 1, or the items of a dict's view. */
function shownView(view: View): string {
  if (view.typeName !== 'range') return `[${view.map(repr).join(', ')}]`;
  return view.bounds.slice(0, view.bounds[2] === 1 ? 2 : 3).join(', ');
}

/** Python's str: the text that `{{ value }}` prints. */
export function text(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Markup) return value.text;
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Undefined) return '';
  if (Array.isArray(value) || value instanceof Map) return repr(value);
  if (value instanceof Namespace) return `<Namespace ${repr(new Map(value.fields) as Dict)}>`;
  return fail(`a ${value instanceof OneTime ? 'generator' : 'function or loop'} cannot be printed`);
}

/** Items of a value, as `for` goes over them. */
export function itemsOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    divided(value);
    return Array.from(value);
  }
  if (value instanceof Markup) return itemsOf(value.text);
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof OneTime) return value.take();
  if (value instanceof Undefined) return [];
  return fail(`'${typeName(value)}' object is not iterable`);
}

export function equal(a: Value, b: Value): boolean {
  work();
  if (typeof a === 'bigint' || typeof b === 'bigint') return wholeOf(a) === wholeOf(b) && wholeOf(a) !== undefined;
  if (a instanceof Markup || b instanceof Markup) return unmarked(a) === unmarked(b);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x === y;
  if (a instanceof Undefined || b instanceof Undefined) return a instanceof Undefined && b instanceof Undefined;
  if (Array.isArray(a) && Array.isArray(b))
    return typeName(a) === typeName(b) && a.length === b.length && a.every((each, i) => equal(each, b[i]));
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, each]) => b.has(key) && equal(each, b.get(key)!));
  return a === b;
}

/** Order of two texts by code point. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  divided(a);
  divided(b);
  const [x, y] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (x[i] !== y[i]) return x[i].codePointAt(0)! - y[i].codePointAt(0)!;
  return x.length - y.length;
}

/** Negative, zero or positive. Fails for values that Python does not order. */
export function compare(a: Value, b: Value): number {
  work();
  const [x, y] = [a, b].map((value) => (typeof value === 'bigint' ? value : numberOf(value)));
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  if (a instanceof Markup || b instanceof Markup) return compare(unmarked(a), unmarked(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (isList(a) && isList(b) && a instanceof Tuple === b instanceof Tuple) {
    const i = a.findIndex((each, at) => at >= b.length || !equal(each, b[at]));
    if (i < 0) return a.length - b.length;
    return i >= b.length ? 1 : compare(a[i], b[i]);
  }
  const undefined_ = [a, b].find((value) => value instanceof Undefined);
  if (undefined_) fail(`${undefined_.what} is undefined`);
  return fail(`'<' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

export function contains(container: Value, item: Value): boolean {
  if (container instanceof Markup) return contains(container.text, item);
  if (typeof container === 'string') {
    copied(container);
    const part = unmarked(item);
    if (typeof part === 'string') return container.includes(part);
    return fail(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return container.has(keyOf(item));
  return itemsOf(container).some((each) => equal(each, item));
}

/** A key of a dict: 1.0 and True are the key 1. */
export function keyOf(key: Value): Value {
  if (key instanceof Markup) return key.text;
  return key instanceof Float && Number.isInteger(key.value) ? key.value : typeof key === 'boolean' ? Number(key) : key;
}

/** Whole number of a value, for an argument. */
export function integerOf(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  return fail(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

export function textOf(value: Value, what = 'argument'): string {
  if (value instanceof Markup) return value.text;
  return typeof value === 'string' ? value : fail(`${what} must be str, not ${typeName(value)}`);
}
