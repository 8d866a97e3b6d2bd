/**
 * Measures the engine: matmuls, forward, update (forward, backward, AdamW), decoding, a whole GRPO step.
 *
 * Each time stands beside its floor: the time of the same arithmetic and read-backs at this machine's best rates
 * (bench/machine.ts), or of moving the same bytes if that is longer. Bytes are the least that must move: each weight
 * once per pass, each operand and result once, each layer's stored input once.
 */

import { readFileSync } from 'node:fs';
import { whole } from '../src/device/device.ts';
import { Gpu } from '../src/device/webgpu/device.ts';
import { parseExperiment } from '../src/experiment/experiment.ts';
import { nodeGpu } from '../src/library/node/gpu.ts';
import { type ModelConfig, parseConfig } from '../src/policy/config.ts';
import type { AttentionShape } from '../src/policy/engine/attention.ts';
import { AttentionTrial, groupSegments } from '../src/policy/engine/attention-trial.ts';
import { type AttentionForm, attentionFormRuns, attentionForms } from '../src/policy/engine/kernel-choices.ts';
import { Model } from '../src/policy/engine/model.ts';
import type { Capacity, Counters, ObjectiveSpec, PackedBatch } from '../src/policy/policy.ts';
import { initWeights } from '../src/policy/weights/init.ts';
import type { Engine } from '../src/session/engine.ts';
import { Assembly } from '../src/session/service/assembly.ts';
import { openGuardedWorld } from '../src/workers/spawn-world.ts';
import { begin, wholeTurns } from '../tools/turns.ts';
import { type MachineRates, measureMachine, timed } from './machine.ts';

interface EngineRow {
  name: string;
  ms: number;
  gflops: number;
  megabytes: number;
  dispatches: number;
  readbacks: number;
  tokensPerSecond: number | null;
  floorMs: number;
}

export interface EngineResult {
  adapter: string;
  machine: MachineRates;
  rows: EngineRow[];
}

interface Cost {
  ms: number;
  flops: number;
  bytes: number;
  dispatches: number;
  readbacks: number;
  tokens?: number;
}

function rowOf(name: string, cost: Cost, machine: MachineRates): EngineRow {
  const arithmeticMs = cost.flops / machine.gflops / 1e6;
  const memoryMs = cost.bytes / machine.gigabytesPerSecond / 1e6;
  console.log(`  ${name}: ${cost.ms.toFixed(2)} ms`);
  return {
    name,
    ms: cost.ms,
    gflops: cost.flops / cost.ms / 1e6,
    megabytes: cost.bytes / 1e6,
    dispatches: cost.dispatches,
    readbacks: cost.readbacks,
    tokensPerSecond: cost.tokens === undefined ? null : (1000 * cost.tokens) / cost.ms,
    floorMs: Math.max(arithmeticMs, memoryMs) + cost.readbacks * machine.readbackMs,
  };
}

/** Times `work` and returns the counters of one of its runs. */
async function cost(model: Model, work: () => Promise<unknown>, bytes: number, tokens?: number): Promise<Cost> {
  let before: Counters = model.counters();
  let after = before;
  const ms = await timed(async () => {
    before = model.counters();
    await work();
    await model.recorder.finish();
    after = model.counters();
  });
  const difference = (name: keyof Counters) => after[name] - before[name];
  return {
    ms,
    flops: difference('flops'),
    bytes,
    dispatches: difference('dispatches'),
    readbacks: difference('readbacks'),
    tokens,
  };
}

const tiny = (hidden: number, layers: number, vocab: number): ModelConfig =>
  parseConfig({
    model_type: 'qwen3',
    vocab_size: vocab,
    hidden_size: hidden,
    intermediate_size: hidden * 3,
    num_hidden_layers: layers,
    num_attention_heads: hidden / 16,
    num_key_value_heads: hidden / 32,
    head_dim: 16,
    rope_theta: 10_000,
    tie_word_embeddings: true,
  });

export const sizes: [string, ModelConfig][] = [
  ['0.2M', tiny(64, 2, 1024)],
  ['1M', tiny(128, 4, 1024)],
];

const capacity: Capacity = {
  rows: 64,
  groups: 8,
  promptTokens: 128,
  completionTokens: 128,
  batchTokens: 1024,
  batchScored: 1024,
};

/** (M, N, K) of training, and one that is a multiple of no tile size. */
const shapes: [number, number, number][] = [
  [1024, 192, 64],
  [1024, 384, 128],
  [512, 512, 512],
  [333, 130, 257],
];

