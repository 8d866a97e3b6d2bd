/**
 * The valid actions: every action on every object (or pair) that its precondition allows, with referents as unique as
 * the original makes them. The last ten attempts to make them unique draw from the world's generator; the caller
 * decides if these draws count.
 */
import { List } from './list';
import { NIL, isNil, isOf } from './object';
import { at, head, ref } from './arena';
import { putString, rank } from './tables';
import { Buffer, byte, bytes, compare, out, put, same as sameBytes } from './text';
import { agentRoom, collectAccessible, collectAll, farSide, unique } from './search';
import { chooseReferents, putReferentOf } from './referents';
import { isRegistered, slotCount, verb } from './parser';
import { A_CONNECT, A_DUNK, A_GO, A_MOVE, A_POUR, A_TELEPORT, A_USE } from './action-ids';
import { setSilent, may, mayBeFirst, mayBeSecond, resolved } from './preconditions';
import * as I from './tables/ids';

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

// ---- the pieces of lines ------------------------------------------------------------------------------------------------------------

/**
 * A list is returned as pieces and codes that combine them, because its lines are a hundred texts in a thousand pairs.
 * The answer contains the pieces, one per line: the objects' referents and the beginnings ("move cup to "). `codes`
 * contains blocks of four-byte numbers: the piece that begins the lines, their number, and the piece that ends each. A
 * block without lines is one line: the beginning itself.
 */
export const codes: Buffer = new Buffer(65536);
let pieces: i32 = 0;

// @ts-ignore: decorator
@inline
function code(value: i32): void {
  codes.reserve(4);
  store<i32>(codes.start + codes.length, value);
  codes.length += 4;
}

/** Ends the present piece. */
function endPiece(): i32 {
  byte(10);
  return pieces++;
}

/** Place of the line count of the present block. */
let block: i32 = 0;

function beginBlock(beginning: i32): void {
  code(beginning);
  block = codes.length;
  code(0);
}

function endBlock(): void {
  store<i32>(codes.start + block, (codes.length - block) / 4 - 1);
}

// ---- texts of referents ----------------------------------------------------------------------------------------------------------------------------

/**
 * For each object: place of its referent in the answer, length, and first eight bytes as a number with the same order.
 */
let spelled: StaticArray<i32> = new StaticArray<i32>(1024);
let lengths: StaticArray<i32> = new StaticArray<i32>(1024);
let heads: StaticArray<u64> = new StaticArray<u64>(1024);
let firstPiece: i32 = 0;

/** If `plain` is true, portals use their own referents too. */
function spellAll(list: List, plain: bool): void {
  firstPiece = pieces;
  for (let i = 0; i < list.length; i++) {
    const from = out.length;
    putReferent(list, i, plain);
    const n = out.length - from;
    unchecked((spelled[i] = from));
    unchecked((lengths[i] = n));
    const head = bswap<u64>(load<u64>(out.start + from));
    unchecked((heads[i] = n >= 8 ? head : n == 0 ? 0 : head & (~(<u64>0) << (64 - (n << 3)))));
    endPiece();
  }
}

function putText(i: i32): void {
  const n = unchecked(lengths[i]);
  out.reserve(n);
  bytes(textStart(i), n);
}

// ---- order: lines come out sorted -------------------------------------------------------------------------------------------------

/** Objects sorted by referent, and by referent followed by " to ", " into " or " on ", as a line continues. */
let byText: StaticArray<i32> = new StaticArray<i32>(1024);
let byPhrase: StaticArray<i32> = new StaticArray<i32>(1024);
let phrasesTo: StaticArray<i32> = new StaticArray<i32>(1024);
let phrasesInto: StaticArray<i32> = new StaticArray<i32>(1024);
let phrasesOn: StaticArray<i32> = new StaticArray<i32>(1024);
/** Bits for the ones of the three that are sorted. */
let phrasesSorted: i32 = 0;
let spare: StaticArray<i32> = new StaticArray<i32>(1024);
let tail: string = '';
/** True if some referent begins another. */
let nested: bool = false;

// @ts-ignore: decorator
@inline
function textStart(i: i32): usize {
  return out.start + unchecked(spelled[i]);
}

function textOrder(i: i32, j: i32): i32 {
  const x = unchecked(heads[i]);
  const y = unchecked(heads[j]);
  if (x != y) return x < y ? -1 : 1;
  return compare(textStart(i), unchecked(lengths[i]), textStart(j), unchecked(lengths[j]));
}

function begins(i: i32, j: i32): bool {
  const n = unchecked(lengths[i]);
  return n < unchecked(lengths[j]) && sameBytes(textStart(i), textStart(j), n);
}

