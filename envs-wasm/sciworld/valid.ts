/**
 * Which actions are valid: every action over every object (pair) its test admits, told by referents made as unique as the
 * original makes them. The last ten attempts of that draw from the world's generator; the caller decides whether that counts.
 */
import { List, NIL, at, draw, head, isNil, isOf, ref } from './arena';
import * as I from './tables/ids';
import { putString, rank } from './tables';
import { Buffer, byte, bytes, compare, out, put, redirect, order as bytesOrder, same as sameBytes } from './text';
import { agentRoom, collectAccessible, collectAll, farSide, unique } from './search';
import { chooseReferents, putReferentOf } from './referents';
import { isRegistered, slotCount, verb } from './parser';
import {
  A_CONNECT, A_DUNK, A_GO, A_MOVE, A_POUR, A_TELEPORT, A_USE, may, mayBeFirst, mayBeSecond, resolved,
} from './actions';

const objects: List = new List();
const universe: List = new List();

function putReferent(list: List, i: i32, plain: bool): void {
  const o = list.get(i);
  if (plain || !isOf(o, I.F_Portal)) return putReferentOf(i);
  const room = agentRoom();
  const here = ref(room);
  if (o.a == here || at(o.a).parent == here) {
    putString(o.name);
    put(' to ');
    return putString(at(o.b).name);
  }
  if (o.b == here) {
    putString(o.name);
    put(' to ');
    return putString(farSide(o, room).name);
  }
  putString(o.name);
  put(' from ');
  putString(at(o.a).name);
  put(' to ');
  putString(at(o.b).name);
}

// ---- the list, one line an action ---------------------------------------------------------------------------------------------------

let spelled: StaticArray<i32> = new StaticArray<i32>(8192);
const words: Buffer = new Buffer(65536);

/** `plain`: portals too by their own referents. */
function spellAll(list: List, plain: bool): void {
  if (list.length + 1 > spelled.length) spelled = new StaticArray<i32>(list.length * 2 + 2);
  words.length = 0;
  const before = redirect(words);
  for (let i = 0; i < list.length; i++) {
    spelled[i] = out.length;
    putReferent(list, i, plain);
  }
  spelled[list.length] = out.length;
  redirect(before);
}

function word(i: i32): void {
  bytes(words.start + spelled[i], spelled[i + 1] - spelled[i]);
}

// ---- order: lines come out sorted -------------------------------------------------------------------------------------------------

/** Objects by their word; and by their word followed by " to ", " into " or " on ", as a line continues. */
let byWord: StaticArray<i32> = new StaticArray<i32>(1024);
let byPhrase: StaticArray<i32> = new StaticArray<i32>(1024);
let spare: StaticArray<i32> = new StaticArray<i32>(1024);
let tail: string = '';

// @ts-ignore: decorator
@inline
function byteAt(i: i32, k: i32): i32 {
  const n = spelled[i + 1] - spelled[i];
  if (k < n) return load<u8>(words.start + spelled[i] + k);
  return k - n < tail.length ? tail.charCodeAt(k - n) : -1;
}

function wordOrder(i: i32, j: i32): i32 {
  const a = spelled[i];
  const b = spelled[j];
  const na = spelled[i + 1] - a;
  const nb = spelled[j + 1] - b;
  const n = min(na, nb);
  const d = bytesOrder(words.start + a, words.start + b, n);
  if (d != 0) return d;
  let k = n;
  while (byteAt(i, k) == byteAt(j, k) && byteAt(i, k) >= 0) k++;
  return byteAt(i, k) - byteAt(j, k);
}

function sortWords(into: StaticArray<i32>, n: i32, after: string): void {
  tail = after;
  for (let i = 0; i < n; i++) into[i] = i;
  for (let width = 1; width < n; width *= 2) {
    for (let left = 0; left < n; left += 2 * width) {
      const middle = min(left + width, n);
      const right = min(left + 2 * width, n);
      let i = left;
      let j = middle;
      for (let k = left; k < right; k++) {
        const takeLeft = i < middle && (j >= right || wordOrder(into[i], into[j]) <= 0);
        spare[k] = takeLeft ? into[i++] : into[j++];
      }
    }
    for (let k = 0; k < n; k++) into[k] = spare[k];
  }
}

/** Two-slot action whose phrases `byPhrase` is sorted for; "connect" and "move" share " to ". */
function phrasesFor(n: i32, after: string): void {
  if (tail != after) sortWords(byPhrase, n, after);
}

// ---- listing ------------------------------------------------------------------------------------------------------------------------

/** Where the last line began; a block's first line is compared with it (within a block the words are sorted). */
let lastLine: i32 = -1;

/** False where two lines came out in the wrong order, and the host has to sort. */
export let inOrder: bool = true;

function endLine(start: i32, firstOfBlock: bool): void {
  if (firstOfBlock && lastLine >= 0) {
    const before = start - 1 - lastLine;
    if (compare(out.start + lastLine, before, out.start + start, out.length - start) > 0) inOrder = false;
  }
  lastLine = start;
  byte(10);
}

function listOne(action: i32, list: List): void {
  let first = true;
  for (let k = 0; k < list.length; k++) {
    const i = unchecked(byWord[k]);
    // The refusal, if any, is written over.
    const from = out.length;
    const yes = may(action, list.get(i), NIL, true);
    out.length = from;
    if (!yes) continue;
    put(verb(action));
    put(action == A_GO || action == A_TELEPORT ? ' to ' : ' ');
    word(i);
    endLine(from, first);
    first = false;
  }
}

