// Sampling on the GPU: random numbers bit for bit, frequencies compared with the softmax, the same temperature and mask
// as in scoring, and an update that gives the same bits twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { shaderSource } from '../../src/device/webgpu/kernel.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import { gumbel, gumbelBits, pcg4d, unit } from '../../src/policy/engine/random.ts';
import type { GeneratedTurn, PackedBatch, TokenTrie } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { type InspectedModel, inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useGpu } from '../device/open.ts';

const open = useGpu();

/**
 * Runs one line of WGSL per thread over keys (seed, stream, row, position) and tokens; each thread returns four 32-bit
 * words.
 */
async function onGpu(gpu: Gpu, body: string, keys: Uint32Array<ArrayBuffer>): Promise<Uint32Array> {
  const count = keys.length / 5;
  const { device } = gpu;
  const code = `${shaderSource('random')}
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4u>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= ${count}u) { return; }
  let key = vec4u(keys[i * 5u], keys[i * 5u + 1u], keys[i * 5u + 2u], keys[i * 5u + 3u]);
  let token = keys[i * 5u + 4u];
  out[i] = ${body};
}`;
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const inp = gpu.createBuffer('keys', keys.byteLength, 0x80 | 0x8);
  const out = gpu.createBuffer('out', count * 16, 0x80 | 0x4);
  const staging = gpu.createBuffer('staging', count * 16, 0x1 | 0x8);
  device.queue.writeBuffer(inp, 0, keys);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [inp, out].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(out, 0, staging, 0, count * 16);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(1);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  for (const buffer of [inp, out, staging]) gpu.destroyBuffer(buffer);
  return words;
}

describe('random numbers', () => {
  const keys = Uint32Array.from(
    { length: 400 * 5 },
    (_, i) => [0, 1, 0xffffffff, i, Math.imul(i, 2654435761)][(i * 7) % 5],
  );

  it('have the same bits as their twin', async () => {
    const words = await onGpu(await open(), 'pcg4d(key)', keys);
    for (let i = 0; i < 400; i++) {
      const state = keys.slice(i * 5, i * 5 + 4);
      pcg4d(state);
      expect([...words.subarray(i * 4, i * 4 + 4)]).toEqual([...state]);
    }
  });

  it('of a token are close to their twin, also at both ends, and never infinite', async () => {
    const body = 'vec4u(bitcast<u32>(gumbel(key, token)), bitcast<u32>(unit(0xffffffffu)), bitcast<u32>(unit(0u)), 0u)';
    const words = await onGpu(await open(), body, keys);
    const values = new Float32Array(words.buffer);
    for (let i = 0; i < 400; i++) {
      const [key, token] = [[...keys.subarray(i * 5, i * 5 + 4)], keys[i * 5 + 4]];
      expect(Math.abs(values[i * 4] - gumbel(key, token)), `token ${token}`).toBeLessThan(2e-5);
    }
    expect(values[1]).toBeLessThan(1);
    expect(values[2]).toBeGreaterThan(0);
    expect([unit(0xffffffff), unit(0)]).toEqual([values[1], values[2]]);
  });

  it('differ between tokens, rows, positions, streams and seeds', () => {
    const seen = new Set<number>();
    for (const seed of [1, 2])
      for (const stream of [0, 1])
        for (const row of [0, 1, 2])
          for (const position of [5, 6, 7])
            for (let token = 0; token < 50; token++) seen.add(gumbelBits([seed, stream, row, position], token));
    expect(seen.size).toBe(2 * 2 * 3 * 3 * 50);
  });
});

const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 24,
  hidden_size: 16,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 8,
  tie_word_embeddings: true,
});
const rows = 64;
const capacity = { rows, groups: 2, promptTokens: 8, completionTokens: 24, batchTokens: 512, batchScored: 256 };
/** Wide enough that the softmax is far from flat. */
const weights = initWeights(config, { seed: 11, std: 0.4 });
const prompt = Int32Array.of(3, 1, 4, 1, 5);

