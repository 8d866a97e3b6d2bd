/**
 * Worker of the comparison: runs the engines on the same device, one after the other. On the processor each uses its
 * own default number of threads for an isolated page.
 */
import { expose } from 'comlink';
import type { Device } from '../../src/device/device.ts';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { exportOnnx } from '../../src/policy/onnx/export.ts';
import { adapterName } from '../../src/session/device/gpu-report.ts';
import { jaxTraining } from './jax.ts';
import { ortDecoder } from './ort.ts';
import { oursDecode, oursTrain } from './ours.ts';
import { type Decoded, idsOf, shapes, weightsOf } from './shapes.ts';

export type WeightType = 'float32' | 'int4';

export interface DecodeRequest {
  device: DeviceName;
  shape: string;
  /** Weights of both engines: f32, or the same codes and scales (int4, with the table in int8). */
  weights: WeightType;
  rows: number;
  prompt: number;
  tokens: number;
  times: number;
}

export interface DecodeResult {
  oursMs: number[];
  ortMs: number[];
  /** Largest difference of the prompt's logits, and our largest logit for scale. */
  logitDifference: number;
  largestLogit: number;
  /** Number of greedy tokens on which both agree, of `allTokens`. */
  sameTokens: number;
  allTokens: number;
}

export interface TrainRequest {
  device: DeviceName;
  shape: string;
  rows: number;
  length: number;
  steps: number;
}

export interface TrainResult {
  ours: { ms: number; loss: number; gradNorm: number }[];
  jax: { ms: number; loss: number; gradNorm: number }[];
}

export interface CompareWorker {
  adapter(device: DeviceName): Promise<string>;
  decode(request: DecodeRequest): Promise<DecodeResult>;
  train(request: TrainRequest): Promise<TrainResult>;
}

export type DeviceName = 'webgpu' | 'wasm';

const open = (device: DeviceName): Promise<Device> =>
  device === 'wasm' ? WasmDevice.open({ relaxed: true }) : Gpu.open(navigator.gpu);

async function adapter(device: DeviceName): Promise<string> {
  const gpu = await open(device);
  const name = `${adapterName(gpu)}${gpu.info.isFallback ? ' (software)' : ''}`;
  gpu.destroy();
  return name;
}

const largest = (values: ArrayLike<number>) => Array.from(values).reduce((most, x) => Math.max(most, Math.abs(x)), 0);

async function decode({
  device,
  shape,
  weights: type,
  rows,
  prompt,
  tokens,
  times,
}: DecodeRequest): Promise<DecodeResult> {
  const [config, tensors] = [shapes[shape], weightsOf(shape)];
  const precision = type === 'int4' ? 'int4' : 'f32';
  const prompts = idsOf(shape, rows, prompt);
  const gpu = await open(device);
  const ours = await oursDecode(gpu, config, tensors, precision, prompts, tokens, times);
  gpu.destroy();
  const { model } = exportOnnx(config, tensors, { operators: 'contrib', weights: type });
  const decoder = await ortDecoder(device, model, config);
  const theirs: Decoded[] = [];
  for (let i = 0; i < times; i++) theirs.push(await decoder.decode(prompts, tokens));
  await decoder.close();
  const difference = ours[0].promptLogits.map((x, i) => x - theirs[0].promptLogits[i]);
  const pairs = ours[0].tokens.flatMap((row, r) => row.map((token, i) => token === theirs[0].tokens[r][i]));
  return {
    oursMs: ours.map(({ ms }) => ms),
    ortMs: theirs.map(({ ms }) => ms),
    logitDifference: largest(difference),
    largestLogit: largest(ours[0].promptLogits),
    sameTokens: pairs.filter(Boolean).length,
    allTokens: pairs.length,
  };
}

const optimizer = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.01,
  maxGradNorm: 1,
};

async function train({ device, shape, rows, length, steps }: TrainRequest): Promise<TrainResult> {
  const [config, weights] = [shapes[shape], weightsOf(shape)];
  const ids = idsOf(shape, rows, length);
  const gpu = await open(device);
  const ours = await oursTrain(gpu, config, weights, ids, optimizer, steps);
  gpu.destroy();
  const flat = Int32Array.from(ids.flatMap((row) => [...row]));
  const training = await jaxTraining(device, config, weights, flat, { rows, length }, optimizer);
  const jax: TrainResult['jax'] = [];
  for (let i = 0; i < steps; i++) {
    const started = performance.now();
    const { loss, gradNorm } = await training.step();
    jax.push({ ms: performance.now() - started, loss, gradNorm });
  }
  return { ours, jax };
}

const endpoint: CompareWorker = { adapter, decode, train };
expose(endpoint);
