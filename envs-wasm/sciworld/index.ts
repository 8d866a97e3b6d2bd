/**
 * ScienceWorld for a host: numbered worlds in one instance. The host copies tables.bin in once (`room`, `install`).
 * After that it writes lines at `room(n)` and reads the answer of a call at `textAt()`, `textLength()`.
 */
import { HIDDEN, has, OPEN, CLOSABLE, SIZE, Obj, isNil, set, NIL } from './object';
import {
  OBJECTS, allocate, at, base, clearWorld, enter, head, release, reseed, Header, forgetWork, goalDone, work, portal,
} from './arena';
import { help, step as stepWorld } from './agent';
import { accepted as lastAccepted, putInventory, putTask } from './actions';
import { describe } from './describe';
import { putScene } from './scene';
import { agentRoom } from './search';
import { buildHouse } from './house';
import { applyModifiers } from './setup';
import { goalText, goalRecord, optionalCount, orderedCount } from './goal-records';
import { startGoals } from './goals';
import { answer, byte, integer } from './text';
import { installTables, putString, taskCount, taskFirst, taskName } from './tables';
import { OPEN_CONTAINERS, OPEN_DOORS } from './devices';
import { codes, inOrder, putPossibleObjects, putValid } from './valid';

/** The task registry's objects have the uuids up to this one; the house comes after them. */
const REGISTRY: i32 = 17196;
const START_BYTES: i32 = 57344;

const worlds: Array<usize> = new Array<usize>();
const snapshots: Array<usize> = new Array<usize>();
let input: usize = 0;
let inputCapacity: i32 = 0;

/** Address with room for `n` bytes from the host. */
export function room(n: i32): usize {
  if (n > inputCapacity) {
    inputCapacity = max(n, 4096);
    input = heap.alloc(inputCapacity);
  }
  return input;
}

/** Installs the tables that were written at `room`. */
export function install(): void {
  installTables(input);
  input = 0;
  inputCapacity = 0;
}

export function textAt(): usize {
  return answer.start;
}

export function textLength(): i32 {
  return answer.length;
}

export function create(): i32 {
  const at = allocate(START_BYTES);
  clearWorld(at);
  worlds.push(at);
  return worlds.length - 1;
}

function use(world: i32): void {
  answer.length = 0;
  forgetWork();
  enter(worlds[world]);
}

function leave(world: i32): void {
  worlds[world] = base;
}

/** Resets a world. `simplifications` are bits of devices.ts. Returns false if there is no such task or variation. */
export function reset(world: i32, task: i32, variation: i32, simplifications: i32): bool {
  if (task < 0 || task >= 30 || variation < 0 || variation >= taskCount(task)) return false;
  use(world);
  if (head.capacity > START_BYTES * 2) {
    release(base);
    enter(allocate(START_BYTES));
  }
  clearWorld(base);
  head.uuid = REGISTRY;
  head.task = task;
  head.variation = taskFirst(task) + variation;
  head.simplifications = simplifications;
  reseed(variation);
  buildHouse();
  reseed(variation);
  growForTask();
  applyModifiers(head.variation);
  if (simplifications & OPEN_DOORS) openPortals();
  if (simplifications & OPEN_CONTAINERS) openContainers();
  startGoals();
  leave(world);
  return true;
}

/** A task places at most about forty objects of three slots each. */
function growForTask(): void {
  const need = head.used + 240 * SIZE;
  if (need <= head.capacity) return;
  const next = allocate(need);
  const capacity = changetype<Header>(next).capacity;
  memory.copy(next, base, head.used);
  changetype<Header>(next).capacity = capacity;
  release(base);
  enter(next);
}

function openPortals(): void {
  for (let i = 0; i < head.portals; i++) set(portal(i), OPEN, true);
}

function openContainers(): void {
  for (let offset = OBJECTS; offset < head.used; offset += SIZE) {
    const o = changetype<Obj>(base + offset);
    if (has(o, CLOSABLE)) set(o, OPEN, true);
  }
}

/** Performs the line at `room`: `n` bytes of lower-case UTF-8. */
export function step(world: i32, n: i32): void {
  use(world);
  stepWorld(input, n);
  leave(world);
}

export function look(world: i32): void {
  use(world);
  describe(agentRoom(), 1, NIL);
}

export function inventory(world: i32): void {
  use(world);
  putInventory();
}

export function description(world: i32): void {
  use(world);
  putTask('');
}

export function listActions(world: i32): void {
  use(world);
  help();
}

