/**
 * Compares a training step of the small transformer on the processor with PyTorch's, with the same number of threads
 * (`TABGYM_PYTHON` names an interpreter with PyTorch). PyTorch uses the widest registers available, WebAssembly 128
 * bits, so the rate of a matrix product is printed for both.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WasmDevice } from '../src/device/wasm/device.ts';
import type { TensorMap } from '../src/policy/policy.ts';
import { oursTrain } from './compare/ours.ts';
import { idsOf, shapes, weightsOf } from './compare/shapes.ts';
import { productRate } from './processor.ts';

export interface TorchRow {
  name: string;
  threads: number;
  ours: number;
  theirs: number;
  /** Speed of ours divided by theirs. */
  times: number;
  aim: number;
  agreement: string;
  /** GFLOP/s of a 512 x 512 x 512 product. */
  oursProduct: number;
  theirsProduct: number;
}

interface Step {
  ms: number;
  loss: number;
  gradNorm: number;
}

const optimizer = { learningRate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };
const [rows, length, steps] = [8, 32, 12];
/** Required relative speed: "no slower", and "within four times". */
const aims: [shape: string, aim: number][] = [
  ['tiny', 1],
  ['wide', 1 / 4],
];

function laidOut(weights: TensorMap) {
  let at = 0;
  const tensors: { [name: string]: [number, number, readonly number[]] } = {};
  const parts: Float32Array[] = [];
  for (const [name, { data, shape }] of weights) {
    tensors[name] = [at, data.length, shape];
    parts.push(Float32Array.from(data));
    at += data.length;
  }
  return { tensors, bytes: Buffer.concat(parts.map((part) => Buffer.from(part.buffer))) };
}

function torchTrain(shape: string, threads: number): { version: string; steps: Step[]; gflops: number } {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-torch-'));
  try {
    const { tensors, bytes } = laidOut(weightsOf(shape));
    const weights = join(folder, 'weights.bin');
    writeFileSync(weights, bytes);
    const ids = idsOf(shape, rows, length).flatMap((row) => [...row]);
    const job = { config: shapes[shape], sizes: { rows, length }, optimizer, threads, ids, weights, tensors, steps };
    writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
    const python = process.env.TABGYM_PYTHON ?? 'python3';
    return JSON.parse(
      execFileSync(python, ['bench/compare/torch_step.py', join(folder, 'job.json')], { encoding: 'utf8' }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first two steps warm up. */
const best = (all: readonly Step[]) => Math.min(...all.slice(2).map(({ ms }) => ms));

export async function benchCompareTorch(): Promise<TorchRow[]> {
  const result: TorchRow[] = [];
  for (const threads of [1, 2])
    for (const [shape, aim] of aims) {
      const device = await WasmDevice.open({ threads });
      const ours = await oursTrain(
        device,
        shapes[shape],
        weightsOf(shape),
        idsOf(shape, rows, length),
        optimizer,
        steps,
      );
      const oursProduct = await productRate(device, [512, 512, 512]);
      device.destroy();
      const theirs = torchTrain(shape, threads);
      const largestDifference = (key: 'loss' | 'gradNorm') =>
        Math.max(...ours.map((step, i) => Math.abs(step[key] - theirs.steps[i][key]))).toExponential(1);
      const [a, b] = [best(ours), best(theirs.steps)];
      const row: TorchRow = {
        name: `training step, ${shape}, ${rows * length} tokens, PyTorch ${theirs.version}`,
        threads,
        ours: a,
        theirs: b,
        times: b / a,
        aim,
        agreement: `losses differ by ${largestDifference('loss')}, gradient norms by ${largestDifference('gradNorm')}`,
        oursProduct,
        theirsProduct: theirs.gflops,
      };
      result.push(row);
      console.log(
        `  ${row.name}, ${threads} threads: ours ${a.toFixed(1)} ms, theirs ${b.toFixed(1)}, ${row.times.toFixed(2)} times (aim ${aim}); ${row.agreement}; a product of 512 cubed: ours ${oursProduct.toFixed(0)} GFLOP/s, theirs ${theirs.gflops.toFixed(0)}`,
      );
    }
  return result;
}
