/**
 * Integers of any size, as in Python: an i64 below 10**18 ("plain"), and decimal digits in a block from there on. Such
 * large counts are rare, so their arithmetic is schoolbook; it only has to give the original's answers.
 */
import { blockClass, giveBlock, takeBlock } from './blocks';
import { putBytes, putInteger } from './text';

/** Number of digits that always fit the plain form. */
const PLAIN_DIGITS: i32 = 18;
const PLAIN_END: i64 = 1000000000000000000;
/** Maximum number of digits that Python 3.11 converts to an int. */
export const MOST_DIGITS: i32 = 4300;
/** Result of `plainValue` for a number that is not plain. */
export const LARGE: i64 = i64.MAX_VALUE;

const scratch = new StaticArray<u8>(MOST_DIGITS + 256);

/** Number of leading zeros, at most length - 1. */
function leadingZeros(pointer: usize, length: i32): i32 {
  let zeros = 0;
  while (zeros < length - 1 && load<u8>(pointer + zeros) == 48) zeros++;
  return zeros;
}

/** Value of a string of digits, or LARGE. */
export function plainValue(pointer: usize, length: i32): i64 {
  const zeros = leadingZeros(pointer, length);
  if (length - zeros > PLAIN_DIGITS) return LARGE;
  let value: i64 = 0;
  for (let i = zeros; i < length; i++) value = value * 10 + (load<u8>(pointer + i) - 48);
  return value;
}

/** Writes a string of digits as Python prints an int: without leading zeros. */
export function putDigits(pointer: usize, length: i32): void {
  const zeros = leadingZeros(pointer, length);
  putBytes(pointer + zeros, length - zeros);
}

/**
 * A number stored in place. If `digits` is 0, `value` is the number; else `value` is the address of a block with that
 * many digits.
 */
@unmanaged
export class Decimal {
  digits: i32;
  value: i64;
}

export function putDecimal(number: Decimal): void {
  if (number.digits == 0) putInteger(number.value);
  else putBytes(<usize>number.value, number.digits);
}

/** True if the number is at least the value of a string of digits. */
export function isAtLeast(number: Decimal, pointer: usize, length: i32): bool {
  const zeros = leadingZeros(pointer, length);
  const size = length - zeros;
  if (number.digits == 0) return size <= PLAIN_DIGITS && number.value >= plainValue(pointer, length);
  if (number.digits != size) return number.digits > size;
  return memory.compare(<usize>number.value, pointer + zeros, size) >= 0;
}

/** Sets the number to 0 and frees its block. */
export function clearDecimal(number: Decimal): void {
  if (number.digits != 0) giveBlock(<usize>number.value, blockClass(number.digits));
  number.digits = 0;
  number.value = 0;
}

/** Copies the digits of the number to scratch, least significant first. Returns their count. */
function toScratch(number: Decimal): i32 {
  if (number.digits != 0) {
    for (let i = 0; i < number.digits; i++) scratch[i] = load<u8>(<usize>number.value + (number.digits - 1 - i)) - 48;
    return number.digits;
  }
  let size = 0;
  for (let rest = number.value; rest > 0; rest /= 10) scratch[size++] = <u8>(rest % 10);
  return size;
}

/** Sets the number to the first `size` digits of scratch. */
function fromScratch(number: Decimal, size: i32): void {
  while (size > 0 && scratch[size - 1] == 0) size--;
  clearDecimal(number);
  if (size <= PLAIN_DIGITS) {
    for (let i = size - 1; i >= 0; i--) number.value = number.value * 10 + scratch[i];
    return;
  }
  const block = takeBlock(blockClass(size));
  for (let i = 0; i < size; i++) store<u8>(block + i, scratch[size - 1 - i] + 48);
  number.digits = size;
  number.value = <i64>block;
}

/** Adds the value of a string of digits. */
export function addDigits(number: Decimal, pointer: usize, length: i32): void {
  const value = plainValue(pointer, length);
  if (value != LARGE && number.digits == 0 && number.value + value < PLAIN_END) { number.value += value; return; }
  const oldSize = toScratch(number);
  let carry: u32 = 0;
  let size = 0;
  for (; size < oldSize || size < length || carry > 0; size++) {
    if (size < oldSize) carry += scratch[size];
    if (size < length) carry += load<u8>(pointer + (length - 1 - size)) - 48;
    scratch[size] = <u8>(carry % 10);
    carry /= 10;
  }
  fromScratch(number, size);
}

/** Subtracts a plain amount that is at most the number. */
export function subtractPlain(number: Decimal, amount: i64): void {
  if (number.digits == 0) { number.value -= amount; return; }
  const size = toScratch(number);
  let borrow: i64 = amount;
  for (let i = 0; i < size && borrow > 0; i++) {
    let digit = <i64>scratch[i] - (borrow % 10);
    borrow /= 10;
    if (digit < 0) { digit += 10; borrow++; }
    scratch[i] = <u8>digit;
  }
  fromScratch(number, size);
}

/** Adds a plain amount (the yield of a recipe). */
export function addPlain(number: Decimal, amount: i64): void {
  if (number.digits == 0 && number.value + amount < PLAIN_END) { number.value += amount; return; }
  const oldSize = toScratch(number);
  let carry: i64 = amount;
  let size = 0;
  for (; size < oldSize || carry > 0; size++) {
    if (size < oldSize) carry += scratch[size];
    scratch[size] = <u8>(carry % 10);
    carry /= 10;
  }
  fromScratch(number, size);
}
