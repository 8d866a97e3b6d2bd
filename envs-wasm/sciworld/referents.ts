/**
 * The words an object answers to. Base referents are made once an object and epoch, lower-cased, as byte ranges of one buffer;
 * the full set adds "r in k" and "r on k" for each base referent k of its container. For the parser they are also
 * normalised as its input is (articles dropped).
 */
import { HIDDEN, NIL, Obj, SICK, SIZE, at, has, head, isNil, isOf, parentOf, ref, stack } from './arena';
import * as I from './tables/ids';
import {
  family, lifeform, listedReferent, listedReferents, putString, stageString, subject, tellsContents,
} from './tables';
import { Buffer, byte, bytes, compare, lower, out, put, redirect, same as sameBytes } from './text';
import { bookField, plantNameId, putName, putOwner } from './describe';
import { plantKind, putTraits } from './genetics';
import { farSide } from './search';

const text: Buffer = new Buffer(262144);
/** Ranges (start, length) into `text`. */
let ranges: usize = heap.alloc(65536 * 8);
let rangeCapacity: i32 = 65536;
export let rangeCount: i32 = 0;
/** Per object slot: first range and how many, valid in this epoch. */
let made: usize = 0;
let madeSlots: i32 = 0;
let normalised: bool = false;
let room: Obj = NIL;

export function rangeStart(i: i32): usize {
  return text.start + load<i32>(ranges + (i << 3));
}

export function rangeLength(i: i32): i32 {
  return load<i32>(ranges + (i << 3) + 4);
}

function addRange(start: i32, length: i32): void {
  if (rangeCount == rangeCapacity) {
    const next = heap.alloc(<usize>rangeCapacity * 16);
    memory.copy(next, ranges, <usize>rangeCapacity * 8);
    heap.free(ranges);
    ranges = next;
    rangeCapacity *= 2;
  }
  store<i32>(ranges + (rangeCount << 3), start);
  store<i32>(ranges + (rangeCount << 3) + 4, length);
  rangeCount++;
}

/** Forgets all referents; `from` is the room they are seen from. */
export function beginReferents(from: Obj, forParser: bool): void {
  text.length = 0;
  rangeCount = 0;
  room = from;
  normalised = forParser;
  const slots = head.used / SIZE + 1;
  if (slots > madeSlots) {
    madeSlots = slots * 2;
    made = heap.alloc(<usize>madeSlots * 8);
  }
  memory.fill(made, 0, <usize>slots * 8);
}

// @ts-ignore: decorator
@inline
function madeOf(o: Obj): usize {
  return made + ((ref(o) / SIZE) << 3);
}

/** Makes the base referents of `o` if need be; `baseFirst` and `baseCount` tell where they are. */
export function ensureBase(o: Obj): void {
  const slot = madeOf(o);
  if (load<i32>(slot + 4) != 0) return;
  const first = rangeCount;
  const before = redirect(text);
  makeBase(o);
  redirect(before);
  store<i32>(slot, first);
  store<i32>(slot + 4, rangeCount - first + 1);
}

export function baseFirst(o: Obj): i32 {
  return load<i32>(madeOf(o));
}

export function baseCount(o: Obj): i32 {
  return load<i32>(madeOf(o) + 4) - 1;
}

// ---- making ---------------------------------------------------------------------------------------------------------------

let began: i32 = 0;

function begin(): void {
  began = out.length;
}

/** Takes what was written since `begin` as a referent, unless it is blank or already there. */
function end(): void {
  let length = out.length - began;
  lower(out.start + began, length);
  if (blank(began, length)) {
    out.length = began;
    return;
  }
  if (normalised) {
    if (length <= 1) {
      out.length = began;
      return;
    }
    dropArticles(began);
    length = out.length - began;
    if (length == 0) return;
  }
  for (let i = currentFirst; i < rangeCount; i++)
    if (rangeLength(i) == length && sameBytes(rangeStart(i), out.start + began, length)) {
      out.length = began;
      return;
    }
  addRange(began, length);
}

let currentFirst: i32 = 0;

function blank(start: i32, length: i32): bool {
  for (let i = 0; i < length; i++) if (load<u8>(out.start + start + i) > 32) return false;
  return true;
}