const trie: TokenTrie = buildTrie([
  [2, 7, 1],
  [2, 9, 1],
  [5, 7, 1],
  [8, 1],
  [8, 3, 1],
  [11, 4, 4, 1],
]).trie;

/** Chi-square of counts against probabilities, with its degrees of freedom; expectations below 5 are pooled. */
function chiSquare(counts: readonly number[], probabilities: readonly number[]) {
  const total = counts.reduce((a, b) => a + b, 0);
  let [statistic, bins, small, smallExpected] = [0, 0, 0, 0];
  counts.forEach((count, i) => {
    const expected = total * probabilities[i];
    if (expected < 5) {
      small += count;
      smallExpected += expected;
    } else {
      statistic += (count - expected) ** 2 / expected;
      bins++;
    }
  });
  if (smallExpected > 0) {
    statistic += (small - smallExpected) ** 2 / Math.max(smallExpected, 1);
    bins++;
  }
  return { statistic, freedom: bins - 1 };
}

/** A correct softmax exceeds this about once in 10,000 times (Wilson and Hilferty's approximation at 3.7 sigma). */
const bound = (freedom: number) => freedom * (1 - 2 / (9 * freedom) + 3.7 * Math.sqrt(2 / (9 * freedom))) ** 3;

describe('a model', () => {
  let model: InspectedModel;
  beforeAll(async () => {
    model = inspected(
      await Model.create(await open(), config, { capacity, weights, trainable: true, reference: false }),
    );
  });
  afterAll(() => model.destroy());

  const all = Array.from({ length: rows }, (_, i) => i);
  async function turns(
    constraint: TokenTrie | null,
    options: { temperature: number; stream: number; maxTokens: number },
  ) {
    await begin(model, [{ prompt, slots: all, rowKeys: all.map((i) => 100 + i) }]);
    const request = all.map((slot) => ({ slot, append: new Int32Array(0), constraint }));
    return wholeTurns(model, request, { seed: 9, stopTokens: [], ...options });
  }

  /** Softmax of the next token after the prompt, over `tokens`. */
  async function nextToken(tokens: readonly number[], temperature: number): Promise<number[]> {
    const batch = {
      tokens: prompt,
      segments: [{ start: 0, end: prompt.length, parent: -1 }],
      scored: new Int32Array(0),
    };
    const logits = await model.logits({ ...batch, allowed: null });
    const last = logits.subarray((prompt.length - 1) * config.vocabSize);
    const powers = tokens.map((token) => Math.exp(last[token] / temperature));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / total);
  }

  it.each([
    ['over the whole vocabulary', null, 0.7],
    ['over the allowed tokens', trie, 1.6],
  ])('samples %s as often as the softmax predicts', async (_, constraint, temperature) => {
    const tokens = constraint ? [2, 5, 8, 11] : Array.from({ length: config.vocabSize }, (__, v) => v);
    const probabilities = await nextToken(tokens, temperature);
    const counts = tokens.map(() => 0);
    for (let stream = 0; stream < 20; stream++)
      for (const turn of await turns(constraint, { temperature, stream, maxTokens: 1 }))
        counts[tokens.indexOf(turn.tokens[0])]++;
    const { statistic, freedom } = chiSquare(counts, probabilities);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(20 * rows);
    expect(freedom).toBeGreaterThan(1);
    expect(statistic).toBeLessThan(bound(freedom));
    // The test detects another temperature.
    const other = chiSquare(counts, await nextToken(tokens, 4 * temperature));
    expect(other.statistic).toBeGreaterThan(bound(other.freedom));
  });

  /** Turns after the shared prompt as one batch, with every sampled token scored. */
  function batchOf(sampled: readonly GeneratedTurn[], constraint: TokenTrie | null): PackedBatch {
    const segments = [{ start: 0, end: prompt.length, parent: -1 }];
    const tokens = [...prompt];
    const scored: number[] = [];
    const offsets = [0];
    const allowed: number[] = [];
    for (const turn of sampled) {
      const start = tokens.length;
      let node = 0;
      for (const token of turn.tokens) {
        scored.push(tokens.length);
        tokens.push(token);
        if (constraint) {
          const edges = [constraint.edgeStart[node], constraint.edgeStart[node + 1]];
          const open = [...constraint.edgeToken.subarray(edges[0], edges[1])];
          allowed.push(...open);
          node = constraint.edgeNode[edges[0] + open.indexOf(token)];
        }
        offsets.push(allowed.length);
      }
      segments.push({ start, end: tokens.length, parent: 0 });
    }
    return {
      tokens: Int32Array.from(tokens),
      segments,
      scored: Int32Array.from(scored),
      allowed: constraint && { offsets: Int32Array.from(offsets), tokens: Int32Array.from(allowed) },
    };
  }

  it.each([
    ['open', null, 0.7],
    ['masked', trie, 1.6],
  ])(
    'scores its samples, %s, at the same temperature: rollout and training agree',
    async (_, constraint, temperature) => {
      const sampled = (await turns(constraint, { temperature, stream: 3, maxTokens: 4 })).slice(0, 40);
      const scores = await model.score(batchOf(sampled, constraint), { temperature, weights: 'policy' });
      const rollout = sampled.flatMap((turn) => [...turn.logprobs]);
      expect(rollout.length).toBeGreaterThan(40);
      expect(new Set(sampled.map((turn) => turn.tokens.join())).size).toBeGreaterThan(4);
      rollout.forEach((logprob, i) => expect(Math.abs(logprob - scores.logprob[i])).toBeLessThan(1e-4));
    },
  );

  it('samples the same for the same seed in any batch, and otherwise for another stream', async () => {
    const options = { temperature: 1, stream: 1, maxTokens: 4 };
    const first = await turns(null, options);
    await begin(model, [{ prompt, slots: [5], rowKeys: [107] }]);
    const [single] = await wholeTurns(model, [{ slot: 5, append: new Int32Array(0), constraint: null }], {
      seed: 9,
      stopTokens: [],
      ...options,
    });
    expect(single.tokens).toEqual(first[7].tokens);
    const other = await turns(null, { ...options, stream: 2 });
    expect(other.map((turn) => turn.tokens.join())).not.toEqual(first.map((turn) => turn.tokens.join()));
  });

  it('gives the same bits for the same update twice', async () => {
    const sampled = (await turns(trie, { temperature: 1, stream: 4, maxTokens: 4 })).slice(0, 40);
    const batch = batchOf(sampled, trie);
    const N = batch.scored.length;
    const request = {
      batches: [{ batch, columns: [normals(N, 1, 'weight', 1), normals(N, 2, 'entropy', 0.1)] }],
      objective: givenWeights,
      scalars: [],
      optimizer: { learningRate: 0.01, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 1 },
    };
    const run = async () => {
      await model.load({ tensors: weights, optimizerStep: 0 });
      const results = [
        await model.update(request, { temperature: 1 }),
        await model.update(request, { temperature: 1 }),
      ];
      return { results, state: await model.save() };
    };
    const [first, second] = [await run(), await run()];
    expect(second.results).toEqual(first.results);
    expect(second.state.optimizerStep).toBe(2);
    for (const [name, { data }] of first.state.tensors) {
      expect(new Uint8Array(second.state.tensors.get(name)!.data.buffer), name).toEqual(new Uint8Array(data.buffer));
    }
    expect(first.state.tensors.get('model.norm.weight')!.data).not.toEqual(weights.get('model.norm.weight')!.data);
    await model.load({ tensors: weights, optimizerStep: 0 });
  });

  it('creates no buffer in a step', async () => {
    const gpu = await open();
    await turns(trie, { temperature: 1, stream: 0, maxTokens: 2 });
    const before = [gpu.buffersCreated, gpu.bytesAllocated];
    await turns(null, { temperature: 1, stream: 0, maxTokens: 2 });
    expect([gpu.buffersCreated, gpu.bytesAllocated]).toEqual(before);
  });
});