// @ts-ignore: decorator
@inline
function byteAt(i: i32, k: i32): i32 {
  const n = unchecked(lengths[i]);
  if (k < n) return load<u8>(textStart(i) + k);
  return k - n < tail.length ? tail.charCodeAt(k - n) : -1;
}

/** True if two referents differ before either ends, within their first eight bytes. */
// @ts-ignore: decorator
@inline
function partEarly(i: i32, j: i32): bool {
  const differ = unchecked(heads[i]) ^ unchecked(heads[j]);
  return differ != 0 && <i32>(clz(differ) >> 3) < min(unchecked(lengths[i]), unchecked(lengths[j]));
}

/** The first place where two phrases differ, or where one ends. */
function parting(i: i32, j: i32): i32 {
  const n = min(unchecked(lengths[i]), unchecked(lengths[j]));
  let k = 0;
  while (k + 8 <= n && load<u64>(textStart(i) + k) == load<u64>(textStart(j) + k)) k += 8;
  while (byteAt(i, k) == byteAt(j, k) && byteAt(i, k) >= 0) k++;
  return k;
}

function phraseOrder(i: i32, j: i32): i32 {
  if (partEarly(i, j)) return unchecked(heads[i]) < unchecked(heads[j]) ? -1 : 1;
  const k = parting(i, j);
  return byteAt(i, k) - byteAt(j, k);
}

function sortTexts(n: i32): void {
  for (let i = 0; i < n; i++) unchecked((byText[i] = i));
  for (let width = 1; width < n; width *= 2) {
    for (let left = 0; left < n; left += 2 * width) {
      const middle = min(left + width, n);
      const right = min(left + 2 * width, n);
      let i = left;
      let j = middle;
      for (let k = left; k < right; k++) {
        const takeLeft = i < middle && (j >= right || textOrder(unchecked(byText[i]), unchecked(byText[j])) <= 0);
        unchecked((spare[k] = unchecked(byText[takeLeft ? i++ : j++])));
      }
    }
    const sorted = spare;
    spare = byText;
    byText = sorted;
  }
  nested = false;
  for (let k = 1; k < n; k++) if (begins(byText[k - 1], byText[k])) nested = true;
  phrasesSorted = 0;
}

/** Fills `byPhrase`. Phrases have the order of their referents, unless a referent begins another. */
function phrasesFor(n: i32, after: string): void {
  tail = after;
  const bit = after == TO ? 1 : after == INTO ? 2 : 4;
  byPhrase = bit == 1 ? phrasesTo : bit == 2 ? phrasesInto : phrasesOn;
  if (phrasesSorted & bit) return;
  phrasesSorted |= bit;
  for (let i = 0; i < n; i++) {
    const next = unchecked(byText[i]);
    let j = i;
    if (nested)
      for (; j > 0 && phraseOrder(unchecked(byPhrase[j - 1]), next) > 0; j--)
        unchecked((byPhrase[j] = unchecked(byPhrase[j - 1])));
    unchecked((byPhrase[j] = next));
  }
}

const TO: string = ' to ';
const INTO: string = ' into ';
const ON: string = ' on ';

// ---- listing ------------------------------------------------------------------------------------------------------------------------

/** False if two lines may be in the wrong order, and the host has to sort. */
export let inOrder: bool = true;

function listOne(action: i32, list: List): void {
  const from = out.length;
  put(verb(action));
  put(action == A_GO || action == A_TELEPORT ? ' to ' : ' ');
  let begun = false;
  let end = out.length;
  for (let k = 0; k < list.length; k++) {
    const i = unchecked(byText[k]);
    const yes = may(action, list.get(i), NIL, true);
    // Discards the text of a refusal.
    out.length = end;
    if (!yes) continue;
    if (!begun) {
      begun = true;
      beginBlock(endPiece());
      end = out.length;
    }
    code(firstPiece + i);
  }
  if (begun) endBlock();
  else out.length = from;
}

const FIRST: i32 = 1;
const SECOND: i32 = 2;
let roles: StaticArray<u8> = new StaticArray<u8>(1024);
/** Identity that forbids a pair: the object, or for "connect" the terminal to which it resolves. */
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
  return action == A_DUNK || action == A_POUR ? INTO : action == A_USE ? ON : TO;
}

/** The original prints the objects of dunk in reverse: the one with the liquid first. */
function listTwo(action: i32, list: List): void {
  const n = list.length;
  const early = action == A_DUNK ? SECOND : FIRST;
  const late = action == A_DUNK ? FIRST : SECOND;
  const between = joint(action);
  giveRoles(action, list);
  let count = 0;
  for (let y = 0; y < n; y++)
    if (unchecked(roles[unchecked(byText[y])]) & late) unchecked((seconds[count++] = unchecked(byText[y])));
  if (count == 0) return;
  phrasesFor(n, between);
  before = -1;
  for (let x = 0; x < n; x++) {
    const i = unchecked(byPhrase[x]);
    if (unchecked(roles[i]) & early) listPairs(action, i, between, count);
  }
}