/** Writes the pieces of the valid actions; the codes at `codesAt` (`codesLength` bytes) combine them (valid.ts). */
export function valid(world: i32, upstream: bool): void {
  use(world);
  putValid(upstream);
}

export function codesAt(): usize {
  return codes.start;
}

/** Length in bytes. */
export function codesLength(): i32 {
  return codes.length;
}

/** True if the last list is sorted, as it nearly always is; else the host has to sort it. */
export function validInOrder(): bool {
  return inOrder;
}

export function possibleObjects(world: i32, upstream: bool): void {
  use(world);
  putPossibleObjects(upstream);
}

export function score(world: i32): f64 {
  return changetype<Header>(worlds[world]).score;
}

export function completed(world: i32): bool {
  return changetype<Header>(worlds[world]).completed != 0;
}

/** True if the last step's action was done, not refused and not misunderstood. */
export function accepted(): bool {
  return lastAccepted;
}

export function moves(world: i32): i32 {
  return changetype<Header>(worlds[world]).moves;
}

/** Amount of work of the last call (arena.ts). */
export function lastWork(): f64 {
  return <f64>work;
}

/** Number of matches to choose from, or 0. */
export function pending(world: i32): i32 {
  const h = changetype<Header>(worlds[world]);
  return h.pending > 0 ? h.choices : 0;
}

export function randomState(world: i32): u64 {
  return changetype<Header>(worlds[world]).random;
}

export function lastUuid(world: i32): i32 {
  return changetype<Header>(worlds[world]).uuid;
}

/** Writes for example "2:0110F": ordered goals reached, optional goals, failed. */
export function progress(world: i32): void {
  use(world);
  integer(head.goal);
  byte(58);
  for (let i = 0; i < optionalCount(); i++) byte(goalDone(i) ? 49 : 48);
  if (head.failed) byte(70);
}

/** Writes one line for each subgoal: "+" if reached or "-", "o" ordered or "p" optional, its text. */
export function goals(world: i32): void {
  use(world);
  const n = orderedCount();
  for (let i = 0; i < n + optionalCount(); i++) {
    byte((i < n ? i < head.goal : goalDone(i - n)) ? 43 : 45);
    byte(i < n ? 111 : 112);
    byte(32);
    putString(goalText(goalRecord(i)));
    byte(10);
  }
}

/**
 * Writes the object tree, one object per line: depth, uuid, name and temperature in tenths of a degree (-100000 if
 * none), separated by "|". Hidden objects are left out.
 */
export function tree(world: i32, whole: bool): void {
  use(world);
  branch(whole ? at(head.universe) : agentRoom(), 0);
}

function branch(o: Obj, depth: i32): void {
  if (depth > 40) return;
  integer(depth);
  byte(124);
  integer(o.uuid);
  byte(124);
  putString(o.name);
  byte(124);
  integer(o.mat == 0 ? -100000 : <i32>Math.round(o.temperature * 10));
  byte(10);
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN)) branch(c, depth + 1);
}

/** Writes the contents of a view (scene.ts). */
export function scene(world: i32): void {
  use(world);
  putScene();
}

export function bytesOf(world: i32): i32 {
  return changetype<Header>(worlds[world]).capacity;
}

export function snapshot(world: i32): i32 {
  const from = worlds[world];
  const used = changetype<Header>(from).used;
  const copy = heap.alloc(used);
  memory.copy(copy, from, used);
  snapshots.push(copy);
  return snapshots.length - 1;
}

export function restore(world: i32, saved: i32): void {
  const from = snapshots[saved];
  const used = changetype<Header>(from).used;
  let to = worlds[world];
  if (changetype<Header>(to).capacity < used) {
    release(to);
    to = allocate(used + used / 4);
    worlds[world] = to;
  }
  const capacity = changetype<Header>(to).capacity;
  memory.copy(to, from, used);
  changetype<Header>(to).capacity = capacity;
}

export function tasks(): void {
  answer.length = 0;
  for (let i = 0; i < 30; i++) {
    putString(taskName(i));
    byte(32);
    integer(taskCount(i));
    byte(10);
  }
}

/** Copies world `from` to world `to`, in which an oracle can try actions. */
export function copy(from: i32, to: i32): void {
  const source = worlds[from];
  const used = changetype<Header>(source).used;
  let target = worlds[to];
  if (changetype<Header>(target).capacity < used) {
    release(target);
    target = allocate(used + used / 4);
    worlds[to] = target;
  }
  const capacity = changetype<Header>(target).capacity;
  memory.copy(target, source, used);
  changetype<Header>(target).capacity = capacity;
}
