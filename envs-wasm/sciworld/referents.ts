/**
 * One referent for each object of a list, as unique as the original makes it. An object answers to its words r and to "r in k" and
 * "r on k" for each word k of its container; it keeps those that no other object of the list answers to, or all where there is
 * none such, and takes the first. Here nothing is spelt out that need not be: who else has r, and a container with k, is looked up.
 * Objects that share all their referents ("crowded") try others, the last ten times by chance.
 */
import { List } from './list';
import { NIL, Obj, isNil, isOf } from './object';
import { draw, parentOf } from './arena';
import { baseAt, baseCount, beginReferents, ensureBase } from './words';
import {
  EPOCH, IN, ON, POSTED, USES, intern, isSpecial, jointOf, leftOf, putWordOf, recordOf, rightOf, wordAt, wordLength,
  wordOrder,
} from './interned';
import { Buffer, compare, out, put, redirect } from './text';
import { agentRoom } from './search';
import { F_Portal } from './tables/ids';

/** An object of the list: its words and its container's. Then what was chosen: a word, or two with a joint. */
@unmanaged
class Entry {
  words: usize;
  count: i32;
  holder: usize;
  holderCount: i32;
  word: i32;
  joint: i32;
  of: i32;
  /** Crowded ones: where their referents' numbers are, how many, which is chosen now and next. */
  crowd: i32;
  crowdCount: i32;
  pick: i32;
  next: i32;
}

const ENTRY: i32 = offsetof<Entry>();
let entries: usize = 0;
let capacity: i32 = 0;
/** Who has a word: pairs of an entry and the pair before. */
const posts: Buffer = new Buffer(16384);
let epoch: i32 = 0;

// @ts-ignore: decorator
@inline
function entry(i: i32): Entry {
  return changetype<Entry>(entries + i * ENTRY);
}

// @ts-ignore: decorator
@inline
function nth(words: usize, i: i32): i32 {
  return load<i32>(words + (i << 2));
}

/** As a place, a portal answers to an internal error text of the original, which no line has but counts here. */
const portalPlace: usize = heap.alloc(4);

function open(list: List): void {
  if (list.length > capacity) {
    capacity = list.length * 2;
    entries = heap.alloc(<usize>capacity * ENTRY);
  }
  beginReferents(agentRoom(), false, true);
  epoch++;
  posts.length = 8;
  specialCount = 0;
  if (anySpecial) memory.fill(specials, 0, SPECIALS * 16);
  anySpecial = false;
  crowds.length = 0;
  const error = 'error: should use override for portal.';
  const from = spelt.length;
  const before = redirect(spelt);
  put(error);
  redirect(before);
  store<i32>(portalPlace, intern(spelt.start + from, error.length));
  spelt.length = from;
  for (let i = 0; i < list.length; i++) enlist(i, list.get(i));
}

function enlist(i: i32, o: Obj): void {
  const e = entry(i);
  ensureBase(o);
  e.words = baseAt(o);
  e.count = baseCount(o);
  e.holder = 0;
  e.holderCount = 0;
  e.crowdCount = 0;
  e.word = 0;
  e.joint = 0;
  const holder = isOf(o, F_Portal) ? NIL : parentOf(o);
  if (!isNil(holder)) {
    if (isOf(holder, F_Portal)) {
      e.holder = portalPlace;
      e.holderCount = 1;
    } else {
      ensureBase(holder);
      e.holder = baseAt(holder);
      e.holderCount = baseCount(holder);
    }
  }
  for (let k = 0; k < e.count; k++) post(nth(e.words, k), i);
}

function post(id: i32, i: i32): void {
  const record = recordOf(id);
  posts.reserve(8);
  const at = posts.start + posts.length;
  store<i32>(at, i);
  store<i32>(at + 4, load<i32>(record + EPOCH) == epoch ? load<i32>(record + POSTED) : 0);
  store<i32>(record + EPOCH, epoch);
  store<i32>(record + POSTED, posts.length);
  posts.length += 8;
}

function posted(id: i32): i32 {
  const record = recordOf(id);
  return load<i32>(record + EPOCH) == epoch ? load<i32>(record + POSTED) : 0;
}

function answersWithin(e: Entry, place: i32): bool {
  for (let k = 0; k < e.holderCount; k++) if (nth(e.holder, k) == place) return true;
  return false;
}

/** Has an entry other than `i` the word `r` and a container with the word `k`. */
function otherHas(i: i32, r: i32, k: i32): bool {
  const own = entry(i).holder;
  for (let p = posted(r); p != 0; p = load<i32>(posts.start + p + 4)) {
    const j = load<i32>(posts.start + p);
    if (j == i) continue;
    const other = entry(j);
    if ((other.holder == own && own != 0 && answersWithin(entry(i), k)) || answersWithin(other, k)) return true;
  }
  return false;
}

