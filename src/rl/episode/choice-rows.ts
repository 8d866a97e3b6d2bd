/** Choices of an episode during play, and the rows of its trajectory that they become; a teacher's rows for them. */
import type { TokenDistributions } from '../../policy/policy.ts';
import { concat } from './conversation.ts';
import type { Trajectory } from './trajectory.ts';

/** Tokens allowed at a position; none: the whole vocabulary. */
export interface Choice {
  position: number;
  allowed: Int32Array;
}

export function choiceRows(choices: readonly Choice[]): NonNullable<Trajectory['choices']> {
  const offsets = new Int32Array(choices.length + 1);
  const position = new Int32Array(choices.length);
  choices.forEach((choice, row) => {
    position[row] = choice.position;
    offsets[row + 1] = offsets[row] + choice.allowed.length;
  });
  return { position, offsets, tokens: concat(choices.map((choice) => choice.allowed)) };
}

/** Choices of a trajectory at positions from `start` to `end`, each `shift` positions later. */
export function choicesIn(rows: Trajectory['choices'], start: number, end: number, shift: number): Choice[] {
  if (!rows) return [];
  const { position, offsets, tokens } = rows;
  return Array.from(position).flatMap((at, row) =>
    at < start || at >= end ? [] : [{ position: at + shift, allowed: tokens.subarray(offsets[row], offsets[row + 1]) }],
  );
}

/** A teacher's numbers of an episode. */
export interface TeacherLabels {
  /** (K) log-probability of each trained token; NaN: none. */
  logprobs: Float32Array;
  distributions: TokenDistributions;
}

/** Distributions in CSR form; an empty row has none. */
export function distributionRows(rows: readonly ArrayLike<number>[]): TokenDistributions {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach(({ length }, k) => {
    offsets[k + 1] = offsets[k] + length;
  });
  const logprobs = new Float32Array(offsets[rows.length]);
  rows.forEach((row, k) => {
    logprobs.set(row, offsets[k]);
  });
  return { offsets, logprobs };
}
