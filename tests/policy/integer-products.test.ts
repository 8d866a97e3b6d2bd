// Products of packed weights with activations in 16-bit integers (kernels-wasm/integer.ts): their distance from the
// product in double precision, and bits that depend neither on the number of rows, nor on threads, nor on the build.
import { expect, it } from 'vitest';
import { whole } from '../../src/device/device.ts';
import { WasmDevice, type WasmOptions } from '../../src/device/wasm/device.ts';
import { processorChoices } from '../../src/policy/engine/kernel-choices.ts';
import { QuantizedOperations } from '../../src/policy/engine/quantized-operations.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { dequantizeRows, type QuantBits, quantizeRows, symmetric } from '../../src/policy/weights/quantize.ts';

const [most, N, K] = [300, 44, 1100];
const G = Math.ceil(K / 32);
const input = floats(most * K, 'x') as Float32Array<ArrayBuffer>;
// One value in a hundred is large, as in the activations of language models.
for (let i = 0; i < input.length; i += 101) input[i] *= 50;
const bitWidths: QuantBits[] = [4, 8];
const weightsOf = (bits: QuantBits) => quantizeRows(bits, floats(N * K, 'weight'), K);

async function product(bits: QuantBits, M: number, options: WasmOptions = { threads: 1 }, x = input) {
  const device = await WasmDevice.open(options);
  const recorder = device.createRecorder(1 << 20);
  const packed = weightsOf(bits);
  const sizes = [most * K, packed.codes.length, packed.scales.length, most * N, most * G * 16, most * G * 2];
  const buffers = sizes.map((words, i) => device.createBuffer(`test.${i}`, words * 4));
  const [inp, codes, scales, out, integerCodes, integerScales] = buffers.map(whole);
  const integers = { codes: integerCodes, scales: integerScales };
  const ops = new QuantizedOperations(device.kernels, recorder, processorChoices, integers);
  recorder.upload(buffers[0], 0, x);
  recorder.upload(buffers[1], 0, packed.codes);
  recorder.upload(buffers[2], 0, packed.scales);
  ops.matmulNT(inp, { ...symmetric(bits), codes, scales }, out, M, N, K);
  const [result] = await recorder.read([{ ...out, size: M * N * 4 }]);
  const used = [...recorder.perKernel.keys()];
  device.destroy();
  return { out: new Float32Array(result), used };
}

it.each(bitWidths)('%i bits: within half a step of each activation', async (bits) => {
  const values = dequantizeRows(weightsOf(bits));
  const { out, used } = await product(bits, most);
  expect(used).toEqual(['integer_activations', 'integer_matmul_nt']);
  for (let m = 0; m < most; m += 13)
    for (let n = 0; n < N; n++) {
      let [sum, bound] = [0, 0];
      for (let g = 0; g < G; g++) {
        let [largest, weights] = [0, 0];
        for (let k = g * 32; k < Math.min(K, g * 32 + 32); k++) {
          sum += input[m * K + k] * values[n * K + k];
          largest = Math.max(largest, Math.abs(input[m * K + k]));
          weights += Math.abs(values[n * K + k]);
        }
        // Half a step, and the rounding of the f32 sums.
        bound += largest * weights * (0.5 / 32767 + 4e-6);
      }
      expect(Math.abs(out[m * N + n] - sum)).toBeLessThan(bound);
    }
});

it.each(bitWidths)('%i bits: a row has the same bits in any number of rows', async (bits) => {
  const all = await product(bits, most);
  for (const M of [1, 2, 3, 4, 5, 65, 257]) {
    const { out } = await product(bits, M);
    expect(out).toEqual(all.out.subarray(0, M * N));
  }
});

it.each(bitWidths)('%i bits: two threads and the relaxed build give the same bits', async (bits) => {
  const { out } = await product(bits, 70);
  expect((await product(bits, 70, { threads: 2 })).out).toEqual(out);
  expect((await product(bits, 70, { threads: 1, relaxed: true })).out).toEqual(out);
});

it('a value that is not finite makes its row NaN and no other', async () => {
  const { out } = await product(8, 6);
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const x = input.slice();
    x[2 * K + 40] = bad;
    const got = (await product(8, 6, { threads: 1 }, x)).out;
    expect([...got.subarray(2 * N, 3 * N)].every(Number.isNaN)).toBe(true);
    expect(got.subarray(0, 2 * N)).toEqual(out.subarray(0, 2 * N));
    expect(got.subarray(3 * N)).toEqual(out.subarray(3 * N));
  }
});
