/**
 * Reads tables.bin, which tables/generate.mjs writes. The host copies it in once, and every world of the instance
 * shares it.
 */
import { bytes } from './text';

let base: usize = 0;
let materials: usize = 0;
let classes: usize = 0;
let plants: usize = 0;
let unknowns: usize = 0;
let papers: usize = 0;
let tasks: usize = 0;
let variations: usize = 0;
export let pool: usize = 0;
let stages: usize = 0;
let strings: usize = 0;
let words: usize = 0;
let ranks: usize = 0;

// @ts-ignore: decorator
@inline
function section(i: i32): usize {
  return base + load<u32>(base + 4 + (i << 2));
}

export function installTables(at: usize): void {
  base = at;
  materials = section(0);
  classes = section(1);
  plants = section(2);
  unknowns = section(3);
  papers = section(4);
  tasks = section(5);
  variations = section(6);
  pool = section(7);
  stages = section(8);
  strings = section(9);
  words = section(10);
  rankStrings();
}

/** Computes the position of every string in sorted order, so that sorting by name compares numbers. */
function rankStrings(): void {
  const n = load<u32>(strings);
  ranks = heap.alloc(n * 2);
  const order = heap.alloc(n * 4);
  for (let i: u32 = 0; i < n; i++) {
    let j = i;
    for (; j > 0; j--) {
      const before = load<u32>(order + (j - 1) * 4);
      if (compareStrings(before, i) <= 0) break;
      store<u32>(order + j * 4, before);
    }
    store<u32>(order + j * 4, i);
  }
  for (let i: u32 = 0; i < n; i++) store<u16>(ranks + load<u32>(order + i * 4) * 2, <u16>i);
}

function compareStrings(a: i32, b: i32): i32 {
  const na = stringLength(a);
  const nb = stringLength(b);
  const order = memory.compare(stringAt(a), stringAt(b), min(na, nb));
  return order != 0 ? order : na - nb;
}

// @ts-ignore: decorator
@inline
export function rank(id: i32): i32 {
  return load<u16>(ranks + (id << 1));
}

// @ts-ignore: decorator
@inline
export function stringAt(id: i32): usize {
  return strings + load<u32>(strings + 4 + (id << 2));
}

// @ts-ignore: decorator
@inline
export function stringLength(id: i32): i32 {
  return load<u32>(strings + 8 + (id << 2)) - load<u32>(strings + 4 + (id << 2));
}

export function putString(id: i32): void {
  bytes(stringAt(id), stringLength(id));
}

export function putWord(id: i32): void {
  const from = load<u32>(words + 4 + (id << 2));
  bytes(words + from, load<u32>(words + 8 + (id << 2)) - from);
}

// ---- materials: substance, solid, liquid, gas, colour, state, conductive, ticks; then six numbers ----------------------

// @ts-ignore: decorator
@inline
export function material(id: i32): usize {
  return materials + (id << 6);
}

export const SUBSTANCE: usize = 0;
export const STATE_NAMES: usize = 2;
export const COLOUR: usize = 8;
export const START_STATE: usize = 10;
export const CONDUCTIVE: usize = 11;
export const TICKS: usize = 12;
export const TEMPERATURE: usize = 16;
export const CONDUCTIVITY: usize = 24;
export const MELTING: usize = 32;
export const BOILING: usize = 40;
export const COMBUSTION: usize = 48;

// ---- classes -----------------------------------------------------------------------------------------------------------

// @ts-ignore: decorator
@inline
export function classRecord(id: i32): usize {
  return classes + (id << 6);
}

// @ts-ignore: decorator
@inline
export function family(cls: i32): i32 {
  return load<i32>(classRecord(cls) + 8);
}

// @ts-ignore: decorator
@inline
export function lifecycle(cls: i32): i32 {
  return load<u8>(classRecord(cls) + 12);
}

// @ts-ignore: decorator
@inline
export function lifeform(cls: i32): i32 {
  return load<u16>(classRecord(cls) + 14);
}

export function heatMaximum(cls: i32): f64 {
  return load<f64>(classRecord(cls) + 16);
}

export function coolMinimum(cls: i32): f64 {
  return load<f64>(classRecord(cls) + 24);
}

export function prefix(cls: i32): i32 {
  return load<u16>(classRecord(cls) + 32);
}

export function listedReferents(cls: i32): i32 {
  return load<u8>(classRecord(cls) + 34);
}

export function listedReferent(cls: i32, i: i32): i32 {
  return load<u16>(classRecord(cls) + 36 + (i << 1));
}

export function showsContents(cls: i32): bool {
  return load<u8>(classRecord(cls) + 35) != 0;
}

// ---- plants, unknown substances, pictures, books, stages ----------------------------------------------------------------

/** `kind`: 0 seed, 1 tree, 2 plant; `form`: 0 plain, 1 burned, 2 on fire. */
export function plantName(form: i32, kind: i32, lifeformId: i32): i32 {
  const n = load<u16>(plants);
  for (let i = 0; i < <i32>n; i++) {
    const at = plants + 2 + i * 20;
    if (load<u16>(at) == lifeformId) return load<u16>(at + 2 + (kind * 3 + form) * 2);
  }
  return 0;
}

export function unknownMelting(letter: i32): f64 {
  return load<f64>(unknowns + 2 + (letter - 1) * 16);
}

export function unknownSubstance(letter: i32): i32 {
  return load<u16>(unknowns + 2 + (letter - 1) * 16 + 8);
}

export function unknownName(letter: i32, state: i32): i32 {
  return load<u16>(unknowns + 2 + (letter - 1) * 16 + 10 + state * 2);
}

export function subject(i: i32): i32 {
  return load<u16>(papers + i * 2);
}

export function artist(i: i32): i32 {
  return load<u16>(papers + 20 + i * 2);
}

/** Books in the order in which they are drawn. `field`: 0 class, 1 title, 2 author, 3 contents. */
export function book(i: i32, field: i32): i32 {
  return load<u16>(papers + 28 + i * 8 + field * 2);
}

export function stageString(stage: i32): i32 {
  return load<u16>(stages + stage * 2);
}

// ---- tasks ---------------------------------------------------------------------------------------------------------------

export function taskCount(task: i32): i32 {
  return load<i32>(tasks + task * 12);
}

export function taskFirst(task: i32): i32 {
  return load<i32>(tasks + task * 12 + 4);
}

export function taskName(task: i32): i32 {
  return load<i32>(tasks + task * 12 + 8);
}

/** `part`: 0 modifiers, 1 goals, 2 description. */
export function variation(index: i32, part: i32): usize {
  return pool + load<u32>(variations + index * 12 + part * 4);
}

export function putDescription(index: i32): void {
  const at = variation(index, 2);
  const n = <i32>load<u16>(at);
  for (let i = 0; i < n; i++) {
    if (i > 0) bytes(SPACE, 1);
    putWord(load<u16>(at + 2 + i * 2));
  }
}

const SPACE: usize = memory.data<u8>([32]);