// ---- referents that can be read in two ways ---------------------------------------------------------------------------------------

/**
 * "terminal 1 on battery" is a word of the terminal, and "terminal 1" "on" "battery" is made of two. Words with a joint, and what is
 * made with them, stand here by what they are: word, joint and word where that is the only way to read them, otherwise their
 * text's number. Open addressing: key, entry, is it more than one.
 */
const SPECIALS: i32 = 32768;
const specials: usize = heap.alloc(SPECIALS * 16);
memory.fill(specials, 0, SPECIALS * 16);
let specialCount: i32 = 0;
let anySpecial: bool = false;
const spelt: Buffer = new Buffer(4096);

function keyOf(r: i32, joint: i32, k: i32): u64 {
  return (<u64>r << 32) | (<u64>k << 2) | joint;
}

function keyOfWord(id: i32): u64 {
  return leftOf(id) == 0 ? keyOf(id, 0, 0) : keyOf(leftOf(id), jointOf(id), rightOf(id));
}

function special(key: u64): usize {
  let i = <i32>((key * 0x9e3779b97f4a7c15) >> 49);
  let at = specials + (i << 4);
  while (load<u64>(at) != key && load<u64>(at) != 0) {
    i = (i + 1) & (SPECIALS - 1);
    at = specials + (i << 4);
  }
  return at;
}

function addSpecial(key: u64, i: i32): void {
  const at = special(key);
  anySpecial = true;
  if (load<u64>(at) == 0) {
    // Full: no house comes near; what is left out is taken for unique.
    if (++specialCount > SPECIALS / 2) return;
    store<u64>(at, key);
    store<i32>(at + 8, i);
  } else if (load<i32>(at + 8) != i) store<i32>(at + 12, 1);
}

function otherSpecial(i: i32, key: u64): bool {
  if (!anySpecial) return false;
  const at = special(key);
  return load<u64>(at) != 0 && (load<i32>(at + 12) != 0 || load<i32>(at + 8) != i);
}

function spell(r: i32, joint: i32, k: i32): void {
  putWordOf(r);
  if (joint == 0) return;
  put(joint == IN ? ' in ' : ' on ');
  putWordOf(k);
}

/** The number of "r in k" as one text. */
function joined(r: i32, joint: i32, k: i32): i32 {
  const from = spelt.length;
  const before = redirect(spelt);
  spell(r, joint, k);
  const id = intern(spelt.start + from, out.length - from);
  redirect(before);
  spelt.length = from;
  return id;
}

function gatherSpecials(i: i32): void {
  const e = entry(i);
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.words, a);
    const both = isSpecial(r);
    if (both && wordLength(r) > 1) addSpecial(keyOfWord(r), i);
    for (let b = 0; b < e.holderCount; b++) {
      const k = nth(e.holder, b);
      if (!both && !isSpecial(k)) continue;
      addSpecial(keyOfWord(joined(r, IN, k)), i);
      addSpecial(keyOfWord(joined(r, ON, k)), i);
    }
  }
}

// ---- the first that no other has ---------------------------------------------------------------------------------------------------

function isUniqueWord(i: i32, r: i32): bool {
  if (!isSpecial(r)) return load<i32>(posts.start + posted(r) + 4) == 0;
  if (otherSpecial(i, keyOfWord(r))) return false;
  return leftOf(r) == 0 || !otherHas(i, leftOf(r), rightOf(r));
}

function isUnique(i: i32, r: i32, joint: i32, k: i32): bool {
  if (isSpecial(r) || isSpecial(k)) return isUniqueWord(i, joined(r, joint, k));
  return !otherHas(i, r, k) && !otherSpecial(i, keyOf(r, joint, k));
}

/** The first unique one that begins with the word `r`. */
function firstWith(i: i32, r: i32): bool {
  const e = entry(i);
  foundJoint = 0;
  if (wordLength(r) > 1 && isUniqueWord(i, r)) return true;
  for (foundJoint = IN; foundJoint <= ON; foundJoint++)
    for (let b = 0; b < e.holderCount; b++) {
      foundOf = nth(e.holder, b);
      if (isUnique(i, r, foundJoint, foundOf)) return true;
    }
  return false;
}

let foundJoint: i32 = 0;
let foundOf: i32 = 0;

