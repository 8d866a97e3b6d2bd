/** Arithmetic of integers above 2^53, with all their digits. */
import { fail, type Value, whole, wholeOf } from './values.ts';

/** Largest absolute value of which a quotient is computed as a float without an error. */
const exact = 2 ** 31;

type Exact = (x: bigint, y: bigint) => bigint;

function floored(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return quotient * y !== x && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

/** Bits of the integers that `whole` allows. */
const mostBits = 14_285;

function power(x: bigint, y: bigint): bigint {
  const bits = (x < 0n ? -x : x).toString(2).length - 1;
  if (bits * Number(y) > mostBits) fail('Exceeds the limit (4300 digits) for integer string conversion');
  return x ** y;
}

const operations: { readonly [operator: string]: Exact } = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '//': floored,
  '%': (x, y) => x - y * floored(x, y),
  '**': power,
};

/**
 * Result of an operator on two integers, of which `rounded` is the result as a float. Undefined: `rounded` is exact, or
 * a value is not an integer, or the result is not.
 */
export function wholeResult(operator: string, a: Value, b: Value, rounded: number): Value | undefined {
  const operation = operations[operator];
  const [x, y] = [wholeOf(a), wholeOf(b)];
  if (!operation || x === undefined || y === undefined || (operator === '**' && y < 0n)) return undefined;
  const divides = operator === '//' || operator === '%';
  const isExact = [a, b].every((value) => typeof value !== 'bigint') && (!divides || Math.abs(Number(a)) <= exact);
  return isExact && Number.isSafeInteger(rounded) ? undefined : whole(operation(x, y));
}
