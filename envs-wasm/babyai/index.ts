// The functions that the host may call: worlds in slots, stepped in batches of up to 256. Texts are ASCII bytes,
// rewards f64, and action lists 16-bit ids, for which the page has the texts (planner.ts). No function throws.
import { writeState } from '../shared/pcg64';
import { execute, isOver } from './macros';
import { nodeCount, plan, planFrom, planLength } from './oracle';
import { countLeaves, keepPart } from './instructions';
import { act as actLow, recordReported, prepareViews } from './steps';
import { attempts, generate } from './levels';
import {
  collectRefusals, DO_CHECK, findOffered, lengthOf, listActions, lowLevel, NO_ACTION, offeredId, OK, preparePlanner,
  refusalCount, refusedId, refusedWhy, whyRefused,
} from './planner';
import { mentionsCheck, readAction } from './action-reader';
import { prepareText, startText, text, textEnd } from './phrases';
import {
  putAction, putAvailable, putCheck, putCompleted, putFailed, putFinished, putGoal, putMission, putNoChange,
  putRefusal, putTimeUp,
} from './text';
import { putDescription, putFrontier, putMemory, putShortDescription } from './observation';
import { contentOf, forgetCells, looks, lookOfObject, view, World, WORLD_BYTES, idAt, NOBODY } from './world';

const BATCH: i32 = 256;
const ACTION_BYTES: i32 = 256;
const MAX_SLOTS: i32 = 65536;

// Buffers shared with the page.
/** i32 slot of each entry of the call. */
export const slotsAt: usize = heap.alloc(BATCH * 4);
/**
 * A task, 64 bytes: level; options (1 upstream, 2 compact, 4 the oracle explores, 8 the oracle uses the text alone, 16
 * the text includes the memory, 32 in the form with the frontier; from 256 on, the number of the only action of the instruction to keep); number of 32-bit words of the seed, at most 13; the seed.
 */
export const tasksAt: usize = heap.alloc(BATCH * 64);
/**
 * Action texts, 256 bytes each, and their lengths. An action with a known id has no text; its length is the complement
 * of the id.
 */
export const actionsAt: usize = heap.alloc(BATCH * ACTION_BYTES);
export const lengthsAt: usize = heap.alloc(BATCH * 4);
/**
 * An answer, 32 bytes: reward (f64), text start and length (u32), flags (u32: 1 done, 2 valid), number of action ids,
 * index of the first id.
 */
export const answersAt: usize = heap.alloc(BATCH * 32);
export const idsAt: usize = heap.alloc(BATCH * 256);
export const textAt: usize = text;
/** Output of `inspect`. */
export const factsAt: usize = heap.alloc(256);

const worlds: usize = heap.alloc(MAX_SLOTS * sizeof<usize>());
memory.fill(worlds, 0, MAX_SLOTS * sizeof<usize>());
prepareViews();
preparePlanner();
prepareText();

export function worldOf(slot: i32): usize {
  const p = worlds + usize(slot) * sizeof<usize>();
  let world = load<usize>(p);
  if (!world) {
    world = heap.alloc(WORLD_BYTES);
    memory.fill(world, 0, WORLD_BYTES);
    store<usize>(p, world);
  }
  return world;
}
@inline function world(slot: i32): World {
  return changetype<World>(worldOf(slot));
}
@inline function slotOf(entry: i32): i32 {
  return load<i32>(slotsAt + entry * 4);
}

// Answers.
const DONE: u32 = 1;
const VALID: u32 = 2;
let firstId: i32 = 0;
function writeAnswer(w: World, entry: i32, start: i32, valid: bool): void {
  const p = answersAt + entry * 32;
  store<f64>(p, w.upstream ? w.score : w.reward);
  store<u32>(p, start, 8);
  store<u32>(p, textEnd() - start, 12);
  store<u32>(p, (w.finished ? DONE : 0) | (valid ? VALID : 0), 16);
  store<u32>(p, w.actionCount, 20);
  store<u32>(p, firstId, 24);
  for (let index = 0; index < w.actionCount; index++) store<u16>(idsAt + (firstId + index) * 2, u16(offeredId(w, index)));
  firstId += w.actionCount;
}
function putState(w: World): void {
  if (w.compact) putShortDescription(w);
  else putDescription(w);
  if (w.frontier) putFrontier(w);
  else if (w.remembers) putMemory(w);
}

/** Number of actions that the instruction of a world names. */
export function actionsOfMission(slot: i32): i32 {
  return countLeaves(world(slot));
}

// Reset.
function readTask(w: World, entry: i32): void {
  const task = tasksAt + entry * 64;
  w.level = load<i32>(task);
  const options = load<i32>(task, 4);
  w.upstream = (options & 1) != 0;
  w.compact = (options & 2) != 0;
  w.explores = (options & 4) != 0;
  w.textOnly = (options & 8) != 0;
  w.remembers = (options & 16) != 0;
  w.frontier = (options & 32) != 0;
  if (w.explores || w.remembers) forgetCells(w);
  generate(w, task + 12, load<i32>(task, 8));
  const part = options >> 8;
  if (part) keepPart(w, part);
  recordReported(w);
}
export function reset(count: i32): void {
  startText(0);
  firstId = 0;
  for (let entry = 0; entry < count; entry++) {
    const w = world(slotOf(entry));
    readTask(w, entry);
    listActions(w);
    const start = textEnd();
    putGoal(w);
    putState(w);
    if (!w.compact) putAvailable(w);
    writeAnswer(w, entry, start, true);
  }
}
/** Generates worlds without any text, for the bench and for reading grids. */
export function generateOnly(count: i32): void {
  for (let entry = 0; entry < count; entry++) readTask(world(slotOf(entry)), entry);
}

