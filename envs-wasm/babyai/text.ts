// Words: observations, missions, action lists and refusals, written as ASCII into one buffer; and action texts read back.
// Knows what the planner found; changes nothing in a world. The sentences are AgentGym's (MIT,
// https://github.com/WooooDyy/AgentGym), to the byte, where they are not marked as ours.
import {
  BEFORE, BEHIND, Description, description, FRONT, GOTO, isAnd, LEFT, leaf, mission, ONLY, OPEN_IT, PICKUP, PUT_NEXT,
  RIGHT,
} from './instructions';
import {
  AHEAD_OF, aheadOfThing, asideOfThing, BEHIND_OF, leading, leadingCount, LEFT_OF, placeInView, remember, remembered,
  rememberedCount, RIGHT_OF, unseen, unseenBehind,
} from './memory';
import {
  BARRIER, barrierDistance, barrierLook, DO_CHECK, DO_DROP, DO_FORWARD, DO_GO_THROUGH, DO_GO_TO, DO_LEFT, DO_PICKUP,
  DO_RIGHT, DO_TOGGLE, DO_TOGGLE_THROUGH, actionId, DROP_BLOCKED, DROP_NOTHING, IS_CLOSED, lookOfSeen, NO_ACTION,
  NO_KEY, NO_PATH_TOGGLE, objectCount, offeredId, OK, placeOfSeen, sawAnything, WRONG_KEY,
} from './planner';
import {
  ANY, isDoorLook, LOOK_WALL, lookOf, lookOfObject, World, colorOfLook, typeOfLook, stateOfLook, isItemLook, DOOR,
  BOX, KEY,
} from './world';

/** The buffer all texts of a call go into; 256 worlds of at most 12 KB. */
export const TEXT_BYTES: i32 = 256 * 12288;
export const text: usize = heap.alloc(usize(TEXT_BYTES) + 64);
let out: usize = 0;
export function startText(offset: i32): void {
  out = text + offset;
}
export function textEnd(): i32 {
  return i32(out - text);
}

// Phrases are kept as bytes behind their length, with room to copy eight at a time.
type Phrase = usize;
function phrase(words: string): Phrase {
  const p = heap.alloc(4 + ((words.length + 8) & ~7) + 8);
  store<u32>(p, words.length);
  for (let i = 0; i < words.length; i++) store<u8>(p + i, u8(words.charCodeAt(i)), 4);
  return p;
}
@inline function put(p: Phrase): void {
  const length = load<u32>(p);
  for (let i: u32 = 0; i < length; i += 8) store<u64>(out + i, load<u64>(p + i, 4));
  out += length;
}
@inline function putByte(byte: u8): void {
  store<u8>(out++, byte);
}
function putNumber(n: i32): void {
  if (n >= 100) putByte(u8(48 + (n / 100) % 10));
  if (n >= 10) putByte(u8(48 + (n / 10) % 10));
  putByte(u8(48 + n % 10));
}
const SPACE: u8 = 32;
const COMMA = phrase(', ');

const colorWords: StaticArray<string> = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'];
const stateWords: StaticArray<string> = ['open', 'closed', 'locked'];
const typeWords: StaticArray<string> = ['', '', 'wall', '', 'door', 'key', 'ball', 'box'];
function nameOf(look: u8): string {
  if (look == LOOK_WALL) return 'wall';
  const state = isDoorLook(look) ? stateWords[stateOfLook(look)] + ' ' : '';
  const color = colorOfLook(look);
  return color > 5 ? '' : colorWords[color] + ' ' + state + typeWords[typeOfLook(look)];
}

// Tables of phrases: names by look, places by view cell (AgentGym's and ours), verbs by action kind.
const names = new StaticArray<Phrase>(64);
const places = new StaticArray<Phrase>(49);
const shortPlaces = new StaticArray<Phrase>(49);
const verbs = new StaticArray<Phrase>(10);
const verbWords: StaticArray<string> = [
  'turn left', 'turn right', 'move forward', 'pickup', 'drop', 'go through', 'toggle and go through', 'toggle', 'go to',
  'check available actions',
];
const colors = new StaticArray<Phrase>(6);
const types = new StaticArray<Phrase>(8);

