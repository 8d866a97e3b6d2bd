/** This repository's engine: greedy decoding, and a training step with the same loss and optimiser as for jax-js. */
import type { Device } from '../../src/device/device.ts';
import type { ModelConfig } from '../../src/policy/config.ts';
import { measureChoices } from '../../src/policy/engine/measure-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import { runSizes } from '../../src/policy/engine/run-sizes.ts';
import type { OptimizerSettings, PackedBatch, TensorMap } from '../../src/policy/policy.ts';
import type { Precision } from '../../src/policy/weights/linear.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import type { Decoded } from './shapes.ts';

export async function oursDecode(
  gpu: Device,
  config: ModelConfig,
  weights: TensorMap,
  precision: Precision,
  prompts: readonly Int32Array[],
  tokens: number,
  times: number,
): Promise<Decoded[]> {
  const [rows, length] = [prompts.length, prompts[0].length];
  const capacity = {
    rows,
    groups: rows,
    promptTokens: length,
    completionTokens: tokens + 1,
    batchTokens: Math.max(length, rows),
    batchScored: Math.max(length, rows),
  };
  const sizes = runSizes(config, capacity, { weights, precision }, gpu.bindingBytes);
  const choices = await measureChoices(gpu, sizes);
  const options = { capacity, weights, precision, choices, trainable: false, reference: false };
  const model = inspected(await Model.create(gpu, config, options));
  const logits = await model.logits({
    tokens: prompts[0],
    segments: [{ start: 0, end: length, parent: -1 }],
    scored: new Int32Array(0),
    allowed: null,
  });
  const results: Decoded[] = [];
  const sampling = { temperature: 0, seed: 0, stream: 0, maxTokens: tokens, stopTokens: [] };
  for (let i = 0; i < times; i++) {
    await begin(
      model,
      prompts.map((prompt, r) => ({ prompt, slots: [r], rowKeys: [r] })),
    );
    await model.recorder.finish();
    const started = performance.now();
    const turns = await wholeTurns(
      model,
      prompts.map((_, slot) => ({ slot, append: new Int32Array(0), constraint: null })),
      sampling,
    );
    const ms = performance.now() - started;
    results.push({ ms, tokens: turns.map((turn) => [...turn.tokens]), promptLogits: logits });
  }
  model.destroy();
  return results;
}

/**
 * Milliseconds, loss and gradient norm of each step. The loss is the mean of -log p over all tokens but the first of
 * each row.
 */
export async function oursTrain(
  gpu: Device,
  config: ModelConfig,
  weights: TensorMap,
  rows: readonly Int32Array[],
  optimizer: OptimizerSettings,
  steps: number,
): Promise<{ ms: number; loss: number; gradNorm: number }[]> {
  const length = rows[0].length;
  const T = rows.length * length;
  const capacity = {
    rows: 1,
    groups: 1,
    promptTokens: length,
    completionTokens: length,
    batchTokens: T,
    batchScored: T,
  };
  const sizes = runSizes(config, capacity, { weights }, gpu.bindingBytes);
  const choices = await measureChoices(gpu, sizes);
  const model = inspected(
    await Model.create(gpu, config, { capacity, weights, choices, trainable: true, reference: false }),
  );
  const batch: PackedBatch = {
    tokens: Int32Array.from(rows.flatMap((row) => [...row])),
    segments: rows.map((_, r) => ({ start: r * length, end: (r + 1) * length, parent: -1 })),
    scored: Int32Array.from(Array.from({ length: T }, (_, t) => t).filter((t) => t % length !== 0)),
    allowed: null,
  };
  const N = batch.scored.length;
  const columns = [new Float32Array(N).fill(-1 / N), new Float32Array(N)];
  const request = { batches: [{ batch, columns }], objective: givenWeights, scalars: [], optimizer };
  const results: { ms: number; loss: number; gradNorm: number }[] = [];
  for (let i = 0; i < steps; i++) {
    const started = performance.now();
    const { outputs, gradNorm } = await model.update(request, { temperature: 1 });
    const ms = performance.now() - started;
    results.push({ ms, loss: outputs[0].loss.reduce((sum, x) => sum + x, 0), gradNorm });
  }
  model.destroy();
  return results;
}
