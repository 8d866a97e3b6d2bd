/** The phrases that an object answers to by itself, made from its class and its state. */
import { HIDDEN, NIL, Obj, SICK, has, isNil, isOf } from './object';
import { at, ref } from './arena';
import {
  family, lifeform, listedReferent, listedReferents, putString, stageString, subject, showsContents,
} from './tables';
import { byte, bytes, compare, lower, out, put } from './text';
import { bookField } from './documents';
import { plantNameId, putName, putOwner } from './names';
import { plantKind, putTraits } from './genetics';
import { farSide } from './search';
import { NORMAL, intern, putPhrase, recordOf, phraseLength } from './interned';
import { blank, dropArticles } from './articles';
import * as I from './tables/ids';

export let normalised: bool = false;
/** If true, phrases with the contents of a container are left out, because the line mentions none. */
export let withoutContents: bool = false;
let room: Obj = NIL;

/** The phrases found so far. No object has a hundred by itself; contents and sickness double them. */
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

/** Adds the text since `begin` as a phrase, unless it is blank or already there. */
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

/** The phrase without its articles; 0 if nothing is left, or if it is a single letter. */
function normalOf(id: i32): i32 {
  const known = load<i32>(recordOf(id) + NORMAL);
  if (known >= 0) return known;
  const start = out.length;
  let normal = 0;
  if (phraseLength(id) > 1) {
    putPhrase(id);
    dropArticles(start);
    if (out.length > start) normal = intern(out.start + start, out.length - start);
  }
  out.length = start;
  store<i32>(recordOf(id) + NORMAL, normal);
  return normal;
}

function phrase(literal: string): void {
  begin();
  put(literal);
  end();
}

function namePhrase(id: i32): void {
  begin();
  putString(id);
  end();
}

function describedPhrase(o: Obj): void {
  begin();
  putName(o);
  end();
}

export function makeBase(o: Obj): void {
  builtCount = 0;
  const bits = family(o.cls);
  if (bits & I.F_Portal) return portalPhrases(o);
  if (bits & I.F_Terminal) return terminalPhrases(o);
  if (bits & I.F_Animal) return animalPhrases(o);
  if (bits & I.F_Plant) return plantPhrases(o);
  if (bits & I.F_Document) return documentPhrases(o);
  if (o.cls == I.C_Universe) return phrase('universe');
  if (o.cls == I.C_Agent) {
    phrase('agent');
    return phrase('self');
  }
  if (o.cls == I.C_Flower) {
    phrase('flower');
    if (o.a > 0) phrase('wilting flower');
    return;
  }
  if (o.cls == I.C_Pollen) return pollenPhrases(o);
  if (o.cls == I.C_InclinedPlane) return planePhrases(o);
  if (o.cls == I.C_Picture) return picturePhrases(o);
  for (let i = 0; i < listedReferents(o.cls); i++) namePhrase(listedReferent(o.cls, i));
  namePhrase(o.name);
  if (o.cls != I.C_Stove && o.cls != I.C_HotPlate) describedPhrase(o);
  if (showsContents(o.cls) && !withoutContents) contentsPhrases(o);
}

/** For every phrase r so far: adds "r containing nothing" or "r containing a and b". */
function contentsPhrases(o: Obj): void {
  const n = builtCount;
  const start = out.length;
  namesWithin(o);
  const length = out.length - start;
  for (let i = 0; i < n; i++) {
    begin();
    putPhrase(built[i]);
    put(' containing ');
    out.reserve(length);
    bytes(out.start + start, length);
    end();
  }
}

/** Writes the described names of the visible contents: distinct, sorted, joined by " and ". */
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
  const joinedStart = marks[from + n];
  marks.length = from;
  // The joined names replace the single ones.
  memory.copy(out.start + start, out.start + joinedStart, out.length - joinedStart);
  out.length = start + out.length - joinedStart;
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

function portalPhrases(p: Obj): void {
  const offset = ref(room);
  if (p.cls == I.C_LiquidDrain) {
    phrase('drain');
    const basin = at(p.a);
    if (p.a == offset || p.b == offset || contains(room, basin)) {
      begin();
      putString(basin.name);
      put(' drain');
      end();
    }
    return;
  }
  phrase('door');
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

function terminalPhrases(o: Obj): void {
  phrase('terminal');
  namePhrase(o.name);
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

function animalPhrases(o: Obj): void {
  phrase('living thing');
  phrase('organism');
  namePhrase(o.name);
  describedPhrase(o);
  if (o.cls == I.C_Bee) return phrase('bee');
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

/** Adds a phrase for a plant. If `traits` is true, its traits precede the name. */
function plantPhrase(o: Obj, name: i32, shape: i32, traits: bool): void {
  begin();
  if (shape == 2) {
    putString(stageString(o.stage));
    byte(32);
  }
  if (traits) {
    putTraitPhrase(o);
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

/** Writes the traits, trimmed, without a leading "with a". */
function putTraitPhrase(o: Obj): void {
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

function plantPhrases(o: Obj): void {
  phrase('living thing');
  phrase('organism');
  namePhrase(o.name);
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
    describedPhrase(o);
    if (kind != 0) {
      namePhrase(lifeform(o.cls));
      if (hasTraits(o)) for (let shape = 0; shape < 3; shape++) plantPhrase(o, name, shape, true);
    }
  }
  if (has(o, SICK)) sickPhrases();
}

function hasTraits(o: Obj): bool {
  const start = out.length;
  putTraitPhrase(o);
  const any = out.length > start;
  out.length = start;
  return any;
}

function sickPhrases(): void {
  const n = builtCount;
  for (let i = 0; i < n; i++) {
    begin();
    put('sick ');
    putPhrase(built[i]);
    end();
  }
}

function pollenPhrases(o: Obj): void {
  phrase('pollen');
  begin();
  putString(lifeform(at(o.b).cls));
  put(' pollen');
  end();
}

function planePhrases(o: Obj): void {
  phrase('inclined plane');
  phrase('plane');
  namePhrase(o.name);
  describedPhrase(o);
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

function picturePhrases(o: Obj): void {
  namePhrase(o.name);
  begin();
  putString(o.name);
  put(' of ');
  putString(subject(o.a));
  end();
}

function documentPhrases(o: Obj): void {
  if (isOf(o, I.F_Book)) return bookPhrases(o);
  describedPhrase(o);
  namePhrase(o.name);
  calledPhrases(o);
}

/** Adds "name called title" for papers (whose title is empty) and recipes. */
function calledPhrases(o: Obj): void {
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

function bookPhrases(o: Obj): void {
  const title = bookField(o, 1);
  const author = bookField(o, 2);
  phrase('book');
  namePhrase(title);
  begin();
  put('book by ');
  putString(author);
  end();
  begin();
  putString(title);
  put(' book');
  end();
  namePhrase(o.name);
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
