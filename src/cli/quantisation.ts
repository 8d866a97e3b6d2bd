/**
 * What packing costs: the same tokens through a model in f32 and in int8 or int4, compared at every position. Teacher-forced, so
 * that one other token does not hide all that follow.
 */
import type { ModelConfig } from '../policy/config.ts';
import type { PackedPrecision } from '../policy/packed-layout.ts';
import type { PackedBatch, TensorMap } from '../policy/policy.ts';

/** Logits (T, V) of a batch by a model in a precision. */
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
  /** Random weights: what they say is nearly a tie everywhere, so agreement is lower than that of a trained model. */
  random: boolean;
}

export interface QuantisationCost {
  name: string;
  random: boolean;
  precision: PackedPrecision;
  positions: number;
  /** Root mean square of the logits' error over that of the logits, each row less its mean. */
  relativeError: number;
  /** Largest error of one logit, in nats. */
  largestError: number;
  /** Mean Kullback-Leibler divergence of the packed model from the f32 one, in nats. */
  divergence: number;
  /** Share of positions whose most likely token is the same. */
  agreement: number;
  /** The same among positions where f32's first and second are more than a nat apart; 1 where there are none. */
  clearAgreement: number;
}

export interface Bound {
  relativeError: number;
  divergence: number;
  agreement: number;
  clearAgreement: number;
}

/**
 * What a person may rely on, about twice what was measured (docs/quantisation.md); `npm run quant-report` and the tests check them.
 * Random models are narrow and their logits large, so that errors add up and many first tokens are nearly ties.
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

/** What a case exceeds, in words; empty: nothing. */
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
  /** By how much the best is ahead of the second. */
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

/** Compares (T, V) logits. */
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

/** Both precisions of a case against f32. */
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
