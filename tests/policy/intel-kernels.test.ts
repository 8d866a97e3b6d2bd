// Products in register blocks on a GPU that calls itself Intel's: another tile and the smallest subgroups, with the bits
// of every other GPU; and the rule by which a kernel is compiled for the smallest subgroups.
import { describe, expect, it } from 'vitest';
import { type BufferSlice, type Recorder, whole } from '../../src/device/device.ts';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { kernelCode, smallestSubgroups } from '../../src/device/webgpu/kernel.ts';
import { blockConstants, intelTile } from '../../src/policy/engine/block-tiles.ts';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Operations } from '../../src/policy/engine/operations.ts';
import { QuantizedOperations } from '../../src/policy/engine/quantized-operations.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { quantizeRows, withMinimum } from '../../src/policy/weights/quantize.ts';
import { useGpu, useGpuAs } from '../device/open.ts';

const open = { plain: useGpu(), intel: useGpuAs('intel') };
type Vendor = keyof typeof open;

describe('a kernel with many registers', () => {
  const constants = { ...blockConstants('NN', intelTile), ACCUMULATE: 0 };

  it('has the smallest subgroups where a size is given', () => {
    const code = kernelCode('matmul_nn_blocks', constants, '', 8);
    expect(code).toContain('@compute @subgroup_size(8) @workgroup_size(THREADS)');
    expect(code.startsWith('enable subgroups;\nenable subgroup_size_control;\n')).toBe(true);
    expect(kernelCode('matmul_nn_blocks', constants, '')).not.toContain('subgroup');
    expect(kernelCode('gather_rows', {}, '', 8)).not.toContain('subgroup');
    const lanes = (ROWS: number) => kernelCode('matmul_nt_lanes', { ROWS, LANES: 32, GROUPS: 4 }, '', 8);
    expect([lanes(4), lanes(8)].map((text) => text.includes('@subgroup_size(8)'))).toEqual([false, true]);
  });

  it('gets a size on a GPU of Intel that controls it', () => {
    const sizeOn = (vendor: string, ...features: string[]) => {
      const info = { vendor, architecture: '', description: '', isFallback: false, subgroupMinSize: 8 };
      return smallestSubgroups({ info, features: new Set(features) });
    };
    expect(sizeOn('intel', 'subgroups', 'subgroup-size-control')).toBe(8);
    expect(sizeOn('intel', 'subgroups')).toBe(0);
    expect(sizeOn('amd', 'subgroups', 'subgroup-size-control')).toBe(0);
  });
});

const form = 'blocks';
const choices: KernelChoices = {
  ...{ ...defaultChoices, matmul_nt_many: form, matmul_nn_many: form, matmul_tn_many: form },
  ...{ quant_nt_many: form, quant_nn_many: form },
};

/** Sizes that no tile divides; the sums have a rest in packed products. */
const [M, N, K] = [75, 76, 68];

type Recording = (gpu: Gpu, recorder: Recorder, buffers: BufferSlice[]) => void;

/** The last of these arrays, which the recording writes, and the code of the kernel. */
async function computed(vendor: Vendor, arrays: readonly (Float32Array | Uint32Array)[], record: Recording) {
  const gpu = await open[vendor]();
  const recorder = gpu.createRecorder(1 << 20, 5e9);
  const buffers = arrays.map((data, i) => gpu.createBuffer(`test.${i}`, data.byteLength, 0x80 | 0x4 | 0x8));
  try {
    recorder.dry = true;
    record(gpu, recorder, buffers.map(whole));
    recorder.dry = false;
    await gpu.kernels.settle();
    for (const [i, data] of arrays.entries()) recorder.upload(buffers[i], 0, data as Float32Array<ArrayBuffer>);
    record(gpu, recorder, buffers.map(whole));
    const [bytes] = await recorder.read([whole(buffers.at(-1)!)]);
    const [name] = recorder.perKernel.keys();
    const { code } = gpu.kernels.all().find((kernel) => kernel.name === name)!;
    return { out: new Float32Array(bytes, 0, arrays.at(-1)!.length), name, code };
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
}

const packed = quantizeRows(withMinimum(4), floats(N * K, 'weight'), K);
const weight = (codes: BufferSlice, scales: BufferSlice) => ({ ...withMinimum(4), codes, scales });
const [inputs, outputs] = [floats(M * K, 'x'), floats(M * N, 'dout')];

const products: [string, (Float32Array | Uint32Array)[], Recording][] = [
  [
    'quant_matmul_nt_blocks',
    [inputs, packed.codes, packed.scales, new Float32Array(M * N)],
    (gpu, recorder, [inp, codes, scales, out]) =>
      new QuantizedOperations(gpu.kernels, recorder, choices).matmulNT(inp, weight(codes, scales), out, M, N, K),
  ],
  [
    'quant_matmul_nn_blocks',
    [outputs, packed.codes, packed.scales, new Float32Array(M * K)],
    (gpu, recorder, [dout, codes, scales, dinp]) =>
      new QuantizedOperations(gpu.kernels, recorder, choices).matmulNN(dout, weight(codes, scales), dinp, M, N, K),
  ],
  [
    'matmul_nt_blocks',
    [inputs, floats(N * K, 'weight'), new Float32Array(M * N)],
    (gpu, recorder, [inp, matrix, out]) =>
      new Operations(gpu.kernels, recorder, choices).matmulNT(inp, matrix, out, M, N, K),
  ],
  [
    'matmul_nn_blocks',
    [outputs, floats(N * K, 'weight'), new Float32Array(M * K)],
    (gpu, recorder, [dout, matrix, dinp]) =>
      new Operations(gpu.kernels, recorder, choices).matmulNN(dout, matrix, dinp, M, N, K),
  ],
];

// A software adapter compiles a kernel in blocks for many seconds.
describe('on a GPU of Intel', { tags: 'slow', timeout: 600_000 }, () => {
  it.each(products)('%s has the bits of another GPU', async (name, arrays, record) => {
    const plain = await computed('plain', arrays, record);
    const intel = await computed('intel', arrays, record);
    expect([plain.name, intel.name]).toEqual([name, name]);
    expect(intel.code).toContain('const ROW_FOURS: u32 = 1u;');
    expect(plain.code).toContain('const ROW_FOURS: u32 = 2u;');
    const { features, info } = await open.intel();
    if (features.has('subgroup-size-control')) expect(intel.code).toContain(`@subgroup_size(${info.subgroupMinSize})`);
    expect(intel.out).toEqual(plain.out);
    expect(intel.out.some((value) => value !== 0)).toBe(true);
  });
});
