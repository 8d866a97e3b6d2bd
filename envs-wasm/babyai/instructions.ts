// Instructions and their verifier: the objects that a description means, and the check whether a low-level action
// completed the mission. Depends on a world's grid, not on text or on the choice of a mission.
//
// A mission is A, or "A, then B", or "A after you B", where A and B are one action or two joined by "and". So four
// leaves are enough: 0 and 1 belong to A, 2 and 3 to B. A leaf has two descriptions, the second for "next to".
import {
  aheadOf, ANY, asideOf, at, cellOf, colorOf, DOOR, frontCell, GREY, idAt, INSTRUCTIONS, LOOK_WALL, lookAt, NOBODY,
  NOWHERE, OPEN, PAD, seenIdAt, stateOf, STRIDE, typeOf, World,
} from './world';
import { agentRoom, insideRoom } from './rooms';

export const GOTO: u8 = 0;
export const OPEN_IT: u8 = 1;
export const PICKUP: u8 = 2;
export const PUT_NEXT: u8 = 3;

/** Kinds of a mission: A alone, A before B, A after B. */
export const ONLY: u8 = 0;
export const BEFORE: u8 = 1;
export const AFTER: u8 = 2;

/** Places in a description. */
export const NO_PLACE: u8 = 0;
export const LEFT: u8 = 1;
export const RIGHT: u8 = 2;
export const FRONT: u8 = 3;
export const BEHIND: u8 = 4;

/** Results of the verifier. */
export const CONTINUE: u8 = 0;
export const SUCCESS: u8 = 1;
export const FAILURE: u8 = 2;

// Low-level actions, as MiniGrid numbers them.
export const ACT_LEFT: u8 = 0;
export const ACT_RIGHT: u8 = 1;
export const ACT_FORWARD: u8 = 2;
export const ACT_PICKUP: u8 = 3;
export const ACT_DROP: u8 = 4;
export const ACT_TOGGLE: u8 = 5;

/** Five bytes: kind, "and" in A, "and" in B, status of A, status of B. */
@unmanaged
export class Mission {
  kind: u8;
  andA: bool;
  andB: bool;
  statusA: u8;
  statusB: u8;
}
@unmanaged
export class Leaf {
  kind: u8;
  strict: bool;
  /** Object carried when this leaf was last verified. */
  before: u8;
  status: u8;
}
@unmanaged
export class Description {
  type: u8;
  color: u8;
  place: u8;
  /** True if more than one object matched: "a" instead of "the". */
  many: bool;
  /** Ids of the matching objects, as 128 bits. */
  low: u64;
  high: u64;
}

@inline export function mission(w: World): Mission {
  return changetype<Mission>(changetype<usize>(w) + INSTRUCTIONS);
}
@inline export function leaf(w: World, index: i32): Leaf {
  return changetype<Leaf>(changetype<usize>(w) + INSTRUCTIONS + 8 + index * 4);
}
@inline export function description(w: World, index: i32): Description {
  return changetype<Description>(changetype<usize>(w) + INSTRUCTIONS + 24 + index * 24);
}
@inline export function isMeant(d: Description, id: i32): bool {
  return id < 64 ? ((d.low >> u64(id)) & 1) != 0 : ((d.high >> u64(id - 64)) & 1) != 0;
}
function addMeant(d: Description, id: i32): void {
  if (id < 64) d.low |= u64(1) << u64(id);
  else d.high |= u64(1) << u64(id - 64);
}
export function isAnd(w: World, group: i32): bool {
  return group == 0 ? mission(w).andA : mission(w).andB;
}

// Construction of missions.
export function setMission(w: World, kind: u8, andA: bool, andB: bool): void {
  const m = mission(w);
  m.kind = kind;
  m.andA = andA;
  m.andB = andB;
}
export function setLeaf(w: World, index: i32, kind: u8, strict: bool = false): void {
  const l = leaf(w, index);
  l.kind = kind;
  l.strict = strict;
}
export function describe(w: World, index: i32, type: u8, color: u8, place: u8 = NO_PLACE): Description {
  const d = description(w, index);
  d.type = type;
  d.color = color;
  d.place = place;
  return d;
}
/** True if the mission has this leaf. */
export function hasLeaf(w: World, index: i32): bool {
  const m = mission(w);
  if (index == 0) return true;
  if (index == 1) return m.andA;
  return m.kind != ONLY && (index == 2 || m.andB);
}

