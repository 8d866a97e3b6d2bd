/** One product with packed weights, for checks against recorded ones. */
import { type Device, whole } from '../../src/device/device.ts';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { QuantizedOperations } from '../../src/policy/engine/quantized-operations.ts';
import type { PackedRows } from '../../src/policy/weights/quantize.ts';

/** x (M, K) times the transpose of packed weights (N, K): (M, N). */
export async function quantizedProduct(
  gpu: Device,
  x: Float32Array,
  weights: PackedRows,
  choices: KernelChoices = defaultChoices,
): Promise<Float32Array> {
  const K = weights.row.length;
  const [M, N] = [x.length / K, weights.rows];
  const kernels = gpu.kernels;
  const recorder = gpu.createRecorder(Math.max(256, M * N * 4), 5e9);
  const sizes = [x.length, weights.codes.length, weights.scales.length, M * N];
  const buffers = sizes.map((words, i) => gpu.createBuffer(`quantizedProduct.${i}`, words * 4));
  const [inp, codes, scales, out] = buffers.map(whole);
  const ops = new QuantizedOperations(kernels, recorder, choices);
  const record = () => ops.matmulNT(inp, { ...weights.row, codes, scales }, out, M, N, K);
  try {
    recorder.dry = true;
    record();
    recorder.dry = false;
    await kernels.settle();
    const data = [x, weights.codes, weights.scales] as Uint32Array<ArrayBuffer>[];
    data.forEach((array, i) => recorder.upload(buffers[i], 0, array));
    record();
    const [bytes] = await recorder.read([out]);
    return new Float32Array(bytes, 0, M * N);
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
}
