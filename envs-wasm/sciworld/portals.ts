/** Descriptions of doors and drains. */
import { OPEN, Obj, has } from './object';
import { at, head, ref, portal } from './arena';
import { putString } from './tables';
import { byte, bytes, compare, out, put, redirect, scratch } from './text';
import { farSide, nextPortal } from './search';
import * as I from './tables/ids';

export function openClosed(o: Obj): void {
  put(has(o, OPEN) ? 'open' : 'closed');
}

export function describePortal(p: Obj, from: Obj): void {
  if (p.cls == I.C_LiquidDrain) {
    put('A drain, which is ');
    return openClosed(p);
  }
  const offset = ref(from);
  if (offset != 0 && (p.a == offset || p.b == offset)) {
    put('A door to the ');
    putString(farSide(p, from).name);
  } else {
    put('A door that connects the ');
    putString(at(p.a).name);
    put(' to the ');
    putString(at(p.b).name);
  }
  put(' (that is ');
  openClosed(p);
  byte(41);
}

/** Writes the descriptions of a room's portals: sorted as strings, without duplicates. */
export function portalList(room: Obj): void {
  const before = redirect(scratch);
  const from = out.length;
  const firstMark = marks.length;
  for (let i = nextPortal(room, 0); i < head.portals; i = nextPortal(room, i + 1)) {
    marks.push(out.length);
    describePortal(portal(i), room);
  }
  const n = marks.length - firstMark;
  marks.push(out.length);
  redirect(before);
  if (n == 0) put('\tnothing');
  let last = -1;
  for (let k = 0; k < n; k++) {
    let best = -1;
    for (let i = 0; i < n; i++) {
      if (last >= 0 && orderOf(firstMark, i, last) <= 0) continue;
      if (best < 0 || orderOf(firstMark, i, best) < 0) best = i;
    }
    if (best < 0) break;
    last = best;
    byte(9);
    const start = marks[firstMark + best];
    bytes(scratch.start + start, marks[firstMark + best + 1] - start);
    byte(10);
  }
  marks.length = firstMark;
  scratch.length = from;
}

const marks: Array<i32> = new Array<i32>();

function orderOf(first: i32, i: i32, j: i32): i32 {
  const a = marks[first + i];
  const b = marks[first + j];
  return compare(scratch.start + a, marks[first + i + 1] - a, scratch.start + b, marks[first + j + 1] - b);
}
