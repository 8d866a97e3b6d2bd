/**
 * Text in linear memory: one growing output buffer, one growing input buffer, and the string functions of Python that
 * worlds need (strip, repr, int). All text is UTF-8. Independent of any world.
 *
 * Every call reuses both buffers. They only ever double, which bounds the memory that the bump allocator cannot free.
 */
import { unprintable } from './unprintable';

let output: usize = heap.alloc(1 << 16);
let outputCapacity: i32 = 1 << 16;
let outputUsed: i32 = 0;
let input: usize = heap.alloc(1 << 14);
let inputCapacity: i32 = 1 << 14;

/** Address at which the host writes `bytes` bytes of text. */
export function inputBuffer(bytes: i32): usize {
  if (bytes > inputCapacity) {
    while (inputCapacity < bytes) inputCapacity *= 2;
    input = heap.alloc(inputCapacity);
  }
  return input;
}

export function outputPointer(): usize { return output; }
export function outputLength(): i32 { return outputUsed; }
export function clearOutput(): void { outputUsed = 0; }

function reserve(extra: i32): void {
  if (outputUsed + extra <= outputCapacity) return;
  while (outputCapacity < outputUsed + extra) outputCapacity *= 2;
  const bigger = heap.alloc(outputCapacity);
  memory.copy(bigger, output, outputUsed);
  output = bigger;
}

export function putByte(byte: u32): void {
  reserve(1);
  store<u8>(output + outputUsed++, byte);
}

export function putBytes(pointer: usize, length: i32): void {
  reserve(length);
  memory.copy(output + outputUsed, pointer, length);
  outputUsed += length;
}

/** Writes bytes, with spaces replaced by underscores. */
export function putUnderscored(pointer: usize, length: i32): void {
  reserve(length);
  for (let i = 0; i < length; i++) {
    const byte = load<u8>(pointer + i);
    store<u8>(output + outputUsed + i, byte == 32 ? 95 : byte);
  }
  outputUsed += length;
}

/** Writes an ASCII literal. */
export function putText(text: string): void {
  const length = text.length;
  reserve(length);
  const from = changetype<usize>(text);
  for (let i = 0; i < length; i++) store<u8>(output + outputUsed + i, load<u16>(from + (<usize>i << 1)));
  outputUsed += length;
}

export function putInteger(value: i64): void {
  if (value < 0) { putByte(45); value = -value; }
  let digits = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  reserve(digits);
  for (let i = digits - 1; i >= 0; i--) {
    store<u8>(output + outputUsed + i, <u8>(48 + (value % 10)));
    value /= 10;
  }
  outputUsed += digits;
}

/** True if the bytes at `pointer` begin with the ASCII literal `prefix`. */
export function startsWith(pointer: usize, length: i32, prefix: string): bool {
  if (length < prefix.length) return false;
  const from = changetype<usize>(prefix);
  for (let i = 0; i < prefix.length; i++)
    if (<u16>load<u8>(pointer + i) != load<u16>(from + (<usize>i << 1))) return false;
  return true;
}

/** Index of `byte`, or `length` if there is none. */
export function indexOfByte(pointer: usize, length: i32, byte: u32): i32 {
  for (let i = 0; i < length; i++) if (load<u8>(pointer + i) == byte) return i;
  return length;
}

/** Number of leading ASCII digits. */
export function digitsAt(pointer: usize, length: i32): i32 {
  let n = 0;
  while (n < length && <u32>load<u8>(pointer + n) - 48 < 10) n++;
  return n;
}

/**
 * Code point at `pointer`. Its length in bytes is `codePointLength` of the first byte. The input is valid UTF-8 because
 * the host encodes it.
 */
export function codePointAt(pointer: usize): u32 {
  const first: u32 = load<u8>(pointer);
  if (first < 0x80) return first;
  const second: u32 = load<u8>(pointer, 1) & 63;
  if (first < 0xe0) return ((first & 31) << 6) | second;
  const third: u32 = load<u8>(pointer, 2) & 63;
  if (first < 0xf0) return ((first & 15) << 12) | (second << 6) | third;
  return ((first & 7) << 18) | (second << 12) | (third << 6) | (load<u8>(pointer, 3) & 63);
}

export function codePointLength(first: u32): i32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** True for white space that Python's str.strip() removes. */
function isSpace(code: u32): bool {
  if (code <= 32) return code == 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  if (code < 0x1680) return code == 0x85 || code == 0xa0;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029
    || code == 0x202f || code == 0x205f || code == 0x3000;
}

/** Number of bytes of leading white space. */
export function leadingSpace(pointer: usize, length: i32): i32 {
  let n = 0;
  while (n < length && isSpace(codePointAt(pointer + n))) n += codePointLength(load<u8>(pointer + n));
  return n;
}

/** Length in bytes without trailing white space. */
export function withoutTrailingSpace(pointer: usize, length: i32): i32 {
  while (length > 0) {
    let start = length - 1;
    while (start > 0 && (load<u8>(pointer + start) & 0xc0) == 0x80) start--;
    if (!isSpace(codePointAt(pointer + start))) break;
    length = start;
  }
  return length;
}

function isUnprintable(code: u32): bool {
  if (code < 0x7f) return code < 32;
  if (code == 0x7f) return true;
  let low = 0;
  let high = unprintable.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (unprintable[2 * middle + 1] < code) low = middle + 1;
    else high = middle;
  }
  return 2 * low < unprintable.length && unprintable[2 * low] <= code;
}

function putHex(code: u32, digits: i32): void {
  for (let shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    const digit = (code >> shift) & 15;
    putByte(digit < 10 ? 48 + digit : 87 + digit);
  }
}

function putEscaped(code: u32): void {
  if (code == 9) putText('\\t');
  else if (code == 10) putText('\\n');
  else if (code == 13) putText('\\r');
  else if (code < 0x100) { putText('\\x'); putHex(code, 2); }
  else if (code < 0x10000) { putText('\\u'); putHex(code, 4); }
  else { putText('\\U'); putHex(code, 8); }
}

/** Writes Python's repr() of the ASCII literal `prefix` followed by the text with spaces replaced by underscores. */
export function putRepr(prefix: string, pointer: usize, length: i32): void {
  const single = indexOfByte(pointer, length, 39) < length;
  const quote: u32 = single && indexOfByte(pointer, length, 34) == length ? 34 : 39;
  putByte(quote);
  putText(prefix);
  for (let i = 0; i < length; ) {
    const code = codePointAt(pointer + i);
    const bytes = codePointLength(load<u8>(pointer + i));
    if (code == 32) putByte(95);
    else if (code == quote || code == 92) { putByte(92); putByte(code); }
    else if (isUnprintable(code)) putEscaped(code);
    else putBytes(pointer + i, bytes);
    i += bytes;
  }
  putByte(quote);
}
