/** Bytes being written: UTF-8, growable, never freed (a handful of buffers live as long as the instance). Knows no world. */

export class Buffer {
  start: usize;
  length: i32 = 0;
  capacity: i32;

  constructor(capacity: i32) {
    this.capacity = capacity;
    this.start = heap.alloc(capacity);
  }

  reserve(extra: i32): void {
    const need = this.length + extra;
    if (need <= this.capacity) return;
    let capacity = this.capacity * 2;
    while (capacity < need) capacity *= 2;
    const next = heap.alloc(capacity);
    memory.copy(next, this.start, this.length);
    heap.free(this.start);
    this.start = next;
    this.capacity = capacity;
  }
}

/** What a printer writes to: the answer, or a scratch buffer while a referent is made. */
export let out: Buffer = new Buffer(65536);
export const answer: Buffer = out;
export const scratch: Buffer = new Buffer(65536);

export function redirect(to: Buffer): Buffer {
  const before = out;
  out = to;
  return before;
}

// @ts-ignore: decorator
@inline
export function byte(c: i32): void {
  out.reserve(1);
  store<u8>(out.start + out.length, <u8>c);
  out.length++;
}

/** Writes a literal; the literals of this world are ASCII. */
export function put(text: string): void {
  const n = text.length;
  out.reserve(n);
  const from = changetype<usize>(text);
  const to = out.start + out.length;
  for (let i = 0; i < n; i++) store<u8>(to + i, <u8>load<u16>(from + (i << 1)));
  out.length += n;
}

export function bytes(from: usize, n: i32): void {
  out.reserve(n);
  memory.copy(out.start + out.length, from, n);
  out.length += n;
}

export function integer(value: i32): void {
  if (value < 0) {
    byte(45);
    value = -value;
  }
  let digits = 1;
  for (let v = value; v >= 10; v /= 10) digits++;
  out.reserve(digits);
  for (let i = digits - 1; i >= 0; i--, value /= 10) store<u8>(out.start + out.length + i, <u8>(48 + (value % 10)));
  out.length += digits;
}

/** As Java's "%.0f": half up on the magnitude, the sign kept ("-0" for -0.4). */
export function rounded(value: f64): void {
  if (value < 0 || (value == 0 && 1 / value < 0)) byte(45);
  const magnitude = Math.abs(value);
  let whole = Math.floor(magnitude);
  if (magnitude - whole >= 0.5) whole += 1;
  integer(<i32>whole);
}

export function lower(start: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const c = load<u8>(start + i);
    if (c >= 65 && c <= 90) store<u8>(start + i, c + 32);
  }
}

/** Are `n` bytes the same; eight at a time. */
export function same(a: usize, b: usize, n: i32): bool {
  let i = 0;
  for (; i + 8 <= n; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < n; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** As memcmp; skips what is the same eight bytes at a time. */
export function order(a: usize, b: usize, n: i32): i32 {
  let i = 0;
  while (i + 8 <= n && load<u64>(a + i) == load<u64>(b + i)) i += 8;
  for (; i < n; i++) {
    const d = <i32>load<u8>(a + i) - <i32>load<u8>(b + i);
    if (d != 0) return d;
  }
  return 0;
}

/** Order of UTF-8 bytes, which for the texts of this world is the order of UTF-16 units. */
export function compare(a: usize, na: i32, b: usize, nb: i32): i32 {
  const n = min(na, nb);
  const d = order(a, b, n);
  return d != 0 ? d : na - nb;
}

/** Trims bytes up to U+0020 at both ends and folds runs of U+0020, from `from` to the end of `out`. */
export function tidy(from: i32): void {
  let read = from;
  let end = out.length;
  while (read < end && load<u8>(out.start + read) <= 32) read++;
  while (end > read && load<u8>(out.start + end - 1) <= 32) end--;
  let write = from;
  let space = false;
  for (; read < end; read++) {
    const c = load<u8>(out.start + read);
    if (c == 32 && space) continue;
    space = c == 32;
    store<u8>(out.start + write++, c);
  }
  out.length = write;
}
