/**
 * Samples a token from a row of logits like shaders/sample_scan.wgsl and sample_masked.wgsl: the allowed token with the
 * largest logit / temperature + Gumbel noise, keyed by (seed, stream, row, position). So a seed gives the same tokens
 * here and on the GPU, unless the last bits of the logits differ.
 */

import { exp, log } from '../elementary.ts';
import { gumbel } from '../engine/random.ts';
import type { Sampling } from '../policy.ts';

export interface Choice {
  token: number;
  /** Index into `allowed`, or the token itself if all are allowed. */
  index: number;
  /** Log-probability in the sampled distribution (temperature 0: in that of temperature 1). */
  logprob: number;
}

const fround = Math.fround;

/** Samples a token. `allowed` are ascending token ids, or null for all; `key` is [seed, stream, row, position]. */
export function sampleToken(
  logits: Float32Array,
  allowed: Int32Array | null,
  sampling: Pick<Sampling, 'temperature'>,
  key: readonly [number, number, number, number],
): Choice {
  const greedy = sampling.temperature === 0;
  const scale = greedy ? 1 : fround(1 / sampling.temperature);
  const count = allowed ? allowed.length : logits.length;
  let best = { score: Number.NEGATIVE_INFINITY, index: 0, logit: 0 };
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const token = allowed ? allowed[i] : i;
    const logit = fround(logits[token] * scale);
    const score = greedy ? logit : logit + gumbel(key, token);
    if (logit > largest) largest = logit;
    if (score > best.score) best = { score, index: i, logit };
  }
  let sum = 0;
  for (let i = 0; i < count; i++) sum += exp(fround(logits[allowed ? allowed[i] : i] * scale) - largest);
  const token = allowed ? allowed[best.index] : best.index;
  return { token, index: best.index, logprob: best.logit - largest - log(sum) };
}

/** Log-probability of `token` and entropy (nats) of the softmax of logits / temperature over the allowed tokens. */
export function scoreToken(
  logits: Float32Array,
  allowed: Int32Array | null,
  token: number,
  temperature: number,
): { logprob: number; entropy: number } {
  const count = allowed ? allowed.length : logits.length;
  const at = (i: number) => logits[allowed ? allowed[i] : i] / temperature;
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) largest = Math.max(largest, at(i));
  let sum = 0;
  let weighted = 0;
  for (let i = 0; i < count; i++) {
    const x = at(i) - largest;
    sum += exp(x);
    weighted += exp(x) * x;
  }
  return {
    logprob: logits[token] / temperature - largest - log(sum),
    entropy: log(sum) - weighted / sum,
  };
}