/** Words are sorted, and what begins with a word comes behind it: done once a word is behind the best. False: none is unique. */
function chooseUnique(i: i32): bool {
  const e = entry(i);
  const from = spelt.length;
  let bestLength = -1;
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.words, a);
    const best = spelt.start + from;
    if (bestLength >= 0 && compare(wordAt(r), wordLength(r), best, bestLength) >= 0) break;
    if (!firstWith(i, r)) continue;
    const start = spelt.length;
    const before = redirect(spelt);
    spell(r, foundJoint, foundOf);
    redirect(before);
    const length = spelt.length - start;
    if (bestLength >= 0) {
      const isBefore = compare(spelt.start + start, length, spelt.start + from, bestLength) < 0;
      if (isBefore) memory.copy(spelt.start + from, spelt.start + start, length);
      spelt.length = from + max(length, bestLength);
      if (!isBefore) continue;
    }
    bestLength = length;
    spelt.length = from + length;
    e.word = r;
    e.joint = foundJoint;
    e.of = foundOf;
  }
  spelt.length = from;
  return bestLength >= 0;
}

// ---- crowded objects --------------------------------------------------------------------------------------------------------------

const crowds: Buffer = new Buffer(16384);

// @ts-ignore: decorator
@inline
function crowdWord(e: Entry, pick: i32): i32 {
  return load<i32>(crowds.start + e.crowd + (pick << 2));
}

function pushCrowd(id: i32): void {
  crowds.reserve(4);
  store<i32>(crowds.start + crowds.length, id);
  crowds.length += 4;
}

/** Spells all referents of an object, sorted, without duplicates. */
function crowd(e: Entry): void {
  e.crowd = crowds.length;
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.words, a);
    if (wordLength(r) > 1) pushCrowd(r);
    for (let b = 0; b < e.holderCount; b++) {
      pushCrowd(joined(r, IN, nth(e.holder, b)));
      pushCrowd(joined(r, ON, nth(e.holder, b)));
    }
  }
  sortCrowd(e);
  for (let k = 0; k < e.crowdCount; k++) store<i32>(recordOf(crowdWord(e, k)) + USES, 0);
}

function sortCrowd(e: Entry): void {
  const at = crowds.start + e.crowd;
  const n = (crowds.length - e.crowd) >> 2;
  for (let i = 1; i < n; i++) {
    const id = nth(at, i);
    let j = i;
    for (; j > 0 && wordOrder(nth(at, j - 1), id) > 0; j--) store<i32>(at + (j << 2), nth(at, j - 1));
    store<i32>(at + (j << 2), id);
  }
  let kept = min(n, 1);
  for (let i = 1; i < n; i++) if (nth(at, i) != nth(at, kept - 1)) store<i32>(at + (kept++ << 2), nth(at, i));
  e.crowdCount = kept;
  crowds.length = e.crowd + (kept << 2);
}

function use(e: Entry, pick: i32, by: i32): void {
  const at = recordOf(crowdWord(e, pick)) + USES;
  store<i32>(at, load<i32>(at) + by);
}

function uses(e: Entry): i32 {
  return load<i32>(recordOf(crowdWord(e, e.pick)) + USES);
}

/** Counts are taken once an attempt; the choices change under them. */
function attempt(n: i32, byChance: bool): bool {
  let any = false;
  for (let i = 0; i < n; i++) {
    const e = entry(i);
    e.next = e.pick;
    if (e.crowdCount == 0 || uses(e) <= 1) continue;
    e.next = byChance ? draw(e.crowdCount) : (e.pick + 1) % e.crowdCount;
    any = true;
  }
  for (let i = 0; any && i < n; i++) {
    const e = entry(i);
    if (e.next == e.pick) continue;
    use(e, e.pick, -1);
    use(e, e.next, 1);
    e.pick = e.next;
  }
  return any;
}

/** Gives each object of the list a referent: `putReferentOf`. */
export function chooseReferents(list: List): void {
  const n = list.length;
  open(list);
  for (let i = 0; i < n; i++) gatherSpecials(i);
  let anyCrowded = false;
  for (let i = 0; i < n; i++) {
    if (chooseUnique(i)) continue;
    crowd(entry(i));
    anyCrowded = true;
  }
  if (!anyCrowded) return;
  for (let i = 0; i < n; i++) {
    const e = entry(i);
    e.pick = 0;
    if (e.crowdCount > 0) use(e, 0, 1);
  }
  for (let k = 0; k < 20; k++) if (!attempt(n, k >= 10)) break;
  for (let i = 0; i < n; i++) if (entry(i).crowdCount > 0) entry(i).word = crowdWord(entry(i), entry(i).pick);
}

/** Nothing where the object has none. */
export function putReferentOf(i: i32): void {
  const e = entry(i);
  if (e.word != 0) spell(e.word, e.joint, e.of);
}