async function benchMatmuls(gpu: Gpu, machine: MachineRates): Promise<EngineRow[]> {
  const model = await Model.create(gpu, sizes[1][1], modelOptions(sizes[1][1]));
  const { ops, recorder } = model;
  const largest = Math.max(...shapes.flatMap(([M, N, K]) => [M * N, N * K, M * K]));
  const buffers = [0, 1, 2, 3].map((i) =>
    gpu.createBuffer(`bench.${i}`, (i === 3 ? 1 << 22 : largest) * 4, 0x80 | 0x8),
  );
  const [a, b, c, partials] = buffers.map(whole);
  const kinds: [string, (M: number, N: number, K: number) => void][] = [
    ['forward (NT)', (M, N, K) => ops.matmulNT(a, b, c, M, N, K)],
    ['input gradient (NN)', (M, N, K) => ops.matmulNN(c, b, a, M, N, K)],
    ['weight gradient (TN)', (M, N, K) => ops.matmulTN(c, a, b, partials, M, N, K)],
  ];
  const rows: EngineRow[] = [];
  for (const [M, N, K] of shapes)
    for (const [kind, run] of kinds) {
      // Requested once in a dry run, so that the kernels are compiled before the timing.
      recorder.dry = true;
      run(M, N, K);
      recorder.dry = false;
      await model.kernels.settle();
      const repeats = Math.max(1, Math.min(256, Math.round(2e8 / (2 * M * N * K))));
      const measured = await cost(
        model,
        async () => {
          for (let i = 0; i < repeats; i++) run(M, N, K);
        },
        0,
      );
      const each = (value: number) => value / repeats;
      const bytes = 4 * (M * N + N * K + M * K);
      rows.push(
        rowOf(
          `matmul ${kind} ${M} x ${N} x ${K}`,
          {
            ms: each(measured.ms),
            flops: each(measured.flops),
            bytes,
            dispatches: each(measured.dispatches),
            readbacks: 0,
          },
          machine,
        ),
      );
    }
  model.destroy();
  for (const buffer of buffers) gpu.destroyBuffer(buffer);
  return rows;
}

/**
 * Measures attention by itself in the forms that run here, with a tiny policy's heads and with those of Qwen2.5-0.5B.
 */
async function benchAttention(gpu: Gpu, machine: MachineRates): Promise<EngineRow[]> {
  const forms = attentionForms.filter((form) => attentionFormRuns(form, gpu.features, gpu.info.subgroupMinSize));
  const cases: [string, AttentionShape, PackedBatch['segments']][] = [
    ['4:2 x 16', { heads: 4, kvHeads: 2, headDim: 16, eps: 0 }, groupSegments(128, 32, 8)],
    ['14:2 x 64', { heads: 14, kvHeads: 2, headDim: 64, eps: 0 }, groupSegments(256, 32, 8)],
  ];
  const rows: EngineRow[] = [];
  for (const [name, shape, segments] of cases) {
    const trial = new AttentionTrial(gpu, shape, segments);
    for (const form of forms) rows.push(...(await attentionRows(gpu, machine, trial, `${name} ${form}`, form)));
    trial.destroy();
  }
  return rows;
}

async function attentionRows(
  gpu: Gpu,
  machine: MachineRates,
  trial: AttentionTrial,
  name: string,
  form: AttentionForm,
): Promise<EngineRow[]> {
  const kernels = gpu.kernels;
  const recorder = gpu.createRecorder(256, gpu.info.isFallback ? 5e7 : 5e9);
  trial.upload(recorder);
  const { heads, kvHeads, headDim } = trial.shape;
  const [queries, keys] = [4 * heads * headDim, 8 * kvHeads * headDim];
  const decoding = trial.rows.length;
  const works: [string, 'forward' | 'backward' | 'decode', number][] = [
    [`forward, ${trial.T} tokens`, 'forward', trial.T * (2 * queries + keys)],
    [`backward, ${trial.T} tokens`, 'backward', trial.T * (4 * queries + 2 * keys)],
    [`decode, ${decoding} rows`, 'decode', decoding * 2 * queries + trial.decodePairs * keys],
  ];
  const rows: EngineRow[] = [];
  for (const [work, method, bytes] of works) {
    recorder.dry = true;
    trial[method]({ kernels, recorder }, form);
    recorder.dry = false;
    await kernels.settle();
    const before = { flops: recorder.flops, dispatches: recorder.dispatches };
    let runs = 0;
    const ms = await timed(async () => {
      runs++;
      trial[method]({ kernels, recorder }, form);
      await recorder.finish();
    });
    const flops = (recorder.flops - before.flops) / runs;
    const dispatches = (recorder.dispatches - before.dispatches) / runs;
    rows.push(rowOf(`attention ${name} ${work}`, { ms, flops, bytes, dispatches, readbacks: 0 }, machine));
  }
  recorder.destroy();
  return rows;
}

