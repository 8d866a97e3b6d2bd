/**
 * Distance between two forms of one model on the same text: divergence of the next token's distribution, and difference
 * of the log-probabilities of the text's tokens.
 */
import { readFileSync } from 'node:fs';
import type { Model } from '../src/policy/engine/model.ts';
import { Tokenizer } from '../src/policy/text/tokenizer.ts';
import { inspected } from '../tools/golden/inspected-model.ts';
import { compareLogits } from '../tools/quantisation/costs.ts';

export interface Gap {
  tokens: number;
  /** Mean Kullback-Leibler divergence in nats. */
  divergence: number;
  /** Mean and largest difference of a token's log-probability. */
  meanDifference: number;
  largestDifference: number;
  /** Share of positions whose most likely next token is the same. */
  agreement: number;
}

/** The first tokens of this project's README. */
function textTokens(texts: { readonly [name: string]: string }, count: number): Int32Array {
  const json = (name: string) => JSON.parse(texts[name]);
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  return Int32Array.from(tokenizer.encode(readFileSync('README.md', 'utf8')).slice(0, count));
}

export async function gapBetween(
  a: Model,
  b: Model,
  texts: { readonly [name: string]: string },
  count: number,
): Promise<Gap> {
  const tokens = textTokens(texts, count);
  const scored = Int32Array.from({ length: tokens.length - 1 }, (_, i) => i + 1);
  const batch = { tokens, segments: [{ start: 0, end: tokens.length, parent: -1 }], scored, allowed: null };
  const of = async (model: Model) => ({
    logits: await inspected(model).logits(batch),
    logprob: (await model.score(batch, { temperature: 1, weights: 'policy' })).logprob,
  });
  const [one, other] = [await of(a), await of(b)];
  const { divergence, agreement } = compareLogits(one.logits, other.logits, a.vocabSize);
  const differences = Array.from(one.logprob, (value, i) => Math.abs(value - other.logprob[i]));
  const meanDifference = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  return { tokens: tokens.length, divergence, agreement, meanDifference, largestDifference: Math.max(...differences) };
}