function placeWords(ahead: i32, aside: i32): string {
  if (aside == 0) return ' right in front of you ' + ahead.toString() + ' steps away. ';
  const side = aside > 0 ? 'right' : 'left';
  return ' ' + ahead.toString() + ' steps in front of you and ' + abs(aside).toString() + ' steps to your ' + side + '. ';
}
function shortPlaceWords(ahead: i32, aside: i32): string {
  const front = ahead > 0 ? ' ahead ' + ahead.toString() : '';
  return aside == 0 ? front : front + (aside > 0 ? ' right ' : ' left ') + abs(aside).toString();
}
export function prepareText(): void {
  for (let look = 0; look < 64; look++) {
    names[look] = phrase(look == LOOK_WALL || isDoorLook(u8(look)) || isItemLook(u8(look)) ? nameOf(u8(look)) : '');
  }
  for (let cell = 0; cell < 49; cell++) {
    places[cell] = phrase(placeWords(6 - cell / 7, (cell % 7) - 3));
    shortPlaces[cell] = phrase(shortPlaceWords(6 - cell / 7, (cell % 7) - 3));
  }
  for (let kind = 0; kind < 10; kind++) verbs[kind] = phrase(verbWords[kind]);
  for (let color = 0; color < 6; color++) colors[color] = phrase(colorWords[color]);
  for (let type = 0; type < 8; type++) types[type] = phrase(typeWords[type]);
}

// The observation.
const SEVERAL = phrase('In front of you in this room, you can see several objects: ');
const THERE_IS = phrase('There is a ');
const NOTHING = phrase('You cannot see any objects within sight.');
const WALLS = phrase('The room has walls around you. ');
const FACING = phrase('You are facing a ');
const AWAY = phrase(' steps away. ');
const CARRYING = phrase('You are carrying a ');
const NOT_CARRYING = phrase('You are not carrying anything.');
const WALL_WORD = phrase('wall');
const BOX_WORD = phrase('box');
const counts: usize = memory.data(64);
function nextCount(look: u8): i32 {
  const count = load<u8>(counts + look) + 1;
  store<u8>(counts + look, count);
  return i32(count);
}
function putBarrier(): void {
  put(barrierLook == LOOK_WALL ? WALL_WORD : BOX_WORD);
}
export function putDescription(w: World): void {
  memory.fill(counts, 0, 64);
  put(sawAnything ? SEVERAL : NOTHING);
  for (let k = 0; k < objectCount; k++) {
    const look = lookOfSeen(k);
    put(THERE_IS);
    put(names[look]);
    putByte(SPACE);
    putNumber(nextCount(look));
    put(places[placeOfSeen(k)]);
    putByte(SPACE);
  }
  put(WALLS);
  if (barrierDistance) {
    put(FACING);
    putBarrier();
    putByte(SPACE);
    putNumber(barrierDistance);
    put(AWAY);
  }
  if (!w.carried) return put(NOT_CARRYING);
  put(CARRYING);
  put(names[lookOfObject(w, w.carried)]);
  putByte(46);
}
/** Ours, for tiny policies: the same facts in a third of the words, and no list of actions. */
const SEMICOLON = phrase('; ');
const AHEAD = phrase(' ahead ');
const CARRYING_SHORT = phrase('carrying ');
const CARRYING_NOTHING = phrase('carrying nothing');
export function putShortDescription(w: World): void {
  memory.fill(counts, 0, 64);
  for (let k = 0; k < objectCount; k++) {
    const look = lookOfSeen(k);
    put(names[look]);
    putByte(SPACE);
    putNumber(nextCount(look));
    put(shortPlaces[placeOfSeen(k)]);
    put(SEMICOLON);
  }
  if (barrierDistance) {
    putBarrier();
    put(AHEAD);
    putNumber(barrierDistance);
    put(SEMICOLON);
  }
  if (!w.carried) return put(CARRYING_NOTHING);
  put(CARRYING_SHORT);
  put(names[lookOfObject(w, w.carried)]);
}

/**
 * Ours as well: how much of the room was not seen yet in each direction, and behind which open doors there is more, as sides of squares of so
 * many cells; then what is out of sight.
 */
