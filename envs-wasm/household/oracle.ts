/**
 * The oracle: one action at a time towards the first clause that does not hold. One that sees knows where everything
 * is; one that explores knows only what the agent has seen, and looks in the receptacles in the order of the first text.
 */
import { putByte } from '../shared/text';
import {
  apply, choose, CLEAN_IT, COOL_IT, EXAMINE_RECEPTACLE, first, GO, HEAT_IT, isApplicable, OPEN, PUT, putCommand, second,
  TAKE, USE, verb,
} from './actions';
import {
  clauseType, goalObjectKind, goalState, isCandidate, isGoalReceptacle, isMet, isPlaced, judge, placedIn,
} from './goal';
import {
  canContain, CLEAN, CLEANS, clauses, COOL, COOLS, EXPLORES, hasRole, hasStyle, HEATS, held, HOLD, HOT,
  isAccessible, isHere, isInside, isWon, kindCanContain, kindOfReceptacle, LIGHT, NONE, objectIs, objects,
  PICKUPABLE, PLACE, placeOf, receptacles, SLICED, stateOf, TOGGLED, wasSeen,
} from './house';

/** Maximum number of actions of a plan. */
const MOST_ACTIONS: i32 = 400;

function mayKnow(r: i32): bool { return placeOf(r) != NONE && (!hasStyle(EXPLORES) || wasSeen(r)); }

/** A known receptacle with the object, the agent's own location first; or NONE. */
function whereIs(o: i32): i32 {
  let found = NONE;
  for (let r = 0; r < receptacles; r++) {
    if (!isInside(o, r) || !mayKnow(r)) continue;
    if (isHere(r)) return r;
    if (found == NONE) found = r;
  }
  return found;
}

/** Towards a receptacle, and opens it there. False if the agent is there and it is accessible. */
function approach(r: i32): bool {
  if (!isHere(r)) return choose(GO, r, NONE);
  return !isAccessible(r) && choose(OPEN, r, NONE);
}

function isUnseen(r: i32): bool { return placeOf(r) != NONE && !wasSeen(r); }

/** Looks into the next receptacle: here, then where the kind of object can be, then anywhere. False if all were seen. */
function explore(kind: i32): bool {
  if (!hasStyle(EXPLORES)) return false;
  let next = NONE;
  let possible = NONE;
  for (let r = 0; r < receptacles; r++) {
    if (!isUnseen(r)) continue;
    if (isHere(r)) return isAccessible(r) ? choose(EXAMINE_RECEPTACLE, r, NONE) : choose(OPEN, r, NONE);
    if (next == NONE) next = r;
    if (possible == NONE && kindCanContain(kindOfReceptacle(r), kind)) possible = r;
  }
  const to = possible != NONE ? possible : next;
  return to != NONE && choose(GO, to, NONE);
}

/** Puts away what the agent holds and does not need. */
function drop(): bool {
  const o = held();
  let any = NONE;
  for (let r = 0; r < receptacles; r++) {
    if (placeOf(r) == NONE || !canContain(r, o)) continue;
    if (isHere(r)) return isAccessible(r) ? choose(PUT, o, r) : choose(OPEN, r, NONE);
    if (any == NONE) any = r;
  }
  return any != NONE && choose(GO, any, NONE);
}

/** The receptacle of the clause that holds most of what it asks for; or NONE. */
function goalReceptacle(c: i32): i32 {
  let best = NONE;
  let most = -1;
  for (let r = 0; r < receptacles; r++) {
    if (placeOf(r) == NONE || !isGoalReceptacle(c, r)) continue;
    const placed = hasStyle(EXPLORES) && !wasSeen(r) ? 0 : placedIn(c, r);
    if (placed > most) { best = r; most = placed; }
  }
  return best;
}

/** Takes an object of the clause that is not yet in receptacle `to` as it should be. */
function fetch(c: i32, to: i32): bool {
  let object = NONE;
  let from = NONE;
  for (let o = 0; o < objects; o++) {
    if (!isCandidate(c, o) || !objectIs(o, PICKUPABLE) || (to != NONE && isPlaced(c, o, to))) continue;
    const r = whereIs(o);
    if (r == NONE || (object != NONE && !isHere(r))) continue;
    object = o;
    from = r;
    if (isHere(r)) break;
  }
  if (object == NONE) return explore(goalObjectKind(c));
  return approach(from) || choose(TAKE, object, from);
}

/** Changes the held object at a receptacle with a role. */
function treat(role: i32, withVerb: i32): bool {
  for (let r = 0; r < receptacles; r++)
    if (placeOf(r) != NONE && hasRole(r, role)) return isHere(r) ? choose(withVerb, held(), r) : choose(GO, r, NONE);
  return false;
}

function pursuePlace(c: i32): bool {
  const to = goalReceptacle(c);
  if (to == NONE) return false;
  if (held() == NONE) return fetch(c, to);
  if (!isCandidate(c, held())) return drop();
  const missing = goalState(c) & ~stateOf(held());
  if (missing & SLICED) return false;
  if (missing & CLEAN) return treat(CLEANS, CLEAN_IT);
  if (missing & HOT) return treat(HEATS, HEAT_IT);
  if (missing & COOL) return treat(COOLS, COOL_IT);
  return approach(to) || choose(PUT, held(), to);
}

function pursueLight(c: i32): bool {
  for (let o = 0; o < objects; o++) {
    if (!isCandidate(c, o)) continue;
    const r = whereIs(o);
    if (r == NONE) continue;
    if (!isHere(r)) return choose(GO, r, NONE);
    if (!(stateOf(o) & TOGGLED)) return choose(USE, o, NONE);
  }
  return explore(goalObjectKind(c));
}

/** Chooses the next action. False if there is none. */
function decide(): bool {
  for (let c = 0; c < clauses; c++) if (clauseType(c) == PLACE && !isMet(c)) return pursuePlace(c);
  for (let c = 0; c < clauses; c++)
    if (clauseType(c) == HOLD && !isMet(c)) return held() == NONE ? fetch(c, NONE) : drop();
  for (let c = 0; c < clauses; c++) if (clauseType(c) == LIGHT && !isMet(c)) return pursueLight(c);
  return false;
}

/** Writes the rest of the plan, one action per line, by playing on in the open house, a copy. False if it fails. */
export function putPlan(): bool {
  for (let count = 0; count < MOST_ACTIONS && !isWon(); count++) {
    if (!decide() || !isApplicable(verb, first, second)) return false;
    putCommand(verb, first, second);
    putByte(10);
    apply();
    judge();
  }
  return isWon();
}
