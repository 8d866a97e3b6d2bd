// Each kernel on packed weights compared with its twin in double precision, and the forms of a product with each other:
// sizes that no tile divides, grids folded into two dimensions; forms in f16 and with subgroups if the adapter has
// them.

import { describe, expect, it } from 'vitest';
import { type Constants, whole } from '../../src/device/device.ts';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { defaultChoices, kernelForms } from '../../src/policy/engine/kernel-choices.ts';
import { QuantizedOperations } from '../../src/policy/engine/quantized-operations.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { compareKernels, twins } from '../../src/policy/selftest/selftest.ts';
import { dequantizeRows, quantizeRows, symmetric } from '../../src/policy/weights/quantize.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';
import { useGpu } from '../device/open.ts';
import { packedVariants } from './kernel-variants.ts';
import { relativeError } from './relative-error.ts';

const open = useGpu();
const sources = import.meta.glob<string>('../../shaders/quant_*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});

function runs({ features }: Gpu, constants: Constants): boolean {
  return (
    (constants.STAGE_BITS !== 16 || features.has('shader-f16')) &&
    (constants.SUBGROUPS !== 1 || features.has('subgroups'))
  );
}

it('every kernel on packed weights has a twin and is tested here', () => {
  const files = Object.keys(sources).map((path) => path.split('/').at(-1)!.replace('.wgsl', ''));
  const entryPoints = files.filter((name) => name !== 'quant_words').sort();
  expect(
    Object.keys(twins)
      .filter((name) => name.startsWith('quant_'))
      .sort(),
  ).toEqual(entryPoints);
  expect([...new Set(packedVariants.map(([name]) => name))].sort()).toEqual(entryPoints);
});

describe('kernels on packed weights', () => {
  it.for(packedVariants.map(([name, constants]) => [name, JSON.stringify(constants), constants] as const))(
    '%s %s',
    async ([name, , constants], { skip }) => {
      const gpu = await open();
      skip(!runs(gpu, constants), 'this adapter has no such feature');
      const cache = gpu.kernels;
      const handle = cache.request(name, constants);
      await cache.settle();
      for (const size of [1, 3]) {
        const [result] = await compareKernels(gpu, [handle.get()], size);
        expect(result.detail).toMatch(/^(equal|largest error)/);
        expect(result.ok).toBe(true);
      }
    },
  );
});

describe.each([4, 8] as const)('forms of products with %i bits', (bits) => {
  const [N, K] = [44, 76];
  const packed = quantizeRows(bits, floats(N * K, 'weight'), K);
  const values = dequantizeRows(packed);

  /** out = x W^T and back = out W for M rows, by the chosen forms. */
  async function products(M: number, choices: Partial<typeof defaultChoices>) {
    const gpu = await open();
    const recorder = gpu.createRecorder(1 << 20, 5e9);
    const kernels = gpu.kernels;
    const ops = new QuantizedOperations(kernels, recorder, { ...defaultChoices, ...choices });
    const sizes = [M * K, packed.codes.length, packed.scales.length, M * N, M * K];
    const buffers = sizes.map((words, i) => gpu.createBuffer(`test.${i}`, words * 4, 0x80 | 0x4 | 0x8));
    const [inp, codes, scales, out, back] = buffers.map(whole);
    const record = () => {
      ops.matmulNT(inp, { ...symmetric(bits), codes, scales }, out, M, N, K);
      ops.matmulNN(out, { ...symmetric(bits), codes, scales }, back, M, N, K);
    };
    try {
      recorder.dry = true;
      record();
      recorder.dry = false;
      await kernels.settle();
      recorder.upload(buffers[0], 0, floats(M * K, 'x') as Float32Array<ArrayBuffer>);
      recorder.upload(buffers[1], 0, packed.codes);
      recorder.upload(buffers[2], 0, packed.scales);
      record();
      const [a, b] = await recorder.read([out, back]);
      return {
        out: new Float32Array(a, 0, M * N),
        back: new Float32Array(b, 0, M * K),
        used: [...recorder.perKernel.keys()],
      };
    } finally {
      recorder.destroy();
      for (const buffer of buffers) gpu.destroyBuffer(buffer);
    }
  }

  function expected(M: number) {
    const x = floats(M * K, 'x');
    const out = Float64Array.from({ length: M * N }, (_, i) => {
      const [m, n] = [Math.floor(i / N), i % N];
      let sum = 0;
      for (let k = 0; k < K; k++) sum += x[m * K + k] * values[n * K + k];
      return sum;
    });
    const back = Float64Array.from({ length: M * K }, (_, i) => {
      const [m, k] = [Math.floor(i / K), i % K];
      let sum = 0;
      for (let n = 0; n < N; n++) sum += out[m * N + n] * values[n * K + k];
      return sum;
    });
    return { out, back };
  }

  it.each([1, 5, 16, 29, 33, 65])('%i rows: every form agrees with the double-precision product', async (M) => {
    const right = expected(M);
    const choice = M <= 16 ? 'quant_nt_few' : M <= 64 ? 'quant_nt_some' : 'quant_nt_many';
    for (const [i, form] of kernelForms[choice].entries()) {
      const nn = kernelForms.quant_nn_many[i % kernelForms.quant_nn_many.length];
      const { out, back, used } = await products(M, { [choice]: form, quant_nn_many: nn });
      expect(relativeError(out, right.out), form).toBeLessThan(4e-6);
      expect(relativeError(back, right.back), form).toBeLessThan(4e-6);
      const named = form === 'blocks' && M <= 32 ? 'few' : form.split('-')[0];
      const kernel = form === 'registers' ? 'quant_matmul_nt' : `quant_matmul_nt_${named}`;
      const backward = nn === 'registers' ? 'quant_matmul_nn' : `quant_matmul_nn_${nn.split('-')[0]}`;
      expect(used).toEqual([kernel, backward]);
    }
  });

  it('adds in the same order whatever the number of rows', async () => {
    const many = await products(12, {});
    for (const M of [1, 3, 7]) {
      const few = await products(M, {});
      expect(few.out).toEqual(many.out.subarray(0, M * N));
      expect(few.back).toEqual(many.back.subarray(0, M * K));
    }
  });
});

it.each([
  [2048, [4, 8, 16, 32, 32]],
  [2052, [4, 8, 16, 16, 16]],
])('%i outputs: as many threads share a sum as a subgroup holds, up to a limit', (N, lanes) => {
  const found = [4, 8, 16, 32, 64].map((subgroupMinSize) => {
    const device = new RecordingDevice();
    device.info.subgroupMinSize = subgroupMinSize;
    const recorder = device.createRecorder(16);
    recorder.dry = true;
    const choices = { ...defaultChoices, quant_nt_few: 'lanes-subgroups' } as const;
    const some = whole(device.createBuffer('any', 16));
    const weight = { ...symmetric(4), codes: some, scales: some };
    new QuantizedOperations(device.kernels, recorder, choices).matmulNT(some, weight, some, 1, N, 64);
    return device.forms[0].constants.LANES;
  });
  expect(found).toEqual(lanes);
});
