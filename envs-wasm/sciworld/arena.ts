/**
 * A world is one arena: a header, then objects of a fixed size in order of creation. Objects refer to each other by
 * their offset from the arena's start, so a snapshot is a copy of the used bytes. An arena grows only between ticks
 * (`ensureRoom`), so within a tick plain references to objects stay valid. Terminals are objects too: they fall into
 * the room when their owner burns.
 */
import { nextBits, nextInt, seedRandom } from '../shared/java-random';
import { C_Bathtub, C_Sink, C_Toilet, F_Tree, F_FruitingTree } from './tables/ids';
import { NIL, BURNING, IS_CONTAINER, Obj, PORTALED, SIZE, TICKED, TRIPLE, has, isNil, isOf } from './object';

@unmanaged
export class Header {
  random: u64;
  capacity: i32;
  used: i32;
  uuid: i32;
  variation: i32;
  task: i32;
  simplifications: i32;
  universe: i32;
  agent: i32;
  inventory: i32;
  moves: i32;
  waiting: i32;
  focus: i32;
  lastObject: i32;
  goal: i32;
  keys: u32;
  failed: i32;
  stopped: i32;
  portals: i32;
  /** The last executed "look at", "read" or "use": the action, its objects, and the number of actions so far. */
  actionKind: i32;
  actionFirst: i32;
  actionSecond: i32;
  actionCount: i32;
  /** Length in bytes of the ambiguous input that waits for a number; 0 if there is none. */
  pending: i32;
  completed: i32;
  /** Number of matches to choose from. */
  choices: i32;
  stateSeen: i32;
  score: f64;
}

const PORTALS: usize = 128;
const GOAL_DONE: usize = 256;
const GOAL_STATE: usize = 320;
const PENDING: usize = 832;
export const PENDING_BYTES: i32 = 960;
export const OBJECTS: i32 = 1792;
const MOST_PORTALS: i32 = 32;

/** The world of the present call. */
export let base: usize = 0;
export let head: Header = changetype<Header>(0);

export function enter(at: usize): void {
  base = at;
  head = changetype<Header>(at);
}

// @ts-ignore: decorator
@inline
export function at(offset: i32): Obj {
  return offset == 0 ? NIL : changetype<Obj>(base + offset);
}

// @ts-ignore: decorator
@inline
export function ref(o: Obj): i32 {
  return isNil(o) ? 0 : <i32>(changetype<usize>(o) - base);
}

// @ts-ignore: decorator
@inline
export function parentOf(o: Obj): Obj {
  return at(o.parent);
}

export function portal(i: i32): Obj {
  return at(load<i32>(base + PORTALS + (i << 2)));
}

export function addPortal(p: Obj): void {
  if (head.portals == MOST_PORTALS) unreachable();
  store<i32>(base + PORTALS + (head.portals++ << 2), ref(p));
  at(p.a).flags |= PORTALED;
  if (p.c == 0) at(p.b).flags |= PORTALED;
}

export function goalDone(i: i32): bool {
  return load<u8>(base + GOAL_DONE + i) != 0;
}

export function setGoalDone(i: i32, done: bool): void {
  store<u8>(base + GOAL_DONE + i, done ? 1 : 0);
}

export function goalState(i: i32): f64 {
  return load<f64>(base + GOAL_STATE + (i << 3));
}

export function setGoalState(i: i32, value: f64): void {
  store<f64>(base + GOAL_STATE + (i << 3), value);
}

export function pendingAt(): usize {
  return base + PENDING;
}

/** Clears the tick flags; terminals have none. */
export function clearTicks(): void {
  for (let offset = OBJECTS; offset < head.used; offset += TRIPLE) changetype<Obj>(base + offset).flags &= ~TICKED;
}

// ---- chance --------------------------------------------------------------------------------------------------------------

// The state of the generator is the first field of the header.
export function reseed(seed: i32): void {
  seedRandom(base, seed);
}

export function draw(n: i32): i32 {
  return nextInt(base, n);
}

export function coin(): bool {
  return nextBits(base, 1) != 0;
}

// ---- memory: whole pages, kept in lists by size ----------------------------------------------------------------------------

const PAGE: i32 = 8192;
const free: StaticArray<usize> = new StaticArray<usize>(8192);

/** Returns an arena of at least `capacity` bytes; the header contains its capacity. */
export function allocate(capacity: i32): usize {
  const pages = (capacity + PAGE - 1) / PAGE;
  let found: usize = 0;
  if (pages < free.length && free[pages] != 0) {
    found = free[pages];
    free[pages] = load<usize>(found);
  } else found = heap.alloc(pages * PAGE);
  changetype<Header>(found).capacity = pages * PAGE;
  return found;
}

export function release(world: usize): void {
  const pages = changetype<Header>(world).capacity / PAGE;
  if (pages >= free.length) return heap.free(world);
  store<usize>(world, free[pages]);
  free[pages] = world;
}

export function clearWorld(world: usize): void {
  const capacity = changetype<Header>(world).capacity;
  memory.fill(world, 0, OBJECTS);
  changetype<Header>(world).capacity = capacity;
  changetype<Header>(world).used = OBJECTS;
}

/**
 * Makes room for all objects that one tick or one action can create: water in each vessel of a filling basin, flowers
 * and fruit of plants, ash, and so on. Returns the world's address.
 */
export function ensureRoom(): usize {
  let makers = 24;
  for (let offset = OBJECTS; offset < head.used; offset += TRIPLE) {
    const o = changetype<Obj>(base + offset);
    if (has(o, BURNING) || isOf(o, F_Tree | F_FruitingTree)) makers += 3;
    else if (o.parent != 0 && has(o, IS_CONTAINER)) {
      const holder = at(o.parent).cls;
      if (holder == C_Sink || holder == C_Toilet || holder == C_Bathtub) makers++;
    }
  }
  const need = head.used + makers * 3 * SIZE;
  if (need <= head.capacity) return base;
  const next = allocate(need + need / 4);
  const capacity = changetype<Header>(next).capacity;
  memory.copy(next, base, head.used);
  changetype<Header>(next).capacity = capacity;
  release(base);
  enter(next);
  return next;
}

// ---- work --------------------------------------------------------------------------------------------------------------

/**
 * Work of the present call: objects visited, pairs touched, referents compared. As a count, its bound holds on any
 * machine.
 */
export let work: i64 = 0;

export function worked(n: i32): void {
  work += n;
}

export function forgetWork(): void {
  work = 0;
}
