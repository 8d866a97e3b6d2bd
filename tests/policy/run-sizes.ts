/** Sizes of two runs: a tiny policy that is trained whole, and a language model with an adapter. */
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { runSizes } from '../../src/policy/engine/run-sizes.ts';
import { projections } from '../../src/policy/weights/adapter.ts';
import { smallConfig } from './small-model.ts';

const blockBytes = 2 ** 27;

export const tinyCapacity = (rows: number, batchTokens = 90) => ({
  ...{ rows, groups: 1, promptTokens: 8, completionTokens: 8 },
  ...{ batchTokens, batchScored: batchTokens },
});

export const packed = {
  weights: new Map(),
  precision: 'int4',
  adapter: { lora: { rank: 16, alpha: 32, targets: projections }, tensors: new Map() },
} as const;

export const tinySizes = (rows = 4, config: { hidden_size?: number } = {}) =>
  runSizes(smallConfig({ vocab_size: 40, ...config }), tinyCapacity(rows), { weights: new Map() }, blockBytes);

export const adaptedSizes = (rows = 32) =>
  runSizes(
    configOf(findModel('qwen2.5-0.5b')),
    { rows, groups: 4, promptTokens: 512, completionTokens: 256, batchTokens: 2048, batchScored: 1024 },
    packed,
    blockBytes,
  );
