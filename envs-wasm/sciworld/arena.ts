/**
 * A world is one arena: a header, then objects of a fixed size in the order they were made. Objects name each other by offset
 * from the arena's start, so a snapshot is a copy of the bytes in use. An arena grows only between ticks (`ensureRoom`), so
 * within a tick plain references to objects hold. Terminals are objects too: they spill into rooms when their owner burns.
 */
import { nextBits, nextInt, seedRandom } from '../shared/java-random';
import {
  C_Anode, C_Bathtub, C_Cathode, C_Sink, C_Terminal, C_Toilet, F_PolarizedElectricalComponent, F_Tree,
  F_FruitingTree, F_UnpolarizedElectricalComponent, S_anode, S_cathode, S_terminal_1, S_terminal_2, C_InclinedPlane,
  C_Ash,
} from './tables/ids';
import { CONDUCTIVE, START_STATE, TEMPERATURE, TICKS, classRecord, family, lifecycle, material, rank } from './tables';

export const HIDDEN: i32 = 1;
export const DELETED: i32 = 2;
export const TICKED: i32 = 4;
export const HAS_CONTAINER: i32 = 8;
export const IS_CONTAINER: i32 = 16;
export const OPEN: i32 = 32;
export const CLOSABLE: i32 = 64;
export const HAS_DEVICE: i32 = 128;
export const ACTIVABLE: i32 = 256;
export const ACTIVE: i32 = 512;
export const USABLE: i32 = 1024;
export const BROKEN: i32 = 2048;
export const MOVABLE: i32 = 4096;
export const EDIBLE: i32 = 8192;
export const BURNING: i32 = 16384;
export const BURNED: i32 = 32768;
export const CONDUCTS: i32 = 65536;
export const SICK: i32 = 131072;
export const DEAD: i32 = 262144;
export const TERMINALS: i32 = 524288;
export const POLARIZED: i32 = 1048576;
/** Rooms with doors and basins with drains. */
export const PORTALED: i32 = 2097152;
/** A terminal itself. */
export const TERMINAL: i32 = 4194304;
/** Set only within a walk that collects each object once. */
export const MARKED: i32 = 8388608;

export const SOLID: i32 = 0;
export const LIQUID: i32 = 1;
export const GAS: i32 = 2;

@unmanaged
export class Obj {
  uuid: i32;
  parent: i32;
  first: i32;
  last: i32;
  next: i32;
  prev: i32;
  flags: i32;
  small_name: u16;
  small_cls: u8;
  small_mat: u8;
  small_state: u8;
  small_stage: u8;
  /** Unknown substances: which letter (from 1). */
  small_letter: u8;
  /** Terminals: 0 none, 1 ground, 2 nine volts. */
  small_volts: u8;
  small_burnTicks: i16;
  small_genes: u8;
  /** Flowers: genes of the pollen that reached it. */
  small_otherGenes: u8;
  /** Up to here: what every tick reads, within 48 bytes. */
  temperature: f64;
  /** Terminals: the terminal it is connected to. */
  wire: i32;
  /** By class: portal from and to; stopwatch reading and shown; toilet's stage; pollination step and plant; picture, book, recipe. */
  a: i32;
  b: i32;
  c: i32;
  /** Life stages: ticks, without water, without soil, out of temperature. */
  small_count: u16;
  small_dry: u16;
  small_bare: u16;
  small_cold: u16;
  /** Place on an inclined plane, 1 top to 0 bottom. */
  place: f64;
  angle: f64;
  friction: f64;

