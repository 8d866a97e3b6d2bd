/** Text buffers: UTF-8, growable, never freed (a few buffers live as long as the instance). Independent of worlds. */

/** Bytes kept free after a buffer's capacity: copies move eight bytes at a time and may write beyond the end. */
const SLACK: i32 = 8;

export class Buffer {
  start: usize;
  length: i32 = 0;
  capacity: i32;

  constructor(capacity: i32) {
    this.capacity = capacity;
    this.start = heap.alloc(capacity + SLACK);
  }

  // @ts-ignore: decorator
  @inline
  reserve(extra: i32): void {
    if (this.length + extra > this.capacity) this.grow(this.length + extra);
  }

  /** The text also stays readable at its old place: the stub runtime frees nothing. */
  private grow(need: i32): void {
    let capacity = this.capacity * 2;
    while (capacity < need) capacity *= 2;
    const next = heap.alloc(capacity + SLACK);
    memory.copy(next, this.start, this.length);
    this.start = next;
    this.capacity = capacity;
  }
}

/** The buffer for output: the answer, or a scratch buffer while a referent is made. */
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

/** Copies to a place with slack, up to seven bytes more than `n`. `memory.copy` is slower for most texts here. */
export function copyBytes(to: usize, from: usize, n: i32): void {
  if (n > 128) {
    memory.copy(to, from, n);
    return;
  }
  for (let i = 0; i < n; i += 8) store<u64>(to + i, load<u64>(from + i));
}

/** Writes a literal. The literals of this world are ASCII: four units of UTF-16 become four bytes at a time. */
export function put(text: string): void {
  const n = text.length;
  out.reserve(n);
  const from = changetype<usize>(text);
  const to = out.start + out.length;
  for (let i = 0; i < n; i += 4) {
    const units = load<u64>(from + (i << 1));
    const pairs = (units | (units >> 8)) & 0x0000ffff0000ffff;
    store<u32>(to + i, <u32>(pairs | (pairs >> 16)));
  }
  out.length += n;
}

export function bytes(from: usize, n: i32): void {
  out.reserve(n);
  copyBytes(out.start + out.length, from, n);
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

/** Writes a number as Java's "%.0f": rounded half up on the magnitude, with the sign kept ("-0" for -0.4). */
export function rounded(value: f64): void {
  if (value < 0 || (value == 0 && 1 / value < 0)) byte(45);
  const magnitude = Math.abs(value);
  let whole = Math.floor(magnitude);
  if (magnitude - whole >= 0.5) whole += 1;
  integer(<i32>whole);
}

/**
 * Converts to lower case, eight bytes at a time, up to seven bytes beyond the end. A letter from A to Z passes the
 * first sum and fails the second.
 */
export function lower(start: usize, n: i32): void {
  for (let i = 0; i < n; i += 8) {
    const x = load<u64>(start + i);
    const low = x & 0x7f7f7f7f7f7f7f7f;
    const capitals = (low + 0x3f3f3f3f3f3f3f3f) & ~(low + 0x2525252525252525) & ~x & 0x8080808080808080;
    if (capitals != 0) store<u64>(start + i, x | (capitals >> 2));
  }
}

/** True if `n` bytes are equal. Reads eight at a time, up to seven bytes beyond the end. */
export function same(a: usize, b: usize, n: i32): bool {
  let i = 0;
  for (; i + 8 <= n; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return i == n || (load<u64>(a + i) ^ load<u64>(b + i)) << (64 - ((n - i) << 3)) == 0;
}

/** Like memcmp. Reads eight bytes at a time, up to seven bytes beyond the end. */
export function order(a: usize, b: usize, n: i32): i32 {
  for (let i = 0; i < n; i += 8) {
    let x = bswap<u64>(load<u64>(a + i));
    let y = bswap<u64>(load<u64>(b + i));
    if (x == y) continue;
    if (n - i < 8) {
      const beyond = 64 - ((n - i) << 3);
      x >>= beyond;
      y >>= beyond;
      if (x == y) return 0;
    }
    return x < y ? -1 : 1;
  }
  return 0;
}

/** Order of UTF-8 bytes, which for the texts of this world is the order of UTF-16 units. */
export function compare(a: usize, na: i32, b: usize, nb: i32): i32 {
  const n = min(na, nb);
  const d = order(a, b, n);
  return d != 0 ? d : na - nb;
}

/** Trims bytes up to U+0020 at both ends and replaces runs of U+0020 by one, from `from` to the end of `out`. */
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
