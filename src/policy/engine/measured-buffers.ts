/** Buffers in which the forms of a run's kernels are measured, at the run's sizes. Their values are zero. */
import { type BufferSlice, type Device, type DeviceBuffer, slice, whole } from '../../device/device.ts';
import { partialFloats } from '../plan/partial-sums.ts';
import { packedRow } from '../weights/quantize.ts';
import { AttentionTrial, groupSegments } from './attention-trial.ts';
import type { QuantSlice } from './quantized-operations.ts';
import type { Product, RunSizes } from './run-sizes.ts';

/** Most tokens of a measured prompt, and of the trajectories after it. */
const mostTokens = 1024;

/** Prompt, own tokens of a trajectory, and trajectories. */
export type AttentionSizes = readonly [prompt: number, own: number, rows: number];

/** A group of the run's lengths, as much of it as is measured. */
export function trainedAttention({ capacity: { promptTokens, completionTokens, batchTokens, rows } }: RunSizes) {
  const prompt = Math.min(promptTokens, mostTokens / 2);
  const own = Math.min(completionTokens, mostTokens / 2);
  const fitting = Math.floor((Math.min(batchTokens, mostTokens) - prompt) / own);
  return [prompt, own, Math.max(1, Math.min(rows, fitting))] as const;
}

/** A step of all decoded rows, halfway through their own tokens. */
export function decodedAttention({ capacity: { promptTokens, completionTokens }, decodeRows: rows }: RunSizes) {
  const own = Math.min(Math.ceil(completionTokens / 2), Math.ceil(mostTokens / rows));
  return [Math.min(promptTokens, mostTokens), own, rows] as const;
}

const most = (values: readonly number[]) => Math.max(0, ...values);
const rowOf = ({ format, K }: Product) => packedRow(format!, K);

/** Words of each buffer. */
function wordsOf({ manyRows, decodeRows, products, gateUp, down, adapted, lora, isPacked }: RunSizes) {
  const M = Math.max(manyRows, decodeRows);
  const rank = lora?.rank ?? 0;
  const all = [...products, gateUp, down, ...adapted.map(({ product }) => product)];
  const width = most(adapted.map(({ operand }) => operand.parts.length * rank));
  const [N, K] = [most(all.map((product) => product.N)), most(all.map((product) => product.K))];
  const sized = (words: (product: Product) => number) => most(all.map((product) => product.N * words(product)));
  return {
    ...{ inp: M * K, out: M * N, gates: isPacked ? manyRows * gateUp.N : 0, partials: partialFloats },
    ...{ mid: M * width, A: width * K, B: N * rank },
    weight: isPacked ? 0 : sized((product) => product.K),
    codes: isPacked ? sized((product) => rowOf(product).codeWords) : 0,
    scales: isPacked ? sized((product) => rowOf(product).scaleWords) : 0,
  };
}

type Name = keyof ReturnType<typeof wordsOf>;

export class MeasuredBuffers {
  private readonly buffers = new Map<string, DeviceBuffer>();
  readonly training: AttentionTrial;
  readonly decoding: AttentionTrial;

  private constructor(
    private readonly device: Device,
    sizes: RunSizes,
  ) {
    for (const [name, words] of Object.entries(wordsOf(sizes)))
      this.buffers.set(name, device.createBuffer(`Autotune.${name}`, words * 4));
    const { numHeads: heads, numKvHeads: kvHeads, headDim } = sizes.config;
    const attention = (group: AttentionSizes) =>
      new AttentionTrial(device, { heads, kvHeads, headDim, eps: 0 }, groupSegments(...group));
    this.training = attention(trainedAttention(sizes));
    this.decoding = attention(decodedAttention(sizes));
  }

  static create(device: Device, sizes: RunSizes): Promise<MeasuredBuffers> {
    return device.allocating('the measurement of kernels', () => new MeasuredBuffers(device, sizes));
  }

  slice(name: Name): BufferSlice {
    return whole(this.buffers.get(name)!);
  }

  packed(product: Product): QuantSlice {
    const { codeWords, scaleWords } = rowOf(product);
    const part = (name: Name, words: number) => slice(this.buffers.get(name)!, 0, product.N * words * 4);
    return { ...product.format!, codes: part('codes', codeWords), scales: part('scales', scaleWords) };
  }

  destroy(): void {
    for (const buffer of this.buffers.values()) this.device.destroyBuffer(buffer);
    this.training.destroy();
    this.decoding.destroy();
  }
}
