/** One step of the agent: parse the line or resolve an ambiguity, act, let time pass, judge the goals. */
import { NIL, Obj } from './object';
import { PENDING_BYTES, at, ensureRoom, head, ref } from './arena';
import { A_INVENTORY, A_LOOK, A_TASK } from './action-ids';
import { execute, forgetAccepted } from './actions';
import {
  putAmbiguity, chosenMatch, isRegistered, matchAction, matchFirst, matchSecond, parse, slotCount, verb, preposition,
} from './parser';
import { forgetThrow, threw } from './goal-judges';
import { isCompleted, score, tickGoals } from './goals';
import { tickWorld } from './tick';
import { byte, out, put, tidy } from './text';

const UNKNOWN = "Unknown action.  Type 'help' for a list of actions, and 'objects' for a list of possible object referents. ";

/** Performs the action, then ticks while the agent waits. */
function actAndTick(action: i32, a: Obj, b: Obj): void {
  let queued = action >= 0;
  const first = ref(a);
  const second = ref(b);
  for (;;) {
    const takesTime = !queued || (action != A_LOOK && action != A_INVENTORY && action != A_TASK);
    if (queued) {
      ensureRoom();
      execute(action, at(first), at(second));
      queued = false;
    }
    tickGoals();
    // An exception in the original's goals ends the loop and every later step.
    if (threw) return;
    if (takesTime) {
      ensureRoom();
      tickWorld();
      head.moves++;
    }
    tickGoals();
    if (head.waiting == 0) return;
    head.waiting--;
  }
}

/** Performs the line at `from` (`n` bytes, untrimmed) and writes the answer to `out`. */
export function step(from: usize, n: i32): void {
  const start = out.length;
  forgetAccepted();
  if (head.stopped) {
    head.score = -1;
    head.completed = 1;
    return put('java.util.NoSuchElementException: None.get');
  }
  let action = -1;
  let a = NIL;
  let b = NIL;
  if (head.pending > 0) {
    const i = chosenMatch(from, n);
    if (i >= 0) {
      action = matchAction(i);
      a = matchFirst(i);
      b = matchSecond(i);
    }
  } else {
    // A line that does not fit the arena cannot be kept as an ambiguous request. No valid line is nearly that long.
    const count = n > PENDING_BYTES ? 0 : parse(from, n);
    if (count == 0) return put('No known action matches that input.');
    if (count > 1) return putAmbiguity(count, from, n);
    action = matchAction(0);
    a = matchFirst(0);
    b = matchSecond(0);
  }
  forgetThrow();
  actAndTick(action, a, b);
  tidy(start);
  if (threw) head.stopped = 1;
  head.score = score();
  head.completed = isCompleted() ? 1 : 0;
  if (out.length == start) put(UNKNOWN);
}

const helpOrder: StaticArray<i32> = [7, 1, 17, 8, 18, 26, 9, 16, 12, 2, 21, 4, 5, 6, 24, 10, 0, 22, 11, 23, 15, 13, 25, 3, 14, 20, 19];

export function help(): void {
  put('Possible actions: \n');
  let n = 0;
  for (let i = 0; i < helpOrder.length; i++) {
    const action = helpOrder[i];
    if (!isRegistered(action)) continue;
    if (n++ > 0) byte(10);
    byte(9);
    put(verb(action));
    if (slotCount(action) > 0) put(' OBJ');
    if (slotCount(action) < 2) continue;
    byte(32);
    put(preposition(action));
    put(' OBJ');
  }
}

