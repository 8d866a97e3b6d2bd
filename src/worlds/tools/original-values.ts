/** Python's operations on what an agent wrote as input, with the messages of their exceptions. */
import {
  type Literal,
  LiteralDict,
  LiteralTuple,
  literalEqual,
  literalRepr,
  literalType,
} from '../../python/literal.ts';
import { isDate } from './dates.ts';
import { PythonError } from './family.ts';

/** `input[key]`. */
export function item(input: Literal, key: string): Literal {
  if (input instanceof LiteralDict) {
    const value = input.get(key);
    if (value === undefined) throw new PythonError('KeyError', literalRepr(key));
    return value;
  }
  const type = literalType(input);
  if (type === 'list' || type === 'tuple')
    throw new PythonError('TypeError', `${type} indices must be integers or slices, not str`);
  if (type === 'str') throw new PythonError('TypeError', "string indices must be integers, not 'str'");
  throw new PythonError('TypeError', `'${type}' object is not subscriptable`);
}

/** `int(value)`. */
export function int(value: Literal): number {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') {
    if (Number.isNaN(value)) throw new PythonError('ValueError', 'cannot convert float NaN to integer');
    if (!Number.isFinite(value)) throw new PythonError('OverflowError', 'cannot convert float infinity to integer');
    return Math.trunc(value);
  }
  if (typeof value === 'string') {
    if (/^\s*[+-]?\d+(_\d+)*\s*$/.test(value)) return Number(value.replaceAll('_', ''));
    throw new PythonError('ValueError', `invalid literal for int() with base 10: ${literalRepr(value)}`);
  }
  throw new PythonError(
    'TypeError',
    `int() argument must be a string, a bytes-like object or a real number, not '${literalType(value)}'`,
  );
}

/** A dict without some keys; in a list, each dict without them. */
export function withoutKeys(value: Literal, keys: readonly string[]): Literal {
  if (Array.isArray(value)) return value.map((each) => (each instanceof LiteralDict ? withoutKeys(each, keys) : each));
  if (!(value instanceof LiteralDict)) return value;
  const copy = new LiteralDict();
  for (const [key, each] of value.entries.values()) copy.set(key, each);
  for (const key of keys) copy.delete(key);
  return copy;
}

type Ordered = bigint | number | string | readonly Literal[];

/** A value as `<` compares it, with the class of values that it can be compared with. */
function ordered(value: Literal): { kind: string; value: Ordered } | null {
  if (typeof value === 'boolean') return { kind: 'number', value: BigInt(value) };
  if (typeof value === 'bigint' || typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'string') return { kind: 'str', value };
  if (Array.isArray(value)) return { kind: 'list', value };
  return value instanceof LiteralTuple ? { kind: 'tuple', value: value.items } : null;
}

/** `a < b`. */
function isLess(a: Literal, b: Literal): boolean {
  const [left, right] = [ordered(a), ordered(b)];
  if (!left || !right || left.kind !== right.kind)
    throw new PythonError(
      'TypeError',
      `'<' not supported between instances of '${literalType(a)}' and '${literalType(b)}'`,
    );
  if (left.kind === 'str') return lessText(left.value as string, right.value as string);
  if (left.kind === 'number') return (left.value as number) < (right.value as number);
  const [list, other] = [left.value as readonly Literal[], right.value as readonly Literal[]];
  for (let k = 0; k < list.length && k < other.length; k++)
    if (!literalEqual(list[k], other[k])) return isLess(list[k], other[k]);
  return list.length < other.length;
}

/** Compares code points; JavaScript's own comparison is of UTF-16 units. */
function lessText(a: string, b: string): boolean {
  const [left, right] = [[...a], [...b]];
  for (let k = 0; k < left.length && k < right.length; k++)
    if (left[k] !== right[k]) return left[k].codePointAt(0)! < right[k].codePointAt(0)!;
  return left.length < right.length;
}

/** Length of the run at the start, made ascending: CPython's count_run and its reversal. */
function firstRun(list: Literal[]): number {
  if (list.length < 2) return list.length;
  let n = 2;
  const descending = isLess(list[1], list[0]);
  while (n < list.length && isLess(list[n], list[n - 1]) === descending) n++;
  if (descending) list.splice(0, n, ...list.slice(0, n).reverse());
  return n;
}

/**
 * sorted(list): CPython's insertion sort, which makes the same comparisons in the same order for lists of up to 63
 * items, so that the first impossible one is the same.
 */
export function sorted(given: readonly Literal[]): Literal[] {
  const list = [...given];
  for (let k = firstRun(list); k < list.length; k++) {
    const pivot = list[k];
    let [low, high] = [0, k];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLess(pivot, list[middle])) high = middle;
      else low = middle + 1;
    }
    list.splice(k, 1);
    list.splice(low, 0, pivot);
  }
  return list;
}

const dateForm = /^(\d{4})-(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])/;

/** strptime(value, '%Y-%m-%d'), as YYYY-MM-DD. */
export function strptimeDate(value: Literal): string {
  if (typeof value !== 'string')
    throw new PythonError(
      'TypeError',
      `strptime() argument 1 must be str, not ${value === null ? 'None' : literalType(value)}`,
    );
  const found = dateForm.exec(value);
  if (!found) throw new PythonError('ValueError', `time data ${literalRepr(value)} does not match format '%Y-%m-%d'`);
  const rest = value.slice(found[0].length);
  if (rest) throw new PythonError('ValueError', `unconverted data remains: ${rest}`);
  const [year, month, day] = found.slice(1).map((part) => part.trim());
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (year === '0000') throw new PythonError('ValueError', 'year 0 is out of range');
  if (!isDate(date)) throw new PythonError('ValueError', 'day is out of range for month');
  return date;
}
