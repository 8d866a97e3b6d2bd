// The agent's seven low-level actions and its 7x7 view. Independent of text.
import {
  at, AT_TURNS_END, BOX, clearCell, CLOSED, colorOf, contentOf, DOOR, frontCell, idAt, IN_PASSING, isDoorLook,
  isOpaque, LOCKED, lookAt, LOOK_EMPTY, lookOfObject, looks, LOOK_WALL, NOBODY, OPEN, putObject, rememberPositions,
  restyle, setKnown, stateOf, stateOfLook, STRIDE, stepX, stepY, typeOf, view, World,
} from './world';
import {
  ACT_DROP, ACT_FORWARD, ACT_LEFT, ACT_PICKUP, ACT_RIGHT, ACT_TOGGLE, CONTINUE, SUCCESS, verify,
} from './instructions';

// Visibility of one view row, precomputed. Given the cells lit so far and the transparent cells, the table has the
// cells finally lit and those lit in the next row. Index: lit * 128 + transparent; value: lit + beyond * 128.
const rowTable: usize = memory.data(128 * 128 * 2);
function lightRow(lit: u32, clear: u32): u32 {
  let beyond: u32 = 0;
  for (let i: u32 = 0; i < 6; i++) {
    if (!((lit >> i) & (clear >> i) & 1)) continue;
    lit |= 2 << i;
    beyond |= 3 << i;
  }
  for (let i: u32 = 6; i >= 1; i--) {
    if (!((lit >> i) & (clear >> i) & 1)) continue;
    lit |= 1 << (i - 1);
    beyond |= 3 << (i - 1);
  }
  return lit | (beyond << 7);
}
const opaqueLooks: usize = memory.data(256);
export function prepareViews(): void {
  for (let look = 0; look < 256; look++) store<u8>(opaqueLooks + look, u8(isOpaque(u8(look))));
  for (let lit: u32 = 0; lit < 128; lit++) {
    for (let clear: u32 = 0; clear < 128; clear++) store<u16>(rowTable + (lit * 128 + clear) * 2, u16(lightRow(lit, clear)));
  }
}

/** Computes the view, row by row from the agent: cell (i, j) is byte j * 7 + i. */
export function look(w: World): void {
  const out = view(w);
  const forward = stepX(w.dir) + stepY(w.dir) * STRIDE;
  const right = -stepY(w.dir) + stepX(w.dir) * STRIDE;
  const here = looks(w) + at(w.x, w.y);
  let lit: u32 = 8;
  let row = here - 3 * right;
  for (let j = 6; j >= 0; j--) {
    let clear: u32 = 0;
    let cell = row;
    const line = out + j * 7;
    for (let i = 0; i < 7; i++) {
      const seen = load<u8>(cell);
      store<u8>(line + i, seen);
      clear |= u32(load<u8>(opaqueLooks + seen) ^ 1) << i;
      cell += right;
    }
    const both = load<u16>(rowTable + (lit * 128 + clear) * 2);
    for (let i = 0; i < 7; i++) {
      if (!((both >> u16(i)) & 1)) store<u8>(line + i, 0);
    }
    lit = both >> 7;
    row += forward;
  }
  store<u8>(out + 45, w.carried ? lookOfObject(w, w.carried) : LOOK_EMPTY);
  if (w.explores && !w.textOnly) recordSeen(w, IN_PASSING);
}
/** The cell `ahead` rows ahead and `aside` columns to the right of the agent. */
@inline function cellInView(w: World, ahead: i32, aside: i32): usize {
  return at(w.x + stepX(w.dir) * ahead - stepY(w.dir) * aside, w.y + stepY(w.dir) * ahead + stepX(w.dir) * aside);
}
@inline export function seenAt(w: World, ahead: i32, aside: i32): u8 {
  return load<u8>(view(w) + (6 - ahead) * 7 + 3 + aside);
}
/** Records the cells in view as seen. */
function recordSeen(w: World, when: u8): void {
  for (let ahead = 0; ahead <= 6; ahead++) {
    for (let aside = -3; aside <= 3; aside++) if (seenAt(w, ahead, aside)) setKnown(w, cellInView(w, ahead, aside), when);
  }
}
/**
 * Ends a turn for a policy or oracle that uses the text: records the cells in view, and the walls that the text
 * implies: the one straight ahead, and one at the side if a door in it is nearer than that.
 */
