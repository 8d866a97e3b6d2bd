/**
 * The words an object answers to by itself: lower-cased, distinct and sorted; for the parser also normalised as its input is
 * (articles dropped). Nearly every object of a kind has the same ones, so they are made once for a `signature` and shared by all
 * worlds of the instance. Words are interned (interned.ts); a set of them is a run of their numbers.
 */
import { BURNED, BURNING, DELETED, HIDDEN, NIL, Obj, SICK, SIZE, has, isNil, isOf } from './object';
import { at, head, ref } from './arena';
import { ownerOf } from './terminals';
import {
  family, lifeform, listedReferent, listedReferents, putString, stageString, subject, tellsContents,
} from './tables';
import { Buffer, byte, bytes, compare, lower, out, put, redirect } from './text';
import { bookField, plantNameId, putName, putOwner } from './describe';
import { plantKind, putTraits } from './genetics';
import { farSide, visibleCount } from './search';
import { NORMAL, forgetWords, intern, putWordOf, recordOf, wordLength, wordOrder, wordsAreMany } from './interned';
import * as I from './tables/ids';

const text: Buffer = new Buffer(65536);
/** Per object slot: where its set is and how many words it has plus one, valid until `beginReferents`. */
let made: usize = 0;
let madeSlots: i32 = 0;
let normalised: bool = false;
/** Words that say what a thing holds are left out: nobody speaks of it. */
let withoutContents: bool = false;
let room: Obj = NIL;

/** The set being made. No object has a hundred words by itself; contents and sickness double them. */
const built: StaticArray<i32> = new StaticArray<i32>(1024);
let builtCount: i32 = 0;

/** Runs of word numbers: those of signatures, and those of this epoch. Grown into new memory; the old stays readable. */
const lasting: Buffer = new Buffer(65536);
const passing: Buffer = new Buffer(65536);

/** Open addressing: signature, place, count. */
const SIGNATURES: i32 = 8192;
const known: usize = heap.alloc(SIGNATURES * 16);
let knownCount: i32 = 0;
memory.fill(known, 0, SIGNATURES * 16);

/** Forgets which sets objects have; `from` is the room they are seen from. `contents`: false leaves out "cup containing water". */
export function beginReferents(from: Obj, forParser: bool, contents: bool): void {
  text.length = 0;
  passing.length = 0;
  if (knownCount > SIGNATURES / 2 || wordsAreMany()) forgetSets();
  room = from;
  normalised = forParser;
  withoutContents = !contents;
  const slots = head.used / SIZE + 1;
  if (slots > madeSlots) {
    madeSlots = slots * 2;
    made = heap.alloc(<usize>madeSlots * 8);
  }
  memory.fill(made, 0, <usize>slots * 8);
}

/** What is shared is bounded: past the bound it is made anew. */
function forgetSets(): void {
  forgetWords();
  lasting.length = 0;
  knownCount = 0;
  memory.fill(known, 0, SIGNATURES * 16);
}

// @ts-ignore: decorator
@inline
function madeOf(o: Obj): usize {
  return made + ((ref(o) / SIZE) << 3);
}

/** Makes the words of `o` if need be; `baseAt` and `baseCount` tell where they are. */
export function ensureBase(o: Obj): void {
  const slot = madeOf(o);
  if (load<i32>(slot + 4) == 0) find(o, slot);
}

/** Where the numbers of its words stand, four bytes each. */
export function baseAt(o: Obj): usize {
  return load<u32>(madeOf(o));
}

export function baseCount(o: Obj): i32 {
  return load<i32>(madeOf(o) + 4) - 1;
}

/** What decides the words of `o`, or 0 where too much does. */
function signature(o: Obj): u64 {
  const bits = family(o.cls);
  if (bits & (I.F_Portal | I.F_Animal | I.F_Plant)) return 0;
  let extra = 0;
  if (bits & I.F_Terminal) {
    const owner = ownerOf(o);
    extra = owner.name | (has(owner, DELETED) ? 0x10000 : 0);
  } else if (bits & I.F_Document) extra = o.a;
  else if (o.cls == I.C_Flower || o.cls == I.C_Pollen || o.cls == I.C_InclinedPlane || o.cls == I.C_Picture) return 0;
  else if (!withoutContents && tellsContents(o.cls) && visibleCount(o) > 0) return 0;
  const fire = has(o, BURNING) ? 2 : has(o, BURNED) && o.mat != 0 ? 1 : 0;
  return <u64>(o.cls | (fire << 8) | ((normalised ? 1 : 0) << 10) | (o.name << 11)) | (<u64>extra << 32) | (withoutContents ? BARE : 0) | FOUND;
}

/** No signature is 0. */
const FOUND: u64 = 0x8000000000000000;
/** Of a set that leaves out what a thing holds. */
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
    for (; j > 0 && wordOrder(built[j - 1], id) > 0; j--) built[j] = built[j - 1];
    built[j] = id;
  }
  into.reserve(builtCount << 2);
  const at = into.start + into.length;
  for (let i = 0; i < builtCount; i++) store<i32>(at + (i << 2), built[i]);
  into.length += builtCount << 2;
  store<u32>(slot, <u32>at);
  store<i32>(slot + 4, builtCount + 1);
}

// ---- making ---------------------------------------------------------------------------------------------------------------

let began: i32 = 0;

function begin(): void {
  began = out.length;
}

/** Takes what was written since `begin` as a word, unless it is blank or already there. */
function end(): void {
  const length = out.length - began;
  out.length = began;
  const from = out.start + began;
  lower(from, length);
  if (blank(from, length)) return;
  let id = intern(from, length);
  if (normalised) id = normalOf(id);
  if (id == 0) return;
  for (let i = 0; i < builtCount; i++) if (built[i] == id) return;
  built[builtCount++] = id;
}

/** The word without its articles; 0 where nothing is left, or it is a single letter. */
function normalOf(id: i32): i32 {
  const known = load<i32>(recordOf(id) + NORMAL);
  if (known >= 0) return known;
  const start = out.length;
  let normal = 0;
  if (wordLength(id) > 1) {
    putWordOf(id);
    dropArticles(start);
    if (out.length > start) normal = intern(out.start + start, out.length - start);
  }
  out.length = start;
  store<i32>(recordOf(id) + NORMAL, normal);
  return normal;
}

function blank(from: usize, length: i32): bool {
  for (let i = 0; i < length; i++) if (load<u8>(from + i) > 32) return false;
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
  builtCount = 0;
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
  if (tellsContents(o.cls) && !withoutContents) contentsWords(o);
}

/** For every word r so far: "r containing nothing" or "r containing a and b". */
function contentsWords(o: Obj): void {
  const n = builtCount;
  const start = out.length;
  namesWithin(o);
  const length = out.length - start;
  for (let i = 0; i < n; i++) {
    begin();
    putWordOf(built[i]);
    put(' containing ');
    out.reserve(length);
    bytes(out.start + start, length);
    end();
  }
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
  const n = builtCount;
  for (let i = 0; i < n; i++) {
    begin();
    put('sick ');
    putWordOf(built[i]);
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
