// Heuristic of the oracle's search: estimates the remaining cost of a mission from walking distances over the whole
// grid. Independent of text.
import {
  BEFORE, description, Description, GOTO, isAnd, isMeant, leaf, mission, ONLY, OPEN_IT, PICKUP, SUCCESS,
} from './instructions';
import {
  at, cellOf, CELLS, colorOf, colorOfLook, contentOf, DOOR, isDoorLook, isItemLook, KEY, LOCKED, LOOK_EMPTY, lookAt,
  NOBODY, NOWHERE, OPEN, seenIdAt, stateOf, stateOfLook, STRIDE, typeOf, World, CLOSED,
} from './world';

// Walking distances from the agent in low-level actions without turns, by a bucket queue.
const FAR: i32 = 60000;
const fromAgent: usize = memory.data(CELLS * 2);
const fromFixed: usize = memory.data(CELLS * 2);
/** The current distance map. */
let distance: usize = fromAgent;
const BUCKETS: i32 = 1024;
const BUCKET_SIZE: i32 = 512;
const buckets: usize = heap.alloc(BUCKETS * BUCKET_SIZE * 2);
const bucketCounts: usize = memory.data(BUCKETS * 4);
/** Cost of passing a locked door, by colour. */
const lockCost = new StaticArray<i32>(6);
/** Cost of moving an object out of the way: pick up, turn, drop, turn back. */
const BLOCKED_COST: i32 = 7;
/** Cost with an object in the hands, which must be put down first. */
const BLOCKED_WITH_HANDS_FULL: i32 = 24;
let blockedCost: i32 = BLOCKED_COST;
const LAST_BUCKET: i32 = BUCKETS - 1;

function entryCost(look: u8): i32 {
  if (look == LOOK_EMPTY) return 1;
  if (isItemLook(look)) return blockedCost;
  if (!isDoorLook(look)) return FAR;
  const state = stateOfLook(look);
  return state == OPEN ? 1 : state == CLOSED ? 2 : lockCost[colorOfLook(look)];
}
@inline function distanceTo(cell: usize): i32 {
  return load<u16>(distance + cell * 2);
}
function reach(cell: usize, cost: i32): void {
  if (cost >= distanceTo(cell) || cost > LAST_BUCKET) return;
  store<u16>(distance + cell * 2, u16(cost));
  const count = load<i32>(bucketCounts + cost * 4);
  if (count == BUCKET_SIZE) return;
  store<u16>(buckets + (cost * BUCKET_SIZE + count) * 2, u16(cell));
  store<i32>(bucketCounts + cost * 4, count + 1);
}
function clearDistances(): void {
  for (let cell = 0; cell < CELLS; cell++) store<u16>(distance + cell * 2, u16(FAR));
  memory.fill(bucketCounts, 0, BUCKETS * 4);
}
/**
 * Fills `distance` with the cost of reaching each cell. The obstacle in a cell adds its cost only on leaving the cell.
 */
function walk(w: World): void {
  clearDistances();
  reach(at(w.x, w.y), 0);
  spread(w);
}
function spread(w: World): void {
  for (let cost = 0; cost < BUCKETS; cost++) {
    for (let k = 0; k < load<i32>(bucketCounts + cost * 4); k++) {
      const cell = usize(load<u16>(buckets + (cost * BUCKET_SIZE + k) * 2));
      if (distanceTo(cell) != cost) continue;
      // The agent's own cell costs nothing to leave.
      const leave = cost == 0 ? 0 : entryCost(lookAt(w, cell)) - 1;
      if (leave >= FAR - 1) continue;
      reach(cell + 1, cost + leave + 1);
      reach(cell - 1, cost + leave + 1);
      reach(cell + STRIDE, cost + leave + 1);
      reach(cell - STRIDE, cost + leave + 1);
    }
  }
}
/** Distance to an object, or to the box that contains it. */
function distanceToObject(w: World, id: i32): i32 {
  const cell = cellOf(w, id);
  if (cell != NOWHERE) return distanceTo(cell);
  for (let box = 1; box <= w.objectCount; box++) {
    if (contentOf(w, box) == id && cellOf(w, box) != NOWHERE) return distanceTo(cellOf(w, box)) + 1;
  }
  return FAR;
}
function distanceToKey(w: World, color: u8): i32 {
  let best = FAR;
  for (let id = 1; id <= w.objectCount; id++) {
    if (typeOf(w, id) == KEY && colorOf(w, id) == color) best = min(best, distanceToObject(w, id));
  }
  return best;
}
function isLockedAnywhere(w: World, color: u8): bool {
  for (let id = 1; id <= w.objectCount; id++) {
    if (typeOf(w, id) == DOOR && stateOf(w, id) == LOCKED && colorOf(w, id) == color) return true;
  }
  return false;
}
/**
 * Computes distances with locked doors, each at the cost of the way to its key and back. A key behind another lock
 * needs another round.
 */
