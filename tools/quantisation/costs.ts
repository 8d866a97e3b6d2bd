/**
 * Costs of packing. Weights: the same tokens are scored in f32 and in int8 or int4, and compared at every position with
 * teacher forcing, so that one different token does not affect those after it. K/V cache: the difference between
 * log-probabilities sampled with int8 rows and those that training computes with floats.
 */

import type { ModelConfig } from '../../src/policy/config.ts';
import type { KvPrecision } from '../../src/policy/engine/generation/cache-pages.ts';
import type { Capacity, Learner, PackedBatch, TensorMap } from '../../src/policy/policy.ts';
import type { PackedPrecision } from '../../src/policy/weights/packed-layout.ts';
import { begin, wholeTurns } from '../turns.ts';

/** Logits (T, V) of a batch, by a model in a given precision. */
export type LogitsOf = (
  config: ModelConfig,
  weights: TensorMap,
  precision: 'f32' | PackedPrecision,
  batch: PackedBatch,
) => Promise<Float32Array>;

export interface QuantisationCase {
  name: string;
  config: ModelConfig;
  weights: TensorMap;
  batch: PackedBatch;
  /** True if weights are random: most positions are then nearly tied, so agreement is lower than a trained model's. */
  random: boolean;
}

export interface QuantisationCost {
  name: string;
  random: boolean;
  precision: PackedPrecision;
  positions: number;
  /** Root mean square of the logits' error relative to that of the logits, each row minus its mean. */
  relativeError: number;
  /** Largest error of one logit, in nats. */
  largestError: number;
  /** Mean Kullback-Leibler divergence of the packed model from the f32 model, in nats. */
  divergence: number;
  /** Share of positions with the same most likely token. */
  agreement: number;
  /** The same share, over positions where f32's first and second are more than a nat apart; 1 if there are none. */
  clearAgreement: number;
}

export interface Bound {
  relativeError: number;
  divergence: number;
  agreement: number;
  clearAgreement: number;
}

/**
 * Guaranteed bounds, about twice the measured values (docs/quantisation.md); `npm run quant-report` and the tests check
 * them. Random models are narrow with large logits, so errors add up and many first tokens are nearly tied.
 */
export const bounds: { readonly [kind in 'trained' | 'random']: { readonly [precision in PackedPrecision]: Bound } } = {
  trained: {
    int8: { relativeError: 0.015, divergence: 1e-3, agreement: 0.97, clearAgreement: 1 },
    int4: { relativeError: 0.2, divergence: 0.1, agreement: 0.8, clearAgreement: 0.95 },
  },
  random: {
    int8: { relativeError: 0.06, divergence: 3e-3, agreement: 0.9, clearAgreement: 0.98 },
    int4: { relativeError: 0.7, divergence: 0.4, agreement: 0.35, clearAgreement: 0.65 },
  },
};

/** Describes each bound that a case exceeds. */
export function exceeded(cost: QuantisationCost): string[] {
  const bound = bounds[cost.random ? 'random' : 'trained'][cost.precision];
  const over = (['relativeError', 'divergence'] as const).filter((name) => !(cost[name] <= bound[name]));
  const under = (['agreement', 'clearAgreement'] as const).filter((name) => !(cost[name] >= bound[name]));
  return [...over, ...under].map(
    (name) => `${cost.name} ${cost.precision}: ${name} is ${cost[name]}, bound ${bound[name]}`,
  );
}

interface Row {
  best: number;
  /** Margin of the best logit over the second. */
  lead: number;
  /** Log of the sum of exponentials. */
  lse: number;
  mean: number;
}

function describeRow(logits: Float32Array): Row {
  let [best, second, mean] = [0, -1, 0];
  for (let v = 0; v < logits.length; v++) {
    mean += logits[v] / logits.length;
    if (v === best) continue;
    if (logits[v] > logits[best]) [best, second] = [v, best];
    else if (second < 0 || logits[v] > logits[second]) second = v;
  }
  let sum = 0;
  for (const x of logits) sum += Math.exp(x - logits[best]);
  return { best, lead: logits[best] - logits[second], lse: logits[best] + Math.log(sum), mean };
}

