// The oracle: a best-first search over text actions, on copies of the world. It has access to the whole grid and the
// mission, but moves only by actions that the text offers. Its heuristic is a walk over the grid, in low-level actions.
import { estimateRemaining, HOPELESS, progress } from './heuristic';
import {
  BEFORE, description, Description, isAnd, isMeant, leaf, mission, ONLY, PUT_NEXT, SUCCESS,
} from './instructions';
import { execute, isOver } from './macros';
import { judgeCells, worth } from './frontier';
import { isImpliedWall } from './memory';
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
/** Maximum number of stages: the plan must fit the ids of one answer. */
const STAGES: i32 = 8;
const MAX_PLAN: i32 = STAGES * (MAX_TURNS + 1);
/** Maximum number of explorations and parts of the mission in one plan. */
const MAX_LOOKS: i32 = 60;
let snapshots: usize = 0;
let base: World = changetype<World>(0);
let copy: World = changetype<World>(0);
let stage: World = changetype<World>(0);
let imagined: World = changetype<World>(0);
/**
 * Progress at which a search ends: the next part if the search goes in stages, else unreachable, so that only the end
 * of the mission counts.
 */
let targetProgress: i32 = i32.MAX_VALUE;
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
/** True if the state is new; records it. */
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
/**
 * Adds a state to the search. Its rank is the turns so far plus `weight` times the estimate of the rest, in hundredths
 * of a turn. Hopeless states are left out.
 */
function addNode(w: World, parent: i32, action: u32, turns: i32, weight: i32): void {
  const left = estimateRemaining(w);
  if (left >= HOPELESS) return;
  const node = keepNode(w, parent, action, turns);
  nodeRank[node] = turns * 100 + left * weight;
  pushHeap(node);
}
/**
 * Tries every action of a node. Returns the action that completes the mission (or a stage, whose state is then in
 * `copy`), or -1.
 */
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
    if (progress(copy) >= targetProgress) return i32(id);
    addNode(copy, node, id, nodeTurns[node] + 1, weight);
  }
  return -1;
}

/** The plan as action ids; its length is 0 if there is none. */
export const plan = new StaticArray<u32>(MAX_PLAN);
export let planLength: i32 = 0;
/** Appends the path to a node, and a last action. */
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
/** True if the agent has seen the objects of a part of the mission that may be done next. */
function knowsNextPart(w: World): bool {
  const m = mission(w);
  const first = m.kind == BEFORE || m.kind == ONLY ? 0 : 1;
  const group = m.kind != ONLY && m.statusA == SUCCESS ? 1 - first : first;
  return knowsLeaf(w, group * 2) || (isAnd(w, group) && knowsLeaf(w, group * 2 + 1));
}
/** True if a locked door and its key were seen: missing objects may be behind it. */
function knowsWayIn(w: World): bool {
  for (let door = 1; door <= w.objectCount; door++) {
    if (typeOf(w, door) != DOOR || stateOf(w, door) != LOCKED || !isKnownObject(w, door)) continue;
    for (let key = 1; key <= w.objectCount; key++) {
      if (typeOf(w, key) == KEY && colorOf(w, key) == colorOf(w, door) && isKnownObject(w, key)) return true;
    }
  }
  return false;
}
/**
 * Number of seen cells that are not walls. An oracle that uses the text alone counts what was unseen before it looked,
 * by its worth.
 */
function knownCells(w: World): i32 {
  let count = 0;
  if (w.textOnly) {
    for (let cell = 0; cell < CELLS; cell++) if (isKnown(w, cell)) count += load<u8>(worth + cell);
    return count;
  }
  for (let y = 0; y < w.height; y++) {
    for (let x = 0; x < w.width; x++) count += i32(isKnown(w, at(x, y)) && lookAt(w, at(x, y)) != LOOK_WALL);
  }
  return count;
}
/**
 * Fills `imagined`: `stage` as a reader of the text who knows the level may picture it, with rooms of the level's size,
 * walls in place as soon as one was reported, and floor wherever nothing was seen.
 */
function imagine(): void {
  memory.copy(changetype<usize>(imagined), changetype<usize>(stage), SNAPSHOT_BYTES);
  for (let y = -PAD; y < STRIDE - PAD; y++) {
    for (let x = -PAD; x < STRIDE - PAD; x++) {
      const cell = at(x, y);
      if (isKnown(stage, cell) && lookAt(stage, cell) != LOOK_WALL) continue;
      clearCell(imagined, cell);
      if (isImpliedWall(stage, x, y)) putWall(imagined, cell);
    }
  }
}
/** Limits of the exploration's search: nodes and turns. */
const LOOK_AHEAD_NODES: i32 = 240;
const LOOK_AHEAD_TURNS: i32 = 4;
/**
 * Walks from `stage` to where the most new cells per turn come into sight, appends the path to the plan and leaves
 * `stage` there. It uses only the number of new cells, not their contents: a person could estimate that from the walls.
 * An oracle that uses the text alone takes only the first turn, of a path in the imagined world, so the turn depends
 * only on the text. Returns false if nothing new is in reach.
 */
