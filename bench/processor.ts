/**
 * Measures the WebAssembly device: products, a whole update, decoding, and steps of experiments, each beside its bound.
 * Ratios are measured within one run, alternating the two works, because the clock of a shared machine varies.
 */
import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { whole } from '../src/device/device.ts';
import { WasmDevice } from '../src/device/wasm/device.ts';
import { parseExperiment } from '../src/experiment/experiment.ts';
import type { ModelConfig } from '../src/policy/config.ts';
import { Model } from '../src/policy/engine/model.ts';
import { givenWeights } from '../src/policy/engine/objective.ts';
import { Operations } from '../src/policy/engine/operations.ts';
import { Assembly } from '../src/session/service/assembly.ts';
import { openGuardedWorld } from '../src/workers/spawn-world.ts';
import { begin, wholeTurns } from '../tools/turns.ts';
import { groupedBatch, modelOptions, optimizer, sizes } from './engine.ts';

export interface ProcessorRow {
  name: string;
  threads: number;
  ms: number;
  gflops: number;
  /** Reference with which the rate (or time) is compared. */
  of: string;
  share: number | null;
  aim: number | null;
  /**
   * Part of a step's time in which the trainer's thread idles until a world's worker has answered; not part of `share`.
   */
  waits?: number;
}

const PEAK_CHUNKS = 64;
const PEAK_ROUNDS = 4000;
const rounds = 15;

/** A piece of work on one device, with its floating-point operations. */
interface Work {
  flops: number;
  run(): Promise<void>;
}

async function clock({ run }: Work): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const rate = ({ flops }: Work, ms: number) => flops / ms / 1e6;

/**
 * Runs both pieces of work in turn, and returns the shortest time of each in milliseconds, and the rate of `a` divided
 * by that of `b`. The shortest time excludes disturbances by other work.
 */
async function inTurns(a: Work, b: Work): Promise<{ a: number; b: number; share: number }> {
  await a.run();
  await b.run();
  const times: { a: number; b: number }[] = [];
  for (let i = 0; i < rounds; i++) times.push({ a: await clock(a), b: await clock(b) });
  const [least, other] = [Math.min(...times.map((t) => t.a)), Math.min(...times.map((t) => t.b))];
  return { a: least, b: other, share: rate(a, least) / rate(b, other) };
}

/** Products and sums in registers only, on all threads. */
export function peakWork(device: WasmDevice): Work {
  const recorder = device.createRecorder(256, Number.POSITIVE_INFINITY);
  const out = device.createBuffer('peak', PEAK_CHUNKS * 4);
  const kernel = device.kernels.request('peak');
  return {
    flops: PEAK_CHUNKS * PEAK_ROUNDS * 104,
    async run() {
      recorder.run({ kernel, bindings: [whole(out)], grid: [1], params: { chunks: PEAK_CHUNKS, rounds: PEAK_ROUNDS } });
      await recorder.finish();
    },
  };
}

/** (M, N, K) of a tiny policy in training and in decoding, and the required share of the peak. */
const shapes: [number, number, number, number][] = [
  [512, 512, 512, 2 / 3],
  [1024, 192, 64, 0.5],
  [1024, 128, 64, 0.5],
  [1024, 64, 192, 0.5],
  [1024, 384, 128, 0.5],
  [64, 192, 64, 0.5],
];

type Kind = 'NT' | 'NN' | 'TN';

function productWork(device: WasmDevice, kind: Kind, [M, N, K]: readonly number[]): Work {
  const recorder = device.createRecorder(256, Number.POSITIVE_INFINITY);
  const ops = new Operations(device.kernels, recorder);
  const [a, b, c, partials] = [M * K, N * K, M * N, 4].map((floats) => whole(device.createBuffer(kind, floats * 4)));
  const repeats = Math.max(1, Math.round(3e7 / (2 * M * N * K)));
  const once = {
    NT: () => ops.matmulNT(a, b, c, M, N, K),
    NN: () => ops.matmulNN(c, b, a, M, N, K),
    TN: () => ops.matmulTN(c, a, b, partials, M, N, K),
  }[kind];
  return {
    flops: repeats * 2 * M * N * K,
    async run() {
      for (let i = 0; i < repeats; i++) once();
      await recorder.finish();
    },
  };
}

