// The oracle: a best-first search over text actions, on copies of the world. It knows the whole grid and the mission, but
// moves only by actions the text offers. Its guess of what is left is a walk over the grid (`guess`), in low-level actions.
import { guess, HOPELESS, progress } from './guess';
import {
  BEFORE, description, Description, isAnd, isMeant, leaf, mission, ONLY, PUT_NEXT, SUCCESS,
} from './instructions';
import { execute, isOver } from './macros';
import { isWallTold } from './memory';
import { DO_CHECK, DO_DROP, DO_PICKUP, findOffered, lengthOf, listActions, offeredId } from './planner';
import {
  at, cellOf, CELLS, clearCell, colorOf, DOOR, isKnown, KEY, LOCKED, LOOK_WALL, lookAt, NOWHERE, PAD, putWall,
  SNAPSHOT_BYTES, stateOf, STRIDE, typeOf, World, WORLD_BYTES,
} from './world';

// The search.
const MAX_NODES: i32 = 3072;
const FIRST_NODES: i32 = 1000;
const STAGE_NODES: i32 = 2000;
const MAX_TURNS: i32 = 60;
/** At most eight stages; a plan must fit the ids of one answer. */
const STAGES: i32 = 8;
const MAX_PLAN: i32 = STAGES * (MAX_TURNS + 1);
/** Looks around and parts of the mission in one plan. */
const MAX_LOOKS: i32 = 60;
let snapshots: usize = 0;
let base: World = changetype<World>(0);
let copy: World = changetype<World>(0);
let stage: World = changetype<World>(0);
let imagined: World = changetype<World>(0);
/** In stages, a search ends at the first part that gets done; else (a large number) at the end of the mission only. */
let enough: i32 = i32.MAX_VALUE;
const nodeParent = new StaticArray<i32>(MAX_NODES);
const nodeAction = new StaticArray<u32>(MAX_NODES);
const nodeTurns = new StaticArray<i32>(MAX_NODES);
const nodeRank = new StaticArray<i32>(MAX_NODES);
const heapOf = new StaticArray<i32>(MAX_NODES);
let heapSize: i32 = 0;
export let nodeCount: i32 = 0;
const TABLE: i32 = 8192;
const seenStates = new StaticArray<u64>(TABLE);