const TO_SEE = phrase('; to see');
const THROUGH = phrase('; through ');
const SEE = phrase(' see ');
const BEHIND_SHORT = phrase(' behind ');
const RIGHT_SHORT = phrase(' right ');
const LEFT_SHORT = phrase(' left ');
const NOT_IN_SIGHT = phrase('; not in sight ');
function putSome(words: Phrase, n: i32): void {
  if (n <= 0) return;
  put(words);
  putNumber(n);
}
@inline function sideOf(cells: i32): i32 {
  return i32(Math.ceil(Math.sqrt(f64(cells))));
}
function putPlace(w: World, id: i32): void {
  const ahead = aheadOfThing(w, id);
  const aside = asideOfThing(w, id);
  putSome(ahead > 0 ? AHEAD : BEHIND_SHORT, abs(ahead));
  putSome(aside > 0 ? RIGHT_SHORT : LEFT_SHORT, abs(aside));
}
/** By its number where it is in view, by its place where it is not. */
function putDoor(w: World, id: i32): void {
  const look = lookOfObject(w, id);
  put(names[look]);
  const place = placeInView(w, id);
  if (place < 0) return putPlace(w, id);
  let number = 0;
  for (let k = 0; k < objectCount; k++) {
    number += i32(lookOfSeen(k) == look);
    if (placeOfSeen(k) == place) break;
  }
  putByte(SPACE);
  putNumber(number);
}
export function putMemory(w: World): void {
  remember(w);
  if (unseen[AHEAD_OF] + unseen[RIGHT_OF] + unseen[BEHIND_OF] + unseen[LEFT_OF] > 0) {
    put(TO_SEE);
    putSome(AHEAD, sideOf(unseen[AHEAD_OF]));
    putSome(RIGHT_SHORT, sideOf(unseen[RIGHT_OF]));
    putSome(BEHIND_SHORT, sideOf(unseen[BEHIND_OF]));
    putSome(LEFT_SHORT, sideOf(unseen[LEFT_OF]));
  }
  for (let k = 0; k < leadingCount; k++) {
    put(k ? COMMA : THROUGH);
    putDoor(w, leading[k]);
    putSome(SEE, sideOf(unseenBehind[leading[k]]));
  }
  for (let k = 0; k < rememberedCount; k++) {
    put(k ? COMMA : NOT_IN_SIGHT);
    put(names[lookOfObject(w, remembered[k])]);
    putPlace(w, remembered[k]);
  }
}

// Actions.
export function putAction(id: u32): void {
  const kind = id >> 12;
  put(verbs[kind]);
  const look = (id >> 6) & 63;
  if (!look) return;
  putByte(SPACE);
  put(names[look]);
  putByte(SPACE);
  putNumber(i32(id & 63));
}
const AVAILABLE = phrase('\nAvailable actions: ["');
const BETWEEN_QUOTED = phrase('", "');
const END_QUOTED = phrase('"]');
export function putAvailable(w: World): void {
  put(AVAILABLE);
  for (let index = 0; index < w.actionCount; index++) {
    if (index) put(BETWEEN_QUOTED);
    putAction(offeredId(w, index));
  }
  put(END_QUOTED);
}
const CAN_TAKE = phrase('You can take the following actions: ');
export function putCheck(w: World): void {
  put(CAN_TAKE);
  for (let index = 0; index < w.actionCount; index++) {
    if (index) put(COMMA);
    putAction(offeredId(w, index));
  }
}