/** Writes every line of one first object. If its phrase begins the next one, the lines of both are in no order. */
function listPairs(action: i32, i: i32, between: string, count: i32): void {
  let begun = false;
  for (let y = 0; y < count; y++) {
    const j = unchecked(seconds[y]);
    if (unchecked(selves[i]) == unchecked(selves[j]) && (i == j ? action != A_POUR && action != A_USE : true)) continue;
    if (!begun) {
      begun = true;
      put(verb(action));
      byte(32);
      putText(i);
      put(between);
      beginBlock(endPiece());
    }
    code(firstPiece + j);
  }
  if (!begun) return;
  endBlock();
  if (before >= 0 && !partEarly(before, i)) {
    const k = parting(before, i);
    if (byteAt(before, k) < 0 || byteAt(i, k) < 0) inOrder = false;
  }
  before = i;
}

/** First object of the previous block of the same action. */
let before: i32 = -1;

/** Actions in the order of their lines. */
const sortedActions: StaticArray<i32> = [7, 1, 17, 8, 18, 26, 9, 16, 12, 2, 21, 4, 5, 6, 24, 10, 0, 22, 11, 23, 15, 13, 25, 3, 14, 20, 19];

function room(n: i32): void {
  if (n <= spelled.length) return;
  spelled = new StaticArray<i32>(n * 2);
  lengths = new StaticArray<i32>(n * 2);
  heads = new StaticArray<u64>(n * 2);
  byText = new StaticArray<i32>(n * 2);
  phrasesTo = new StaticArray<i32>(n * 2);
  phrasesInto = new StaticArray<i32>(n * 2);
  phrasesOn = new StaticArray<i32>(n * 2);
  spare = new StaticArray<i32>(n * 2);
  roles = new StaticArray<u8>(n * 2);
  selves = new StaticArray<i32>(n * 2);
  seconds = new StaticArray<i32>(n * 2);
}

function prepare(list: List): void {
  room(list.length);
  chooseReferents(list);
  spellAll(list, false);
  sortTexts(list.length);
}

/**
 * Lists teleports without referents for the whole universe: the name of a room is the first of its phrases and belongs
 * to no other object, so the original always chooses it. In the order of the names.
 */
function listRooms(): void {
  let last = -1;
  put('teleport to ');
  beginBlock(endPiece());
  for (;;) {
    let best = NIL;
    for (let c = at(at(head.universe).first); !isNil(c); c = at(c.next))
      if (isOf(c, I.F_Location) && rank(c.name) > last && (isNil(best) || rank(c.name) < rank(best.name))) best = c;
    if (isNil(best)) break;
    last = rank(best.name);
    putString(best.name);
    code(endPiece());
  }
  endBlock();
}

/** Moves the blocks since `end` to `place`. */
function moveUp(place: i32, end: i32): void {
  const n = codes.length - end;
  codes.reserve(n);
  memory.copy(codes.start + place + n, codes.start + place, end - place + n);
  memory.copy(codes.start + place, codes.start + end + n, n);
}

/**
 * Writes the valid actions as pieces and blocks, sorted (see `inOrder`). If `upstream` is true, the random generator
 * advances as in the original.
 */
export function putValid(upstream: bool): void {
  const chance = head.random;
  let place = 0;
  inOrder = true;
  pieces = 0;
  codes.length = 0;
  objects.length = 0;
  collectAll(agentRoom(), false, objects);
  unique(objects);
  prepare(objects);
  setSilent(true);
  for (let k = 0; k < sortedActions.length; k++) {
    const action = sortedActions[k];
    if (!isRegistered(action)) continue;
    const slots = slotCount(action);
    if (action == A_TELEPORT) {
      place = codes.length;
      if (!upstream) listRooms();
    } else if (slots == 0) {
      put(verb(action));
      beginBlock(endPiece());
    } else if (slots == 1) listOne(action, objects);
    else listTwo(action, objects);
  }
  if (upstream) {
    universe.length = 0;
    collectAll(at(head.universe), true, universe);
    unique(universe);
    const end = codes.length;
    prepare(universe);
    if (isRegistered(A_TELEPORT)) listOne(A_TELEPORT, universe);
    moveUp(place, end);
  }
  setSilent(false);
  if (!upstream) head.random = chance;
}

export function putPossibleObjects(upstream: bool): void {
  const chance = head.random;
  pieces = 0;
  objects.length = 0;
  collectAccessible(agentRoom(), objects);
  unique(objects);
  room(objects.length);
  chooseReferents(objects);
  spellAll(objects, true);
  if (!upstream) head.random = chance;
}
