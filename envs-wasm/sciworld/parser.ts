/**
 * Parses a line into an action. Every pattern (verb, slot, preposition, slot) is tried on the text, without word
 * boundaries. A single match is executed; several lead to an ambiguous request. The phrases of objects are matched in
 * place and never written out.
 */
import { List } from './list';
import { NIL, Obj, isNil, isOf } from './object';
import { PENDING_BYTES, at, head, parentOf, pendingAt, ref, worked } from './arena';
import { Buffer, byte, bytes, integer, lower, put, redirect } from './text';
import { putName } from './names';
import { putString } from './tables';
import { agentRoom, collectMentionable, sortByUuid, unique } from './search';
import { baseAt, baseCount, beginReferents, ensureBase } from './phrases';
import { dropArticles } from './articles';
import { IN_BYTES, ON_BYTES, phraseFits, phraseLength } from './interned';
import { NO_ELECTRICAL, TELEPORT } from './devices';
import { ACTIONS, A_CONNECT, A_DISCONNECT, A_TELEPORT } from './action-ids';
import * as I from './tables/ids';

const verbs: StaticArray<StaticArray<string>> = [
  ['open'], ['close'],
  ['go', 'go through', 'walk through', 'move through', 'go to', 'walk to', 'move to', 'go into', 'move into'],
  ['teleport', 'teleport to', 'teleport into'],
  ['look around', 'look'], ['look at', 'look on', 'examine'], ['look in'], ['activate', 'turn on'], ['deactivate', 'turn off'],
  ['eat', 'consume'], ['move', 'put'], ['pour'], ['focus on', 'focus'], ['reset task'], ['use'], ['read'], ['flush'], ['connect'],
  ['disconnect'], ['wait1'], ['wait'], ['inventory'], ['pick up', 'get', 'take'], ['put down', 'drop'], ['mix', 'stir'], ['task'],
  ['dunk'],
];
const none: StaticArray<string> = [];
const prepositions: StaticArray<StaticArray<string>> = [
  none, none, none, none, none, none, none, none, none, none, ['to', 'in', 'into', 'on'], ['in', 'into', 'on', 'to'], none, none,
  ['on', 'with'], none, none, ['to', 'in', 'into'], none, none, none, none, none, none, none, none, ['in', 'into'],
];
/** Number of slots of each action. */
const slots: StaticArray<i32> = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 2, 2, 1, 0, 2, 1, 1, 2, 1, 0, 0, 0, 1, 1, 1, 0, 2];
const names: StaticArray<string> = [
  'open door', 'close door', 'move through door', 'teleport to location', 'look around', 'look at', 'look in', 'activate',
  'deactivate', 'eat', 'move object', 'pour object', 'focus on', 'reset task', 'use object', 'read', 'flush',
  'connect electrically', 'disconnect electrically', 'wait1', 'wait10', 'view inventory', 'pick up', 'put down', 'mix',
  'task description', 'dunk object',
];
/** Actions in the order of their names. */
const byName: StaticArray<i32> = [7, 1, 17, 8, 18, 26, 9, 16, 12, 4, 5, 6, 24, 10, 2, 0, 22, 11, 23, 15, 13, 25, 3, 14, 21, 19, 20];

export const matches: List = new List();
/** Actions of the matches, one byte each. */
let kinds: usize = heap.alloc(256);
let kindCapacity: i32 = 256;

const here: List = new List();
const everywhere: List = new List();
/** True if `everywhere` was collected for this line: several verbs of one action may match it. */
let everywhereCollected: bool = false;
let text: usize = 0;
let length: i32 = 0;
const line: Buffer = new Buffer(4096);

export function isRegistered(action: i32): bool {
  if (action == A_TELEPORT) return (head.simplifications & TELEPORT) != 0;
  if (action == A_CONNECT || action == A_DISCONNECT) return (head.simplifications & NO_ELECTRICAL) == 0;
  return true;
}

export function slotCount(action: i32): i32 {
  return slots[action];
}

export function verb(action: i32): string {
  return verbs[action][0];
}

export function preposition(action: i32): string {
  return prepositions[action][0];
}

/** True if the line mentions terminals. */
let terminals: bool = false;

/**
 * Collects the objects that the line can mention, in any order. Every phrase of an ordinary terminal contains
 * "terminal", so these are collected only if the line does.
 */
function candidates(): void {
  terminals = mentions(TERMINAL_BYTES);
  here.length = 0;
  collectMentionable(agentRoom(), terminals, here);
  collectMentionable(at(head.agent), terminals, here);
  unique(here);
}

/** The first eight bytes of "terminal" and of "containing". */
const TERMINAL_BYTES: u64 = 0x6c616e696d726574;
const CONTAINING_BYTES: u64 = 0x696e6961746e6f63;

function mentions(eight: u64): bool {
  for (let i = 0; i + 8 <= length; i++) if (load<u64>(text + i) == eight) return true;
  return false;
}