/** Single spaces, without the tokens "a", "an", "the", from `start` to the end of `out`. */
export function dropArticles(start: i32): void {
  let read = start;
  let write = start;
  const last = out.length;
  const at = out.start;
  while (read < last) {
    while (read < last && isSpace(load<u8>(at + read))) read++;
    let stop = read;
    while (stop < last && !isSpace(load<u8>(at + stop))) stop++;
    const n = stop - read;
    if (n == 0) break;
    if (!isArticle(at + read, n)) {
      if (write > start) store<u8>(at + write++, 32);
      memory.copy(at + write, at + read, n);
      write += n;
    }
    read = stop;
  }
  out.length = write;
}

// @ts-ignore: decorator
@inline
function isSpace(c: i32): bool {
  return c == 32 || (c >= 9 && c <= 13);
}

function isArticle(at: usize, n: i32): bool {
  const c = load<u8>(at);
  if (n == 1) return c == 97;
  if (n == 2) return c == 97 && load<u8>(at + 1) == 110;
  return n == 3 && c == 116 && load<u8>(at + 1) == 104 && load<u8>(at + 2) == 101;
}

function word(literal: string): void {
  begin();
  put(literal);
  end();
}

function nameWord(id: i32): void {
  begin();
  putString(id);
  end();
}

function described(o: Obj): void {
  begin();
  putName(o);
  end();
}

function makeBase(o: Obj): void {
  currentFirst = rangeCount;
  const bits = family(o.cls);
  if (bits & I.F_Portal) return portalWords(o);
  if (bits & I.F_Terminal) return terminalWords(o);
  if (bits & I.F_Animal) return animalWords(o);
  if (bits & I.F_Plant) return plantWords(o);
  if (bits & I.F_Document) return documentWords(o);
  if (o.cls == I.C_Universe) return word('universe');
  if (o.cls == I.C_Agent) {
    word('agent');
    return word('self');
  }
  if (o.cls == I.C_Flower) {
    word('flower');
    if (o.a > 0) word('wilting flower');
    return;
  }
  if (o.cls == I.C_Pollen) return pollenWords(o);
  if (o.cls == I.C_InclinedPlane) return planeWords(o);
  if (o.cls == I.C_Picture) return pictureWords(o);
  for (let i = 0; i < listedReferents(o.cls); i++) nameWord(listedReferent(o.cls, i));
  nameWord(o.name);
  if (o.cls != I.C_Stove && o.cls != I.C_HotPlate) described(o);
  if (tellsContents(o.cls)) contentsWords(o);
}

/** For every referent r so far: "r containing nothing" or "r containing a and b". */
function contentsWords(o: Obj): void {
  const first = currentFirst;
  const n = rangeCount;
  const from = stack.length;
  const start = out.length;
  namesWithin(o);
  const length = out.length - start;
  for (let i = first; i < n; i++) {
    begin();
    out.reserve(rangeLength(i));
    bytes(rangeStart(i), rangeLength(i));
    put(' containing ');
    out.reserve(length);
    bytes(out.start + start, length);
    end();
  }
  stack.length = from;
}

/** Distinct described names of the visible contents, sorted, joined by " and ". */
function namesWithin(o: Obj): void {
  const from = marks.length;
  const start = out.length;
  for (let c = at(o.first); !isNil(c); c = at(c.next)) {
    if (has(c, HIDDEN)) continue;
    marks.push(out.length);
    putName(c);
  }
  const n = marks.length - from;
  marks.push(out.length);
  if (n == 0) {
    marks.length = from;
    return put('nothing');
  }
  let last = -1;
  for (let k = 0; k < n; k++) {
    let best = -1;
    for (let i = 0; i < n; i++) {
      if (last >= 0 && orderOf(from, i, last) <= 0) continue;
      if (best < 0 || orderOf(from, i, best) < 0) best = i;
    }
    if (best < 0) break;
    if (last >= 0) put(' and ');
    last = best;
    const a = marks[from + best];
    const length = marks[from + best + 1] - a;
    out.reserve(length);
    bytes(out.start + a, length);
  }
  const from2 = marks[from + n];
  marks.length = from;
  // The joined names move down over the single ones.
  memory.copy(out.start + start, out.start + from2, out.length - from2);
  out.length = start + out.length - from2;
}

const marks: Array<i32> = new Array<i32>();

function orderOf(first: i32, i: i32, j: i32): i32 {
  const a = marks[first + i];
  const b = marks[first + j];
  return compare(out.start + a, marks[first + i + 1] - a, out.start + b, marks[first + j + 1] - b);
}

function contains(o: Obj, part: Obj): bool {
  return part.parent == ref(o);
}

