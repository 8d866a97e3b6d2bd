/**
 * Everything about one GPU in one run: its best rates, every form of the matrix products and of attention beside its
 * floor, the forms that autotune chooses, and decoding and an update of Qwen2.5-0.5B's shape (int4 weights, an adapter of
 * rank 16) with the time of each kernel. Weights are random, so no download is needed. A software adapter runs the same
 * with small shapes, as the names state.
 *
 * `--match` runs only one part: products, attention, model or torch; `products:TEXT` only products whose name contains
 * TEXT. `TABGYM_PYTHON` names an interpreter with PyTorch and PEFT, which runs the same for comparison: on CUDA, or on the
 * processor, as the output states.
 */
import { execFileSync } from 'node:child_process';
import { CommandError } from '../src/cli/command-error.ts';
import type { KernelTime } from '../src/device/device.ts';
import { Gpu } from '../src/device/webgpu/device.ts';
import { nodeGpu } from '../src/library/node/gpu.ts';
import { findModel } from '../src/policy/catalogue.ts';
import { type ModelConfig, parameterShapes } from '../src/policy/config.ts';
import { AttentionTrial, groupSegments } from '../src/policy/engine/attention-trial.ts';
import {
  attentionFormRuns,
  attentionForms,
  type FormTimes,
  type KernelChoices,
} from '../src/policy/engine/kernel-choices.ts';
import { measureChoices } from '../src/policy/engine/measure-choices.ts';
import { Model } from '../src/policy/engine/model.ts';
import { runSizes } from '../src/policy/engine/run-sizes.ts';
import { initAdapter } from '../src/policy/weights/adapter.ts';
import { normals } from '../src/policy/weights/init.ts';
import type { WeightPiece } from '../src/policy/weights/linear.ts';
import { formatOf, packedWords, planPacked } from '../src/policy/weights/packed-layout.ts';
import { type PackedRows, quantizeRows } from '../src/policy/weights/quantize.ts';
import { capacityFor, lora, update } from '../tools/model-steps.ts';
import { measureProducts, modelShapes, type ProductRow, productName, smallShapes } from './gpu-products.ts';
import { type MachineRates, measureMachine, timed } from './machine.ts';
import { decode, listed, promptTokens } from './quantized.ts';

/** PyTorch with PEFT, on the same GPU if PyTorch has CUDA. */
interface TorchResult {
  adapter: string;
  versions: { [name: string]: string };
  rows: { name: string; ms: number }[];
}

interface StepRow {
  name: string;
  ms: number;
  tokensPerSecond: number;
  gflops: number;
  floorMs: number;
  dispatches: number;
  /** Kernel times of one more run with timestamps around each dispatch. */
  kernels: { name: string; ms: number; calls: number }[];
}

export interface GpuResult {
  adapter: string;
  features: string[];
  machine: MachineRates;
  choices: KernelChoices | null;
  products: ProductRow[];
  attention: { name: string; ms: number; gflops: number }[];
  model: StepRow[];
  /** Null if `TABGYM_PYTHON` names no interpreter. */
  torch: TorchResult | null;
}

/** Number of tokens decoded for each row. */
const decodedTokens = 64;
/** The same on a software adapter, and the part of the model that it runs. */
const smallTokens = 4;
const small = { layers: 1, vocabulary: 4096 };
/** Values of a block of packed rows that a model's matrices repeat: quick to pack, and of the magnitude of real ones. */
const blockValues = 1 << 18;

/** Random weights of a model in int4, already packed, because packing takes minutes. */
async function* packedPieces(config: ModelConfig): AsyncGenerator<WeightPiece> {
  const blocks = new Map<string, PackedRows>();
  for (const [name, shape] of parameterShapes(config)) {
    const [rows, length] = shape;
    if (shape.length === 1) {
      const values = new Float32Array(rows).fill(name.endsWith('.bias') ? 0 : 1);
      yield { kind: 'f32', name, shape, row: 0, rows: 1, values };
      continue;
    }
    const format = formatOf('int4', name);
    const key = `${JSON.stringify(format)} ${length}`;
    const count = Math.max(1, Math.floor(blockValues / length));
    const block = blocks.get(key) ?? quantizeRows(format, normals(count * length, 1, 'bench', 0.02), length);
    blocks.set(key, block);
    for (let row = 0; row < rows; row += count)
      yield { kind: 'packed', name, shape, row, ...firstRows(block, Math.min(count, rows - row)) };
  }
}

function firstRows({ row, codes, scales }: PackedRows, rows: number) {
  const part = { codes: codes.subarray(0, rows * row.codeWords), scales: scales.subarray(0, rows * row.scaleWords) };
  return { rows, packed: { row, rows, ...part } };
}

class Bench {
  readonly result: GpuResult;

  constructor(
    private readonly gpu: Gpu,
    private readonly isSmall: boolean,
    machine: MachineRates,
  ) {
    const { vendor, architecture, description } = gpu.info;
    const adapter = `${vendor} ${architecture} ${description}${isSmall ? ' (software)' : ''}`;
    const features = [...gpu.features].sort();
    this.result = { adapter, features, machine, choices: null, products: [], attention: [], model: [], torch: null };
  }