function explore(): bool {
  memory.fill(changetype<usize>(seenStates), 0, TABLE * 8);
  nodeCount = 0;
  const textOnly = stage.textOnly;
  if (textOnly) {
    judgeCells(stage);
    imagine();
    listActions(stage);
  }
  const from = textOnly ? imagined : stage;
  const before = knownCells(from);
  isNew(from);
  keepNode(from, -1, 0, 0);
  let best = 0;
  let gain = 0;
  for (let node = 0; node < nodeCount && nodeTurns[node] < LOOK_AHEAD_TURNS; node++) {
    memory.copy(changetype<usize>(base), snapshot(node), SNAPSHOT_BYTES);
    listActions(base);
    for (let index = 0; index < base.actionCount && nodeCount < LOOK_AHEAD_NODES; index++) {
      if (textOnly && node == 0 && !isPossible(offeredId(base, index))) continue;
      if (!lookAround(node, index)) continue;
      const found = knownCells(copy) - before;
      const last = nodeCount - 1;
      if (found * max(nodeTurns[best], 1) <= gain * nodeTurns[last]) continue;
      best = last;
      gain = found;
    }
  }
  if (gain < 1) return false;
  if (textOnly) {
    begin(best);
    return true;
  }
  memory.copy(changetype<usize>(stage), snapshot(best), SNAPSHOT_BYTES);
  readPlan(nodeParent[best], nodeAction[best]);
  return true;
}
/** True if the action is possible in the agent's real state. */
function isPossible(id: u32): bool {
  const index = findOffered(stage, id);
  return index >= 0 && lengthOf(stage, index) > 0;
}
/** Takes the first turn of the path to a node, in `stage` and in the plan. */
function begin(node: i32): void {
  while (nodeParent[node] > 0) node = nodeParent[node];
  plan[planLength++] = nodeAction[node];
  execute(stage, stage, findOffered(stage, nodeAction[node]));
}
/**
 * Takes one action of `base` that moves no object. Returns false if it leads to no new state, or to the end of the
 * episode.
 */
function lookAround(node: i32, index: i32): bool {
  const id = offeredId(base, index);
  const kind = id >> 12;
  if (kind == DO_CHECK || kind == DO_PICKUP || kind == DO_DROP || lengthOf(base, index) == 0) return false;
  memory.copy(changetype<usize>(copy), snapshot(node), SNAPSHOT_BYTES);
  execute(copy, base, index);
  // The imagined world has no border; views must stay inside the padding.
  const inside = copy.x >= 0 && copy.y >= 0 && copy.x < copy.width && copy.y < copy.height;
  if (!inside || copy.terminated || copy.truncated || !isNew(copy)) return false;
  keepNode(copy, node, id, nodeTurns[node] + 1);
  return true;
}
/** Plans one part of the mission after the other, and explores for its objects first. */
function searchByLooking(w: World): bool {
  memory.copy(changetype<usize>(stage), changetype<usize>(w), SNAPSHOT_BYTES);
  for (let round = 0; round < MAX_LOOKS; round++) {
    if (planLength > MAX_TURNS) break;
    if (stage.terminated || stage.truncated) {
      if (stage.succeeded && isOver(stage)) return true;
      break;
    }
    if (!knowsNextPart(stage) && !knowsWayIn(stage) && explore()) continue;
    targetProgress = progress(stage) + 1;
    const found = search(stage, 30, FIRST_NODES) || search(stage, 100);
    targetProgress = i32.MAX_VALUE;
    if (!found) break;
    memory.copy(changetype<usize>(stage), changetype<usize>(copy), SNAPSHOT_BYTES);
    if (copy.succeeded && isOver(copy)) return true;
  }
  planLength = 0;
  return false;
}
/** Plans one part of the mission after the other, with shorter searches that may run into a dead end. */
function searchInStages(w: World): bool {
  memory.copy(changetype<usize>(stage), changetype<usize>(w), SNAPSHOT_BYTES);
  for (let k = 0; k < STAGES; k++) {
    targetProgress = progress(stage) + 1;
    const found = search(stage, 60, STAGE_NODES);
    targetProgress = i32.MAX_VALUE;
    if (!found) break;
    memory.copy(changetype<usize>(stage), changetype<usize>(copy), SNAPSHOT_BYTES);
    if (copy.succeeded && isOver(copy)) return true;
  }
  planLength = 0;
  return false;
}
/** Finds the text actions that complete the mission: with a careful search first, then part by part, then greedily. */
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
  // If exploration finds no way, a plan with full knowledge is better than none. An oracle that uses the text alone
  // returns none: no reader could have found that plan.
  if (w.explores && (searchByLooking(w) || w.textOnly)) return;
  if (!search(w, 30, FIRST_NODES) && !searchInStages(w)) search(w, 100);
}