// Matching of descriptions.
function placeMatches(w: World, place: u8, x: i32, y: i32): bool {
  if (place == NO_PLACE) return true;
  if (!insideRoom(w, agentRoom(w), x, y)) return false;
  const ahead = aheadOf(w, x, y);
  const aside = asideOf(w, x, y);
  if (place == LEFT) return aside < 0;
  if (place == RIGHT) return aside > 0;
  return place == FRONT ? ahead > 0 : ahead < 0;
}
function countWalls(w: World): i32 {
  let count = 0;
  for (let y = 0; y < w.height; y++) for (let x = 0; x < w.width; x++) count += i32(lookAt(w, at(x, y)) == LOOK_WALL);
  return count;
}
/**
 * Finds the objects that a description means now; returns their number. If `room` >= 0, counts only objects outside
 * that room's rectangle.
 */
export function match(w: World, d: Description, room: i32 = -1): i32 {
  let found = 0;
  let outside = 0;
  d.low = 0;
  d.high = 0;
  for (let id = 1; id <= w.objectCount; id++) {
    const cell = i32(cellOf(w, id));
    if (cell == i32(NOWHERE)) continue;
    if (d.type != ANY && d.type != typeOf(w, id)) continue;
    if (d.color != ANY && d.color != colorOf(w, id)) continue;
    const x = (cell % STRIDE) - PAD;
    const y = cell / STRIDE - PAD;
    if (!placeMatches(w, d.place, x, y)) continue;
    addMeant(d, id);
    found++;
    if (room < 0 || !insideRoom(w, room, x, y)) outside++;
  }
  // A wall is a grey object to a description without a type, though it cannot be picked up.
  if (d.type == ANY && (d.color == ANY || d.color == GREY)) found += countWalls(w);
  d.many = found > 1;
  return room < 0 ? found : outside;
}
export function matchAll(w: World): void {
  for (let index = 0; index < 4; index++) {
    if (!hasLeaf(w, index)) continue;
    match(w, description(w, index * 2));
    if (leaf(w, index).kind == PUT_NEXT) match(w, description(w, index * 2 + 1));
  }
}

// Validation of a new mission.
function overlaps(a: Description, b: Description): bool {
  return ((a.low & b.low) | (a.high & b.high)) != 0;
}
function meantAt(w: World, d: Description, cell: usize): bool {
  const id = idAt(w, cell);
  return id != NOBODY && isMeant(d, id);
}
function touches(w: World, d: Description, cell: usize): bool {
  return meantAt(w, d, cell + 1) || meantAt(w, d, cell - 1) || meantAt(w, d, cell + STRIDE) || meantAt(w, d, cell - STRIDE);
}
/** False if X and Y of "put X next to Y" share an object or are already neighbours. */
export function isValidPutNext(w: World, index: i32): bool {
  const moved = description(w, index * 2);
  const fixed = description(w, index * 2 + 1);
  match(w, moved);
  match(w, fixed);
  if (overlaps(moved, fixed)) return false;
  for (let id = 1; id <= w.objectCount; id++) {
    if (isMeant(moved, id) && touches(w, fixed, cellOf(w, id))) return false;
  }
  return true;
}

