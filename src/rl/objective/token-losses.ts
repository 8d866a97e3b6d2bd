/**
 * Losses of single tokens as a training client names them (Tinker's API, https://tinker-docs.thinkingmachines.ai/losses),
 * as sums over tokens. All but DRO are this project's objectives under other names.
 */
import type { ObjectiveRows } from '../../policy/policy.ts';
import { clippedScalars, regularized } from './clipped.ts';
import { likelihoodObjective } from './likelihood.ts';
import { policySpec } from './surrogate.ts';

/** Numbers of the tokens by column, (N) each. */
export type TokenColumns = { readonly [column: string]: ArrayLike<number> };

/** Loss of each token and its derivative by the token's log-probability, (N) each. */
interface TokenLossResult {
  loss: Float64Array;
  weight: Float64Array;
}

export interface TokenLoss {
  /** Columns that a request must have, beside the target tokens. */
  columns: readonly string[];
  /** Settings with their defaults; null: the setting is required. */
  settings: { readonly [name: string]: number | null };
  evaluate(
    logprob: ArrayLike<number>,
    columns: TokenColumns,
    settings: { readonly [name: string]: number },
  ): TokenLossResult;
}

const rowsOf = (
  logprob: ArrayLike<number>,
  columns: TokenColumns,
  scalars: { readonly [name: string]: number },
): ObjectiveRows => {
  const count = logprob.length;
  const none = new Int32Array(count);
  const ids = { sequence: none, turn: none, group: none, pair: none };
  return { count, logprob, entropy: new Float64Array(count), value: null, columns, scalars, ...ids };
};

const noRegularizers = Object.fromEntries(clippedScalars.map((name) => [name, 0]));

/** Rows of tokens that were sampled, without KL, entropy and aggregation. */
const sampledRows = (
  logprob: ArrayLike<number>,
  { logprobs, advantages }: TokenColumns,
  scalars: { readonly [name: string]: number },
): ObjectiveRows => {
  const coefficient = new Float64Array(logprob.length).fill(1);
  const columns = { oldLogprob: logprobs, refLogprob: logprobs, advantage: advantages, coefficient };
  return rowsOf(logprob, columns, { ...noRegularizers, ...scalars });
};

/** An objective of this project over a client's columns. */
const surrogateLoss =
  (objective: ReturnType<typeof policySpec>): TokenLoss['evaluate'] =>
  (logprob, columns, { clip_low_threshold: low, clip_high_threshold: high }) => {
    // Objectives of the clipped family are evaluated on this thread.
    const { loss, weight } = objective.evaluate(
      sampledRows(logprob, columns, { clipLow: 1 - low, clipHigh: high - 1 }),
    );
    return { loss, weight };
  };

/** Direct reward optimisation with a quadratic penalty (DRO, https://arxiv.org/abs/2405.19107). */
const dro = regularized(({ logprob, columns: { oldLogprob, advantage }, scalars: { beta } }) => ({
  term: (i) => {
    const difference = logprob[i] - oldLogprob[i];
    return {
      loss: -(logprob[i] * advantage[i] - 0.5 * beta * difference ** 2),
      weight: -(advantage[i] - beta * difference),
      ratio: 1,
      flags: 0,
    };
  },
}));

const sampled = ['logprobs', 'advantages'] as const;
const clip = { clip_low_threshold: 0.8, clip_high_threshold: 1.2 };
const clippedLoss = surrogateLoss(policySpec('token', 'clip'));

export const tokenLosses: { readonly [name: string]: TokenLoss } = {
  cross_entropy: {
    columns: ['weights'],
    settings: {},
    evaluate: (logprob, { weights }) => likelihoodObjective.evaluate(rowsOf(logprob, { coefficient: weights }, {})),
  },
  importance_sampling: {
    columns: sampled,
    settings: {},
    evaluate: (logprob, columns) =>
      clippedLoss(logprob, columns, { clip_low_threshold: Number.NEGATIVE_INFINITY, clip_high_threshold: Infinity }),
  },
  // not a kind: a loss of Tinker's API
  ppo: { columns: sampled, settings: clip, evaluate: clippedLoss },
  // not a kind: a loss of Tinker's API, and a form of clipping
  cispo: { columns: sampled, settings: clip, evaluate: surrogateLoss(policySpec('token', 'cispo')) },
  dro: {
    columns: sampled,
    settings: { beta: null },
    evaluate: (logprob, columns, { beta }) => dro(sampledRows(logprob, columns, { beta })),
  },
};
