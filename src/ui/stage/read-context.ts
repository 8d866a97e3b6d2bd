/** What a turn of a stored episode read: a sentence, and the parts of the episode that lie outside its window. */
import { msg, str } from '@lit/localize';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { sampleOfTurn } from '../../rl/episode/window.ts';
import { tokenCount } from '../kit/counts.ts';

export interface ReadContext {
  /** Index of the first earlier turn in the window; the turn itself: none. */
  first: number;
  /** False: the window begins with the answer before its first turn. */
  hasTask: boolean;
  /** Tokens before the turn's first token. */
  tokens: number;
}

/** Context of a turn; null: every turn of the episode read all before it. */
export function contextOf(trajectory: Trajectory, turn: number): ReadContext | null {
  const { windows, turns } = trajectory;
  if (!windows || !turns[turn]) return null;
  const { head, from } = sampleOfTurn(trajectory, turn);
  const first = turns.findIndex(({ actionStart }) => actionStart >= from);
  const own = windows.findLast((window) => window.turn <= turn);
  const tokens = head.length + turns[turn].actionStart - from;
  return { first: first < 0 ? turn : Math.min(first, turn), hasTask: !own?.head, tokens };
}

/** Sentence under a turn's heading. */
export function contextSentence({ first, hasTask, tokens }: ReadContext, turn: number): string {
  const count = tokenCount(tokens);
  if (first === turn) return hasTask ? msg(str`Read the task: ${count}`) : msg(str`Read the last answer: ${count}`);
  const [from, to] = [first + 1, turn];
  if (from === to)
    return hasTask
      ? msg(str`Read the task and turn ${from}: ${count}`)
      : msg(str`Read turn ${from} and the answer before it: ${count}`);
  return hasTask
    ? msg(str`Read the task and turns ${from} to ${to}: ${count}`)
    : msg(str`Read turns ${from} to ${to} and the answer before them: ${count}`);
}
