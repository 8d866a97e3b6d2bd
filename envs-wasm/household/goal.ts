/**
 * The goal: a list of clauses that must all hold. A clause puts objects of a kind, in a state, into one receptacle of a
 * kind (PLACE), has one in hand (HOLD), or has a lamp on beside the agent (LIGHT).
 *
 * Subgoals are counted for the objects that are furthest: taken, each asked state, placed; held; lamp on.
 */
import { putByte, putText } from '../shared/text';
import {
  agentPlace, CLEAN, clauseByte, clauses, COOL, hasBits, held, HOLD, HOT, isHere, isInside, isLying, isWon,
  kindOfObject, kindOfReceptacle, LIGHT, mostReached, NONE, objectKindName, objects, PLACE, receptacleKindName,
  receptacles, setReached, setWon, SLICED, stateOf, TOGGLED, wasTaken,
} from './house';
import { putName } from './texts';

export function clauseType(c: i32): i32 { return clauseByte(c, 0); }
export function goalObjectKind(c: i32): i32 { return clauseByte(c, 1); }
function receptacleKind(c: i32): i32 { return clauseByte(c, 2); }
export function goalCount(c: i32): i32 { return clauseByte(c, 3); }
export function goalState(c: i32): i32 { return clauseByte(c, 4); }

export function isGoalReceptacle(c: i32, r: i32): bool { return kindOfReceptacle(r) == receptacleKind(c); }

/** True if the object is of the clause's kind and has its fixed properties. */
export function isCandidate(c: i32, o: i32): bool {
  return kindOfObject(o) == goalObjectKind(c) && hasBits(o, clauseByte(c, 5));
}

/** True if the object is in the receptacle in the state that the clause asks for. */
export function isPlaced(c: i32, o: i32, r: i32): bool {
  return isCandidate(c, o) && isInside(o, r) && (stateOf(o) & goalState(c)) == goalState(c);
}

export function placedIn(c: i32, r: i32): i32 {
  let count = 0;
  for (let o = 0; o < objects; o++) if (isPlaced(c, o, r)) count++;
  return count;
}

/** True if the lamp is on and at the agent's location. */
function shines(c: i32, o: i32): bool {
  if (!isCandidate(c, o) || !(stateOf(o) & TOGGLED)) return false;
  if (clauseByte(c, 6) == 1) return isLying(o, agentPlace());
  for (let r = 0; r < receptacles; r++) if (isHere(r) && isInside(o, r)) return true;
  return false;
}

export function isMet(c: i32): bool {
  const type = clauseType(c);
  if (type == HOLD) return held() != NONE && isCandidate(c, held());
  if (type == LIGHT) {
    for (let o = 0; o < objects; o++) if (shines(c, o)) return true;
    return false;
  }
  for (let r = 0; r < receptacles; r++) if (isGoalReceptacle(c, r) && placedIn(c, r) >= goalCount(c)) return true;
  return false;
}

function bitsOf(state: i32): i32 { return popcnt(state); }

/** Number of a PLACE clause's subgoals that an object has reached. */
function reachedBy(c: i32, o: i32): i32 {
  let inGoal = false;
  for (let r = 0; r < receptacles; r++) if (isGoalReceptacle(c, r) && isInside(o, r)) inGoal = true;
  const state = bitsOf(stateOf(o) & goalState(c));
  const complete = state == bitsOf(goalState(c));
  const taken = wasTaken(o) || (inGoal && complete);
  return (taken ? 1 : 0) + state + (taken && inGoal ? 1 : 0);
}

/** Subgoals reached in a PLACE clause by the furthest objects. */
function reachedInPlace(c: i32): i32 {
  let best = 0;
  let next = 0;
  for (let o = 0; o < objects; o++) {
    if (!isCandidate(c, o)) continue;
    const reached = reachedBy(c, o);
    if (reached > best) { next = best; best = reached; } else if (reached > next) next = reached;
  }
  return goalCount(c) > 1 ? best + next : best;
}

function lampIsOn(c: i32): bool {
  for (let o = 0; o < objects; o++) if (isCandidate(c, o) && stateOf(o) & TOGGLED) return true;
  return false;
}

function reachedIn(c: i32): i32 {
  const type = clauseType(c);
  if (type == PLACE) return reachedInPlace(c);
  return (type == HOLD ? isMet(c) : lampIsOn(c)) ? 1 : 0;
}

/** Number of all subgoals. A goal with a lamp has one more: everything at once. */
export function subgoals(): i32 {
  let count = 0;
  let lamp = 0;
  for (let c = 0; c < clauses; c++) {
    const type = clauseType(c);
    count += type == PLACE ? goalCount(c) * (2 + bitsOf(goalState(c))) : 1;
    if (type == LIGHT) lamp = 1;
  }
  return count + lamp;
}

/** Updates the result after a change of the state. */
export function judge(): void {
  let all = true;
  let reached = 0;
  for (let c = 0; c < clauses; c++) {
    all = isMet(c) && all;
    reached += reachedIn(c);
  }
  if (all) setWon();
  const total = subgoals();
  const now = isWon() ? total : min(reached, total - 1);
  if (now > mostReached()) setReached(now);
}

// --- the goal as text, for the view -----------------------------------------------------------------------------------

function putLine(done: bool, text: string, name: i32): void {
  putByte(done ? 49 : 48);
  putText(text);
  putName(name);
  putByte(10);
}

/** Writes the clauses' parts, one per line: `1` or `0` for done, then words. */
export function putSubgoals(): void {
  for (let c = 0; c < clauses; c++) {
    const type = clauseType(c);
    const kind = objectKindName(goalObjectKind(c));
    if (type == HOLD) { putLine(isMet(c), 'take ', kind); continue; }
    if (type == LIGHT) { putLine(lampIsOn(c), 'use ', kind); continue; }
    const state = goalState(c);
    let best = -1;
    for (let o = 0; o < objects; o++)
      if (isCandidate(c, o) && (best < 0 || reachedBy(c, o) > reachedBy(c, best))) best = o;
    putLine(best >= 0 && wasTaken(best), goalCount(c) > 1 ? 'take two ' : 'take ', kind);
    if (state & CLEAN) putLine(best >= 0 && (stateOf(best) & CLEAN) != 0, 'clean ', kind);
    if (state & HOT) putLine(best >= 0 && (stateOf(best) & HOT) != 0, 'heat ', kind);
    if (state & COOL) putLine(best >= 0 && (stateOf(best) & COOL) != 0, 'cool ', kind);
    if (state & SLICED) putLine(best >= 0 && (stateOf(best) & SLICED) != 0, 'slice ', kind);
    putLine(isMet(c), 'place in ', receptacleKindName(receptacleKind(c)));
  }
}
