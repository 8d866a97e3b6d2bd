/** Readings of trajectories: segments, facts of a token, statistics of a group, labels. Pure functions. */
import { msg, str } from '@lit/localize';
import type { Task } from '../../envs/env.ts';
import { chosenPositions } from '../../rl/episode/micro-batch.ts';
import { type Ending, TokenSource, type Trajectory } from '../../rl/episode/trajectory.ts';
import { strataOf } from '../../rl/schedule/tasks.ts';
import { fixed, listed, signed } from '../kit/format.ts';
import { stratumLabel, worldTitle } from './labels.ts';
import { shownReward } from './reward-parts.ts';

export const endingNames = (): { [ending in Ending]: string } => ({
  success: msg('success'),
  done: msg('world ended it'),
  horizon: msg('out of turns'),
  context: msg('out of context'),
  'invalid-action': msg('invalid action'),
  'world-failure': msg('world failed'),
});

export const taskLabel = (task: Task): string => {
  const strata = listed(strataOf(task).map(stratumLabel));
  return strata
    ? msg(str`${worldTitle(task.world)} task ${task.id}, ${strata}`)
    : msg(str`${worldTitle(task.world)} task ${task.id}`);
};

export function groupStatistics(members: readonly Trajectory[]) {
  const scores = members.map(shownReward);
  const mean = scores.reduce((sum, value) => sum + value, 0) / scores.length;
  const squares = scores.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const std = scores.length > 1 ? Math.sqrt(squares / (scores.length - 1)) : 0;
  return { mean, std, signal: std > 1e-9 };
}

/** The action that most episodes of a group begin with, the earlier one of several; null if none has a turn. */
export function firstAction(members: readonly Trajectory[]): { action: string; count: number } | null {
  const counts = new Map<string, number>();
  for (const { turns } of members) {
    const action = turns[0]?.action.trim();
    if (action) counts.set(action, (counts.get(action) ?? 0) + 1);
  }
  return [...counts].reduce<{ action: string; count: number } | null>(
    (most, [action, count]) => (most && most.count >= count ? most : { action, count }),
    null,
  );
}

/** An advantage as arithmetic: `result` is that of the printed numbers, not only of the exact ones. */
export interface PrintedAdvantage {
  score: string;
  mean: string;
  /** Absent if the method does not divide by the spread. */
  std?: string;
  result: string;
}

const resultDigits = 2;

/**
 * Prints an episode's advantage with as few digits as make the printed arithmetic true. Returns null if no number of
 * digits does: then more than the group's returns went into the advantage.
 */
export function printedAdvantage(
  episode: Pick<Trajectory, 'score' | 'rewards' | 'advantage'>,
  { mean, std }: { mean: number; std: number },
  byStd: boolean,
): PrintedAdvantage | null {
  const { advantage } = episode;
  const score = shownReward(episode);
  for (let digits = resultDigits; digits <= 6; digits++) {
    const rounded = (value: number) => Number(value.toFixed(digits));
    const value = (rounded(score) - rounded(mean)) / (byStd ? rounded(std) : 1);
    if (signed(value, resultDigits) !== signed(advantage, resultDigits)) continue;
    const print = (each: number) => fixed(each, digits);
    return {
      score: print(score),
      mean: print(mean),
      ...(byStd && { std: print(std) }),
      result: signed(advantage, resultDigits),
    };
  }
  return null;
}

/** Part of a trajectory from one source. */
export interface Segment {
  kind: 'prompt' | 'thought' | 'action' | 'observation' | 'request' | 'summary';
  /** -1 for the prompt. */
  turn: number;
  start: number;
  end: number;
}

/** Segments of all tokens, cut at the turns. Tokens between an action and the next one belong to the world's answer, or to a summary and its request. */
export function segmentsOf(trajectory: Trajectory): Segment[] {
  const { turns, tokens, windows = [] } = trajectory;
  const summaries = new Map(windows.map(({ turn, summary }) => [turn - 1, summary]));
  const segments: Segment[] = [{ kind: 'prompt', turn: -1, start: 0, end: turns[0]?.actionStart ?? tokens.length }];
  turns.forEach((turn, index) => {
    const next = turns[index + 1]?.actionStart ?? tokens.length;
    const { thoughtEnd = turn.actionStart } = turn;
    segments.push({ kind: 'thought', turn: index, start: turn.actionStart, end: thoughtEnd });
    segments.push({ kind: 'action', turn: index, start: thoughtEnd, end: turn.actionEnd });
    const summary = summaries.get(index);
    const answer = summary ? 'request' : 'observation';
    segments.push({ kind: answer, turn: index, start: turn.actionEnd, end: summary?.start ?? next });
    if (summary) segments.push({ kind: 'summary', turn: index, start: summary.start, end: next });
  });
  return segments.filter((segment) => segment.end > segment.start || segment.kind === 'action');
}

const cutUp = new WeakMap<Trajectory, Segment[][]>();

/** Segments of each turn: index 0 is the prompt, index 1 is turn 0. Cached per trajectory. */
export function segmentsByTurn(trajectory: Trajectory): readonly Segment[][] {
  let byTurn = cutUp.get(trajectory);
  if (!byTurn) {
    byTurn = Array.from({ length: trajectory.turns.length + 1 }, () => []);
    for (const segment of segmentsOf(trajectory)) byTurn[segment.turn + 1].push(segment);
    cutUp.set(trajectory, byTurn);
  }
  return byTurn;
}

export interface TokenFacts {
  source: 'world' | 'policy' | 'template';
  turn: number;
  /** Null if the policy did not sample the token. */
  logprob: number | null;
  /** Allowed tokens; null if the whole vocabulary is allowed, or if the token is not the policy's. */
  allowed: Int32Array | null;
  forced: boolean;
  /** Advantage in the token's update; null if it was not trained on. */
  advantage: number | null;
}

const rowsOf = new WeakMap<Trajectory, Map<number, number>>();

/** Index of a position among the trained tokens, or undefined. Cached per trajectory. */
export function trainedRow(trajectory: Trajectory, position: number): number | undefined {
  let rows = rowsOf.get(trajectory);
  if (!rows) {
    rows = new Map(Array.from(chosenPositions(trajectory), (each, index) => [each, index]));
    rowsOf.set(trajectory, rows);
  }
  return rows.get(position);
}

const sources = ['world', 'policy', 'template'] as const;

export function tokenFacts(trajectory: Trajectory, position: number): TokenFacts {
  const source = sources[trajectory.source[position]] ?? 'world';
  const policy = trajectory.source[position] === TokenSource.policy;
  const row = policy ? trainedRow(trajectory, position) : undefined;
  const { choices } = trajectory;
  const allowed =
    row === undefined || !choices ? null : choices.tokens.subarray(choices.offsets[row], choices.offsets[row + 1]);
  return {
    source,
    turn: trajectory.turnOf[position],
    logprob: policy ? trajectory.logprob[position] : null,
    allowed,
    forced: policy && choices !== null && row === undefined,
    advantage: row === undefined ? null : (trajectory.advantages[row] ?? null),
  };
}

/** Shade of a token, 0 to 1: its surprise in nats, where three and more are full. */
export const surprise = (logprob: number): number => Math.min(1, Math.max(0, -logprob / 3));
