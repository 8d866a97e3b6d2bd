/** Subgoals and their score: an ordered chain, and optional ones in any order. The lists of each variation are data. */
import { NIL } from './object';
import { at, goalDone, head, ref, setGoalDone, setGoalState } from './arena';
import { REACHED, UNSET, WRONG, forgetRoom, judge } from './goal-judges';
import { flags, goalRecord, open, optional, ordered, requires } from './goal-records';

export function startGoals(): void {
  open();
  for (let i = 0; i < ordered + optional; i++) setGoalState(i, UNSET);
  resetGoals();
}

export function resetGoals(): void {
  open();
  head.goal = 0;
  head.lastObject = 0;
  head.failed = 0;
  for (let i = 0; i < optional; i++) setGoalDone(i, false);
}

export function score(): f64 {
  open();
  if (head.failed) return -1;
  const share = 1.0 / <f64>(ordered + 1) / <f64>optional;
  let sum: f64 = 0;
  for (let i = 0; i < optional; i++) if (goalDone(i)) sum += share;
  return Math.min(1.0, <f64>head.goal / <f64>ordered + sum);
}

export function isCompleted(): bool {
  open();
  return head.goal >= ordered;
}

export function tickGoals(): void {
  open();
  forgetRoom();
  tickOrdered();
  tickOptional();
}

function reachKey(g: usize): void {
  const key = load<u8>(g + 2);
  if (key != 0) head.keys |= <u32>1 << (key - 1);
}

function tickOrdered(): void {
  while (head.goal < ordered) {
    const g = goalRecord(head.goal);
    if ((requires(g) & ~head.keys) != 0 || head.focus == 0) return;
    const o = at(head.focus);
    const result = judge(g, o, head.goal);
    if (result == WRONG) head.failed = 1;
    if (result != REACHED) return;
    head.lastObject = ref(o);
    if (flags(g) & 1) head.focus = 0;
    reachKey(g);
    head.goal++;
  }
}

function tickOptional(): void {
  let any = true;
  while (any) {
    any = false;
    for (let i = 0; i < optional; i++) {
      const g = goalRecord(ordered + i);
      if (goalDone(i) || (requires(g) & ~head.keys) != 0) continue;
      let result = judge(g, NIL, ordered + i);
      if (result != REACHED && head.focus != 0) result = judge(g, at(head.focus), ordered + i);
      if (result != REACHED) continue;
      setGoalDone(i, true);
      reachKey(g);
      any = true;
    }
  }
}