// Missions.
const THE = phrase('the ');
const A = phrase('a ');
const OBJECT = phrase('object');
const GO_TO = phrase('go to ');
const OPEN_WORD = phrase('open ');
const PICK_UP = phrase('pick up ');
const PUT = phrase('put ');
const NEXT_TO = phrase(' next to ');
const AND = phrase(' and ');
const THEN = phrase(', then ');
const THEN_GOAL = phrase(', and ');
const AFTER_YOU = phrase(' after you ');
const IN_FRONT = phrase(' in front of you');
const BEHIND_YOU = phrase(' behind you');
const ON_LEFT = phrase(' on your left');
const ON_RIGHT = phrase(' on your right');
function putMeant(d: Description): void {
  put(d.many ? A : THE);
  if (d.color != ANY) {
    put(colors[d.color]);
    putByte(SPACE);
  }
  put(d.type == ANY ? OBJECT : types[d.type]);
  if (d.place == FRONT) put(IN_FRONT);
  else if (d.place == BEHIND) put(BEHIND_YOU);
  else if (d.place == LEFT) put(ON_LEFT);
  else if (d.place == RIGHT) put(ON_RIGHT);
}
function putLeaf(w: World, index: i32): void {
  const kind = leaf(w, index).kind;
  put(kind == GOTO ? GO_TO : kind == OPEN_IT ? OPEN_WORD : kind == PICKUP ? PICK_UP : PUT);
  putMeant(description(w, index * 2));
  if (kind != PUT_NEXT) return;
  put(NEXT_TO);
  putMeant(description(w, index * 2 + 1));
}
function putGroup(w: World, group: i32): void {
  putLeaf(w, group * 2);
  if (!isAnd(w, group)) return;
  put(AND);
  putLeaf(w, group * 2 + 1);
}
/** The mission; as a goal, AgentGym blurs "then" and "after you" into "and". */
export function putMission(w: World, asGoal: bool): void {
  putGroup(w, 0);
  const kind = mission(w).kind;
  if (kind == ONLY) return;
  put(kind == BEFORE ? (asGoal ? THEN_GOAL : THEN) : asGoal ? AND : AFTER_YOU);
  putGroup(w, 1);
}
const GOAL = phrase('Your goal: ');
const GOAL_SHORT = phrase('goal: ');
export function putGoal(w: World): void {
  put(w.compact ? GOAL_SHORT : GOAL);
  const start = out;
  putMission(w, true);
  if (w.compact) capitalize(start);
  putByte(10);
}
// Ours: the compact goal is in capitals. Its words are then tokens that nothing else in the text has, and a small policy tells
// the goal's red from a thing's by the token alone, without first learning where in the text the goal stands.
function capitalize(start: usize): void {
  for (let p = start; p < out; p++) {
    const byte = load<u8>(p);
    if (byte >= 97 && byte <= 122) store<u8>(p, byte - 32);
  }
}

// Answers.
const COMPLETED = phrase('\n The task is completed.');
const FAILED = phrase('\n The task has failed.');
const TIME_UP = phrase('\n The time is up.');
export function putCompleted(): void {
  put(COMPLETED);
}
export function putFailed(): void {
  put(FAILED);
}
export function putTimeUp(): void {
  put(TIME_UP);
}
const NO_CHANGE = phrase('No change in state.');
export function putNoChange(): void {
  put(NO_CHANGE);
}
const FINISHED = phrase('The task with environment ');
const HAS_FINISHED = phrase(' has finished.');
export function putFinished(slot: i32): void {
  put(FINISHED);
  if (slot >= 1000) putNumber(slot / 1000);
  if (slot >= 1000 && slot % 1000 < 100) putByte(48);
  if (slot >= 1000 && slot % 1000 < 10) putByte(48);
  putNumber(slot % 1000);
  put(HAS_FINISHED);
}
const UNKNOWN = phrase('The action is not recognized. Please check valid actions.');
const BARRIER_TEXT = phrase("There is a barrier in front of you, you can't move forward.");
const DROP_BLOCKED_TEXT = phrase('You cannot drop the object, as there is already an object in front of you.');
const DROP_NOTHING_TEXT = phrase('You cannot drop the object, as you are not carrying anything.');
const YOU_CANNOT = phrase('You cannot ');
const NO_PATH_TEXT = phrase(', as there is no path leading to it.');
const CLOSED_TEXT = phrase(', as it is closed. You should toggle it first.');
const NO_KEY_TEXT = phrase(', as you are not carrying a key.');
const WRONG_KEY_TEXT = phrase(', as the color of the key you are carrying does not match the color of door.');
/** The original prints its whole door counter where the number should be. */
function putDoorCounter(id: u32): void {
  const last = u8((id >> 6) & 63);
  memory.fill(counts, 0, 64);
  const order = out + 4096;
  let kinds = 0;
  for (let k = 0; k < objectCount; k++) {
    const look = lookOfSeen(k);
    if (!isDoorLook(look)) continue;
    const count = nextCount(look);
    if (count == 1) store<u8>(order + kinds++, look);
    if (look == last && u32(count) == (id & 63)) break;
  }
  putByte(123);
  for (let kind = 0; kind < kinds; kind++) {
    const look = load<u8>(order + kind);
    if (kind) put(COMMA);
    putByte(39);
    put(names[look]);
    putByte(39);
    putByte(58);
    putByte(SPACE);
    putNumber(load<u8>(counts + look));
  }
  putByte(125);
}
function putRefusedAction(id: u32, why: u8, upstream: bool): void {
  put(YOU_CANNOT);
  if (why != NO_PATH_TOGGLE || !upstream) return putAction(id);
  put(verbs[id >> 12]);
  putByte(SPACE);
  put(names[(id >> 6) & 63]);
  putByte(SPACE);
  putDoorCounter(id);
}
export function putRefusal(w: World, id: u32, why: u8): void {
  if (why == OK) return put(UNKNOWN);
  if (why == BARRIER) return put(BARRIER_TEXT);
  if (why == DROP_BLOCKED) return put(DROP_BLOCKED_TEXT);
  if (why == DROP_NOTHING) return put(DROP_NOTHING_TEXT);
  putRefusedAction(id, why, w.upstream);
  put(why == IS_CLOSED ? CLOSED_TEXT : why == NO_KEY ? NO_KEY_TEXT : why == WRONG_KEY ? WRONG_KEY_TEXT : NO_PATH_TEXT);
}