function startsWith(at: i32, literal: string): i32 {
  const n = literal.length;
  if (length - at < n) return -1;
  for (let i = 0; i < n; i++) if (load<u8>(text + at + i) != <u8>load<u16>(changetype<usize>(literal) + (i << 1))) return -1;
  return skipSpace(at + n);
}

// @ts-ignore: decorator
@inline
function skipSpace(at: i32): i32 {
  while (at < length && load<u8>(text + at) == 32) at++;
  return at;
}

/** Ends (after trailing spaces) of all referents of `o` that match the text at `from`, in ascending order. */
const ends: StaticArray<i32> = new StaticArray<i32>(512);

function addEnd(count: i32, end: i32): i32 {
  let i = count;
  for (; i > 0 && ends[i - 1] >= end; i--) if (ends[i - 1] == end) return count;
  if (count == 512) return count;
  for (let k = count; k > i; k--) ends[k] = ends[k - 1];
  ends[i] = end;
  return count + 1;
}

function findEnds(o: Obj, from: i32): i32 {
  ensureBase(o);
  const n = baseCount(o);
  const phrases = baseAt(o);
  let count = 0;
  worked(n);
  for (let i = 0; i < n; i++) {
    const phrase = load<i32>(phrases + (i << 2));
    if (!phraseFits(phrase, text + from, length - from)) continue;
    const stop = from + phraseLength(phrase);
    count = addEnd(count, skipSpace(stop));
    if (stop + 4 > length || isOf(o, I.F_Portal)) continue;
    const joint = load<u32>(text + stop);
    const holder = parentOf(o);
    if (!isNil(holder) && (joint == IN_BYTES || joint == ON_BYTES)) count = endsWithin(holder, stop + 4, count);
  }
  return count;
}

function endsWithin(holder: Obj, from: i32, count: i32): i32 {
  ensureBase(holder);
  const n = baseCount(holder);
  const phrases = baseAt(holder);
  for (let i = 0; i < n; i++) {
    const phrase = load<i32>(phrases + (i << 2));
    if (phraseFits(phrase, text + from, length - from)) count = addEnd(count, skipSpace(from + phraseLength(phrase)));
  }
  return count;
}

/** No house has this many objects, though a player with a shovel could make them. Further matches are dropped. */
const MOST_MATCHES: i32 = 16384;

function addMatch(action: i32, a: Obj, b: Obj): void {
  const n = matches.length / 2;
  worked(1);
  if (n == MOST_MATCHES) return;
  if (n == kindCapacity) {
    const next = heap.alloc(<usize>kindCapacity * 2);
    memory.copy(next, kinds, kindCapacity);
    heap.free(kinds);
    kinds = next;
    kindCapacity *= 2;
  }
  store<u8>(kinds + n, <u8>action);
  matches.push(a);
  matches.push(b);
}

export function matchAction(i: i32): i32 {
  return load<u8>(kinds + i);
}

export function matchFirst(i: i32): Obj {
  return at(load<i32>(matches.items + (i << 3)));
}

export function matchSecond(i: i32): Obj {
  return at(load<i32>(matches.items + (i << 3) + 4));
}

function hasMatch(from: i32, a: Obj, b: Obj): bool {
  for (let i = from; i < matches.length / 2; i++) {
    const pair = matches.items + (i << 3);
    if (load<i32>(pair) == ref(a) && load<i32>(pair + 4) == ref(b)) return true;
  }
  return false;
}

/** Objects that match the first or the second slot, in uuid order. */
const firsts: List = new List();
const seconds: List = new List();

/**
 * Collects the objects of the list that the line mentions at `from`; if `whole` is true, only those that match to the
 * end of the line.
 */
function fitting(list: List, from: i32, whole: bool, into: List): void {
  into.length = 0;
  for (let i = 0; i < list.length; i++) {
    const n = findEnds(list.get(i), from);
    if (n > 0 && (!whole || ends[n - 1] == length)) into.push(list.get(i));
  }
  sortByUuid(into);
}

function matchOne(action: i32, from: i32, first: i32, list: List): void {
  fitting(list, from, true, firsts);
  for (let i = 0; i < firsts.length; i++) if (!hasMatch(first, firsts.get(i), NIL)) addMatch(action, firsts.get(i), NIL);
}

const middles: StaticArray<i32> = new StaticArray<i32>(512);

function matchTwo(action: i32, from: i32): void {
  const joints = prepositions[action];
  fitting(here, from, false, firsts);
  for (let i = 0; i < firsts.length; i++) {
    const a = firsts.get(i);
    const n = findEnds(a, from);
    for (let k = 0; k < n; k++) middles[k] = ends[k];
    const block = matches.length / 2;
    for (let k = 0; k < n; k++)
      for (let j = 0; j < joints.length; j++) {
        const next = startsWith(middles[k], joints[j]);
        if (next < 0) continue;
        matchSecondSlot(action, a, next, block);
      }
  }
}

function matchSecondSlot(action: i32, a: Obj, from: i32, block: i32): void {
  fitting(here, from, true, seconds);
  for (let i = 0; i < seconds.length; i++) if (!hasMatch(block, a, seconds.get(i))) addMatch(action, a, seconds.get(i));
}

