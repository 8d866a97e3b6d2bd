/**
 * Chooses one referent for each object of a list, as unique as the original makes it. An object answers to its phrases
 * r, and to "r in k" and "r on k" for each phrase k of its container. The choice is the first of these that no other
 * object of the list answers to, or the first of all if every one is shared. Most referents are never written out: it
 * is enough to look up the other objects that have the phrase r and a container with the phrase k. An object that
 * shares all of its referents ("crowded") makes further attempts, of which the last ten are random.
 */
import { List } from './list';
import { NIL, Obj, isNil, isOf } from './object';
import { draw, parentOf } from './arena';
import { baseAt, baseCount, beginReferents, ensureBase } from './phrases';
import {
  EPOCH, IN, ON, POSTED, USES, intern, isSpecial, jointOf, leftOf, putPhrase, recordOf, rightOf, phraseAt, phraseLength,
  phraseOrder,
} from './interned';
import { Buffer, compare, out, put, redirect } from './text';
import { agentRoom } from './search';
import { F_Portal } from './tables/ids';

/**
 * An object of the list: its phrases and those of its container. Then the chosen referent: one phrase, or two with a
 * joint.
 */
@unmanaged
class Entry {
  phrases: usize;
  count: i32;
  container: usize;
  containerCount: i32;
  phrase: i32;
  joint: i32;
  containerPhrase: i32;
  /** Crowded objects: place and number of their referents, the present choice and the next. */
  crowd: i32;
  crowdCount: i32;
  pick: i32;
  next: i32;
}

const ENTRY: i32 = offsetof<Entry>();
let entries: usize = 0;
let capacity: i32 = 0;
/** Postings of the phrases: pairs of an entry and the previous pair. */
const posts: Buffer = new Buffer(16384);
let epoch: i32 = 0;

// @ts-ignore: decorator
@inline
function entry(i: i32): Entry {
  return changetype<Entry>(entries + i * ENTRY);
}

// @ts-ignore: decorator
@inline
function nth(phrases: usize, i: i32): i32 {
  return load<i32>(phrases + (i << 2));
}

/**
 * A portal that is a container answers to an error text of the original. No line contains it, but it counts for
 * uniqueness.
 */
const portalContainer: usize = heap.alloc(4);

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
  const from = spelled.length;
  const before = redirect(spelled);
  put(error);
  redirect(before);
  store<i32>(portalContainer, intern(spelled.start + from, error.length));
  spelled.length = from;
  for (let i = 0; i < list.length; i++) enlist(i, list.get(i));
}

function enlist(i: i32, o: Obj): void {
  const e = entry(i);
  ensureBase(o);
  e.phrases = baseAt(o);
  e.count = baseCount(o);
  e.container = 0;
  e.containerCount = 0;
  e.crowdCount = 0;
  e.phrase = 0;
  e.joint = 0;
  const container = isOf(o, F_Portal) ? NIL : parentOf(o);
  if (!isNil(container)) {
    if (isOf(container, F_Portal)) {
      e.container = portalContainer;
      e.containerCount = 1;
    } else {
      ensureBase(container);
      e.container = baseAt(container);
      e.containerCount = baseCount(container);
    }
  }
  for (let k = 0; k < e.count; k++) post(nth(e.phrases, k), i);
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
  for (let k = 0; k < e.containerCount; k++) if (nth(e.container, k) == place) return true;
  return false;
}

/** True if an entry other than `i` has the phrase `r` and a container with the phrase `k`. */
function otherHas(i: i32, r: i32, k: i32): bool {
  const own = entry(i).container;
  for (let p = posted(r); p != 0; p = load<i32>(posts.start + p + 4)) {
    const j = load<i32>(posts.start + p);
    if (j == i) continue;
    const other = entry(j);
    if ((other.container == own && own != 0 && answersWithin(entry(i), k)) || answersWithin(other, k)) return true;
  }
  return false;
}

// ---- referents that can be read in two ways ---------------------------------------------------------------------------------------

/**
 * "terminal 1 on battery" is a phrase of the terminal; "terminal 1" "on" "battery" is made of two phrases. Phrases with
 * a joint, and combinations with them, are in this table: under phrase, joint and phrase if they can be parsed in only
 * one way, else under the number of their text. Open addressing: key, entry, true if there are several entries.
 */
const SPECIALS: i32 = 32768;
const specials: usize = heap.alloc(SPECIALS * 16);
memory.fill(specials, 0, SPECIALS * 16);
let specialCount: i32 = 0;
let anySpecial: bool = false;
const spelled: Buffer = new Buffer(4096);

function keyOf(r: i32, joint: i32, k: i32): u64 {
  return (<u64>r << 32) | (<u64>k << 2) | joint;
}

function keyOfPhrase(id: i32): u64 {
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
    // The table is full; no real house has that many referents. Missing ones count as unique.
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
  putPhrase(r);
  if (joint == 0) return;
  put(joint == IN ? ' in ' : ' on ');
  putPhrase(k);
}

/** Number of "r in k" as one text. */
function joined(r: i32, joint: i32, k: i32): i32 {
  const from = spelled.length;
  const before = redirect(spelled);
  spell(r, joint, k);
  const id = intern(spelled.start + from, out.length - from);
  redirect(before);
  spelled.length = from;
  return id;
}