  async products(match?: string): Promise<void> {
    const { gpu, isSmall, result } = this;
    const shapes = isSmall ? smallShapes : modelShapes;
    result.products = await measureProducts(gpu, shapes, result.machine, { isSmall, match });
  }

  /** A group of eight trajectories after a prompt of 1,024 tokens, in the shape of Qwen2.5-0.5B's heads. */
  async attention(): Promise<void> {
    const { gpu, isSmall } = this;
    const shape = { heads: 14, kvHeads: 2, headDim: 64, eps: 0 };
    const recorder = gpu.createRecorder(256, isSmall ? 5e7 : 1e11);
    const segments = isSmall ? groupSegments(64, 16, 2) : groupSegments(1024, 128, 8);
    const trial = new AttentionTrial(gpu, shape, segments);
    trial.upload(recorder);
    const runs = attentionForms.filter((form) => attentionFormRuns(form, gpu.features, gpu.info.subgroupMinSize));
    for (const work of ['forward', 'backward', 'decode'] as const)
      for (const form of runs) {
        const record = () => trial[work]({ kernels: gpu.kernels, recorder }, form);
        recorder.dry = true;
        record();
        recorder.dry = false;
        await gpu.kernels.settle();
        const before = recorder.flops;
        record();
        const flops = recorder.flops - before;
        const times = isSmall ? 1 : 10;
        const ms = await timed(
          async () => {
            for (let i = 0; i < times; i++) record();
            await recorder.finish();
          },
          isSmall ? 0 : 0.2,
          10,
        );
        const row = { name: `${work}, ${form}`, ms: ms / times, gflops: (flops * times) / ms / 1e6 };
        this.result.attention.push(row);
        console.log(`  attention ${row.name}: ${row.ms.toFixed(3)} ms, ${row.gflops.toFixed(0)} GFLOP/s`);
      }
    recorder.destroy();
    trial.destroy();
  }

  async choices(): Promise<void> {
    const times: FormTimes = new Map();
    const { config } = listed('qwen2.5-0.5b', null, null);
    const adapter = { lora, tensors: new Map() };
    const weights = { weights: new Map(), precision: 'int4', adapter } as const;
    const sizes = runSizes(config, capacityFor(2048, promptTokens), weights, this.gpu.bindingBytes);
    const start = performance.now();
    this.result.choices = await measureChoices(this.gpu, sizes, times);
    console.log(
      `  autotune, ${((performance.now() - start) / 1000).toFixed(1)} s: ${JSON.stringify(this.result.choices)}`,
    );
    for (const [choice, forms] of times)
      console.log(`    ${choice}: ${forms.map(({ form, ms }) => `${form} ${(1000 * ms).toFixed(1)} us`).join(', ')}`);
  }

