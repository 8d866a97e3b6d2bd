/** Records of the goals of a variation, as tables.bin contains them: first the ordered goals, then the optional ones. */
import { head } from './arena';
import { pool, variation } from './tables';

export let table: usize = 0;
export let ordered: i32 = 0;
export let optional: i32 = 0;

export function open(): void {
  table = variation(head.variation, 1);
  ordered = load<u8>(table);
  optional = load<u8>(table + 1);
}

export function goalRecord(i: i32): usize {
  return pool + load<u32>(table + 4 + (i << 2));
}

export function orderedCount(): i32 {
  open();
  return ordered;
}

export function optionalCount(): i32 {
  open();
  return optional;
}

export function kind(g: usize): i32 {
  return load<u8>(g);
}

export function flags(g: usize): i32 {
  return load<u8>(g + 1);
}

export function listLength(g: usize): i32 {
  return load<u8>(g + 3);
}

export function requires(g: usize): u32 {
  return load<u32>(g + 4);
}

export function nameA(g: usize): i32 {
  return load<u16>(g + 8);
}

export function nameB(g: usize): i32 {
  return load<u16>(g + 10);
}

export function listed(g: usize, i: i32): i32 {
  return load<u16>(g + 12 + (i << 1));
}

export function goalText(g: usize): i32 {
  return load<u16>(g + 20);
}

export function amount(g: usize): f64 {
  return load<f64>(g + 24);
}