/** GFLOP/s of a product with a weight (N, K), at its fastest. */
export async function productRate(device: WasmDevice, [M, N, K]: readonly number[]): Promise<number> {
  const work = productWork(device, 'NT', [M, N, K]);
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await clock(work));
  return rate(work, Math.min(...times));
}

async function benchProducts(device: WasmDevice): Promise<ProcessorRow[]> {
  const peak = peakWork(device);
  const rows: ProcessorRow[] = [];
  for (const [M, N, K, aim] of shapes)
    for (const kind of ['NT', 'NN', 'TN'] as const) {
      const work = productWork(device, kind, [M, N, K]);
      const { a, share } = await inTurns(work, peak);
      rows.push(rowOf(device, `matmul ${kind} ${M} x ${N} x ${K}`, work, a, { of: 'peak', share, aim }));
    }
  return rows;
}

function rowOf(
  { threads }: WasmDevice,
  name: string,
  work: Work,
  ms: number,
  compared: Pick<ProcessorRow, 'of' | 'share' | 'aim' | 'waits'>,
): ProcessorRow {
  const row = { name, threads, ms, gflops: rate(work, ms), ...compared };
  const share =
    row.share === null ? '' : `, ${row.share.toFixed(2)} of ${row.of}${row.aim ? ` (aim ${row.aim.toFixed(2)})` : ''}`;
  const waits = row.waits === undefined ? '' : `, ${row.waits.toFixed(2)} waits for worlds`;
  console.log(`  ${name}, ${threads} threads: ${ms.toFixed(2)} ms, ${row.gflops.toFixed(1)} GFLOP/s${share}${waits}`);
  return row;
}

/** A whole update of 1,024 tokens, and decoding of 64 rows. The engine's counters give the number of operations. */
async function modelWorks(
  device: WasmDevice,
  config: ModelConfig,
): Promise<{ update: Work; decode: Work; model: Model }> {
  const model = await Model.create(device, config, modelOptions(config));
  const batch = groupedBatch(config.vocabSize);
  const N = batch.scored.length;
  const columns = [new Float32Array(N).fill(1e-4), new Float32Array(N).fill(1e-5)];
  const request = { batches: [{ batch, columns }], objective: givenWeights, scalars: [], optimizer };
  const slots = Array.from({ length: 64 }, (_, slot) => slot);
  const prompt = Int32Array.from({ length: 32 }, (_, i) => i + 1);
  const sampling = { temperature: 1, seed: 1, stream: 0, maxTokens: 32, stopTokens: [] };
  const counted = async (run: () => Promise<void>): Promise<Work> => {
    await run();
    const before = model.counters().flops;
    await run();
    return { flops: model.counters().flops - before, run };
  };
  const update = await counted(async () => void (await model.update(request, { temperature: 1 })));
  const decode = await counted(async () => {
    await begin(model, [{ prompt, slots, rowKeys: slots }]);
    await wholeTurns(
      model,
      slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null })),
      sampling,
    );
  });
  return { update, decode, model };
}

async function benchModels(one: WasmDevice, two: WasmDevice): Promise<ProcessorRow[]> {
  const rows: ProcessorRow[] = [];
  const gain = (await inTurns(peakWork(two), peakWork(one))).share;
  console.log(`  the peak loop gains ${gain.toFixed(2)} from the second thread`);
  for (const [size, config] of sizes) {
    const h = config.hiddenSize;
    const product = productWork(one, 'NT', [1024, 3 * h, h]);
    const [oneThread, twoThreads] = [await modelWorks(one, config), await modelWorks(two, config)];
    const update = await inTurns(oneThread.update, product);
    rows.push(
      rowOf(one, `${size} update, 1024 tokens`, oneThread.update, update.a, {
        of: 'the matmul rate',
        share: update.share,
        aim: 0.6,
      }),
    );
    const both = { update: 0.9, decode: 0.8 } as const;
    for (const name of ['update', 'decode'] as const) {
      const { a, b, share } = await inTurns(twoThreads[name], oneThread[name]);
      if (name === 'decode')
        rows.push(rowOf(one, `${size} decode, 64 rows`, oneThread[name], b, { of: '', share: null, aim: null }));
      const compared = { of: "the peak loop's gain", share: share / gain, aim: both[name] };
      rows.push(
        rowOf(
          two,
          `${size} ${name === 'update' ? 'update, 1024 tokens' : 'decode, 64 rows'}`,
          twoThreads[name],
          a,
          compared,
        ),
      );
    }
    oneThread.model.destroy();
    twoThreads.model.destroy();
  }
  return rows;
}

