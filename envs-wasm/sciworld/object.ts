/**
 * One object of a world: its flags, its fields and tests of them. Objects are in an arena (arena.ts) and refer to each
 * other by their offset from its start; 0 means no object.
 */
import { family } from './tables';

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
/** Has doors or drains: rooms and basins. */
export const PORTALED: i32 = 2097152;
/** Is a terminal. */
export const TERMINAL: i32 = 4194304;
/** Set only during a walk that collects each object once. */
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
  /** Unknown substances: the letter, from 1. */
  small_letter: u8;
  /** Terminals: 0 none, 1 ground, 2 nine volts. */
  small_volts: u8;
  small_burnTicks: i16;
  small_genes: u8;
  /** Flowers: genes of the pollen that reached them. */
  small_otherGenes: u8;
  /** The fields up to here are read in every tick and fit 48 bytes. */
  temperature: f64;
  /** Terminals: the terminal at the other end of the wire. */
  wire: i32;
  /**
   * Meaning by class. Portal: from and to. Stopwatch: time and shown time. Toilet: stage. Flower: pollination step and
   * plant. Picture, book, recipe: their contents.
   */
  a: i32;
  b: i32;
  c: i32;
  /** Living things: number of ticks in this stage; of these without water, without soil, too hot or too cold. */
  small_count: u16;
  small_dry: u16;
  small_bare: u16;
  small_cold: u16;
  /** Place on an inclined plane, from 1 (top) to 0 (bottom). */
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
/** Size of an object and its two terminals, which follow it. */
export const TRIPLE: i32 = 3 * SIZE;
export const NIL: Obj = changetype<Obj>(0);

// @ts-ignore: decorator
@inline
export function isNil(o: Obj): bool {
  return changetype<usize>(o) == 0;
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