  async model(): Promise<void> {
    const { gpu, isSmall, result } = this;
    const { layers, vocabulary } = isSmall ? small : { layers: null, vocabulary: null };
    const { name, config } = listed('qwen2.5-0.5b', layers, vocabulary);
    const lengths = isSmall ? [256] : [512, 2048];
    const tokens = isSmall ? smallTokens : decodedTokens;
    const capacity = capacityFor(Math.max(...lengths), promptTokens);
    const adapter = { lora, tensors: initAdapter(config, lora, 1) };
    const options = { capacity, adapter, precision: 'int4', trainable: true, reference: false } as const;
    const choices = result.choices ?? undefined;
    const started = performance.now();
    const model = await Model.create(gpu, config, { ...options, weights: packedPieces(config), choices });
    console.log(`  ${name}: created in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    try {
      for (const rows of isSmall ? [1] : [1, 8, 32])
        await this.step(model, `${name}: decode ${tokens} tokens, ${rows} rows`, rows * tokens, tokens, () =>
          decode(model, rows, tokens),
        );
      for (const T of lengths) await this.step(model, `${name}: update, ${T} tokens`, T, 3, () => update(model, T));
    } finally {
      model.destroy();
    }
  }

  /** Measures PyTorch on the same shape, with the interpreter `python`. */
  torch(python: string): void {
    const { isSmall } = this;
    const cut = isSmall ? { num_hidden_layers: small.layers, vocab_size: small.vocabulary } : {};
    const config = { ...findModel('qwen2.5-0.5b').config, ...cut };
    const lengths = isSmall ? [smallTokens, 1, '[1]'] : [decodedTokens, 8, '[1, 8, 32]'];
    const job = [JSON.stringify(config), lora.rank, lora.alpha, ...lengths].map(String);
    const printed = execFileSync(python, ['bench/compare/gpu_torch.py', ...job], { encoding: 'utf8' });
    const torch: TorchResult = JSON.parse(printed.trim().split('\n').at(-1)!);
    console.log(`  PyTorch ${torch.versions.torch} on ${torch.adapter}`);
    for (const { name, ms } of torch.rows) console.log(`    ${name}: ${ms.toFixed(1)} ms`);
    this.result.torch = torch;
  }

  private async step(model: Model, name: string, tokens: number, passes: number, work: () => Promise<unknown>) {
    const before = { ...model.counters() };
    await work();
    await model.recorder.finish();
    const flops = model.counters().flops - before.flops;
    const dispatches = model.counters().dispatches - before.dispatches;
    const once = async () => {
      const start = performance.now();
      await work();
      await model.recorder.finish();
      return performance.now() - start;
    };
    const ms = this.isSmall ? await once() : await timed(once, 1, 20);
    const bytes = packedWords(planPacked(model.config, 'int4', this.gpu.bindingBytes)) * 4 * passes;
    const { machine } = this.result;
    const floorMs = Math.max(flops / machine.gflops, bytes / machine.gigabytesPerSecond) / 1e6;
    const kernels = await profiled(model, work);
    const row = {
      name,
      ms,
      tokensPerSecond: (1000 * tokens) / ms,
      gflops: flops / ms / 1e6,
      floorMs,
      dispatches,
      kernels,
    };
    this.result.model.push(row);
    const { tokensPerSecond, gflops } = row;
    console.log(
      `  ${name}: ${ms.toFixed(1)} ms, ${tokensPerSecond.toFixed(0)} tokens/s, ${gflops.toFixed(0)} GFLOP/s, ` +
        `floor ${floorMs.toFixed(1)} ms, ${dispatches} dispatches`,
    );
    for (const kernel of kernels.slice(0, 14))
      console.log(
        `    ${kernel.name.padEnd(34)} ${kernel.ms.toFixed(2).padStart(9)} ms ${String(kernel.calls).padStart(6)} calls`,
      );
  }
}

/** Kernel times of one run, the longest first. Empty if the adapter has no timestamps. */
async function profiled(model: Model, work: () => Promise<unknown>): Promise<StepRow['kernels']> {
  const copy = async () => new Map<string, KernelTime>(await model.recorder.times());
  const earlier = await copy();
  await work();
  await model.recorder.finish();
  const kernels = [...(await copy())].map(([name, { ms, timed: calls }]) => {
    const { ms: msBefore, timed: callsBefore } = earlier.get(name) ?? { ms: 0, timed: 0 };
    return { name, ms: ms - msBefore, calls: calls - callsBefore };
  });
  return kernels.filter(({ calls }) => calls > 0).sort((a, b) => b.ms - a.ms);
}

const parts = ['products', 'attention', 'model', 'torch'];

/** Interpreter that `TABGYM_PYTHON` names; null if it names none. Throws CommandError if a package is missing there. */
function pythonWithTorch(): string | null {
  const python = process.env.TABGYM_PYTHON;
  if (!python) return null;
  try {
    execFileSync(python, ['-c', 'import torch, peft, transformers'], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = (stderr || message).trim().split('\n').at(-1);
    throw new CommandError(`TABGYM_PYTHON is ${python}, which cannot import torch, peft and transformers: ${reason}`);
  }
  return python;
}

/** Part of the measurement that `match` names, text of its products, and interpreter of PyTorch. Throws CommandError. */
function gpuJob(match: string): { part: string; text: string | undefined; python: string | null } {
  const [part, text] = match.split(':');
  if (part && !parts.includes(part))
    throw new CommandError(`There is no part ${part} of gpu: choose from ${parts.join(', ')}.`);
  const python = !part || part === 'torch' ? pythonWithTorch() : null;
  if (part === 'torch' && !python)
    throw new CommandError('The part torch needs TABGYM_PYTHON, which names an interpreter with PyTorch and PEFT.');
  return { part, text, python };
}

export async function benchGpu(match = ''): Promise<GpuResult> {
  const { part, text, python } = gpuJob(match);
  const wants = (name: string) => !part || part === name;
  const gpu = await Gpu.open(await nodeGpu());
  const machine = await measureMachine(gpu);
  console.log(
    `  best rates: ${machine.gflops.toFixed(0)} GFLOP/s, ${machine.gigabytesPerSecond.toFixed(0)} GB/s, ` +
      `dispatch ${(1000 * machine.dispatchMs).toFixed(1)} us, read-back ${machine.readbackMs.toFixed(3)} ms`,
  );
  const bench = new Bench(gpu, gpu.info.isFallback, machine);
  if (wants('products')) await bench.products(text);
  if (wants('attention')) await bench.attention();
  if (wants('model')) {
    await bench.choices();
    await bench.model();
  }
  if (python) bench.torch(python);
  gpu.check();
  gpu.destroy();
  return bench.result;
}

export const gpuRows = ({ products, attention, model, torch }: GpuResult): (string | number | null)[][] => [
  ...products.map((row) => [`${productName(row)}, ${row.form}`, row.ms, row.floorMs, row.share, row.gflops, null]),
  ...attention.map(({ name, ms, gflops }) => [`attention ${name}`, ms, null, null, gflops, null]),
  ...(torch?.rows ?? []).map(({ name, ms }) => [`PyTorch and PEFT: ${name}`, ms, null, null, null, null]),
  ...model.map((row) => [row.name, row.ms, row.floorMs, row.floorMs / row.ms, row.gflops, row.tokensPerSecond]),
];