const FIRST: i32 = 1;
const SECOND: i32 = 2;
let roles: StaticArray<u8> = new StaticArray<u8>(1024);
/** What may not be paired with itself: the object, or for "connect" the terminal it resolves to. */
let selves: StaticArray<i32> = new StaticArray<i32>(1024);
let seconds: StaticArray<i32> = new StaticArray<i32>(1024);

function giveRoles(action: i32, list: List): void {
  const from = out.length;
  for (let i = 0; i < list.length; i++) {
    const o = list.get(i);
    roles[i] = <u8>((mayBeFirst(action, o) ? FIRST : 0) | (mayBeSecond(action, o) ? SECOND : 0));
    selves[i] = action == A_CONNECT ? ref(resolved) : action == A_MOVE || action == A_DUNK ? ref(o) : -1 - i;
    out.length = from;
  }
}

function joint(action: i32): string {
  return action == A_DUNK || action == A_POUR ? ' into ' : action == A_USE ? ' on ' : ' to ';
}

/** The original prints dunk's objects in reverse: what holds the liquid first. */
function listTwo(action: i32, list: List): void {
  const n = list.length;
  const early = action == A_DUNK ? SECOND : FIRST;
  const late = action == A_DUNK ? FIRST : SECOND;
  const between = joint(action);
  giveRoles(action, list);
  let count = 0;
  for (let y = 0; y < n; y++) if (roles[byWord[y]] & late) seconds[count++] = byWord[y];
  if (count == 0) return;
  phrasesFor(n, between);
  for (let x = 0; x < n; x++) {
    const i = byPhrase[x];
    if (roles[i] & early) listPairs(action, i, between, count);
  }
}

/** Every line of one first object: the beginning is written once and copied. */
function listPairs(action: i32, i: i32, between: string, count: i32): void {
  let prefix = -1;
  let length = 0;
  for (let y = 0; y < count; y++) {
    const j = unchecked(seconds[y]);
    if (unchecked(selves[i]) == unchecked(selves[j]) && (i == j ? action != A_POUR && action != A_USE : true)) continue;
    const from = out.length;
    if (prefix < 0) {
      put(verb(action));
      byte(32);
      word(i);
      put(between);
      length = out.length - from;
    } else {
      out.reserve(length);
      memory.copy(out.start + from, out.start + prefix, length);
      out.length += length;
    }
    word(j);
    endLine(from, prefix < 0);
    prefix = from;
  }
}

/** Actions in the order of their lines. */
const sortedActions: StaticArray<i32> = [7, 1, 17, 8, 18, 26, 9, 16, 12, 2, 21, 4, 5, 6, 24, 10, 0, 22, 11, 23, 15, 13, 25, 3, 14, 20, 19];

function prepare(list: List): void {
  const n = list.length;
  if (n > byWord.length) {
    byWord = new StaticArray<i32>(n * 2);
    byPhrase = new StaticArray<i32>(n * 2);
    spare = new StaticArray<i32>(n * 2);
    roles = new StaticArray<u8>(n * 2);
    selves = new StaticArray<i32>(n * 2);
    seconds = new StaticArray<i32>(n * 2);
  }
  chooseReferents(list);
  spellAll(list, false);
  sortWords(byWord, n, '');
}

/**
 * Teleports without spelling out the universe: a room's name is the first of its words and no other object's, so the original
 * always ends at it. In the order of the names.
 */
function listRooms(): void {
  let last = -1;
  for (;;) {
    let best = NIL;
    for (let c = at(at(head.universe).first); !isNil(c); c = at(c.next))
      if (isOf(c, I.F_Location) && rank(c.name) > last && (isNil(best) || rank(c.name) < rank(best.name))) best = c;
    if (isNil(best)) return;
    last = rank(best.name);
    put('teleport to ');
    putString(best.name);
    byte(10);
  }
}

/** Moves what was written since `end` to `place`. */
function moveUp(place: i32, end: i32): void {
  const n = out.length - end;
  out.reserve(n);
  memory.copy(out.start + place + n, out.start + place, end - place + n);
  memory.copy(out.start + place, out.start + end + n, n);
}

/** Writes the valid actions, one a line, sorted (see `inOrder`). `upstream`: chance advances as in the original. */
export function putValid(upstream: bool): void {
  const before = head.random;
  const start = out.length;
  let place = start;
  lastLine = -1;
  inOrder = true;
  objects.length = 0;
  collectAll(agentRoom(), false, objects);
  unique(objects);
  prepare(objects);
  for (let k = 0; k < sortedActions.length; k++) {
    const action = sortedActions[k];
    if (!isRegistered(action)) continue;
    const slots = slotCount(action);
    if (action == A_TELEPORT) place = out.length;
    else if (slots == 0) {
      const from = out.length;
      put(verb(action));
      endLine(from, true);
    } else if (slots == 1) listOne(action, objects);
    else listTwo(action, objects);
  }
  if (!upstream && isRegistered(A_TELEPORT)) {
    const end = out.length;
    listRooms();
    moveUp(place, end);
  }
  if (upstream) {
    universe.length = 0;
    collectAll(at(head.universe), true, universe);
    unique(universe);
    const end = out.length;
    prepare(universe);
    lastLine = -1;
    if (isRegistered(A_TELEPORT)) listOne(A_TELEPORT, universe);
    moveUp(place, end);
  }
  if (!upstream) head.random = before;
}

export function putPossibleObjects(upstream: bool): void {
  const before = head.random;
  objects.length = 0;
  collectAccessible(agentRoom(), false, objects);
  unique(objects);
  chooseReferents(objects);
  spellAll(objects, true);
  for (let i = 0; i < objects.length; i++) {
    word(i);
    byte(10);
  }
  if (!upstream) head.random = before;
}

