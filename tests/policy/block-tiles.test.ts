// Sizes of the products in register blocks: laws of their constants, the rule between the two tiles, and products
// smaller than a tile against plain loops in double precision.
import { describe, expect, it } from 'vitest';
import { whole } from '../../src/device/device.ts';
import {
  blockConstants,
  blockGrid,
  columnsOf,
  intelTile,
  largeTile,
  rowsOf,
  smallTile,
} from '../../src/policy/engine/block-tiles.ts';
import { defaultChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Operations } from '../../src/policy/engine/operations.ts';
import { floats, sum, table } from '../../src/policy/selftest/fixture.ts';
import { useGpu } from '../device/open.ts';

const open = useGpu();
const tiles = { large: largeTile, small: smallTile, intel: intelTile };

describe.each(Object.entries(tiles))('the %s tile', (_, tile) => {
  it('fits the limits that every adapter grants', () => {
    expect(tile.down * tile.across).toBeLessThanOrEqual(256);
    // A pair of terms of each operand has a pad of 16 bytes.
    const pairBytes = 8 * (rowsOf(tile) + columnsOf(tile)) + 2 * 16;
    expect((tile.step / 2) * pairBytes).toBeLessThanOrEqual(16384);
  });

  it.each(['NT', 'NN', 'TN'] as const)('is loaded whole in each step of %s', (product) => {
    const { ROW_LOADS, COLUMN_LOADS } = blockConstants(product, tile);
    const threads = tile.down * tile.across;
    // Values of a load: four rows of two terms where the terms are innermost, else a four.
    const each = { NT: [8, 8], NN: [8, 4], TN: [4, 4] }[product];
    expect(Number(ROW_LOADS) * each[0] * threads).toBe(rowsOf(tile) * tile.step);
    expect(Number(COLUMN_LOADS) * each[1] * threads).toBe(columnsOf(tile) * tile.step);
  });
});

it('the small tile serves grids of fewer than 66 tiles', () => {
  expect(blockGrid(65, 9728)).toEqual({ tile: largeTile, groups: 152 });
  expect(blockGrid(2048, 896)).toEqual({ tile: largeTile, groups: 16 * 14 });
  expect(blockGrid(1024, 896)).toEqual({ tile: largeTile, groups: 8 * 14 });
  expect(blockGrid(1408, 384)).toEqual({ tile: largeTile, groups: 11 * 6 });
  expect(blockGrid(1664, 320)).toEqual({ tile: smallTile, groups: 26 * 5 });
  expect(blockGrid(1, 4)).toEqual({ tile: smallTile, groups: 1 });
});

it('a GPU of Intel has one tile, whose threads have few sums and eight columns', () => {
  expect(blockGrid(2048, 9728, 'intel')).toEqual({ tile: intelTile, groups: 32 * 152 });
  expect(blockGrid(1, 4, 'intel')).toEqual({ tile: intelTile, groups: 1 });
  expect(blockGrid(2048, 9728, 'nvidia').tile).toBe(largeTile);
  expect([intelTile.rowFours, intelTile.columnFours]).toEqual([1, 2]);
});

it('more rows never bring back a tile, so the fewest and the most rows have every tile of a weight', () => {
  for (const columns of [4, 896, 1152, 4092, 4096, 9728, 151936]) {
    const taken: unknown[] = [];
    for (let rows = 1; rows <= 1 << 15; rows = Math.ceil(rows * 1.3)) taken.push(blockGrid(rows, columns).tile);
    const changes = taken.filter((tile, i) => i > 0 && tile !== taken[i - 1]);
    expect(changes.length, `${columns} columns`).toBeLessThanOrEqual(1);
  }
});

it('refuses a tile that its threads cannot share', () => {
  expect(() => blockConstants('NT', { ...largeTile, step: 8 })).toThrow('128 threads cannot share 64 x 8 values');
});

it('products smaller than a tile are right', { tags: 'slow', timeout: 600_000 }, async () => {
  const gpu = await open();
  const [M, N, K] = [1, 8, 4];
  const form = 'blocks';
  const choices = { ...defaultChoices, matmul_nt_few: form, matmul_nn_many: form, matmul_tn_many: form } as const;
  const recorder = gpu.createRecorder(1 << 16, 5e9);
  const ops = new Operations(gpu.kernels, recorder, choices);
  const data = { inp: floats(M * K, 'inp'), weight: floats(N * K, 'weight'), dout: floats(M * N, 'dout') };
  const create = (name: string, values: number) => gpu.createBuffer(`test.${name}`, values * 4, 0x80 | 0x4 | 0x8);
  const buffers = [...Object.entries(data).map(([name, { length }]) => create(name, length))];
  buffers.push(create('out', M * N), create('dinp', M * K), create('dweight', N * K));
  const [inp, weight, dout, out, dinp, dweight] = buffers.map(whole);
  const record = () => {
    ops.matmulNT(inp, weight, out, M, N, K);
    ops.matmulNN(dout, weight, dinp, M, N, K);
    ops.matmulTN(dout, inp, dweight, dweight, M, N, K);
  };
  try {
    recorder.dry = true;
    record();
    recorder.dry = false;
    await gpu.kernels.settle();
    Object.values(data).forEach((values, i) => {
      recorder.upload(buffers[i], 0, values as Float32Array<ArrayBuffer>);
    });
    record();
    expect([...recorder.perKernel.keys()]).toEqual(['matmul_nt_blocks', 'matmul_nn_blocks', 'matmul_tn_blocks']);
    const read = await recorder.read([out, dinp, dweight]);
    const expected = [
      table(M, N, (m, n) => sum(K, (k) => data.inp[m * K + k] * data.weight[n * K + k])),
      table(M, K, (m, k) => sum(N, (n) => data.dout[m * N + n] * data.weight[n * K + k])),
      table(N, K, (n, k) => sum(M, (m) => data.dout[m * N + n] * data.inp[m * K + k])),
    ];
    expected.forEach((values, i) => {
      const got = new Float32Array(read[i], 0, values.length);
      values.forEach((value, j) => expect(got[j]).toBeCloseTo(value, 5));
    });
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
});