function gatherSpecials(i: i32): void {
  const e = entry(i);
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.phrases, a);
    const both = isSpecial(r);
    if (both && phraseLength(r) > 1) addSpecial(keyOfPhrase(r), i);
    for (let b = 0; b < e.containerCount; b++) {
      const k = nth(e.container, b);
      if (!both && !isSpecial(k)) continue;
      addSpecial(keyOfPhrase(joined(r, IN, k)), i);
      addSpecial(keyOfPhrase(joined(r, ON, k)), i);
    }
  }
}

// ---- the first that no other has ---------------------------------------------------------------------------------------------------

function isUniquePhrase(i: i32, r: i32): bool {
  if (!isSpecial(r)) return load<i32>(posts.start + posted(r) + 4) == 0;
  if (otherSpecial(i, keyOfPhrase(r))) return false;
  return leftOf(r) == 0 || !otherHas(i, leftOf(r), rightOf(r));
}

function isUnique(i: i32, r: i32, joint: i32, k: i32): bool {
  if (isSpecial(r) || isSpecial(k)) return isUniquePhrase(i, joined(r, joint, k));
  return !otherHas(i, r, k) && !otherSpecial(i, keyOf(r, joint, k));
}

/** Finds the first unique referent that begins with the phrase `r`. */
function firstWith(i: i32, r: i32): bool {
  const e = entry(i);
  foundJoint = 0;
  if (phraseLength(r) > 1 && isUniquePhrase(i, r)) return true;
  for (foundJoint = IN; foundJoint <= ON; foundJoint++)
    for (let b = 0; b < e.containerCount; b++) {
      foundContainerPhrase = nth(e.container, b);
      if (isUnique(i, r, foundJoint, foundContainerPhrase)) return true;
    }
  return false;
}

let foundJoint: i32 = 0;
let foundContainerPhrase: i32 = 0;

/**
 * Phrases are sorted, and every referent comes after the phrase that it begins with. So the search ends once a phrase
 * comes after the best referent. Returns false if none is unique.
 */
function chooseUnique(i: i32): bool {
  const e = entry(i);
  const from = spelled.length;
  let bestLength = -1;
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.phrases, a);
    const best = spelled.start + from;
    if (bestLength >= 0 && compare(phraseAt(r), phraseLength(r), best, bestLength) >= 0) break;
    if (!firstWith(i, r)) continue;
    const start = spelled.length;
    const before = redirect(spelled);
    spell(r, foundJoint, foundContainerPhrase);
    redirect(before);
    const length = spelled.length - start;
    if (bestLength >= 0) {
      const isBefore = compare(spelled.start + start, length, spelled.start + from, bestLength) < 0;
      if (isBefore) memory.copy(spelled.start + from, spelled.start + start, length);
      spelled.length = from + max(length, bestLength);
      if (!isBefore) continue;
    }
    bestLength = length;
    spelled.length = from + length;
    e.phrase = r;
    e.joint = foundJoint;
    e.containerPhrase = foundContainerPhrase;
  }
  spelled.length = from;
  return bestLength >= 0;
}

// ---- crowded objects --------------------------------------------------------------------------------------------------------------

const crowds: Buffer = new Buffer(16384);

// @ts-ignore: decorator
@inline
function crowdPhrase(e: Entry, pick: i32): i32 {
  return load<i32>(crowds.start + e.crowd + (pick << 2));
}

function pushCrowd(id: i32): void {
  crowds.reserve(4);
  store<i32>(crowds.start + crowds.length, id);
  crowds.length += 4;
}

/** Writes out all referents of an object, sorted, without duplicates. */
function crowd(e: Entry): void {
  e.crowd = crowds.length;
  for (let a = 0; a < e.count; a++) {
    const r = nth(e.phrases, a);
    if (phraseLength(r) > 1) pushCrowd(r);
    for (let b = 0; b < e.containerCount; b++) {
      pushCrowd(joined(r, IN, nth(e.container, b)));
      pushCrowd(joined(r, ON, nth(e.container, b)));
    }
  }
  sortCrowd(e);
  for (let k = 0; k < e.crowdCount; k++) store<i32>(recordOf(crowdPhrase(e, k)) + USES, 0);
}

function sortCrowd(e: Entry): void {
  const at = crowds.start + e.crowd;
  const n = (crowds.length - e.crowd) >> 2;
  for (let i = 1; i < n; i++) {
    const id = nth(at, i);
    let j = i;
    for (; j > 0 && phraseOrder(nth(at, j - 1), id) > 0; j--) store<i32>(at + (j << 2), nth(at, j - 1));
    store<i32>(at + (j << 2), id);
  }
  let kept = min(n, 1);
  for (let i = 1; i < n; i++) if (nth(at, i) != nth(at, kept - 1)) store<i32>(at + (kept++ << 2), nth(at, i));
  e.crowdCount = kept;
  crowds.length = e.crowd + (kept << 2);
}

function use(e: Entry, pick: i32, by: i32): void {
  const at = recordOf(crowdPhrase(e, pick)) + USES;
  store<i32>(at, load<i32>(at) + by);
}

function uses(e: Entry): i32 {
  return load<i32>(recordOf(crowdPhrase(e, e.pick)) + USES);
}

/** Counts are read once per attempt; the choices change afterwards. */
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

/** Chooses a referent for each object of the list, for `putReferentOf`. */
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
  for (let i = 0; i < n; i++) if (entry(i).crowdCount > 0) entry(i).phrase = crowdPhrase(entry(i), entry(i).pick);
}

/** Writes the referent of an object; nothing if it has none. */
export function putReferentOf(i: i32): void {
  const e = entry(i);
  if (e.phrase != 0) spell(e.phrase, e.joint, e.containerPhrase);
}
