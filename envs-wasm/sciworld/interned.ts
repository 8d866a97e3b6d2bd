/**
 * Interned phrases: each phrase is stored once, under a number, with its properties. A phrase of the form "L in R" or
 * "L on R" (with one such joint) has the numbers of both sides, so that it is recognised as equal to the referent made
 * of these two. Independent of objects.
 */
import { Buffer, bytes, copyBytes, order, same } from './text';

/**
 * Fields of a record: address of the text; length; first eight bytes, as an ordered number; sides (0 if it has none)
 * and joint; next in the bucket; data of a listing.
 */
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
/** Number of the phrase without articles; -1 if it was not computed yet. */
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
/** Number 0 means none. */
let count: i32 = 1;
const MOST_PHRASES: i32 = 32768;
const MOST_BYTES: i32 = 1 << 20;

/** True if the table is near its bound and must be cleared. */
export function isNearlyFull(): bool {
  return count > MOST_PHRASES || texts.length > MOST_BYTES;
}

export function forgetPhrases(): void {
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
export function phraseAt(id: i32): usize {
  return load<u32>(recordOf(id) + AT);
}

// @ts-ignore: decorator
@inline
export function phraseLength(id: i32): i32 {
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

/**
 * True if the phrase contains a joint, or half of one at an end: combined with another phrase it can then be parsed in
 * two ways.
 */
// @ts-ignore: decorator
@inline
export function isSpecial(id: i32): bool {
  return load<u8>(recordOf(id) + SPECIAL) != 0;
}

export function putPhrase(id: i32): void {
  bytes(phraseAt(id), phraseLength(id));
}

/** The first eight bytes as a number with the same order; a shorter phrase is padded with zeros. */
// @ts-ignore: decorator
@inline
function headOf(at: usize, n: i32): u64 {
  const x = bswap<u64>(load<u64>(at));
  return n >= 8 ? x : n == 0 ? 0 : x & (~(<u64>0) << (64 - (n << 3)));
}

/** True if the text at `at`, with `left` bytes left, begins with the phrase. */
// @ts-ignore: decorator
@inline
export function phraseFits(id: i32, at: usize, left: i32): bool {
  const record = recordOf(id);
  const n = load<i32>(record + LENGTH);
  if (n > left || headOf(at, n) != load<u64>(record + HEAD)) return false;
  return n <= 8 || same(<usize>load<u32>(record + AT) + 8, at + 8, n - 8);
}

/** Negative, 0 or positive, by the order of the phrases' bytes. */
export function phraseOrder(a: i32, b: i32): i32 {
  if (a == b) return 0;
  const x = load<u64>(recordOf(a) + HEAD);
  const y = load<u64>(recordOf(b) + HEAD);
  if (x != y) return x < y ? -1 : 1;
  const na = phraseLength(a);
  const nb = phraseLength(b);
  const d = order(phraseAt(a), phraseAt(b), min(na, nb));
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

/** Number of a text; a new one if it has none yet. */
export function intern(at: usize, n: i32): i32 {
  const bucket = hash(at, n) & 8191;
  const first = headOf(at, n);
  for (let id = unchecked(buckets[bucket]); id != 0; id = load<i32>(recordOf(id) + NEXT))
    if (load<u64>(recordOf(id) + HEAD) == first && phraseLength(id) == n && same(phraseAt(id), at, n)) return id;
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