function survey(w: World): void {
  const carried = w.carried;
  blockedCost = carried ? BLOCKED_WITH_HANDS_FULL : BLOCKED_COST;
  const key = carried && typeOf(w, carried) == KEY ? i32(colorOf(w, carried)) : -1;
  let unknown = 0;
  for (let color = 0; color < 6; color++) {
    const locked = color != key && isLockedAnywhere(w, u8(color));
    lockCost[color] = locked ? FAR : 2;
    if (locked) unknown++;
  }
  walk(w);
  for (let round = 0; round < 3 && unknown > 0; round++) {
    let changed = false;
    for (let color = 0; color < 6; color++) {
      if (lockCost[color] < FAR) continue;
      const toKey = distanceToKey(w, u8(color));
      if (toKey >= FAR) continue;
      lockCost[color] = 5 + 2 * toKey + (carried ? 3 : 0);
      changed = true;
      unknown--;
    }
    if (!changed) return;
    walk(w);
  }
}

// Remaining cost of a leaf of the mission.
export const HOPELESS: i32 = 2000;
const HANDS_FULL: i32 = 4;
function costOfGoTo(w: World, d: Description): i32 {
  let best = HOPELESS;
  for (let y = 0; y < w.height; y++) {
    for (let x = 0; x < w.width; x++) {
      const id = seenIdAt(w, at(x, y));
      if (id != NOBODY && isMeant(d, id)) best = min(best, distanceTo(at(x, y)));
    }
  }
  return best;
}
function costOfOpen(w: World, d: Description): i32 {
  let best = HOPELESS;
  for (let id = 1; id <= w.objectCount; id++) {
    if (!isMeant(d, id)) continue;
    const state = stateOf(w, id);
    // No text action closes a door, so an open door cannot be opened again.
    if (state == OPEN) continue;
    const toggles = state == CLOSED ? 1 : lockCost[colorOf(w, id)];
    best = min(best, distanceTo(cellOf(w, id)) + toggles);
  }
  return best;
}
function costOfPickup(w: World, d: Description): i32 {
  if (w.carried && isMeant(d, w.carried)) return HANDS_FULL + 1;
  let best = HOPELESS;
  for (let id = 1; id <= w.objectCount; id++) if (isMeant(d, id)) best = min(best, distanceToObject(w, id) + 1);
  return w.carried ? best + HANDS_FULL : best;
}
@inline function isFree(w: World, cell: usize): bool {
  return lookAt(w, cell) == LOOK_EMPTY;
}
/** Cost of putting down the carried object beside `cell`: the way to a free cell next to it. */
function costOfDropBeside(w: World, cell: usize): i32 {
  let best = distanceTo(cell) + BLOCKED_WITH_HANDS_FULL;
  if (isFree(w, cell + 1)) best = min(best, distanceTo(cell + 1));
  if (isFree(w, cell - 1)) best = min(best, distanceTo(cell - 1));
  if (isFree(w, cell + STRIDE)) best = min(best, distanceTo(cell + STRIDE));
  if (isFree(w, cell - STRIDE)) best = min(best, distanceTo(cell - STRIDE));
  return best + 2;
}
/** Fills `fromFixed` with the distance, with full hands, from each cell to an object that `fixed` means. */
function walkFromFixed(w: World, fixed: Description): void {
  distance = fromFixed;
  blockedCost = BLOCKED_WITH_HANDS_FULL;
  clearDistances();
  for (let target = 1; target <= w.objectCount; target++) {
    const cell = cellOf(w, target);
    if (!isMeant(fixed, target) || cell == NOWHERE) continue;
    // Start from the free cells beside it. If there are none, one must be cleared.
    reach(cell, BLOCKED_WITH_HANDS_FULL);
    if (isFree(w, cell + 1)) reach(cell + 1, 1);
    if (isFree(w, cell - 1)) reach(cell - 1, 1);
    if (isFree(w, cell + STRIDE)) reach(cell + STRIDE, 1);
    if (isFree(w, cell - STRIDE)) reach(cell - STRIDE, 1);
  }
  spread(w);
  distance = fromAgent;
}
function costOfPutNext(w: World, moved: Description, fixed: Description): i32 {
  let best = HOPELESS;
  if (w.carried && isMeant(moved, w.carried)) {
    for (let target = 1; target <= w.objectCount; target++) {
      if (!isMeant(fixed, target) || cellOf(w, target) == NOWHERE) continue;
      best = min(best, costOfDropBeside(w, cellOf(w, target)));
    }
    return best;
  }
  walkFromFixed(w, fixed);
  for (let id = 1; id <= w.objectCount; id++) {
    if (!isMeant(moved, id) || cellOf(w, id) == NOWHERE) continue;
    best = min(best, distanceTo(cellOf(w, id)) + 3 + load<u16>(fromFixed + cellOf(w, id) * 2));
  }
  return w.carried ? best + HANDS_FULL : best;
}
function costOfLeaf(w: World, index: i32): i32 {
  const kind = leaf(w, index).kind;
  const d = description(w, index * 2);
  if (kind == GOTO) return costOfGoTo(w, d);
  if (kind == OPEN_IT) return costOfOpen(w, d);
  return kind == PICKUP ? costOfPickup(w, d) : costOfPutNext(w, d, description(w, index * 2 + 1));
}
/** Cost of a whole leaf that cannot be started yet. */
const LATER: i32 = 24;
function costOfGroup(w: World, group: i32): i32 {
  const first = group * 2;
  if (!isAnd(w, group)) return costOfLeaf(w, first);
  const doneA = leaf(w, first).status == SUCCESS;
  const doneB = leaf(w, first + 1).status == SUCCESS;
  if (doneA) return costOfLeaf(w, first + 1);
  if (doneB) return costOfLeaf(w, first);
  const a = costOfLeaf(w, first);
  const b = costOfLeaf(w, first + 1);
  return a >= HOPELESS || b >= HOPELESS ? HOPELESS : min(a, b) + LATER;
}
/** Cost of a leaf whose turn has not come; HOPELESS if all doors that it could open are already open. */
function costOfLeafLater(w: World, index: i32): i32 {
  if (leaf(w, index).kind != OPEN_IT) return LATER;
  const d = description(w, index * 2);
  for (let id = 1; id <= w.objectCount; id++) if (isMeant(d, id) && stateOf(w, id) != OPEN) return LATER;
  return HOPELESS;
}
function costLater(w: World, group: i32): i32 {
  const first = group * 2;
  return isAnd(w, group) ? costOfLeafLater(w, first) + costOfLeafLater(w, first + 1) : costOfLeafLater(w, first);
}
/** Estimated number of low-level actions until the mission is complete. */
export function estimateRemaining(w: World): i32 {
  survey(w);
  const m = mission(w);
  if (m.kind == ONLY) return costOfGroup(w, 0);
  const first = m.kind == BEFORE ? 0 : 1;
  if (m.statusA != SUCCESS) return costOfGroup(w, first) + costLater(w, 1 - first);
  return costOfGroup(w, 1 - first);
}

/** Number of completed parts of the mission. */
export function progress(w: World): i32 {
  let done = i32(mission(w).statusA == SUCCESS);
  for (let index = 0; index < 4; index++) done += i32(leaf(w, index).status == SUCCESS);
  return done;
}
