// The double-precision twin compared with recorded numbers of the published implementation, if available.
import { describe, expect, it } from 'vitest';
import { ropeInverseFrequencies } from '../../src/policy/config.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { goldenCheckpoint, goldenTensors, hasGolden } from './golden-files.ts';
import { largest, referenceForwardBackward } from './reference.ts';

const numbers = (data: unknown) => data as ArrayLike<number>;

function packed(ids: Int32Array, offsets: readonly number[]): PackedBatch {
  const segments = offsets.slice(1).map((end, i) => ({ start: offsets[i], end, parent: -1 }));
  const firsts = new Set(offsets);
  const scored = Int32Array.from(ids.keys()).filter((t) => !firsts.has(t));
  return { tokens: ids, segments, scored, allowed: null };
}

const cases = ['model_b_qwen2_tiny', 'model_c_qwen3_tiny', 'model_d_smollm_tiny', 'modelfwd_f_llama3_rope'];

describe.skipIf(!hasGolden)('the reference agrees with the recorded numbers (skipped without TABGYM_GOLDEN)', () => {
  it.each(cases)('%s', (name) => {
    const { config, tensors } = goldenCheckpoint(name);
    const inputs = goldenTensors(name, 'inputs.safetensors');
    const forward = goldenTensors(name, 'forward.safetensors');
    const ids = inputs.get('input_ids')!.data as Int32Array;
    const offsets = inputs.has('cu_seqlens')
      ? [...(numbers(inputs.get('cu_seqlens')!.data) as Int32Array)]
      : [0, ids.length];
    const batch = packed(ids, offsets);
    const pick = (key: string) => Float64Array.from(batch.scored, (t) => numbers(inputs.get(key)!.data)[t]);
    const result = referenceForwardBackward(config, tensors, batch, pick('w'), null, 1);
    expect(largest(result.logits, numbers(forward.get('logits')!.data))).toBeLessThan(2e-6);
    const scoredOf = (key: string) => Float64Array.from(batch.scored, (t) => numbers(forward.get(key)!.data)[t]);
    expect(largest(result.logprob, scoredOf('logp'))).toBeLessThan(1e-11);
    expect(largest(result.entropy, scoredOf('entropy'))).toBeLessThan(1e-11);
    for (const [tensor, { data }] of goldenTensors(name, 'grads_full.safetensors')) {
      const scale = largest(numbers(data), new Float64Array(data.length));
      expect(largest(result.gradients.get(tensor)!.data, numbers(data)), tensor).toBeLessThan(1e-7 * scale + 1e-12);
    }
    if (forward.has('inv_freq'))
      expect(largest(ropeInverseFrequencies(config), numbers(forward.get('inv_freq')!.data))).toBeLessThan(1e-7);
  });
});
