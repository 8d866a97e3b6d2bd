/** The words that an object answers to by itself, made from its class and its state. */
import { HIDDEN, NIL, Obj, SICK, has, isNil, isOf } from './object';
import { at, ref } from './arena';
import {
  family, lifeform, listedReferent, listedReferents, putString, stageString, subject, tellsContents,
} from './tables';
import { byte, bytes, compare, lower, out, put } from './text';
import { bookField } from './documents';
import { plantNameId, putName, putOwner } from './names';
import { plantKind, putTraits } from './genetics';
import { farSide } from './search';
import { NORMAL, intern, putWordOf, recordOf, wordLength } from './interned';
import { blank, dropArticles } from './articles';
import * as I from './tables/ids';

export let normalised: bool = false;
/** Words that say what a thing holds are left out: nobody speaks of it. */
export let withoutContents: bool = false;
let room: Obj = NIL;

/** The set being made. No object has a hundred words by itself; contents and sickness double them. */
export const built: StaticArray<i32> = new StaticArray<i32>(1024);
export let builtCount: i32 = 0;

export function seeFrom(from: Obj, forParser: bool, contents: bool): void {
  room = from;
  normalised = forParser;
  withoutContents = !contents;
}

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

export function makeBase(o: Obj): void {
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
