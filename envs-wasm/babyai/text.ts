// Missions, action lists, answers and refusals. The texts use the planner's results and change nothing in a world.
import {
  BEFORE, BEHIND, Description, description, FRONT, GOTO, isAnd, LEFT, leaf, mission, ONLY, OPEN_IT, PICKUP, PUT_NEXT,
  RIGHT,
} from './instructions';
import {
  BARRIER, DROP_BLOCKED, DROP_NOTHING, IS_CLOSED, lookOfSeen, NO_KEY, NO_PATH_TOGGLE, objectCount, offeredId, OK,
  WRONG_KEY,
} from './planner';
import { ANY, isDoorLook, World } from './world';
import { COMMA, SPACE, colors, names, out, phrase, put, putByte, putNumber, types, verbs } from './phrases';
import { counts, nextCount } from './observation';

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
/** Writes the mission. As a goal, AgentGym reduces "then" and "after you" to "and". */
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
// The compact goal is in capitals, unlike AgentGym's. Its tokens then occur nowhere else in the text, and a small
// policy distinguishes the goal's red from an object's by the token alone, without learning first where in the text the
// goal is.
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
/** The original prints its whole door counter in place of the number. */
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
