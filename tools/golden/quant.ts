/**
 * Checks quantisation against recorded cases (`*.json` of kind `quant` and their safetensors): the bytes of each
 * layout, their dequantised values, and the product x W^T, computed with our own layout and its conversions, in double
 * precision on the CPU and by the kernels on the GPU. The case's tensors determine the layouts and sizes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, type Tensor } from '../../src/policy/formats/safetensors.ts';
import { dequantizeRows, type PackedRows, quantizeRows } from '../../src/policy/weights/quantize.ts';
import {
  dequantizeNBits,
  fromGguf,
  fromNBits,
  type NBits,
  quantizeNBits,
  toGguf,
  toNBits,
} from '../../src/policy/weights/quantize-formats.ts';
import { type GoldenReport, largestMagnitude, maxError } from './report.ts';

/** x (M, K) times the transpose of packed weights (N, K), on the GPU. */
export type RunProduct = (x: Float32Array, weights: PackedRows) => Promise<Float32Array>;

/** Largest allowed errors, relative to the largest magnitude of the expected tensor. */
const gates = { product: 1e-12, gpu: 2e-6, f16Scales: 1e-3 };

const numbers = (tensor: Tensor) => tensor.data as unknown as ArrayLike<number>;

/** True if NAME.json in this folder describes a case of quantisation. */
export const isQuantCase = (dir: string, name: string): boolean =>
  JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')).kind === 'quant';

export async function checkQuantisation(
  dir: string,
  run: RunProduct,
  report: GoldenReport,
  only: readonly string[] = [],
) {
  for (const file of readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const name = file.slice(0, -'.json'.length);
    if (only.length && !only.includes(name)) continue;
    if (!isQuantCase(dir, name)) continue;
    try {
      await new QuantCase(dir, name, run, report).run();
    } catch (error) {
      report.fail('quant', name, (error as Error).stack ?? String(error));
    }
  }
}

class QuantCase {
  private readonly tensors: Map<string, Tensor>;
  private readonly w: Float32Array;
  private readonly x: Float32Array;
  private readonly length: number;

  constructor(
    dir: string,
    private readonly name: string,
    private readonly runProduct: RunProduct,
    private readonly report: GoldenReport,
  ) {
    this.tensors = readSafetensors(readFileSync(join(dir, `${name}.safetensors`)));
    this.w = this.tensor('w').data as Float32Array;
    this.x = this.tensor('x').data as Float32Array;
    this.length = this.tensor('w').shape[1];
  }

  private tensor(key: string): Tensor {
    const tensor = this.tensors.get(key);
    if (!tensor) throw new Error(`the recorded tensor ${key} is missing`);
    return tensor;
  }

  private compare(key: string, what: string, actual: ArrayLike<number>, gate: number) {
    const expected = numbers(this.tensor(key));
    const error = maxError(actual, expected) / (gate ? largestMagnitude(expected) || 1 : 1);
    this.report.check('quant', this.name, `${key}${what}`, error <= gate, error, gate);
  }

  /** x values^T in double precision. */
  private product(values: Float32Array): Float64Array {
    const K = this.length;
    const [M, N] = [this.x.length / K, values.length / K];
    const out = new Float64Array(M * N);
    for (let m = 0; m < M; m++)
      for (let n = 0; n < N; n++) for (let k = 0; k < K; k++) out[m * N + n] += this.x[m * K + k] * values[n * K + k];
    return out;
  }

  /** Checks every recorded layout; the first part of a tensor's name is its layout. */
  async run(): Promise<void> {
    const layouts = new Set(
      [...this.tensors.keys()].filter((key) => key.includes('.')).map((key) => key.split('.')[0]),
    );
    for (const layout of [...layouts].sort()) {
      if (layout === 'q4_0') await this.gguf(layout, 4);
      else if (layout === 'q8_0') await this.gguf(layout, 8);
      else if (layout === 'int4_g32') await this.nbits(layout);
      else this.report.skip('quant', this.name, `unknown layout ${layout}`);
    }
  }

  private async gguf(layout: string, bits: 4 | 8): Promise<void> {
    const packed = quantizeRows(bits, this.w, this.length);
    this.compare(`${layout}.bytes`, '', toGguf(packed), 0);
    this.compare(`${layout}.dequant`, '', dequantizeRows(packed), 0);
    const recorded = this.tensor(`${layout}.bytes`).data as Uint8Array;
    const imported = fromGguf(bits, recorded, this.length);
    this.compare(`${layout}.dequant`, ' of the recorded bytes', dequantizeRows(imported), 0);
    this.compare(`${layout}.y`, '', this.product(dequantizeRows(packed)), gates.product);
    this.compare(`${layout}.y`, ' on the GPU', await this.runProduct(this.x, imported), gates.gpu);
    if (bits === 4)
      this.compare(`${layout}.dequant`, ' as MatMulNBits', dequantizeNBits(toNBits(packed), this.length), 0);
  }

  private async nbits(layout: string): Promise<void> {
    const own = quantizeNBits(this.w, this.length);
    this.compare(`${layout}.B`, '', own.bytes, 0);
    this.compare(`${layout}.scales`, '', own.scales, 0);
    const recorded: NBits = {
      bytes: this.tensor(`${layout}.B`).data as Uint8Array,
      scales: this.tensor(`${layout}.scales`).data as Float32Array,
    };
    this.compare(`${layout}.dequant`, '', dequantizeNBits(recorded, this.length), 0);
    this.compare(`${layout}.y`, '', this.product(dequantizeNBits(recorded, this.length)), gates.product);
    // Our layout stores scales as f16, with a relative error of up to 2^-11.
    const ours = fromNBits(recorded, this.length);
    this.compare(`${layout}.y`, ' with f16 scales on the GPU', await this.runProduct(this.x, ours), gates.f16Scales);
  }
}
