/**
 * The phrases that an object answers to by itself: in lower case, distinct and sorted; for the parser also normalised
 * like its input (without articles). Nearly all objects of a kind have the same ones, so they are made once for each
 * `signature` and shared by all worlds of the instance. Phrases are interned (interned.ts); a set of them is a run of
 * their numbers.
 */
import { BURNED, BURNING, DELETED, Obj, SIZE, has } from './object';
import { head, ref } from './arena';
import { ownerOf } from './terminals';
import { family, showsContents } from './tables';
import { Buffer, redirect } from './text';
import { visibleCount } from './search';
import { forgetPhrases, phraseOrder, isNearlyFull } from './interned';
import { built, builtCount, makeBase, normalised, seeFrom, withoutContents } from './phrase-forms';
import * as I from './tables/ids';

const text: Buffer = new Buffer(65536);
/** For each object slot: address of its set, and number of its phrases plus one; valid until `beginReferents`. */
let made: usize = 0;
let madeSlots: i32 = 0;

/**
 * Runs of phrase numbers: for signatures, and for the present epoch. A buffer grows into new memory; the old one stays
 * readable.
 */
const lasting: Buffer = new Buffer(65536);
const passing: Buffer = new Buffer(65536);

/** Open addressing: signature, place, count. */
const SIGNATURES: i32 = 8192;
const known: usize = heap.alloc(SIGNATURES * 16);
let knownCount: i32 = 0;
memory.fill(known, 0, SIGNATURES * 16);

/**
 * Clears the sets of all objects. `from` is the room from which they are seen. If `contents` is false, phrases like
 * "cup containing water" are left out.
 */
export function beginReferents(from: Obj, forParser: bool, contents: bool): void {
  text.length = 0;
  passing.length = 0;
  if (knownCount > SIGNATURES / 2 || isNearlyFull()) forgetSets();
  seeFrom(from, forParser, contents);
  const slots = head.used / SIZE + 1;
  if (slots > madeSlots) {
    madeSlots = slots * 2;
    made = heap.alloc(<usize>madeSlots * 8);
  }
  memory.fill(made, 0, <usize>slots * 8);
}

/** Shared sets are bounded: above the bound all are cleared. */
function forgetSets(): void {
  forgetPhrases();
  lasting.length = 0;
  knownCount = 0;
  memory.fill(known, 0, SIGNATURES * 16);
}

// @ts-ignore: decorator
@inline
function madeOf(o: Obj): usize {
  return made + ((ref(o) / SIZE) << 3);
}

/** Makes the phrases of `o` if necessary; then `baseAt` and `baseCount` are valid. */
export function ensureBase(o: Obj): void {
  const slot = madeOf(o);
  if (load<i32>(slot + 4) == 0) find(o, slot);
}

/** Address of the numbers of its phrases, four bytes each. */
export function baseAt(o: Obj): usize {
  return load<u32>(madeOf(o));
}

export function baseCount(o: Obj): i32 {
  return load<i32>(madeOf(o) + 4) - 1;
}

/** Everything that determines the phrases of `o`, or 0 if that is too much for a number. */
function signature(o: Obj): u64 {
  const bits = family(o.cls);
  if (bits & (I.F_Portal | I.F_Animal | I.F_Plant)) return 0;
  let extra = 0;
  if (bits & I.F_Terminal) {
    const owner = ownerOf(o);
    extra = owner.name | (has(owner, DELETED) ? 0x10000 : 0);
  } else if (bits & I.F_Document) extra = o.a;
  else if (o.cls == I.C_Flower || o.cls == I.C_Pollen || o.cls == I.C_InclinedPlane || o.cls == I.C_Picture) return 0;
  else if (!withoutContents && showsContents(o.cls) && visibleCount(o) > 0) return 0;
  const fire = has(o, BURNING) ? 2 : has(o, BURNED) && o.mat != 0 ? 1 : 0;
  return <u64>(o.cls | (fire << 8) | ((normalised ? 1 : 0) << 10) | (o.name << 11)) | (<u64>extra << 32) | (withoutContents ? BARE : 0) | FOUND;
}

/** Set in every signature, so that none is 0. */
const FOUND: u64 = 0x8000000000000000;
/** Set for a set of phrases without contents. */
const BARE: u64 = 0x4000000000000000;

function find(o: Obj, slot: usize): void {
  const key = signature(o);
  if (key == 0) return keep(o, slot, passing);
  let i = <i32>((key * 0x9e3779b97f4a7c15) >> 51);
  for (;; i = (i + 1) & (SIGNATURES - 1)) {
    const entry = known + (i << 4);
    const there = load<u64>(entry);
    if (there == key) {
      store<u64>(slot, load<u64>(entry + 8));
      return;
    }
    if (there != 0) continue;
    keep(o, slot, lasting);
    store<u64>(entry, key);
    store<u64>(entry + 8, load<u64>(slot));
    knownCount++;
    return;
  }
}

/** Makes the set of `o`, sorted, in `into`. */
function keep(o: Obj, slot: usize, into: Buffer): void {
  const before = redirect(text);
  makeBase(o);
  redirect(before);
  for (let i = 1; i < builtCount; i++) {
    const id = built[i];
    let j = i;
    for (; j > 0 && phraseOrder(built[j - 1], id) > 0; j--) built[j] = built[j - 1];
    built[j] = id;
  }
  into.reserve(builtCount << 2);
  const at = into.start + into.length;
  for (let i = 0; i < builtCount; i++) store<i32>(at + (i << 2), built[i]);
  into.length += builtCount << 2;
  store<u32>(slot, <u32>at);
  store<i32>(slot + 4, builtCount + 1);
}