export const modelOptions = (config: ModelConfig) => ({
  capacity,
  weights: initWeights(config, { seed: 1, std: 0.05 }),
  trainable: true,
  reference: false,
});

/** 4 prompts of 32 tokens, each shared by 7 completions of 32: 1,024 tokens, 896 of them scored. */
export function groupedBatch(vocab: number): PackedBatch {
  const segments: PackedBatch['segments'] = [];
  const scored: number[] = [];
  for (let at = 0; at < capacity.batchTokens; at += 32) {
    const isPrompt = segments.length % 8 === 0;
    segments.push({ start: at, end: at + 32, parent: isPrompt ? -1 : segments.length - (segments.length % 8) });
    if (!isPrompt) for (let t = at; t < at + 32; t++) scored.push(t);
  }
  const tokens = Int32Array.from({ length: capacity.batchTokens }, (_, t) => (t * 7919) % vocab);
  return { tokens, segments, scored: Int32Array.from(scored), allowed: null };
}

const objective: ObjectiveSpec = {
  name: 'bench',
  wgsl: 'fn objective(i: u32, logprob: f32, entropy: f32) -> Objective { return Objective(logprob, 1e-4, 1e-5, vec4f()); }',
  columns: [],
  scalars: [],
  evaluate: ({ count, logprob }) => ({
    loss: Float64Array.from(logprob),
    weight: new Float64Array(count).fill(1e-4),
    entropyWeight: new Float64Array(count).fill(1e-5),
    aux: {},
  }),
};
export const optimizer = {
  learningRate: 1e-5,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};

async function benchModel(gpu: Gpu, machine: MachineRates, size: string, config: ModelConfig): Promise<EngineRow[]> {
  const model = await Model.create(gpu, config, modelOptions(config));
  const batch = groupedBatch(config.vocabSize);
  const T = batch.tokens.length;
  const weights = 4 * model.numParameters;
  const stream = 4 * T * config.hiddenSize * (config.numLayers + 1);
  const score = () => model.score(batch, { temperature: 1, weights: 'policy' });
  const update = () =>
    model.update({ batches: [{ batch, columns: [] }], objective, scalars: [], optimizer }, { temperature: 1 });
  const forward = await cost(model, score, weights + stream, T);
  // Weights are read in forward and backward, and their gradients written; AdamW reads four arrays and writes three.
  const whole = await cost(model, update, 10 * weights + 2 * stream, T);
  const backward: Cost = {
    ...whole,
    ms: whole.ms - forward.ms,
    flops: whole.flops - forward.flops,
    bytes: whole.bytes - forward.bytes,
    dispatches: whole.dispatches - forward.dispatches,
    readbacks: 0,
  };
  const rows = [
    rowOf(`${size} forward, ${T} tokens`, forward, machine),
    rowOf(`${size} backward and AdamW (update less forward)`, backward, machine),
    rowOf(`${size} update, ${T} tokens`, whole, machine),
  ];
  for (const count of [1, 8, 64])
    rows.push(rowOf(`${size} decode, ${count} rows x 64 tokens`, await decode(model, count, weights), machine));
  model.destroy();
  return rows;
}

/** Samples without a constraint from a shared prompt of 32 tokens; the time includes the prompt's prefill. */
function decode(model: Model, rows: number, weights: number): Promise<Cost> {
  const { numLayers, numKvHeads, headDim } = model.config;
  const slots = Array.from({ length: rows }, (_, slot) => slot);
  const prompt = Int32Array.from({ length: 32 }, (_, i) => i + 1);
  const tokens = 64;
  const cached = 8 * numLayers * numKvHeads * headDim * rows * (32 + tokens / 2);
  return cost(
    model,
    async () => {
      await begin(model, [{ prompt, slots, rowKeys: slots }]);
      const sampling = { temperature: 1, seed: 1, stream: 0, maxTokens: tokens, stopTokens: [] };
      await wholeTurns(
        model,
        slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null })),
        sampling,
      );
    },
    tokens * (weights + cached),
    rows * tokens,
  );
}