  // Small fields read and write as i32.
  // @ts-ignore: decorator
  @inline
  get name(): i32 {
    return this.small_name;
  }
  // @ts-ignore: decorator
  @inline
  set name(value: i32) {
    this.small_name = <u16>value;
  }
  // @ts-ignore: decorator
  @inline
  get cls(): i32 {
    return this.small_cls;
  }
  // @ts-ignore: decorator
  @inline
  set cls(value: i32) {
    this.small_cls = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get mat(): i32 {
    return this.small_mat;
  }
  // @ts-ignore: decorator
  @inline
  set mat(value: i32) {
    this.small_mat = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get state(): i32 {
    return this.small_state;
  }
  // @ts-ignore: decorator
  @inline
  set state(value: i32) {
    this.small_state = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get stage(): i32 {
    return this.small_stage;
  }
  // @ts-ignore: decorator
  @inline
  set stage(value: i32) {
    this.small_stage = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get letter(): i32 {
    return this.small_letter;
  }
  // @ts-ignore: decorator
  @inline
  set letter(value: i32) {
    this.small_letter = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get volts(): i32 {
    return this.small_volts;
  }
  // @ts-ignore: decorator
  @inline
  set volts(value: i32) {
    this.small_volts = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get burnTicks(): i32 {
    return this.small_burnTicks;
  }
  // @ts-ignore: decorator
  @inline
  set burnTicks(value: i32) {
    this.small_burnTicks = <i16>value;
  }
  // @ts-ignore: decorator
  @inline
  get genes(): i32 {
    return this.small_genes;
  }
  // @ts-ignore: decorator
  @inline
  set genes(value: i32) {
    this.small_genes = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get otherGenes(): i32 {
    return this.small_otherGenes;
  }
  // @ts-ignore: decorator
  @inline
  set otherGenes(value: i32) {
    this.small_otherGenes = <u8>value;
  }
  // @ts-ignore: decorator
  @inline
  get count(): i32 {
    return this.small_count;
  }
  // @ts-ignore: decorator
  @inline
  set count(value: i32) {
    this.small_count = <u16>value;
  }
  // @ts-ignore: decorator
  @inline
  get dry(): i32 {
    return this.small_dry;
  }
  // @ts-ignore: decorator
  @inline
  set dry(value: i32) {
    this.small_dry = <u16>value;
  }
  // @ts-ignore: decorator
  @inline
  get bare(): i32 {
    return this.small_bare;
  }
  // @ts-ignore: decorator
  @inline
  set bare(value: i32) {
    this.small_bare = <u16>value;
  }
  // @ts-ignore: decorator
  @inline
  get cold(): i32 {
    return this.small_cold;
  }
  // @ts-ignore: decorator
  @inline
  set cold(value: i32) {
    this.small_cold = <u16>value;
  }
}

export const SIZE: i32 = 96;
/** An object and the two terminals that follow it. */
export const TRIPLE: i32 = 3 * SIZE;
export const NIL: Obj = changetype<Obj>(0);

// ---- the header ----------------------------------------------------------------------------------------------------------

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
  /** The last executed "look at", "read" or "use": what, on what, and how many there were. */
  actionKind: i32;
  actionFirst: i32;
  actionSecond: i32;
  actionCount: i32;
  /** Bytes of the ambiguous input that waits for a number; 0: none. */
  pending: i32;
  completed: i32;
  /** How many matches wait for a number. */
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

/** The world of this call. */
export let base: usize = 0;
export let head: Header = changetype<Header>(0);

export function enter(at: usize): void {
  base = at;
  head = changetype<Header>(at);
}

// @ts-ignore: decorator
@inline
export function isNil(o: Obj): bool {
  return changetype<usize>(o) == 0;
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
export function has(o: Obj, flag: i32): bool {
  return (o.flags & flag) != 0;
}

export function set(o: Obj, flag: i32, on: bool): void {
  if (on) o.flags |= flag;
  else o.flags &= ~flag;
}

// @ts-ignore: decorator
@inline
export function isOf(o: Obj, bits: i32): bool {
  return (family(o.cls) & bits) != 0;
}

// @ts-ignore: decorator
@inline
export function parentOf(o: Obj): Obj {
  return at(o.parent);
}

export function portal(i: i32): Obj {
  return at(load<i32>(base + PORTALS + (i << 2)));
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

// ---- chance --------------------------------------------------------------------------------------------------------------

// The generator's state is the header's first field.
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

/** An arena of at least `capacity` bytes; its capacity stands in its header. */
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

/** Room for what one tick or one action can make: a filling basin gives each vessel in it water, plants flower and fruit, and so on. */
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

// ---- making ----------------------------------------------------------------------------------------------------------------

function slot(uuid: i32, cls: i32, name: i32): Obj {
  // During construction the caller sized the arena (START_BYTES); later `ensureRoom` did.
  if (head.used + SIZE > head.capacity) unreachable();
  const o = changetype<Obj>(base + head.used);
  memory.fill(base + head.used, 0, SIZE);
  head.used += SIZE;
  o.uuid = uuid;
  o.cls = <u8>cls;
  o.name = <u16>name;
  return o;
}

function terminal(uuid: i32, cls: i32, name: i32, owner: Obj, hidden: bool): void {
  const t = slot(uuid, cls, name);
  t.flags = hidden ? HIDDEN | TERMINAL : TERMINAL;
  append(owner, t);
}

/** A new object with the next uuids, as its class's constructor makes it (without the parts a composite adds). */
export function make(cls: i32): Obj {
  const bits = family(cls);
  const uuid = head.uuid + (bits & F_PolarizedElectricalComponent ? 1 : 3);
  head.uuid += 3;
  return makeAs(cls, uuid);
}

/** The same with its uuid given (task objects, whose numbers come from the tables). */
export function makeAs(cls: i32, uuid: i32): Obj {
  const record = classRecord(cls);
  const bits = family(cls);
  const o = slot(uuid, cls, load<u16>(record));
  const mat = load<u8>(record + 2);
  if (mat != 0) setMaterial(o, mat);
  if (load<u8>(record + 3) & 2) o.flags |= EDIBLE;
  const container = load<u8>(record + 4);
  if (container) {
    o.flags |= HAS_CONTAINER;
    if (container & 1) o.flags |= IS_CONTAINER;
    if (container & 2) o.flags |= OPEN;
    if (container & 4) o.flags |= CLOSABLE;
  }
  const device = load<u8>(record + 5);
  if (device) {
    o.flags |= HAS_DEVICE;
    if (device & 1) o.flags |= ACTIVABLE;
    if (device & 2) o.flags |= ACTIVE;
    if (device & 4) o.flags |= USABLE;
  }
  if (load<u8>(record + 6) & 1) o.flags |= MOVABLE;
  if (lifecycle(cls)) o.stage = load<u8>(record + 13);
  if (bits & F_PolarizedElectricalComponent) {
    o.flags |= POLARIZED;
    terminal(uuid + 1, C_Anode, S_anode, o, false);
    terminal(uuid + 2, C_Cathode, S_cathode, o, false);
  } else {
    o.flags |= TERMINALS;
    const hidden = (bits & F_UnpolarizedElectricalComponent) == 0;
    terminal(uuid - 2, C_Terminal, S_terminal_1, o, hidden);
    terminal(uuid - 1, C_Terminal, S_terminal_2, o, hidden);
  }
  return o;
}

export function setMaterial(o: Obj, mat: i32): void {
  const m = material(mat);
  o.mat = <u8>mat;
  o.temperature = load<f64>(m + TEMPERATURE);
  o.state = load<u8>(m + START_STATE);
  o.burnTicks = load<u16>(m + TICKS);
  if (load<u8>(m + CONDUCTIVE)) o.flags |= CONDUCTS;
  if (o.cls == C_Ash) o.flags |= BURNED;
}

/** An object's two terminals follow it in the arena; nil for a terminal itself. */
export function terminal1(o: Obj): Obj {
  return has(o, TERMINALS | POLARIZED) ? changetype<Obj>(changetype<usize>(o) + SIZE) : NIL;
}

export function terminal2(o: Obj): Obj {
  return has(o, TERMINALS | POLARIZED) ? changetype<Obj>(changetype<usize>(o) + 2 * SIZE) : NIL;
}

/** Holds nothing but its own two terminals (whose numbers follow each other); told without visiting them. */
// @ts-ignore: decorator
@inline
export function isBare(o: Obj): bool {
  const one = ref(o) + SIZE;
  return o.first == one && o.last == one + SIZE;
}

/** The object a terminal belongs to, wherever it lies. */
export function ownerOf(t: Obj): Obj {
  const second = t.cls == C_Cathode || t.name == S_terminal_2;
  return changetype<Obj>(changetype<usize>(t) - (second ? 2 * SIZE : SIZE));
}

export function addPortal(p: Obj): void {
  if (head.portals == MOST_PORTALS) unreachable();
  store<i32>(base + PORTALS + (head.portals++ << 2), ref(p));
  at(p.a).flags |= PORTALED;
  if (p.c == 0) at(p.b).flags |= PORTALED;
}

// ---- containment ------------------------------------------------------------------------------------------------------------

function append(container: Obj, o: Obj): void {
  o.parent = ref(container);
  let after = at(container.last);
  while (!isNil(after) && after.uuid > o.uuid) after = at(after.prev);
  if (isNil(after)) {
    o.prev = 0;
    o.next = container.first;
    container.first = ref(o);
  } else {
    o.prev = ref(after);
    o.next = after.next;
    after.next = ref(o);
  }
  if (o.next != 0) at(o.next).prev = ref(o);
  else container.last = ref(o);
}

export function detach(o: Obj): void {
  if (o.parent == 0) return;
  const container = at(o.parent);
  if (o.prev != 0) at(o.prev).next = o.next;
  else container.first = o.next;
  if (o.next != 0) at(o.next).prev = o.prev;
  else container.last = o.prev;
  o.parent = 0;
  o.next = 0;
  o.prev = 0;
}

/** Contents stay in uuid order. */
export function add(container: Obj, o: Obj): void {
  if (changetype<usize>(container) == changetype<usize>(o)) return;
  detach(o);
  append(container, o);
  if (container.cls == C_InclinedPlane) o.place = 1.0;
}

export function expelContents(o: Obj, to: Obj): void {
  while (o.first != 0) add(to, at(o.first));
}

export function disconnect(o: Obj): void {
  unwire(terminal1(o));
  unwire(terminal2(o));
}

function unwire(t: Obj): void {
  if (isNil(t) || t.wire == 0) return;
  at(t.wire).wire = 0;
  t.wire = 0;
}

export function isConnected(o: Obj): bool {
  const one = terminal1(o);
  return !isNil(one) && (one.wire != 0 || terminal2(o).wire != 0);
}

export function remove(o: Obj, expel: bool): void {
  if (expel && o.parent != 0) expelContents(o, parentOf(o));
  disconnect(o);
  detach(o);
  o.flags |= DELETED;
}

/** Order of two objects in lists: by raw name, then uuid. */
export function listOrder(a: Obj, b: Obj): i32 {
  const order = rank(a.name) - rank(b.name);
  return order != 0 ? order : a.uuid - b.uuid;
}

/** Terminals have no ticks. */
export function clearTicks(): void {
  for (let offset = OBJECTS; offset < head.used; offset += TRIPLE) changetype<Obj>(base + offset).flags &= ~TICKED;
}

/** Work done by this call: objects visited, pairs touched, referents compared. A count, so that a bound on it holds on any machine. */
export let work: i64 = 0;

export function worked(n: i32): void {
  work += n;
}

export function forgetWork(): void {
  work = 0;
}

// ---- lists of objects ----------------------------------------------------------------------------------------------------------

/** A growable list of objects, reused from call to call. */
export class List {
  items: usize;
  length: i32 = 0;
  capacity: i32 = 256;

  constructor() {
    this.items = heap.alloc(<usize>this.capacity * 4);
  }

  // @ts-ignore: decorator
  @inline
  push(o: Obj): void {
    if (this.length == this.capacity) this.grow();
    store<i32>(this.items + (this.length++ << 2), ref(o));
  }

  private grow(): void {
    const next = heap.alloc(<usize>this.capacity * 8);
    memory.copy(next, this.items, <usize>this.capacity * 4);
    heap.free(this.items);
    this.items = next;
    this.capacity *= 2;
  }

  // @ts-ignore: decorator
  @inline
  get(i: i32): Obj {
    return changetype<Obj>(base + load<i32>(this.items + (i << 2)));
  }

  put(i: i32, o: Obj): void {
    store<i32>(this.items + (i << 2), ref(o));
  }
}

/** Scratch of nested walks: each keeps its part above `length` and cuts it off again. */
export const stack: List = new List();