function portalWords(p: Obj): void {
  const offset = ref(room);
  if (p.cls == I.C_LiquidDrain) {
    word('drain');
    const basin = at(p.a);
    if (p.a == offset || p.b == offset || contains(room, basin)) {
      begin();
      putString(basin.name);
      put(' drain');
      end();
    }
    return;
  }
  word('door');
  if (p.a == offset || p.b == offset) {
    const other = farSide(p, room).name;
    begin();
    put('door to ');
    putString(other);
    end();
    begin();
    putString(other);
    put(' door');
    end();
    return;
  }
  fromTo(at(p.a).name, at(p.b).name);
  fromTo(at(p.b).name, at(p.a).name);
}

function fromTo(a: i32, b: i32): void {
  begin();
  put('door from ');
  putString(a);
  put(' to ');
  putString(b);
  end();
}

function terminalWords(o: Obj): void {
  word('terminal');
  nameWord(o.name);
  begin();
  putString(o.name);
  put(' on ');
  putOwner(o);
  end();
  begin();
  putOwner(o);
  byte(32);
  putString(o.name);
  end();
}

function animalWords(o: Obj): void {
  word('living thing');
  word('organism');
  nameWord(o.name);
  described(o);
  if (o.cls == I.C_Bee) return word('bee');
  begin();
  putString(stageString(o.stage));
  byte(32);
  putString(o.name);
  end();
  begin();
  putString(stageString(o.stage));
  byte(32);
  putName(o);
  end();
}

/** `traits`: with the plant's traits before the plant name. */
function plantPhrase(o: Obj, name: i32, shape: i32, traits: bool): void {
  begin();
  if (shape == 2) {
    putString(stageString(o.stage));
    byte(32);
  }
  if (traits) {
    putTraitWords(o);
    byte(32);
  }
  putString(name);
  if (shape == 1) {
    put(' in the ');
    putString(stageString(o.stage));
    put(' stage');
  }
  end();
}

/** Traits trimmed, without a leading "with a". */
function putTraitWords(o: Obj): void {
  const start = out.length;
  putTraits(o);
  let from = start;
  let stop = out.length;
  while (from < stop && load<u8>(out.start + from) == 32) from++;
  while (stop > from && load<u8>(out.start + stop - 1) == 32) stop--;
  if (stop - from > 7 && (load<u64>(out.start + from) & 0xffffffffffffff) == WITH_A) from += 7;
  memory.copy(out.start + start, out.start + from, stop - from);
  out.length = start + stop - from;
}

/** The seven bytes of "with a ". */
const WITH_A: u64 = 0x20612068746977;

function plantWords(o: Obj): void {
  word('living thing');
  word('organism');
  nameWord(o.name);
  plantPhrase(o, o.name, 1, false);
  begin();
  putString(stageString(o.stage));
  put(' plant');
  end();
  const kind = plantKind(o);
  if (kind != 0 || isOf(o, I.F_FruitingTree)) {
    const name = plantNameId(o);
    plantPhrase(o, name, 0, false);
    plantPhrase(o, name, 1, false);
    plantPhrase(o, name, 2, false);
    described(o);
    if (kind != 0) {
      nameWord(lifeform(o.cls));
      if (hasTraits(o)) for (let shape = 0; shape < 3; shape++) plantPhrase(o, name, shape, true);
    }
  }
  if (has(o, SICK)) sickWords();
}

function hasTraits(o: Obj): bool {
  const start = out.length;
  putTraitWords(o);
  const any = out.length > start;
  out.length = start;
  return any;
}

function sickWords(): void {
  const n = rangeCount;
  for (let i = currentFirst; i < n; i++) {
    begin();
    put('sick ');
    out.reserve(rangeLength(i));
    bytes(rangeStart(i), rangeLength(i));
    end();
  }
}

function pollenWords(o: Obj): void {
  word('pollen');
  begin();
  putString(lifeform(at(o.b).cls));
  put(' pollen');
  end();
}

function planeWords(o: Obj): void {
  word('inclined plane');
  word('plane');
  nameWord(o.name);
  described(o);
  if (o.a == 0) return;
  begin();
  put('plane ');
  putString(o.a);
  end();
  begin();
  putString(o.name);
  byte(32);
  putString(o.a);
  end();
  begin();
  putName(o);
  byte(32);
  putString(o.a);
  end();
}

function pictureWords(o: Obj): void {
  nameWord(o.name);
  begin();
  putString(o.name);
  put(' of ');
  putString(subject(o.a));
  end();
}