// Reading an action: the text must be exactly what `putAction` would write.
let cursor: usize = 0;
let end: usize = 0;
function accept(p: Phrase): bool {
  const length = load<u32>(p);
  if (end - cursor < length) return false;
  for (let i: u32 = 0; i < length; i++) if (load<u8>(cursor + i) != load<u8>(p + i, 4)) return false;
  cursor += length;
  return true;
}
function acceptSpace(): bool {
  if (cursor >= end || load<u8>(cursor) != SPACE) return false;
  cursor++;
  return true;
}
function readColor(): i32 {
  for (let color = 0; color < 6; color++) if (accept(colors[color])) return color;
  return -1;
}
const states: StaticArray<Phrase> = [phrase('open door'), phrase('closed door'), phrase('locked door')];
function readLook(): u32 {
  const color = readColor();
  if (color < 0 || !acceptSpace()) return 0;
  for (let state = 0; state < 3; state++) if (accept(states[state])) return lookOf(DOOR, u8(color), u8(state));
  for (let type = KEY; type <= BOX; type++) if (accept(types[type])) return lookOf(type, u8(color), 0);
  return 0;
}
/** 1 to 63 without a leading zero, to the end of the text; 0 otherwise. */
function readNumber(): u32 {
  let n: u32 = 0;
  const start = cursor;
  while (cursor < end) {
    const digit = load<u8>(cursor++);
    if (digit < 48 || digit > 57 || cursor - start > 2) return 0;
    n = n * 10 + digit - 48;
    if (n == 0) return 0;
  }
  return n < 64 ? n : 0;
}
const namedKinds: StaticArray<u32> = [DO_PICKUP, DO_TOGGLE_THROUGH, DO_GO_THROUGH, DO_GO_TO];
const plainKinds: StaticArray<u32> = [DO_LEFT, DO_RIGHT, DO_FORWARD, DO_DROP, DO_TOGGLE, DO_CHECK];
function readNamed(kind: u32): u32 {
  if (!acceptSpace()) return NO_ACTION;
  const look = readLook();
  if (!look || !acceptSpace()) return NO_ACTION;
  const k = readNumber();
  return k ? actionId(kind, look, k) : NO_ACTION;
}
export function readAction(p: usize, length: i32): u32 {
  end = p + length;
  for (let i = 0; i < namedKinds.length; i++) {
    cursor = p;
    if (accept(verbs[namedKinds[i]])) {
      const id = readNamed(namedKinds[i]);
      if (id != NO_ACTION) return id;
    }
  }
  for (let i = 0; i < plainKinds.length; i++) {
    cursor = p;
    if (accept(verbs[plainKinds[i]]) && cursor == end) return actionId(plainKinds[i]);
  }
  return NO_ACTION;
}
const CHECK = phrase('check');
export function mentionsCheck(p: usize, length: i32): bool {
  end = p + length;
  for (let i = 0; i + 5 <= length; i++) {
    cursor = p + i;
    if (accept(CHECK)) return true;
  }
  return false;
}