function hashState(w: World): u64 {
  let h: u64 = u64(w.x) | (u64(w.y) << 8) | (u64(w.dir) << 16) | (u64(w.carried) << 24);
  const m = mission(w);
  h |= (u64(m.statusA) << 32) | (u64(m.statusB) << 34);
  for (let index = 0; index < 4; index++) {
    h |= u64(leaf(w, index).status) << u64(36 + index * 2);
    h = h * 0x9e3779b97f4a7c15 + leaf(w, index).before;
  }
  for (let id = 1; id <= w.objectCount; id++) {
    h = (h ^ (u64(cellOf(w, id)) << 2) ^ stateOf(w, id)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
  }
  return h | 1;
}
/** True the first time a state is met. */
function isNew(w: World): bool {
  const h = hashState(w);
  for (let k = i32(h >> 40) & (TABLE - 1); ; k = (k + 1) & (TABLE - 1)) {
    if (seenStates[k] == h) return false;
    if (seenStates[k] != 0) continue;
    seenStates[k] = h;
    return true;
  }
}
function pushHeap(node: i32): void {
  let k = heapSize++;
  while (k > 0 && nodeRank[heapOf[(k - 1) >> 1]] > nodeRank[node]) {
    heapOf[k] = heapOf[(k - 1) >> 1];
    k = (k - 1) >> 1;
  }
  heapOf[k] = node;
}
function popHeap(): i32 {
  const best = heapOf[0];
  const node = heapOf[--heapSize];
  let k = 0;
  for (;;) {
    let child = 2 * k + 1;
    if (child >= heapSize) break;
    if (child + 1 < heapSize && nodeRank[heapOf[child + 1]] < nodeRank[heapOf[child]]) child++;
    if (nodeRank[heapOf[child]] >= nodeRank[node]) break;
    heapOf[k] = heapOf[child];
    k = child;
  }
  heapOf[k] = node;
  return best;
}
@inline function snapshot(node: i32): usize {
  return snapshots + usize(node) * SNAPSHOT_BYTES;
}
function keepNode(w: World, parent: i32, action: u32, turns: i32): i32 {
  const node = nodeCount++;
  memory.copy(snapshot(node), changetype<usize>(w), SNAPSHOT_BYTES);
  nodeParent[node] = parent;
  nodeAction[node] = action;
  nodeTurns[node] = turns;
  return node;
}
/** Rank: turns so far plus the guess times `weight` (in hundredths of a turn a low-level action). Hopeless states are left out. */
function addNode(w: World, parent: i32, action: u32, turns: i32, weight: i32): void {
  const left = guess(w);
  if (left >= HOPELESS) return;
  const node = keepNode(w, parent, action, turns);
  nodeRank[node] = turns * 100 + left * weight;
  pushHeap(node);
}
/** Tries every action of a node; returns the action that completes the mission (or a stage, leaving it in `copy`), or -1. */
function expand(node: i32, weight: i32): i32 {
  memory.copy(changetype<usize>(base), snapshot(node), SNAPSHOT_BYTES);
  listActions(base);
  for (let index = 0; index < base.actionCount; index++) {
    const id = offeredId(base, index);
    if (id >> 12 == DO_CHECK || lengthOf(base, index) == 0) continue;
    memory.copy(changetype<usize>(copy), snapshot(node), SNAPSHOT_BYTES);
    execute(copy, base, index);
    if (copy.succeeded && isOver(copy)) return i32(id);
    if (copy.terminated || copy.truncated || nodeCount == MAX_NODES || !isNew(copy)) continue;
    if (progress(copy) >= enough) return i32(id);
    addNode(copy, node, id, nodeTurns[node] + 1, weight);
  }
  return -1;
}

/** The plan, as action ids; its length, 0 where there is none. */
export const plan = new StaticArray<u32>(MAX_PLAN);
export let planLength: i32 = 0;
/** Appends the way to a node, and a last action. */
function readPlan(node: i32, last: u32): void {
  const start = planLength;
  planLength += nodeTurns[node] + 1;
  plan[planLength - 1] = last;
  for (let k = planLength - 2; k >= start; k--) {
    plan[k] = nodeAction[node];
    node = nodeParent[node];
  }
}
function search(w: World, weight: i32, limit: i32 = MAX_NODES): bool {
  memory.fill(changetype<usize>(seenStates), 0, TABLE * 8);
  heapSize = 0;
  nodeCount = 0;
  addNode(w, -1, 0, 0, weight);
  isNew(w);
  while (heapSize > 0 && nodeCount < limit) {
    const node = popHeap();
    if (nodeTurns[node] >= MAX_TURNS) continue;
    const last = expand(node, weight);
    if (last < 0) continue;
    readPlan(node, u32(last));
    return true;
  }
  return false;
}
@inline function isKnownObject(w: World, id: i32): bool {
  return w.carried == id || (cellOf(w, id) != NOWHERE && isKnown(w, cellOf(w, id)));
}
function knowsOneOf(w: World, d: Description): bool {
  for (let id = 1; id <= w.objectCount; id++) if (isMeant(d, id) && isKnownObject(w, id)) return true;
  return false;
}
function knowsLeaf(w: World, index: i32): bool {
  const l = leaf(w, index);
  if (l.status == SUCCESS || !knowsOneOf(w, description(w, index * 2))) return false;
  return l.kind != PUT_NEXT || knowsOneOf(w, description(w, index * 2 + 1));
}
/** Something of the mission that can be done next was seen. */
function knowsNextPart(w: World): bool {
  const m = mission(w);
  const first = m.kind == BEFORE || m.kind == ONLY ? 0 : 1;
  const group = m.kind != ONLY && m.statusA == SUCCESS ? 1 - first : first;
  return knowsLeaf(w, group * 2) || (isAnd(w, group) && knowsLeaf(w, group * 2 + 1));
}
/** A locked door and its key were seen: what was not found yet may be behind it. */
function knowsWayIn(w: World): bool {
  for (let door = 1; door <= w.objectCount; door++) {
    if (typeOf(w, door) != DOOR || stateOf(w, door) != LOCKED || !isKnownObject(w, door)) continue;
    for (let key = 1; key <= w.objectCount; key++) {
      if (typeOf(w, key) == KEY && colorOf(w, key) == colorOf(w, door) && isKnownObject(w, key)) return true;
    }
  }
  return false;
}
/** Cells seen where something could be; for who reads also walls and what lies beyond the grid, which it cannot tell apart. */
function knownCells(w: World): i32 {
  let count = 0;
  if (w.reads) {
    for (let cell = 0; cell < CELLS; cell++) count += i32(isKnown(w, cell));
    return count;
  }
  for (let y = 0; y < w.height; y++) {
    for (let x = 0; x < w.width; x++) count += i32(isKnown(w, at(x, y)) && lookAt(w, at(x, y)) != LOOK_WALL);
  }
  return count;
}
/**
 * Fills `imagined`: `stage` as who has read the text and knows the level may take it to be, with rooms of its size, their walls in place
 * as soon as one was told of, and floor wherever nothing was seen.
 */
function imagine(): void {
  memory.copy(changetype<usize>(imagined), changetype<usize>(stage), SNAPSHOT_BYTES);
  for (let y = -PAD; y < STRIDE - PAD; y++) {
    for (let x = -PAD; x < STRIDE - PAD; x++) {
      const cell = at(x, y);
      if (isKnown(stage, cell) && lookAt(stage, cell) != LOOK_WALL) continue;
      clearCell(imagined, cell);
      if (isWallTold(stage, x, y)) putWall(imagined, cell);
    }
  }
}
/** Nodes and turns of a look ahead for what is new. */
const LOOK_AHEAD_NODES: i32 = 240;
const LOOK_AHEAD_TURNS: i32 = 4;
/**
 * Walks from `stage` to where most new cells a turn come in sight, appends the way to the plan and leaves `stage` there. It uses
 * how much would be seen and not what: a person would guess the same from the walls. Who reads takes the first turn alone, of a way in
 * the imagined world: it depends on what was told and nothing else. False: nothing new is in reach.
 */
function explore(): bool {
  memory.fill(changetype<usize>(seenStates), 0, TABLE * 8);
  nodeCount = 0;
  const reads = stage.reads;
  if (reads) {
    imagine();
    listActions(stage);
  }
  const from = reads ? imagined : stage;
  const before = knownCells(from);
  isNew(from);
  keepNode(from, -1, 0, 0);
  let best = 0;
  let gain = 0;
  for (let node = 0; node < nodeCount && nodeTurns[node] < LOOK_AHEAD_TURNS; node++) {
    memory.copy(changetype<usize>(base), snapshot(node), SNAPSHOT_BYTES);
    listActions(base);
    for (let index = 0; index < base.actionCount && nodeCount < LOOK_AHEAD_NODES; index++) {
      if (reads && node == 0 && !isPossible(offeredId(base, index))) continue;
      if (!lookAround(node, index)) continue;
      const found = knownCells(copy) - before;
      const last = nodeCount - 1;
      if (found * max(nodeTurns[best], 1) <= gain * nodeTurns[last]) continue;
      best = last;
      gain = found;
    }
  }
  if (gain < 1) return false;
  if (reads) {
    begin(best);
    return true;
  }
  memory.copy(changetype<usize>(stage), snapshot(best), SNAPSHOT_BYTES);
  readPlan(nodeParent[best], nodeAction[best]);
  return true;
}
/** Whether the action can be taken where the agent really is. */
function isPossible(id: u32): bool {
  const index = findOffered(stage, id);
  return index >= 0 && lengthOf(stage, index) > 0;
}
/** Takes the first turn of the way to a node, in `stage` and in the plan. */
function begin(node: i32): void {
  while (nodeParent[node] > 0) node = nodeParent[node];
  plan[planLength++] = nodeAction[node];
  execute(stage, stage, findOffered(stage, nodeAction[node]));
}
/** Takes one action of `base` that moves nothing; false where it leads nowhere new, or to an end. */
function lookAround(node: i32, index: i32): bool {
  const id = offeredId(base, index);
  const kind = id >> 12;
  if (kind == DO_CHECK || kind == DO_PICKUP || kind == DO_DROP || lengthOf(base, index) == 0) return false;
  memory.copy(changetype<usize>(copy), snapshot(node), SNAPSHOT_BYTES);
  execute(copy, base, index);
  // The imagined world has no end; views are kept inside the padding.
  const inside = copy.x >= 0 && copy.y >= 0 && copy.x < copy.width && copy.y < copy.height;
  if (!inside || copy.terminated || copy.truncated || !isNew(copy)) return false;
  keepNode(copy, node, id, nodeTurns[node] + 1);
  return true;
}
/** One part of the mission after the other, each looked for before it is planned. */
function searchByLooking(w: World): bool {
  memory.copy(changetype<usize>(stage), changetype<usize>(w), SNAPSHOT_BYTES);
  for (let round = 0; round < MAX_LOOKS; round++) {
    if (planLength > MAX_TURNS) break;
    if (stage.terminated || stage.truncated) {
      if (stage.succeeded && isOver(stage)) return true;
      break;
    }
    if (!knowsNextPart(stage) && !knowsWayIn(stage) && explore()) continue;
    enough = progress(stage) + 1;
    const found = search(stage, 30, FIRST_NODES) || search(stage, 100);
    enough = i32.MAX_VALUE;
    if (!found) break;
    memory.copy(changetype<usize>(stage), changetype<usize>(copy), SNAPSHOT_BYTES);
    if (copy.succeeded && isOver(copy)) return true;
  }
  planLength = 0;
  return false;
}
/** One part of the mission after the other: shorter searches, which may run into a dead end. */
function searchInStages(w: World): bool {
  memory.copy(changetype<usize>(stage), changetype<usize>(w), SNAPSHOT_BYTES);
  for (let k = 0; k < STAGES; k++) {
    enough = progress(stage) + 1;
    const found = search(stage, 60, STAGE_NODES);
    enough = i32.MAX_VALUE;
    if (!found) break;
    memory.copy(changetype<usize>(stage), changetype<usize>(copy), SNAPSHOT_BYTES);
    if (copy.succeeded && isOver(copy)) return true;
  }
  planLength = 0;
  return false;
}
/** Looks for the text actions that complete the mission: carefully first, then part by part, then greedily. */
export function planFrom(w: World): void {
  if (!snapshots) {
    snapshots = heap.alloc(usize(MAX_NODES) * SNAPSHOT_BYTES);
    base = changetype<World>(heap.alloc(WORLD_BYTES));
    copy = changetype<World>(heap.alloc(WORLD_BYTES));
    stage = changetype<World>(heap.alloc(WORLD_BYTES));
    imagined = changetype<World>(heap.alloc(WORLD_BYTES));
  }
  planLength = 0;
  nodeCount = 0;
  if (w.finished) return;
  // Where looking for it finds no way, the plan of one who knows the grid is better than none; whoever reads could not have known it.
  if (w.explores && (searchByLooking(w) || w.reads)) return;
  if (!search(w, 30, FIRST_NODES) && !searchInStages(w)) search(w, 100);
}
