// Exported golden models on onnxruntime's WASM backend: the recorded logits of the original implementation, and its
// greedy continuations, token for token. Skipped if the golden data is missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OnnxActor } from '../../src/policy/onnx/actor.ts';
import { exportOnnx } from '../../src/policy/onnx/export.ts';
import { OnnxSession } from '../../src/policy/onnx/session.ts';
import type { Capacity } from '../../src/policy/policy.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { goldenCheckpoint, goldenModelDir, goldenTensors, hasGolden } from './golden-files.ts';

/** The bound that the recordings propose for f32 (ten times the f32 error of transformers itself). */
const bound = 1e-4;

const cases = hasGolden ? readdirSync(goldenModelDir).filter((name) => /^model(fwd)?_/.test(name)) : [];
const has = (name: string, file: string) => existsSync(join(goldenModelDir, name, file));
const capacity: Capacity = {
  rows: 4,
  groups: 4,
  promptTokens: 128,
  completionTokens: 300,
  batchTokens: 1,
  batchScored: 1,
};

if (!hasGolden) console.log(`Skipped: there is no golden data in ${goldenModelDir}; name it with TABGYM_GOLDEN.`);

describe.skipIf(!hasGolden)('golden models as ONNX', () => {
  it.each(cases)('%s: the recorded logits', async (name) => {
    const { config, tensors } = goldenCheckpoint(name);
    const inputs = goldenTensors(name, 'inputs.safetensors');
    const ids = inputs.get('input_ids')!.data as Int32Array;
    const starts = (inputs.get('cu_seqlens')?.data as Int32Array | undefined) ?? Int32Array.of(0, ids.length);
    const wanted = goldenTensors(name, 'forward.safetensors').get('logits')!.data as Float32Array;
    const fused = config.headDim % 16 === 0 ? (['contrib'] as const) : [];
    for (const operators of ['standard', ...fused] as const) {
      const session = await OnnxSession.create(exportOnnx(config, tensors, { operators }), 'wasm');
      let worst = 0;
      for (let s = 0; s + 1 < starts.length; s++) {
        const { logits } = await session.run(ids.subarray(starts[s], starts[s + 1]), session.empty(), 'all');
        const first = starts[s] * config.vocabSize;
        logits.forEach((x, i) => {
          worst = Math.max(worst, Math.abs(x - wanted[first + i]));
        });
      }
      await session.destroy();
      expect(worst, operators).toBeLessThan(bound);
    }
  });

  it.each(cases.filter((name) => has(name, 'generate.safetensors')))('%s: the recorded greedy tokens', async (name) => {
    const { config, tensors } = goldenCheckpoint(name);
    const inputs = goldenTensors(name, 'inputs.safetensors');
    const [ids, starts, lengths] = ['input_ids', 'cu_seqlens', 'prompt_lens'].map(
      (key) => inputs.get(key)!.data as Int32Array,
    );
    const recorded = goldenTensors(name, 'generate.safetensors');
    const [rows, most] = recorded.get('tokens')!.shape;
    const policy = await OnnxActor.create({ config, tensors }, { capacity });
    const slots = Array.from({ length: rows }, (_, row) => row);
    await begin(
      policy,
      slots.map((row) => ({
        prompt: ids.subarray(starts[row], starts[row] + lengths[row]),
        slots: [row],
        rowKeys: [row],
      })),
    );
    const turns = await wholeTurns(
      policy,
      slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null })),
      { temperature: 0, seed: 0, stream: 0, maxTokens: most, stopTokens: [] },
    );
    policy.destroy();
    const logprobs = recorded.get('logp')!.data as Float64Array;
    turns.forEach(({ tokens, logprobs: got }, row) => {
      expect([...tokens]).toEqual([
        ...(recorded.get('tokens')!.data as Int32Array).subarray(row * most, (row + 1) * most),
      ]);
      got.forEach((x, i) => {
        expect(Math.abs(x - logprobs[row * most + i])).toBeLessThan(bound);
      });
    });
  });

  it.skipIf(!has('stories260k', 'expected.json'))('stories260k: 256 greedy tokens', async () => {
    const { config, tensors } = goldenCheckpoint('stories260k');
    const { greedy_ids: ids, logp } = JSON.parse(
      readFileSync(join(goldenModelDir, 'stories260k', 'expected.json'), 'utf8'),
    );
    const policy = await OnnxActor.create({ config, tensors }, { capacity });
    await begin(policy, [{ prompt: Int32Array.of(ids[0]), slots: [0], rowKeys: [0] }]);
    const [turn] = await wholeTurns(policy, [{ slot: 0, append: new Int32Array(0), constraint: null }], {
      temperature: 0,
      seed: 0,
      stream: 0,
      maxTokens: logp.length,
      stopTokens: [],
    });
    policy.destroy();
    expect([...turn.tokens]).toEqual(ids.slice(1));
  });
});
