/** Tests of jinja2 (`tests.py`): `value is name` and `value is name(argument)`. */
import {
  Attributes,
  Callable,
  compare,
  contains,
  equal,
  Float,
  fail,
  isList,
  isRange,
  Markup,
  numberOf,
  OneTime,
  text,
  typeName,
  Undefined,
  type Value,
  View,
  wholeOf,
} from './values.ts';

type Test = (value: Value, args: readonly Value[]) => boolean;

function remainder(value: Value, by: Value): number {
  const [a, b] = [wholeOf(value), wholeOf(by)];
  if (a !== undefined && b) return Number(((a % b) + b) % b);
  const [x, y] = [numberOf(value), numberOf(by)];
  if (x === undefined || y === undefined) return fail(`a test of divisibility takes numbers, not ${typeName(value)}`);
  return x - y * Math.floor(x / y);
}

const isSequence = (value: Value) =>
  typeof value === 'string' || isList(value) || value instanceof Map || value instanceof Undefined || isRange(value);

const identical = (a: Value, b: Value) => typeof a === typeof b && (a === b || (a instanceof Float && equal(a, b)));
const greater: Test = (value, [other]) => compare(value, other) > 0;
const less: Test = (value, [other]) => compare(value, other) < 0;
const equals: Test = (value, [other]) => equal(value, other);
const differs: Test = (value, [other]) => !equal(value, other);
const atLeast: Test = (value, [other]) => compare(value, other) >= 0;
const atMost: Test = (value, [other]) => compare(value, other) <= 0;

/** True for a text with a letter, and all letters of one case. */
const isCase = (value: Value, change: (text: string) => string, other: (text: string) => string) =>
  text(value) === change(text(value)) && text(value) !== other(text(value));
const upper = (value: string) => value.toUpperCase();
const lower = (value: string) => value.toLowerCase();

export const tests: { readonly [name: string]: Test } = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) =>
    value instanceof Undefined ||
    value instanceof Callable ||
    (value instanceof Attributes && value.call !== undefined),
  defined: (value) => !(value instanceof Undefined),
  divisibleby: (value, [by]) => remainder(value, by) === 0,
  escaped: (value) => value instanceof Markup,
  even: (value) => remainder(value, 2) === 0,
  false: (value) => value === false,
  float: (value) => value instanceof Float,
  in: (value, [container]) => contains(container, value),
  integer: (value) => typeof value === 'number' || typeof value === 'bigint',
  iterable: (value) => isSequence(value) || value instanceof OneTime || value instanceof View,
  lower: (value) => isCase(value, lower, upper),
  mapping: (value) => value instanceof Map,
  none: (value) => value === null,
  number: (value) => numberOf(value) !== undefined,
  odd: (value) => remainder(value, 2) === 1,
  sameas: (value, [other]) => identical(value, other),
  sequence: isSequence,
  string: (value) => typeof value === 'string',
  true: (value) => value === true,
  undefined: (value) => value instanceof Undefined,
  upper: (value) => isCase(value, upper, lower),
  '==': equals,
  eq: equals,
  equalto: equals,
  '!=': differs,
  ne: differs,
  '>': greater,
  gt: greater,
  greaterthan: greater,
  '>=': atLeast,
  ge: atLeast,
  '<': less,
  lt: less,
  lessthan: less,
  '<=': atMost,
  le: atMost,
};