function matchPattern(action: i32): void {
  const forms = verbs[action];
  const first = matches.length / 2;
  for (let f = 0; f < forms.length; f++) {
    const from = startsWith(0, forms[f]);
    if (from < 0) continue;
    if (slots[action] == 0) {
      if (from == length && matches.length / 2 == first) addMatch(action, NIL, NIL);
    } else if (slots[action] == 1) matchOne(action, from, first, action == A_TELEPORT ? teleportTargets() : here);
    else matchTwo(action, from);
  }
}

/** All objects of the universe, in any order. */
function teleportTargets(): List {
  if (everywhereCollected) return everywhere;
  everywhereCollected = true;
  everywhere.length = 0;
  collectMentionable(at(head.universe), terminals, everywhere);
  unique(everywhere);
  return everywhere;
}

/** Finds every match of a line (`n` bytes of lower-case text at `from`); returns their number. */
export function parse(from: usize, n: i32): i32 {
  line.length = 0;
  const before = redirect(line);
  bytes(from, n);
  lower(line.start, n);
  dropArticles(0);
  redirect(before);
  text = line.start;
  length = line.length;
  matches.length = 0;
  everywhereCollected = false;
  if (length == 0) return 0;
  candidates();
  beginReferents(agentRoom(), true, mentions(CONTAINING_BYTES));
  for (let action = 0; action < ACTIONS; action++) if (isRegistered(action)) matchPattern(action);
  return matches.length / 2;
}

// ---- ambiguity -----------------------------------------------------------------------------------------------------------------

function clarify(o: Obj): void {
  putName(o);
  let up = isOf(o, I.F_Portal) ? NIL : parentOf(o);
  if (isNil(up)) return;
  put(' (in ');
  const room = agentRoom();
  for (let n = 0; !isNil(up) && n < 64; n++) {
    if (n > 0) put(', in ');
    putString(up.name);
    if (changetype<usize>(up) == changetype<usize>(room)) break;
    up = parentOf(up);
  }
  byte(41);
}

function putMatch(i: i32): void {
  const action = matchAction(i);
  put(verbs[action][0]);
  if (slots[action] == 0) return;
  byte(32);
  clarify(matchFirst(i));
  if (slots[action] == 1) return;
  byte(32);
  put(prepositions[action][0]);
  byte(32);
  clarify(matchSecond(i));
}

/** Index of a match in the order in which matches are offered: by action name, then as found. */
function offered(index: i32, count: i32): i32 {
  let seen = 0;
  for (let k = 0; k < ACTIONS; k++)
    for (let i = 0; i < count; i++) {
      if (matchAction(i) != byName[k]) continue;
      if (seen++ == index) return i;
    }
  return -1;
}

function kindsMatched(count: i32): i32 {
  let bits = 0;
  for (let i = 0; i < count; i++) bits |= 1 << matchAction(i);
  return bits;
}

/** Writes the ambiguous request with all matches, and stores the line until a number is chosen. */
export function putAmbiguity(count: i32, from: usize, n: i32): void {
  const bits = kindsMatched(count);
  if (popcnt(bits) > 1) {
    put('Ambiguous request: Multiple different possible actions were matched to this input (');
    let written = 0;
    for (let k = 0; k < ACTIONS; k++) {
      if ((bits & (1 << byName[k])) == 0) continue;
      if (written++ > 0) put(', ');
      put(names[byName[k]]);
    }
    put("). It's possible the action space needs to be refined to remove possible duplicate/ambiguous patterns.");
  }
  put('Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n');
  let index = 0;
  for (let k = 0; k < ACTIONS; k++) {
    if ((bits & (1 << byName[k])) == 0) continue;
    for (let i = 0; i < count; i++) {
      if (matchAction(i) != byName[k]) continue;
      integer(index++);
      put(':\t');
      putMatch(i);
      byte(10);
    }
  }
  head.pending = n;
  head.choices = count;
  memory.copy(pendingAt(), from, n);
}

/** The match that a reply selects, or -1. The line is parsed again: no object has moved since. */
export function chosenMatch(reply: usize, n: i32): i32 {
  const pending = head.pending;
  head.pending = 0;
  const index = integerOf(reply, n);
  if (index < 0) return -1;
  const count = parse(pendingAt(), pending);
  return index < count ? offered(index, count) : -1;
}

/** java.lang.Integer.parseInt of ASCII; -1 for invalid and for negative numbers. */
function integerOf(from: usize, n: i32): i32 {
  let i = 0;
  let negative = false;
  if (n > 0 && (load<u8>(from) == 45 || load<u8>(from) == 43)) {
    negative = load<u8>(from) == 45;
    i = 1;
  }
  if (i == n) return -1;
  let value: i64 = 0;
  for (; i < n; i++) {
    const c = load<u8>(from + i);
    if (c < 48 || c > 57) return -1;
    value = value * 10 + (c - 48);
    if (value > 0x7fffffff) return -1;
  }
  return negative && value > 0 ? -1 : <i32>value;
}

export function longestPending(): i32 {
  return PENDING_BYTES;
}