/** Measures one whole step of an experiment: its rollout in the world, its advantages and its update. */
async function benchStep(gpu: Gpu, machine: MachineRates, file: string): Promise<EngineRow[]> {
  const experiment = parseExperiment(JSON.parse(readFileSync(file, 'utf8')));
  const assembly = new Assembly({ machine: { open: async () => gpu }, openWorld: openGuardedWorld });
  const signal = new AbortController().signal;
  const engine = await assembly.open(experiment, { assets: null, choices: null, onProgress: () => {}, signal });
  await engine.initialize();
  const steps: { [metric: string]: number }[] = [];
  for (let step = 1; step <= 4; step++) steps.push((await engine.training!.step(step, { signal })).record.metrics);
  const { memory } = await engine.report();
  // The report turns on timing of the dispatches after it. Those run in a separate step, since each timed dispatch gets
  // its own pass.
  await engine.training!.step(5, { signal });
  printShares((await engine.report()).kernels);
  await engine.close();
  const weights = memory.find(({ name }) => name === 'weights')?.bytes ?? 0;
  // The first step warms up; of the others, take the one with the median time.
  const m = steps.slice(1).sort((a, b) => a.stepMs - b.stepMs)[1];
  const part = (name: string, ms: number, tokens: number, bytes: number): EngineRow =>
    rowOf(name, { ms, flops: m.flops, bytes, dispatches: m.dispatches, readbacks: m.readbacks, tokens }, machine);
  console.log(
    `GRPO step of ${file}: rollout ${m.rolloutMs.toFixed(0)} ms (${m.tokensPrefilled} tokens prefilled, ${m.tokensGenerated} generated, ` +
      `${m.rolloutTokensPerSecond.toFixed(0)}/s), training ${m.trainMs.toFixed(0)} ms (${m.tokensTrained} tokens, ${m.trainTokensPerSecond.toFixed(0)}/s)`,
  );
  return [
    part(
      `GRPO step, ${experiment.name}`,
      m.stepMs,
      m.tokensPrefilled + m.tokensGenerated + m.tokensTrained,
      10 * weights,
    ),
  ];
}

/** Prints the share of device time by kernel, if the adapter has timestamps. */
function printShares(kernels: Awaited<ReturnType<Engine['report']>>['kernels']): void {
  const total = kernels.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  if (total === 0) {
    console.log('time by kernel: this adapter has no timestamps');
    return;
  }
  const shares = [...kernels]
    .sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0))
    .slice(0, 10)
    .map(({ name, ms }) => `${name} ${((100 * (ms ?? 0)) / total).toFixed(0)}%`);
  console.log(`time by kernel: ${shares.join(', ')}`);
}

function print({ adapter, machine, rows }: EngineResult): void {
  console.log(`adapter: ${adapter}`);
  console.log(
    `best rates: ${machine.gflops.toFixed(1)} GFLOP/s in registers, ${machine.gigabytesPerSecond.toFixed(1)} GB/s copied, ` +
      `${(machine.dispatchMs * 1000).toFixed(1)} µs per dispatch, ${machine.readbackMs.toFixed(2)} ms per read-back`,
  );
  const heads = ['ms', 'floor ms', 'GFLOP/s', 'MB', 'dispatches', 'read-backs', 'tokens/s'];
  console.log(`${''.padEnd(46)}${heads.map((head) => head.padStart(11)).join('')}`);
  for (const row of rows) {
    const cells = [
      row.ms.toFixed(2),
      row.floorMs.toFixed(2),
      row.gflops.toFixed(1),
      row.megabytes.toFixed(1),
      row.dispatches.toFixed(0),
      row.readbacks.toFixed(0),
      row.tokensPerSecond === null ? '' : row.tokensPerSecond.toFixed(0),
    ];
    console.log(`${row.name.slice(0, 46).padEnd(46)}${cells.map((cell) => cell.padStart(11)).join('')}`);
  }
}

/** Measures, prints a table, and returns it. */
export async function benchEngine(): Promise<EngineResult> {
  const gpu = await Gpu.open(await nodeGpu());
  const machine = await measureMachine(gpu);
  const rows = await benchMatmuls(gpu, machine);
  rows.push(...(await benchAttention(gpu, machine)));
  for (const [size, config] of sizes) rows.push(...(await benchModel(gpu, machine, size, config)));
  rows.push(...(await benchStep(gpu, machine, 'experiments/textcraft-first.json')));
  const { vendor, description } = gpu.info;
  const result = { adapter: `${vendor} ${description}${gpu.info.isFallback ? ' (software)' : ''}`, machine, rows };
  gpu.check();
  gpu.destroy();
  print(result);
  return result;
}
