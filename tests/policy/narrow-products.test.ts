// Products of few columns and long sums, as an adapter's first: the lane form agrees with the double-precision product
// at odd sizes, and is used only within its bounds.
import { describe, expect, it } from 'vitest';
import { whole } from '../../src/device/device.ts';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Operations } from '../../src/policy/engine/operations.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { useGpu } from '../device/open.ts';
import { relativeError } from './relative-error.ts';

const open = useGpu();
const lanes: KernelChoices = { ...defaultChoices, matmul_nt_narrow: 'lanes' };

/** out (M, N) = x W^T, and the kernels used. */
async function product([M, N, K]: readonly [number, number, number], choices: KernelChoices) {
  const gpu = await open();
  const recorder = gpu.createRecorder(1 << 20, 5e9);
  const ops = new Operations(gpu.kernels, recorder, choices);
  const inputs = [floats(M * K, 'x'), floats(N * K, 'weight')];
  const sizes = [M * K, N * K, M * N];
  const buffers = sizes.map((floats, i) => gpu.createBuffer(`test.${i}`, floats * 4, 0x80 | 0x4 | 0x8));
  const [inp, weight, out] = buffers.map(whole);
  const record = () => ops.matmulNT(inp, weight, out, M, N, K);
  try {
    recorder.dry = true;
    record();
    recorder.dry = false;
    await gpu.kernels.settle();
    for (const [i, data] of inputs.entries()) recorder.upload(buffers[i], 0, data as Float32Array<ArrayBuffer>);
    record();
    const [bytes] = await recorder.read([out]);
    return { out: new Float32Array(bytes, 0, M * N), used: [...recorder.perKernel.keys()] };
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
}

function expected([M, N, K]: readonly [number, number, number]) {
  const [x, weight] = [floats(M * K, 'x'), floats(N * K, 'weight')];
  return Float64Array.from({ length: M * N }, (_, i) => {
    const [m, n] = [Math.floor(i / N), i % N];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += x[m * K + k] * weight[n * K + k];
    return sum;
  });
}

describe('products of few columns', () => {
  it.each([
    [1, 16, 896],
    [3, 48, 516],
    [9, 20, 4864],
    [64, 64, 512],
    [67, 12, 900],
    [131, 36, 644],
  ] as const)('%i rows, %i columns, %i inputs', async (...size) => {
    const { out, used } = await product(size, lanes);
    expect(used).toEqual(['matmul_nt_lanes']);
    expect(relativeError(out, expected(size))).toBeLessThan(2e-6);
  });

  it('add in the same order whatever the number of rows in decoding', async () => {
    const many = await product([20, 16, 896], lanes);
    for (const M of [1, 3, 7]) {
      const few = await product([M, 16, 896], lanes);
      expect(few.out).toEqual(many.out.subarray(0, M * 16));
    }
  });

  it.each([
    ['too many columns', [5, 68, 512]],
    ['a short sum', [5, 16, 508]],
    ['inputs that four does not divide', [5, 16, 518]],
  ] as const)('%s: another form', async (_, size) => {
    expect((await product(size, lanes)).used).not.toContain('matmul_nt_lanes');
  });

  it('on an adapter where the wide form is chosen, use that', async () => {
    expect((await product([5, 16, 512], defaultChoices)).used).toEqual(['matmul_nt']);
  });
});
