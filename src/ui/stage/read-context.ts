/** What a turn of a stored episode read: a sentence, and the parts of the episode that lie outside its window. */
import { msg, str } from '@lit/localize';
import type { Trajectory, Window } from '../../rl/episode/trajectory.ts';
import { sampleOfTurn } from '../../rl/episode/window.ts';
import { tokenCount, turnCount } from '../kit/counts.ts';

export interface ReadContext {
  /** Index of the first earlier turn in the window; the turn itself: none. */
  first: number;
  /** Head of the window. */
  form: Window['form'];
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
  return { first: first < 0 ? turn : Math.min(first, turn), form: own?.form ?? 'task', tokens };
}

/** Sentence under a turn's heading. */
export function contextSentence({ first, form, tokens }: ReadContext, turn: number): string {
  const count = tokenCount(tokens);
  if (first === turn) return withoutTurns(form, count);
  const before = turnCount(turn - first);
  if (form === 'summary') return msg(str`Read the task, its own summary and ${before} since: ${count}`);
  if (form === 'memory') return msg(str`Read the task, the world's memory and ${before} before: ${count}`);
  return form === 'task'
    ? msg(str`Read the task and ${before} before: ${count}`)
    : msg(str`Read ${before} before, and the answer that they began with: ${count}`);
}

function withoutTurns(form: ReadContext['form'], count: string): string {
  if (form === 'memory') return msg(str`Read the task and the world's memory: ${count}`);
  if (form === 'summary') return msg(str`Read the task, its own summary and the last answer: ${count}`);
  return form === 'task' ? msg(str`Read the task: ${count}`) : msg(str`Read the last answer: ${count}`);
}
