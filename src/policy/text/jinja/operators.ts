/** Operators of expressions, with Python's meaning, and access to attributes and items. */
import { escaped, escapedField, marked, markedMethod } from './markup.ts';
import { dictMethod, listMethod, stringMethod } from './strings.ts';
import {
  Attributes,
  Callable,
  compare,
  contains,
  equal,
  Float,
  fail,
  fixed,
  Group,
  integerOf,
  isList,
  isRange,
  keyOf,
  Markup,
  Namespace,
  numberOf,
  repr,
  Tuple,
  text,
  tupleOf,
  typeName,
  Undefined,
  unmarked,
  type Value,
  type View,
  viewOf,
  whole,
  wholeOf,
} from './values.ts';
import { wholeResult } from './whole.ts';
import { divided, madeText, makeText, work } from './work.ts';

/** Fails if a value is undefined. */
function defined(value: Value): void {
  if (value instanceof Undefined) fail(`${value.what} is undefined`);
}

const isFloat = (...values: Value[]) => values.some((value) => value instanceof Float);

/** Result of arithmetic: a float if an operand is one. */
const numeric = (result: number, a: Value, b: Value): Value => (isFloat(a, b) ? new Float(result) : result);

type Arithmetic = (x: number, y: number, a: Value, b: Value) => Value;

function nonZero(y: number): number {
  return y === 0 ? fail('division by zero') : y;
}

const arithmetic: { readonly [operator: string]: Arithmetic } = {
  '+': (x, y, a, b) => numeric(x + y, a, b),
  '-': (x, y, a, b) => numeric(x - y, a, b),
  '*': (x, y, a, b) => numeric(x * y, a, b),
  '/': (x, y) => new Float(x / nonZero(y)),
  '//': (x, y, a, b) => numeric(Math.floor(x / nonZero(y)), a, b),
  '%': (x, y, a, b) => numeric(x - nonZero(y) * Math.floor(x / y), a, b),
  '**': (x, y, a, b) => (y < 0 ? new Float(x ** y) : numeric(x ** y, a, b)),
};

/** Digits of the whole part of a number. */
const digitsOf = (value: Value, number: number) => String(wholeOf(value) ?? Math.trunc(number));

/** Python's `%` of a text: %s, %r, %d, %i, %f, %x and %% with width, flags and precision. */
function percent(template: string, values: Value): string {
  const list = values instanceof Tuple ? [...values] : [values];
  let next = 0;
  const out = template.replace(
    /%(?:\((\w+)\))?([-0 +]*)([1-9]\d*)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, name, flags, width, digits, kind) => {
      if (kind === '%') return '%';
      const value = name ? (values instanceof Map ? values.get(name) : undefined) : list[next++];
      if (value === undefined) return fail('not enough arguments for format string');
      const number = numberOf(value);
      if ('difx'.includes(kind) && number === undefined) return fail(`%${kind} format: a real number is required`);
      const shown: { [kind: string]: () => string } = {
        s: () => (digits === undefined ? text(value) : Array.from(text(value)).slice(0, Number(digits)).join('')),
        r: () => repr(value),
        d: () => digitsOf(value, number!),
        i: () => digitsOf(value, number!),
        f: () => fixed(number!, digits === undefined ? 6 : Number(digits)),
        x: () => (wholeOf(value) ?? number!).toString(16),
      };
      if (!shown[kind]) return fail(`the format "%${kind}" is not read`);
      const plus = flags.includes('+') && 'dif'.includes(kind) && number! >= 0 ? '+' : '';
      const result = plus + shown[kind]();
      if (width === undefined) return result;
      makeText(Number(width));
      if (flags.includes('-')) return result.padEnd(Number(width));
      return result.padStart(Number(width), flags.includes('0') && kind !== 's' ? '0' : ' ');
    },
  );
  makeText(out.length);
  return !(values instanceof Map) && next < list.length
    ? fail('not all arguments converted during string formatting')
    : out;
}

function repeated(value: Value, times: Value): Value | undefined {
  const count = typeof times === 'number' || typeof times === 'boolean' ? Math.max(0, Number(times)) : undefined;
  if (count === undefined) return undefined;
  if (typeof value === 'string') {
    makeText(value.length * count);
    return value.repeat(count);
  }
  if (!isList(value)) return undefined;
  work(value.length * count);
  const items = Array.from({ length: count }, () => [...value]).flat();
  return value instanceof Tuple ? tupleOf(...items) : items;
}

