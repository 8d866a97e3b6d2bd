/**
 * Random weights for a policy that starts from nothing. Every value is a function of (seed, tensor name, element), made
 * with integer arithmetic and one multiplication, so that every browser and Node start from bit-identical weights: Math.log
 * and Math.cos may differ in the last bit between engines, so Box-Muller would not do.
 */
import { type ModelConfig, parameterShapes } from './config.ts';
import type { TensorMap } from './policy.ts';
import { pcg4d } from './random.ts';

/** FNV-1a over the UTF-16 units of a name. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Variance of a sum of eight whole numbers, each uniform over 0 to 65535. */
const sumVariance = (8 * (65536 ** 2 - 1)) / 12;
const sumMean = 8 * 32767.5;

/**
 * `count` values from the `start`th, nearly normal (a sum of eight uniforms: excess kurtosis -0.15, largest 4.9 std), mean 0.
 */
export function normals(count: number, seed: number, name: string, std: number, start = 0): Float32Array {
  const out = new Float32Array(count);
  const state = new Uint32Array(4);
  const stream = hashName(name);
  const scale = std / Math.sqrt(sumVariance);
  for (let i = 0; i < count; i++) {
    state[0] = seed;
    state[1] = stream;
    state[2] = start + i;
    state[3] = 0;
    pcg4d(state);
    let sum = 0;
    for (const word of state) sum += (word >>> 16) + (word & 0xffff);
    out[i] = (sum - sumMean) * scale;
  }
  return out;
}

export interface InitOptions {
  seed: number;
  /** Standard deviation of every matrix; those that write to the residual stream get std / sqrt(2 layers). */
  std: number;
}

/** Norms 1, biases 0, matrices random. */
export function initWeights(config: ModelConfig, { seed, std }: InitOptions): TensorMap {
  const residualStd = std / Math.sqrt(2 * config.numLayers);
  const tensors: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(config)) {
    const size = shape.reduce((a, b) => a * b, 1);
    tensors.set(name, { shape, data: initialValues(name, size) });
  }
  return tensors;

  function initialValues(name: string, size: number): Float32Array {
    if (name.endsWith('norm.weight')) return new Float32Array(size).fill(1);
    if (name.endsWith('.bias')) return new Float32Array(size);
    const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
    return normals(size, seed, name, writesResidual ? residualStd : std);
  }
}