interface MeasuredStep {
  ms: number;
  /** Time in kernels, and idle time. */
  busyMs: number;
  idleMs: number;
  flops: number;
  cpuMs: number;
}

const total = (steps: readonly MeasuredStep[], of: (step: MeasuredStep) => number) =>
  steps.reduce((sum, step) => sum + of(step), 0);

/**
 * Measures steps of an experiment, without the first `warm`: the median milliseconds, and over all of them the share of
 * host work. Host work is everything that the trainer's thread does outside kernels: masks, conversations, packing,
 * credit, messages, garbage collection. `waits` is the time spent waiting for a world's worker, which computes on
 * another core meanwhile.
 */
async function benchSteps(
  device: WasmDevice,
  file: string,
  { steps, warm }: { steps: number; warm: number },
): Promise<ProcessorRow> {
  const experiment = parseExperiment(JSON.parse(readFileSync(file, 'utf8')));
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld: openGuardedWorld });
  const signal = new AbortController().signal;
  const engine = await assembly.open(experiment, { assets: null, choices: null, onProgress: () => {}, signal });
  await engine.initialize();
  const all: MeasuredStep[] = [];
  for (let step = 1; step <= steps; step++) {
    const [busy, cpu, start] = [device.busyMs, process.cpuUsage(), performance.now()];
    const loop = performance.eventLoopUtilization();
    const { metrics } = (await engine.training!.step(step, { signal })).record;
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const { idle: idleMs } = performance.eventLoopUtilization(loop);
    const [busyMs, cpuMs] = [device.busyMs - busy, (user + system) / 1000];
    all.push({ ms, busyMs, idleMs, flops: metrics.flops, cpuMs });
  }
  await engine.close();
  const counted = all.slice(warm).sort((a, b) => a.ms - b.ms);
  const middle = counted[counted.length >> 1];
  const ms = total(counted, (step) => step.ms);
  // On a shared machine, processor time is more meaningful than the clock.
  console.log(`  ${experiment.name}: ${middle.cpuMs.toFixed(0)} ms of processor time per step, all threads`);
  const work = { flops: middle.flops, run: async () => {} };
  return rowOf(device, `step, ${experiment.name}`, work, middle.ms, {
    of: 'the step is host work',
    share: 1 - total(counted, (step) => step.busyMs + step.idleMs) / ms,
    aim: 0.15,
    waits: total(counted, (step) => step.idleMs) / ms,
  });
}

async function benchPeaks(one: WasmDevice, two: WasmDevice): Promise<ProcessorRow[]> {
  const rows: ProcessorRow[] = [];
  for (const device of [one, two]) {
    const peak = peakWork(device);
    const { a } = await inTurns(peak, peak);
    rows.push(rowOf(device, 'peak: registers alone', peak, a, { of: '', share: null, aim: null }));
  }
  return rows;
}

async function benchExperiments(two: WasmDevice): Promise<ProcessorRow[]> {
  const rows: ProcessorRow[] = [];
  // A run has hundreds of steps, so the first ones, before the host's code is compiled, are not typical. Runs that are
  // short enough are measured completely, since their steps get longer with the horizon.
  const parts = [
    { name: 'textcraft-first', steps: 40, warm: 20 },
    { name: 'babyai-first', steps: 280, warm: 20 },
    { name: 'sciworld-first', steps: 160, warm: 20 },
    { name: 'sciworld-rl', steps: 5, warm: 2 },
  ].filter(({ name }) => existsSync(`experiments/${name}.json`));
  for (const { name, ...counts } of parts) rows.push(await benchSteps(two, `experiments/${name}.json`, counts));
  return rows;
}

/** `match`: only the parts whose name contains it (peak, products, models, steps). */
export async function benchProcessor(match = ''): Promise<ProcessorRow[]> {
  const [one, two] = [await WasmDevice.open({ threads: 1 }), await WasmDevice.open({ threads: 2 })];
  const parts: [string, () => Promise<ProcessorRow[]>][] = [
    ['peak', () => benchPeaks(one, two)],
    ['products', () => benchProducts(one)],
    ['models', () => benchModels(one, two)],
    ['steps', () => benchExperiments(two)],
  ];
  const rows: ProcessorRow[] = [];
  for (const [name, bench] of parts) if (name.includes(match)) rows.push(...(await bench()));
  one.destroy();
  two.destroy();
  return rows;
}