// Verification.
export function resetVerifier(w: World): void {
  matchAll(w);
  const m = mission(w);
  m.statusA = CONTINUE;
  m.statusB = CONTINUE;
  for (let index = 0; index < 4; index++) {
    leaf(w, index).before = NOBODY;
    leaf(w, index).status = CONTINUE;
  }
}
function verifyGoTo(w: World, index: i32): u8 {
  // Positions are those of the last reset or drop, so a picked-up object is still "there".
  const id = seenIdAt(w, frontCell(w));
  return id != NOBODY && isMeant(description(w, index * 2), id) ? SUCCESS : CONTINUE;
}
function verifyOpen(w: World, index: i32, action: u8): u8 {
  if (action != ACT_TOGGLE) return CONTINUE;
  const id = idAt(w, frontCell(w));
  if (id == NOBODY || typeOf(w, id) != DOOR) return CONTINUE;
  if (isMeant(description(w, index * 2), id) && stateOf(w, id) == OPEN) return SUCCESS;
  return leaf(w, index).strict ? FAILURE : CONTINUE;
}
function verifyPickup(w: World, index: i32, action: u8): u8 {
  const l = leaf(w, index);
  const before = l.before;
  l.before = u8(w.carried);
  if (action != ACT_PICKUP || !w.carried) return CONTINUE;
  if (before == NOBODY && isMeant(description(w, index * 2), w.carried)) return SUCCESS;
  return l.strict ? FAILURE : CONTINUE;
}
function seenMeant(w: World, d: Description, cell: usize): bool {
  const id = seenIdAt(w, cell);
  return id != NOBODY && isMeant(d, id);
}
function verifyPutNext(w: World, index: i32, action: u8): u8 {
  const l = leaf(w, index);
  const before = l.before;
  l.before = u8(w.carried);
  if (action != ACT_DROP || before == NOBODY || !isMeant(description(w, index * 2), before)) return CONTINUE;
  const cell = cellOf(w, before);
  if (cell == NOWHERE) return CONTINUE;
  const fixed = description(w, index * 2 + 1);
  const touching = seenMeant(w, fixed, cell + 1) || seenMeant(w, fixed, cell - 1)
    || seenMeant(w, fixed, cell + STRIDE) || seenMeant(w, fixed, cell - STRIDE);
  return touching ? SUCCESS : CONTINUE;
}
function verifyLeaf(w: World, index: i32, action: u8): u8 {
  const kind = leaf(w, index).kind;
  if (kind == GOTO) return verifyGoTo(w, index);
  if (kind == OPEN_IT) return verifyOpen(w, index, action);
  return kind == PICKUP ? verifyPickup(w, index, action) : verifyPutNext(w, index, action);
}
/** Verifies two actions joined by "and": each part counts once it succeeded. Never fails. */
function verifyGroup(w: World, group: i32, action: u8): u8 {
  const first = group * 2;
  if (!isAnd(w, group)) return verifyLeaf(w, first, action);
  for (let index = first; index < first + 2; index++) {
    const l = leaf(w, index);
    if (l.status != SUCCESS) l.status = verifyLeaf(w, index, action);
  }
  return leaf(w, first).status == SUCCESS && leaf(w, first + 1).status == SUCCESS ? SUCCESS : CONTINUE;
}
/** Verifies the mission after a low-level action. */
export function verify(w: World, action: u8): u8 {
  const m = mission(w);
  if (m.kind == ONLY) return verifyGroup(w, 0, action);
  const first = m.kind == BEFORE ? 0 : 1;
  const before = m.statusA;
  if (before != SUCCESS) {
    m.statusA = verifyGroup(w, first, action);
    if (m.statusA != SUCCESS) return m.statusA;
  }
  m.statusB = verifyGroup(w, 1 - first, action);
  // The action that completes the first part is also verified against the second. A strict second part (level 16) takes
  // it for a wrong door and fails, which makes the original unsolvable; outside upstream mode this failure is ignored.
  if (before != SUCCESS && m.statusB == FAILURE && !w.upstream) m.statusB = CONTINUE;
  return m.statusB;
}
/** Index of a mission's action by its place in the order of doing them, from 0; -1 if there are fewer. */
function leafInOrder(w: World, place: i32): i32 {
  let left = place;
  for (let k = 0; k < 4; k++) {
    const index = mission(w).kind == AFTER ? (k + 2) & 3 : k;
    if (!hasLeaf(w, index)) continue;
    if (left == 0) return index;
    left--;
  }
  return -1;
}
/** Number of actions that the mission names. */
export function countLeaves(w: World): i32 {
  let count = 0;
  while (leafInOrder(w, count) >= 0) count++;
  return count;
}
/** Reduces the mission to its action number `part`, from 1 in the order of doing them, if it has so many. */
export function keepPart(w: World, part: i32): void {
  const index = leafInOrder(w, part - 1);
  if (index < 0) return;
  const kept = changetype<usize>(leaf(w, index));
  if (index) memory.copy(changetype<usize>(leaf(w, 0)), kept, 4);
  if (index) memory.copy(changetype<usize>(description(w, 0)), changetype<usize>(description(w, index * 2)), 48);
  setMission(w, ONLY, false, false);
}
/** Number of walks that the step limit allows for. */
export function countWalks(w: World): i32 {
  let walks = 0;
  for (let index = 0; index < 4; index++) {
    if (hasLeaf(w, index)) walks += leaf(w, index).kind == PUT_NEXT ? 2 : 1;
  }
  return walks;
}
