/**
 * Every word once: a number for its text, with what is asked of it often. A word of the shape "L in R" or "L on R" (one such joint)
 * knows its two sides, so that it can be told the same as the referent made of those. Knows no objects.
 */
import { Buffer, bytes, copyBytes, order, same } from './text';

/** Where its text is; its length; its first eight bytes, ordered; sides (0: not of that shape) and joint; next of its bucket; notes of a listing. */
const AT: usize = 0;
const LENGTH: usize = 4;
const HEAD: usize = 8;
const LEFT: usize = 16;
const RIGHT: usize = 20;
const JOINT: usize = 24;
const SPECIAL: usize = 25;
const NEXT: usize = 28;
export const POSTED: usize = 32;
export const EPOCH: usize = 36;
export const USES: usize = 40;
/** Its number without articles; -1: not asked yet. */
export const NORMAL: usize = 44;
const RECORD: i32 = 48;

export const IN: i32 = 1;
export const ON: i32 = 2;
/** The bytes of " in " and " on ". */
export const IN_BYTES: u32 = 0x206e6920;
export const ON_BYTES: u32 = 0x206e6f20;

const texts: Buffer = new Buffer(262144);
const buckets: StaticArray<i32> = new StaticArray<i32>(8192);
let capacity: i32 = 8192;
let records: usize = heap.alloc(<usize>capacity * RECORD);
/** Number 0 is none. */
let count: i32 = 1;
const MOST_WORDS: i32 = 32768;
const MOST_BYTES: i32 = 1 << 20;

/** Is it time to forget: what was made so far is near its bound. */
export function wordsAreMany(): bool {
  return count > MOST_WORDS || texts.length > MOST_BYTES;
}

export function forgetWords(): void {
  count = 1;
  texts.length = 0;
  memory.fill(changetype<usize>(buckets), 0, 8192 * 4);
}

// @ts-ignore: decorator
@inline
export function recordOf(id: i32): usize {
  return records + id * RECORD;
}

// @ts-ignore: decorator
@inline
export function wordAt(id: i32): usize {
  return load<u32>(recordOf(id) + AT);
}

// @ts-ignore: decorator
@inline
export function wordLength(id: i32): i32 {
  return load<i32>(recordOf(id) + LENGTH);
}

// @ts-ignore: decorator
@inline
export function leftOf(id: i32): i32 {
  return load<i32>(recordOf(id) + LEFT);
}

// @ts-ignore: decorator
@inline
export function rightOf(id: i32): i32 {
  return load<i32>(recordOf(id) + RIGHT);
}

// @ts-ignore: decorator
@inline
export function jointOf(id: i32): i32 {
  return load<u8>(recordOf(id) + JOINT);
}

/** Has a joint within, or half of one at an end: put together with other words it can be read in two ways. */
// @ts-ignore: decorator
@inline
export function isSpecial(id: i32): bool {
  return load<u8>(recordOf(id) + SPECIAL) != 0;
}

export function putWordOf(id: i32): void {
  bytes(wordAt(id), wordLength(id));
}

/** The first eight bytes as a number that orders as they do; zeros behind a shorter word. */
// @ts-ignore: decorator
@inline
function headOf(at: usize, n: i32): u64 {
  const x = bswap<u64>(load<u64>(at));
  return n >= 8 ? x : n == 0 ? 0 : x & (~(<u64>0) << (64 - (n << 3)));
}

/** Does the text at `at`, of which `left` bytes remain, begin with the word. */
// @ts-ignore: decorator
@inline
export function wordFits(id: i32, at: usize, left: i32): bool {
  const record = recordOf(id);
  const n = load<i32>(record + LENGTH);
  if (n > left || headOf(at, n) != load<u64>(record + HEAD)) return false;
  return n <= 8 || same(<usize>load<u32>(record + AT) + 8, at + 8, n - 8);
}

/** Negative, 0 or positive, as the bytes of the words order. */
export function wordOrder(a: i32, b: i32): i32 {
  if (a == b) return 0;
  const x = load<u64>(recordOf(a) + HEAD);
  const y = load<u64>(recordOf(b) + HEAD);
  if (x != y) return x < y ? -1 : 1;
  const na = wordLength(a);
  const nb = wordLength(b);
  const d = order(wordAt(a), wordAt(b), min(na, nb));
  return d != 0 ? d : na - nb;
}

function hash(at: usize, n: i32): u32 {
  let h: u64 = n;
  for (let i = 0; i < n; i += 8) {
    h = (h ^ headOf(at + i, n - i)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
  }
  return <u32>(h >> 40);
}

/** The number of a text; a new one where it has none yet. */
export function intern(at: usize, n: i32): i32 {
  const bucket = hash(at, n) & 8191;
  const first = headOf(at, n);
  for (let id = unchecked(buckets[bucket]); id != 0; id = load<i32>(recordOf(id) + NEXT))
    if (load<u64>(recordOf(id) + HEAD) == first && wordLength(id) == n && same(wordAt(id), at, n)) return id;
  return add(at, n, bucket);
}

function add(at: usize, n: i32, bucket: i32): i32 {
  if (count == capacity) grow();
  const id = count++;
  texts.reserve(n);
  const kept = texts.start + texts.length;
  copyBytes(kept, at, n);
  texts.length += n;
  const record = recordOf(id);
  memory.fill(record, 0, RECORD);
  store<u32>(record + AT, <u32>kept);
  store<i32>(record + LENGTH, n);
  store<u64>(record + HEAD, headOf(kept, n));
  store<i32>(record + NORMAL, -1);
  store<i32>(record + NEXT, buckets[bucket]);
  buckets[bucket] = id;
  findSides(id, kept, n);
  return id;
}

function grow(): void {
  const next = heap.alloc(<usize>capacity * 2 * RECORD);
  memory.copy(next, records, <usize>capacity * RECORD);
  records = next;
  capacity *= 2;
}

// @ts-ignore: decorator
@inline
function isJoint(four: u32): bool {
  return four == IN_BYTES || four == ON_BYTES;
}

function halfJoint(at: usize, n: i32): bool {
  if (n < 3) return false;
  const start = load<u32>(at) << 8;
  const end = load<u32>(at + n - 3) & 0xffffff;
  return isJoint(start | 32) || isJoint(end | 0x20000000);
}

function findSides(id: i32, at: usize, n: i32): void {
  let joints = 0;
  let place = 0;
  for (let i = 0; i + 4 <= n; i++)
    if (isJoint(load<u32>(at + i))) {
      joints++;
      place = i;
    }
  if (joints == 0 && !halfJoint(at, n)) return;
  store<u8>(recordOf(id) + SPECIAL, 1);
  if (joints != 1 || place == 0 || place + 4 == n) return;
  const left = intern(at, place);
  const right = intern(at + place + 4, n - place - 4);
  store<i32>(recordOf(id) + LEFT, left);
  store<i32>(recordOf(id) + RIGHT, right);
  store<u8>(recordOf(id) + JOINT, load<u32>(at + place) == IN_BYTES ? IN : ON);
}
