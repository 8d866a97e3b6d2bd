// Parses actions. A text must be exactly the one that `putAction` would write.
import {
  DO_CHECK, DO_DROP, DO_FORWARD, DO_GO_THROUGH, DO_GO_TO, DO_LEFT, DO_PICKUP, DO_RIGHT, DO_TOGGLE, DO_TOGGLE_THROUGH,
  actionId, NO_ACTION,
} from './planner';
import { lookOf, DOOR, BOX, KEY } from './world';
import { Phrase, SPACE, colors, phrase, types, verbs } from './phrases';

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
/** A number from 1 to 63 without leading zeros, up to the end of the text; else 0. */
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