/** Compares logits (T, V). */
export function compareLogits(expected: Float32Array, got: Float32Array, vocabSize: number) {
  const T = expected.length / vocabSize;
  let [error, scale, largestError, divergence, same, clear, clearSame] = [0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < T; t++) {
    const [p, q] = [expected, got].map((all) => all.subarray(t * vocabSize, (t + 1) * vocabSize));
    const [a, b] = [describeRow(p), describeRow(q)];
    for (let v = 0; v < vocabSize; v++) {
      const difference = q[v] - b.mean - (p[v] - a.mean);
      error += difference ** 2;
      scale += (p[v] - a.mean) ** 2;
      largestError = Math.max(largestError, Math.abs(q[v] - p[v]));
      divergence += (Math.exp(p[v] - a.lse) * (p[v] - a.lse - (q[v] - b.lse))) / T;
    }
    const agrees = a.best === b.best ? 1 : 0;
    same += agrees;
    if (a.lead > 1) {
      clear++;
      clearSame += agrees;
    }
  }
  return {
    positions: T,
    relativeError: Math.sqrt(error / scale),
    largestError,
    divergence,
    agreement: same / T,
    clearAgreement: clear ? clearSame / clear : 1,
  };
}

/** Costs of a case in both precisions, relative to f32. */
export async function costsOf(test: QuantisationCase, logitsOf: LogitsOf): Promise<QuantisationCost[]> {
  const { name, config, weights, batch, random } = test;
  const expected = await logitsOf(config, weights, 'f32', batch);
  const costs: QuantisationCost[] = [];
  for (const precision of ['int8', 'int4'] as const) {
    const got = await logitsOf(config, weights, precision, batch);
    costs.push({ name, random, precision, ...compareLogits(expected, got, config.vocabSize) });
  }
  return costs;
}

/** Opens a policy that stores K/V rows in a given precision. */
export type PolicyWith = (test: QuantisationCase, kvCache: KvPrecision, capacity: Capacity) => Promise<Learner>;

/** Difference between the log-probabilities of training and those of sampling. */
export interface KvGap {
  name: string;
  random: boolean;
  kvCache: KvPrecision;
  tokens: number;
  /** Absolute differences, in nats. */
  mean: number;
  max: number;
}

/** Guaranteed bounds, about twice the measured values. For f32 the gap is rounding of sums. */
export const kvBounds: {
  readonly [kind in 'trained' | 'random']: { readonly [kvCache in KvPrecision]: { mean: number; max: number } };
} = {
  trained: { f32: { mean: 1e-5, max: 1e-4 }, int8: { mean: 0.06, max: 0.8 } },
  random: { f32: { mean: 1e-5, max: 1e-4 }, int8: { mean: 0.03, max: 0.25 } },
};

export function gapExceeded(gap: KvGap): string[] {
  const bound = kvBounds[gap.random ? 'random' : 'trained'][gap.kvCache];
  return (['mean', 'max'] as const)
    .filter((name) => !(gap[name] <= bound[name]))
    .map((name) => `${gap.name}, K/V in ${gap.kvCache}: the ${name} gap is ${gap[name]}, bound ${bound[name]}`);
}

const [rows, promptTokens, sampled] = [8, 12, 96];

/**
 * Samples trajectories at temperature 1 after the case's first tokens, and measures the gap to the log-probabilities
 * that training computes.
 */
export async function kvGapOf(test: QuantisationCase, kvCache: KvPrecision, open: PolicyWith): Promise<KvGap> {
  const batchTokens = promptTokens + rows * sampled;
  const sizes = { promptTokens, completionTokens: sampled + 1, batchTokens, batchScored: rows * sampled };
  const policy = await open(test, kvCache, { rows, groups: 1, ...sizes });
  try {
    const prompt = test.batch.tokens.slice(0, promptTokens);
    const slots = Array.from({ length: rows }, (_, r) => r);
    await begin(policy, [{ prompt, slots, rowKeys: slots }]);
    const requests = slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null }));
    const sampling = { temperature: 1, seed: 1, stream: 1, maxTokens: sampled, stopTokens: [] };
    const turns = await wholeTurns(policy, requests, sampling);
    const { logprob } = await policy.score(groupOf(prompt, turns), { temperature: 1, weights: 'policy' });
    const gaps = turns.flatMap(({ logprobs }) => [...logprobs]).map((value, i) => Math.abs(value - logprob[i]));
    const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
    const { name, random } = test;
    return { name, random, kvCache, tokens: gaps.length, mean, max: gaps.reduce((a, b) => Math.max(a, b), 0) };
  } finally {
    policy.destroy();
  }
}

/** Batch of a prompt and the turns sampled after it, with every sampled token scored. */
function groupOf(prompt: Int32Array, turns: readonly { tokens: Int32Array }[]): PackedBatch {
  const tokens = [...prompt];
  const segments: PackedBatch['segments'] = [{ start: 0, end: prompt.length, parent: -1 }];
  for (const turn of turns) {
    segments.push({ start: tokens.length, end: tokens.length + turn.tokens.length, parent: 0 });
    tokens.push(...turn.tokens);
  }
  const scored = Int32Array.from({ length: tokens.length - prompt.length }, (_, i) => prompt.length + i);
  return { tokens: Int32Array.from(tokens), segments, scored, allowed: null };
}
