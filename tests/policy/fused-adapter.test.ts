// An adapter's second product, added where the frozen product stores its sums: the same bits as in a kernel of its own,
// for each form that can add it, at sizes that no tile divides; in a whole model too, with fewer dispatches.
import { describe, expect, it } from 'vitest';
import { type BufferSlice, type Recorder, whole } from '../../src/device/device.ts';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { addUp, placed } from '../../src/policy/engine/adapted.ts';
import { defaultChoices, formRuns, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { Operations } from '../../src/policy/engine/operations.ts';
import { QuantizedOperations } from '../../src/policy/engine/quantized-operations.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { type AdaptedOperand, initAdapter, type Projection, projections } from '../../src/policy/weights/adapter.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { quantizeRows, withMinimum } from '../../src/policy/weights/quantize.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useGpu } from '../device/open.ts';

const open = useGpu();
const fused: KernelChoices = { ...defaultChoices, lora_up_few: 'fused', lora_up_many: 'fused' };

/** An operand of 76 outputs: two adapted parts with four columns between them, and eight behind them. */
const [N, K] = [76, 68];
const lora = { rank: 12, alpha: 9, targets: projections };
const part = (rows: number, column: number) => ({ A: '', B: '', rows, column });
const operand: AdaptedOperand = { name: 'x', inputs: K, outputs: N, parts: [part(36, 0), part(28, 40)] };
const adapted = placed(operand, lora);

/** Buffers with these contents; the last one is the result. */
async function computed(gpu: Gpu, arrays: readonly (Float32Array | Uint32Array)[], record: Recording) {
  const recorder = gpu.createRecorder(1 << 20, 5e9);
  const buffers = arrays.map((data, i) => gpu.createBuffer(`test.${i}`, data.byteLength, 0x80 | 0x4 | 0x8));
  try {
    recorder.dry = true;
    record(recorder, buffers.map(whole));
    recorder.dry = false;
    await gpu.kernels.settle();
    for (const [i, data] of arrays.entries()) recorder.upload(buffers[i], 0, data as Float32Array<ArrayBuffer>);
    record(recorder, buffers.map(whole));
    const [bytes] = await recorder.read([whole(buffers.at(-1)!)]);
    return { out: new Float32Array(bytes, 0, arrays.at(-1)!.length), used: [...recorder.perKernel.keys()] };
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
}
type Recording = (recorder: Recorder, slices: BufferSlice[]) => void;

/** Bias and residual come first, as in a product alone. */
const shared = (M: number) => [
  floats(M * K, 'x'),
  floats(N, 'bias'),
  floats(M * N, 'residual'),
  floats(M * adapted.width, 'mid'),
  floats(adapted.rows * lora.rank, 'B'),
];

/** The product with its adapter on packed weights, by the chosen forms. */
async function packedProduct(M: number, choices: KernelChoices) {
  const gpu = await open();
  const packed = quantizeRows(withMinimum(4), floats(N * K, 'weight'), K);
  const arrays = [...shared(M), packed.codes, packed.scales, new Float32Array(M * N)];
  return computed(gpu, arrays, (recorder, [inp, bias, residual, mid, B, codes, scales, out]) => {
    const ops = new QuantizedOperations(gpu.kernels, recorder, choices);
    const term = { mid, B, scalars: adapted.scalars };
    const lowRank = ops.addsLowRank(M, N, K) ? term : undefined;
    ops.matmulNT(inp, { ...withMinimum(4), codes, scales }, out, M, N, K, { bias, residual, lowRank });
    if (!lowRank) addUp(new Operations(gpu.kernels, recorder, choices), adapted, { mid, B, out }, M);
  });
}

async function denseProduct(M: number, choices: KernelChoices) {
  const gpu = await open();
  const arrays = [...shared(M), floats(N * K, 'weight'), new Float32Array(M * N)];
  return computed(gpu, arrays, (recorder, [inp, bias, residual, mid, B, matrix, out]) => {
    const ops = new Operations(gpu.kernels, recorder, choices);
    const lowRank = ops.addsLowRank(M, N, K) ? { mid, B, scalars: adapted.scalars } : undefined;
    ops.matmulNT(inp, matrix, out, M, N, K, { bias, residual, lowRank });
    if (!lowRank) addUp(ops, adapted, { mid, B, out }, M);
  });
}

const same = { matmul_nt_few: 'blocks', matmul_nt_many: 'blocks', quant_nt_many: 'blocks' } as const;

describe('the second product of an adapter', () => {
  it.each([
    [1, 'quant_nt_few', 'lanes'],
    [5, 'quant_nt_few', 'lanes'],
    [3, 'quant_nt_few', 'lanes-subgroups'],
    [33, 'quant_nt_some', 'tiled'],
  ] as const)('%i rows, %s %s: gives the bits of a kernel of its own', async (M, choice, form) => {
    const gpu = await open();
    if (!formRuns(form, gpu.features)) return;
    const own = await packedProduct(M, { ...defaultChoices, [choice]: form });
    const added = await packedProduct(M, { ...fused, [choice]: form });
    expect(own.used).toEqual([expect.stringMatching(/^quant_matmul_nt_(lanes|tiled)$/), 'lora_up_fours']);
    expect(added.used).toEqual(own.used.slice(0, 1));
    expect(added.out).toEqual(own.out);
  });

  // A software adapter compiles a kernel in blocks for many seconds.
  it.each([
    ['packed', 'quant_matmul_nt_blocks', packedProduct],
    ['f32', 'matmul_nt_blocks', denseProduct],
  ] as const)(
    '%s weights, blocks: gives the bits of a kernel of its own',
    { tags: 'slow' },
    async (_, name, product) => {
      const own = await product(67, { ...defaultChoices, ...same });
      const added = await product(67, { ...fused, ...same });
      expect(own.used).toEqual([name, 'lora_up_fours']);
      expect(added.used).toEqual([name]);
      expect(added.out).toEqual(own.out);
    },
  );

  it.each([5, 33, 67])('%i rows: stays apart where the form of the product cannot add it', async (M) => {
    expect((await packedProduct(M, fused)).used).toEqual(['quant_matmul_nt', 'lora_up_fours']);
    expect((await denseProduct(M, fused)).used).toEqual(['matmul_nt', 'lora_up_fours']);
  });
});

const config = parseConfig({
  ...{ model_type: 'llama', vocab_size: 19, hidden_size: 16, intermediate_size: 12, num_hidden_layers: 1 },
  ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 8, rope_theta: 100, tie_word_embeddings: true },
});
/** Few rows, because a software adapter compiles a kernel of sixteen for half a minute. */
const T = 4;
const capacity = { rows: 2, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
const batch: PackedBatch = {
  tokens: Int32Array.of(3, 10, 17, 5),
  segments: [{ start: 0, end: T, parent: -1 }],
  scored: Int32Array.of(1, 2, 3),
  allowed: null,
};

/** Scores, gradients and generated tokens of a packed model with an adapter, and the dispatches of a forward. */
async function modelResults(rank: number, targets: readonly Projection[], choices: KernelChoices) {
  const gpu = await open();
  const adapter = { lora: { rank, alpha: 8, targets }, tensors: initAdapter(config, { rank, alpha: 8, targets }, 3) };
  for (const [name, { data }] of adapter.tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  const weights = initWeights(config, { seed: 2, std: 0.3 });
  const options = { capacity, weights, adapter, precision: 'int4', trainable: true, reference: false } as const;
  const before = gpu.bytesAllocated;
  const model = inspected(await Model.create(gpu, config, { ...options, choices }));
  try {
    expect(gpu.bytesAllocated - before).toBe(totalBytes(model.plan));
    const start = model.counters().dispatches;
    const score = await model.score(batch, { temperature: 0.7, weights: 'policy' });
    const scored = model.counters().dispatches;
    const reference = await model.score(batch, { temperature: 0.7, weights: 'reference' });
    const N = batch.scored.length;
    const gradients = await model.gradients(batch, normals(N, 1, 'w', 1), normals(N, 1, 'e', 0.1));
    await begin(model, [{ prompt: Int32Array.of(1, 2, 3), slots: [0, 1], rowKeys: [0, 1] }]);
    const turns = await wholeTurns(
      model,
      [0, 1].map((slot) => ({ slot, append: Int32Array.of(4), constraint: null })),
      { temperature: 1, seed: 1, stream: 0, maxTokens: 4, stopTokens: [] },
    );
    const kernels = [...model.recorder.perKernel.keys()];
    return { values: { score, reference, gradients, turns }, dispatches: scored - start, kernels };
  } finally {
    model.destroy();
  }
}

describe('a model with an adapter', () => {
  // One dispatch less for each of its four operands, for two, and none where vectors do not fit.
  it.each([
    ['all projections', 8, projections, 4],
    ['k, v and up', 4, ['k_proj', 'v_proj', 'up_proj'], 2],
    ['a rank that four does not divide', 3, projections, 0],
  ] as const)('%s: has the same bits in fewer dispatches', async (_, rank, targets, fewer) => {
    const own = await modelResults(rank, targets, { ...defaultChoices, quant_nt_few: 'lanes' });
    const added = await modelResults(rank, targets, { ...fused, quant_nt_few: 'lanes' });
    expect(added.values).toEqual(own.values);
    expect(own.dispatches - added.dispatches).toBe(fewer);
    const apart = rank === 3 ? 'lora_up' : 'lora_up_fours';
    expect(own.kernels).toContain(apart);
    expect(added.kernels.includes(apart)).toBe(fewer === 0);
  });
});