export function recordReported(w: World): void {
  if (!w.textOnly && !w.remembers) return;
  recordSeen(w, AT_TURNS_END);
  const wall = wallAhead(w);
  if (wall > 6) return;
  noteWall(w, 0);
  for (let ahead = 0; ahead < wall; ahead++) {
    for (let aside = -3; aside <= 3; aside++) if (aside != 0 && isDoorLook(seenAt(w, ahead, aside))) noteWall(w, 1);
  }
}
/** Steps to the wall, or the door in it, straight ahead; 7 if none is in sight. */
function wallAhead(w: World): i32 {
  for (let ahead = 1; ahead <= 6; ahead++) {
    if (seenAt(w, ahead, 0) == LOOK_WALL || isDoorLook(seenAt(w, ahead, 0))) return ahead;
  }
  return 7;
}
/** Records a wall straight ahead (0) or at the side (1). */
function noteWall(w: World, aside: i32): void {
  if ((w.dir + aside) & 1) w.rowWallImplied = true;
  else w.columnWallImplied = true;
}

const previous: usize = memory.data(64);
/** Saves the view for `viewChanged`. */
export function saveView(w: World): void {
  memory.copy(previous, view(w), 49);
}
export function viewChanged(w: World): bool {
  return memory.compare(previous, view(w), 49) != 0;
}

function moveForward(w: World): void {
  const front = lookAt(w, frontCell(w));
  if (front != LOOK_EMPTY && !(isDoorLook(front) && stateOfLook(front) == OPEN)) return;
  w.x += stepX(w.dir);
  w.y += stepY(w.dir);
}
function pickUp(w: World): void {
  const cell = frontCell(w);
  const id = idAt(w, cell);
  if (w.carried || id == NOBODY || typeOf(w, id) == DOOR) return;
  clearCell(w, cell);
  w.carried = id;
}
function drop(w: World): void {
  const cell = frontCell(w);
  if (!w.carried || lookAt(w, cell) != LOOK_EMPTY) return;
  putObject(w, w.carried, cell);
  w.carried = NOBODY;
}
function toggleDoor(w: World, door: i32): void {
  const color = colorOf(w, door);
  const state = stateOf(w, door);
  if (state != LOCKED) return restyle(w, door, color, state == OPEN ? CLOSED : OPEN);
  if (w.carried && typeOf(w, w.carried) == 5 && colorOf(w, w.carried) == color) restyle(w, door, color, OPEN);
}
function toggle(w: World): void {
  const cell = frontCell(w);
  const id = idAt(w, cell);
  if (id == NOBODY) return;
  const type = typeOf(w, id);
  if (type == DOOR) return toggleDoor(w, id);
  if (type != BOX) return;
  clearCell(w, cell);
  const content = contentOf(w, id);
  if (content) putObject(w, content, cell);
}

/** Performs one low-level action; updates the reward, the end of the episode and the view. */
export function act(w: World, action: u8): void {
  w.stepCount++;
  w.reward = 0;
  w.terminated = false;
  w.succeeded = false;
  if (action == ACT_LEFT) w.dir = (w.dir + 3) & 3;
  else if (action == ACT_RIGHT) w.dir = (w.dir + 1) & 3;
  else if (action == ACT_FORWARD) moveForward(w);
  else if (action == ACT_PICKUP) pickUp(w);
  else if (action == ACT_DROP) drop(w);
  else if (action == ACT_TOGGLE) toggle(w);
  if (action == ACT_DROP) rememberPositions(w);
  const verdict = verify(w, action);
  if (verdict != CONTINUE) w.terminated = true;
  if (verdict == SUCCESS) {
    w.succeeded = true;
    w.reward = 1 - 0.9 * (f64(w.stepCount) / f64(w.maxSteps));
  }
  w.truncated = w.stepCount >= w.maxSteps;
  look(w);
}