/** Applies a binary operator. Fails as Python does for types that it does not take. */
export function binary(operator: string, a: Value, b: Value): Value {
  work();
  if (operator === '~') return madeText(text(a) + text(b));
  defined(a);
  defined(b);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) {
    const rounded = arithmetic[operator](x, y, a, b);
    return wholeResult(operator, a, b, numberOf(rounded)!) ?? rounded;
  }
  if (a instanceof Markup || b instanceof Markup) return binaryOfMarkup(operator, a, b);
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return madeText(a + b);
    if (isList(a) && isList(b)) work(a.length + b.length);
    if (a instanceof Tuple && b instanceof Tuple) return tupleOf(...a, ...b);
    if (isList(a) && isList(b) && !(a instanceof Tuple || b instanceof Tuple)) return [...a, ...b];
  }
  if (operator === '%' && typeof a === 'string') return percent(a, b);
  const many = operator === '*' ? (repeated(a, b) ?? repeated(b, a)) : undefined;
  return many ?? fail(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** An operator of a marked text. */
function binaryOfMarkup(operator: string, a: Value, b: Value): Value {
  const isText = [a, b].every((value) => typeof unmarked(value) === 'string');
  if (operator === '+' && isText) return new Markup(madeText(escaped(a) + escaped(b)));
  if (operator === '%' && a instanceof Markup) {
    const values = b instanceof Tuple ? tupleOf(...b.map(escapedField)) : b instanceof Map ? b : escapedField(b);
    return new Markup(percent(a.text, values));
  }
  const many = operator === '*' ? (repeated(unmarked(a), b) ?? repeated(unmarked(b), a)) : undefined;
  if (many !== undefined) return marked(many);
  return operator === '%' || operator === '+'
    ? binary(operator, unmarked(a), unmarked(b))
    : fail(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

export function negative(value: Value, sign: 1 | -1): Value {
  defined(value);
  const number = numberOf(value);
  if (number === undefined) return fail(`bad operand type for unary ${sign < 0 ? '-' : '+'}: '${typeName(value)}'`);
  if (typeof value === 'bigint') return whole(BigInt(sign) * value);
  return value instanceof Float ? new Float(sign * number) : sign * number || 0;
}

export const comparisons: { readonly [operator: string]: (a: Value, b: Value) => boolean } = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '>': (a, b) => compare(a, b) > 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>=': (a, b) => compare(a, b) >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
};

const absent = (object: Value, name: Value) =>
  new Undefined(
    object instanceof Map
      ? `'dict object' has no attribute ${repr(name)}, so it`
      : `'${typeName(object)} object' has no attribute ${repr(name)}, so it`,
  );

/** Method or field of a value by name; undefined: none. */
function member(object: Value, name: string): Value | undefined {
  if (object instanceof Namespace) return object.fields.get(name);
  if (object instanceof Attributes) return object.get(name);
  if (object instanceof Group && (name === 'grouper' || name === 'list')) return object[name === 'list' ? 1 : 0];
  if (object instanceof Markup) {
    const method = stringMethod(object.text, name);
    return method && new Callable(markedMethod(name, method));
  }
  const call =
    typeof object === 'string'
      ? stringMethod(object, name)
      : object instanceof Map
        ? dictMethod(object, name)
        : isList(object)
          ? listMethod(object, name, equal)
          : undefined;
  return call && new Callable(call);
}

/** Character of a text, counted from its start or its end. A character has one or two units. */
function characterAt(text: string, index: number): string | undefined {
  const part = index < 0 ? text.slice(2 * index) : text.slice(0, 2 * (index + 1));
  divided(part);
  return Array.from(part).at(index);
}

function item(object: Value, key: Value): Value | undefined {
  if (object instanceof Markup) return marked(item(object.text, key) ?? null) ?? undefined;
  if (object instanceof Map) return object.get(keyOf(key));
  const index = typeof key === 'boolean' ? Number(key) : key;
  if (typeof index !== 'number') return undefined;
  if (isList(object) || isRange(object)) return object.at(index);
  return typeof object === 'string' ? characterAt(object, index) : undefined;
}

/** The first value that is there; None is one. */
const firstOf = (...values: (Value | undefined)[]): Value | undefined => values.find((value) => value !== undefined);

/** `object.name`: a method or field first, then an item. */
export function attribute(object: Value, name: string): Value {
  work();
  defined(object);
  const found = firstOf(member(object, name), item(object, name));
  return found === undefined ? absent(object, name) : found;
}

/** The filter `attr`: a method or field, never an item. */
export function ownAttribute(object: Value, name: string): Value {
  defined(object);
  const found = member(object, name);
  return found === undefined ? absent(object, name) : found;
}

/** `object[key]`: an item first, then a method or field. */
export function subscript(object: Value, key: Value): Value {
  work();
  defined(object);
  const name = unmarked(key);
  const found = firstOf(item(object, key), typeof name === 'string' ? member(object, name) : undefined);
  return found === undefined ? absent(object, key) : found;
}

/** A slice of a range is a range. */
function slicedRange(
  { bounds: [start, , by] }: View,
  taken: readonly Value[],
  [from, to, step]: readonly number[],
): View {
  return viewOf('range', taken, [start + from * by, start + to * by, by * step]);
}

/** `object[start:stop:step]` of a text, list, tuple or range. */
export function slice(object: Value, bounds: readonly (Value | undefined)[]): Value {
  defined(object);
  if (object instanceof Markup) return marked(slice(object.text, bounds));
  if (typeof object === 'string') divided(object);
  else if (Array.isArray(object)) work(object.length);
  const items = typeof object === 'string' ? Array.from(object) : isList(object) || isRange(object) ? object : null;
  if (!items) return fail(`'${typeName(object)}' object has no slices`);
  const [start, stop, given] = bounds.map((bound) =>
    bound === undefined || bound === null ? undefined : integerOf(bound),
  );
  const step = given ?? 1;
  if (step === 0) fail('slice step cannot be zero');
  const { length } = items;
  const least = step < 0 ? -1 : 0;
  const place = (at: number | undefined, otherwise: number) =>
    at === undefined ? otherwise : Math.min(Math.max(at < 0 ? at + length : at, least), step < 0 ? length - 1 : length);
  const from = place(start, step < 0 ? length - 1 : 0);
  const to = place(stop, step < 0 ? -1 : length);
  const taken: Value[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) taken.push(items[at]);
  if (isRange(object)) return slicedRange(object, taken, [from, to, step]);
  if (typeof object === 'string') return taken.join('');
  return object instanceof Tuple ? tupleOf(...taken) : taken;
}

export function call(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value {
  defined(callee);
  if (callee instanceof Callable) {
    const result = callee.call(args, keywords);
    if (Array.isArray(result)) work(result.length);
    return result;
  }
  if (callee instanceof Attributes && callee.call) return callee.call(args, keywords);
  return fail(`'${typeName(callee)}' object is not callable`);
}