function documentWords(o: Obj): void {
  if (isOf(o, I.F_Book)) return bookWords(o);
  described(o);
  nameWord(o.name);
  calledWords(o);
}

/** "name called title" of papers (whose title is empty) and recipes. */
function calledWords(o: Obj): void {
  const recipe = o.cls == I.C_Recipe;
  if (recipe) {
    begin();
    put('instructions to make ');
    putString(o.a);
    end();
  }
  begin();
  putString(o.name);
  put(' called ');
  if (recipe) {
    put('instructions to make ');
    putString(o.a);
  }
  end();
}

function bookWords(o: Obj): void {
  const title = bookField(o, 1);
  const author = bookField(o, 2);
  word('book');
  nameWord(title);
  begin();
  put('book by ');
  putString(author);
  end();
  begin();
  putString(title);
  put(' book');
  end();
  nameWord(o.name);
  begin();
  putName(o);
  put(' by ');
  putString(author);
  end();
  begin();
  putName(o);
  put(' called ');
  putString(title);
  end();
}

// ---- full sets ----------------------------------------------------------------------------------------------------------------

/** Appends the full referents of `o` (sorted, without duplicates) as ranges; returns the first, `rangeCount` is the end. */
export function fullReferents(o: Obj): i32 {
  ensureBase(o);
  const holder = isOf(o, I.F_Portal) ? NIL : parentOf(o);
  if (!isNil(holder)) ensureBase(holder);
  const first = rangeCount;
  const b = baseFirst(o);
  const n = baseCount(o);
  const before = redirect(text);
  for (let i = 0; i < n; i++) if (rangeLength(b + i) > 1) addRange(load<i32>(ranges + ((b + i) << 3)), rangeLength(b + i));
  if (!isNil(holder)) {
    const k = baseFirst(holder);
    const m = baseCount(holder);
    // As a place, a portal answers to an internal error text of the original, which no line contains but counts when
    // referents are made unique.
    if (isOf(holder, I.F_Portal)) {
      for (let i = 0; i < n; i++) {
        withinText(b + i, ' in error: should use override for portal.');
        withinText(b + i, ' on error: should use override for portal.');
      }
      redirect(before);
      return sortRanges(first);
    }
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        within(b + i, ' in ', k + j);
        within(b + i, ' on ', k + j);
      }
  }
  redirect(before);
  return sortRanges(first);
}

function withinText(r: i32, tail: string): void {
  const start = out.length;
  out.reserve(rangeLength(r));
  bytes(rangeStart(r), rangeLength(r));
  put(tail);
  addRange(start, out.length - start);
}

function within(r: i32, preposition: string, k: i32): void {
  const start = out.length;
  out.reserve(rangeLength(r) + 4 + rangeLength(k));
  bytes(rangeStart(r), rangeLength(r));
  put(preposition);
  bytes(rangeStart(k), rangeLength(k));
  addRange(start, out.length - start);
}

let sorted: usize = 0;
let sortedCapacity: i32 = 0;

/** Merge sort of the ranges from `first` on, then duplicates dropped. */
function sortRanges(first: i32): i32 {
  const n = rangeCount - first;
  if (n > sortedCapacity) {
    sortedCapacity = n * 2;
    sorted = heap.alloc(<usize>sortedCapacity * 8);
  }
  const items = ranges + (first << 3);
  for (let width = 1; width < n; width *= 2) {
    for (let left = 0; left < n; left += 2 * width) mergeRanges(items, left, min(left + width, n), min(left + 2 * width, n));
    memory.copy(items, sorted, <usize>n * 8);
  }
  let kept = min(n, 1);
  for (let i = 1; i < n; i++) {
    if (compareItems(items, kept - 1, i) == 0) continue;
    store<u64>(items + (kept++ << 3), load<u64>(items + (i << 3)));
  }
  rangeCount = first + kept;
  return first;
}

function mergeRanges(items: usize, left: i32, middle: i32, right: i32): void {
  let i = left;
  let j = middle;
  for (let k = left; k < right; k++) {
    const takeLeft = i < middle && (j >= right || compareItems(items, i, j) <= 0);
    store<u64>(sorted + (k << 3), load<u64>(items + ((takeLeft ? i++ : j++) << 3)));
  }
}

// @ts-ignore: decorator
@inline
function compareItems(items: usize, i: i32, j: i32): i32 {
  const a = items + (i << 3);
  const b = items + (j << 3);
  return compare(text.start + load<i32>(a), load<i32>(a + 4), text.start + load<i32>(b), load<i32>(b + 4));
}