// Step.
function putVerdict(w: World): void {
  if (w.upstream) {
    if (w.terminated) putCompleted();
  } else if (w.succeeded) putCompleted();
  else if (w.terminated) putFailed();
  else if (w.truncated) putTimeUp();
}
function executeAndDescribe(w: World, index: i32): void {
  execute(w, w, index);
  listActions(w);
  putState(w);
  putVerdict(w);
  w.finished = isOver(w);
}
function refuseAction(w: World, id: u32): void {
  const why = id == NO_ACTION ? OK : whyRefused(w, id);
  putRefusal(w, id, why);
}
/**
 * Performs one action and writes the answer; returns false if the action is refused. A negative length is the
 * complement of a known action's id.
 */
function takeAction(w: World, p: usize, length: i32): bool {
  if (length == 0) {
    putNoChange();
    return false;
  }
  const id = length < 0 ? u32(~length) : readAction(p, length);
  const index = id == NO_ACTION ? -1 : findOffered(w, id);
  if (index >= 0 && id >> 12 != DO_CHECK) {
    if (lengthOf(w, index) == 0) putNoChange();
    else executeAndDescribe(w, index);
    return true;
  }
  if (length < 0 ? id >> 12 == DO_CHECK : mentionsCheck(p, length)) {
    putCheck(w);
    return true;
  }
  refuseAction(w, id);
  return false;
}
function stepOne(w: World, slot: i32, entry: i32): bool {
  if (w.finished) {
    putFinished(w.upstream ? 0 : slot);
    return false;
  }
  const valid = takeAction(w, actionsAt + entry * ACTION_BYTES, load<i32>(lengthsAt + entry * 4));
  w.score += w.reward;
  if (!w.compact) putAvailable(w);
  return valid;
}
export function step(count: i32): void {
  startText(0);
  firstId = 0;
  for (let entry = 0; entry < count; entry++) {
    const slot = slotOf(entry);
    const w = world(slot);
    const start = textEnd();
    const valid = stepOne(w, slot, entry);
    writeAnswer(w, entry, start, valid);
  }
}

// Low-level play: keyboards, recordings of the original's own steps, benches.
/** Performs one low-level action (the first byte of each action) without text; `inspect` returns the result. */
export function actBatch(count: i32): void {
  for (let entry = 0; entry < count; entry++) actLow(world(slotOf(entry)), load<u8>(actionsAt + entry * ACTION_BYTES));
}
export function actOne(slot: i32, action: i32): void {
  actLow(world(slot), u8(action));
}
/**
 * Writes facts of a world as i32: width, height, x, y, dir, look of the carried object, steps, limit, terminated,
 * truncated, address of the looks, address of the view, object count, attempts of the last reset, finished. At byte 64
 * is the reward (f64), at byte 72 the state of the random generator after the last reset of any world (six u64).
 */
export function inspect(slot: i32): void {
  const w = world(slot);
  store<i32>(factsAt, w.width);
  store<i32>(factsAt, w.height, 4);
  store<i32>(factsAt, w.x, 8);
  store<i32>(factsAt, w.y, 12);
  store<i32>(factsAt, w.dir, 16);
  store<i32>(factsAt, w.carried ? lookOfObject(w, w.carried) : 0, 20);
  store<i32>(factsAt, w.stepCount, 24);
  store<i32>(factsAt, w.maxSteps, 28);
  store<i32>(factsAt, i32(w.terminated), 32);
  store<i32>(factsAt, i32(w.truncated), 36);
  store<i32>(factsAt, i32(looks(w)), 40);
  store<i32>(factsAt, i32(view(w)), 44);
  store<i32>(factsAt, w.objectCount, 48);
  store<i32>(factsAt, attempts, 52);
  store<i32>(factsAt, w.finished ? 1 : 0, 56);
  store<f64>(factsAt, w.reward, 64);
  writeState(factsAt + 72);
}
/** Writes the mission, or AgentGym's goal, to `textAt`; returns its length. */
export function missionText(slot: i32, asGoal: bool): i32 {
  startText(0);
  putMission(world(slot), asGoal);
  return textEnd();
}
/** Writes the low-level actions of the listed action `index` to `textAt`; returns their number. */
export function lowLevelOf(slot: i32, index: i32): i32 {
  const w = world(slot);
  const length = lengthOf(w, index);
  for (let at = 0; at < length; at++) store<u8>(textAt + at, lowLevel(w, index, at));
  return length;
}
/**
 * Writes "action\trefusal
 * " for every refusal of the present view to `textAt`; returns the length.
 */
export function refusalTexts(slot: i32): i32 {
  const w = world(slot);
  collectRefusals(w);
  startText(0);
  for (let index = 0; index < refusalCount; index++) {
    putAction(refusedId(index));
    store<u8>(textAt + textEnd(), 9);
    startText(textEnd() + 1);
    putRefusal(w, refusedId(index), refusedWhy(index));
    store<u8>(textAt + textEnd(), 10);
    startText(textEnd() + 1);
  }
  return textEnd();
}
/** Look of the object inside the object at a (padded) cell; 0 if there is none. */
export function contentLook(slot: i32, cell: i32): i32 {
  const w = world(slot);
  const id = idAt(w, usize(cell));
  const content = id == NOBODY ? 0 : contentOf(w, id);
  return content ? lookOfObject(w, content) : 0;
}
/** Writes the oracle's plan from here as action ids to `idsAt`; returns its length, 0 if there is no plan. */
export function oracle(slot: i32): i32 {
  planFrom(world(slot));
  for (let k = 0; k < planLength; k++) store<u16>(idsAt + k * 2, u16(plan[k]));
  return planLength;
}
/** Number of states that the oracle's last search reached. If it is below the limit, the search was exhaustive. */
export function oracleStates(): i32 {
  return nodeCount;
}
