/**
 * Sizes of the products in register blocks (shaders/block_tile.wgsl): how many outputs a thread and a workgroup compute,
 * and which of the sizes a grid gets.
 */
import type { Constants } from '../../device/device.ts';

export interface BlockTile {
  /** Threads of a workgroup along the rows, and along the columns. */
  down: number;
  across: number;
  /** Outputs of a thread, in fours of rows and in fours of columns. */
  rowFours: number;
  columnFours: number;
  /** Terms of a sum in one step. */
  step: number;
  /** Pairs of terms in one turn of the inner loop. */
  unroll: number;
}

/**
 * 128 x 64 outputs, 8 x 8 a thread. 26 to 40 TFLOP/s of 49 on an H200, in f32 and int4 (docs/gpu.md, Measured). The
 * loop over a step is unrolled whole: as a loop, each turn waits for workgroup memory.
 */
export const largeTile: BlockTile = {
  ...{ down: 16, across: 8, rowFours: 2, columnFours: 2 },
  ...{ step: 16, unroll: 8 },
};
/** 64 x 64 outputs, 8 x 4 a thread: twice the workgroups, each with as many threads. */
export const smallTile: BlockTile = { ...largeTile, down: 8, across: 16, columnFours: 1 };

/**
 * 64 x 64 outputs, 4 x 8 a thread, on GPUs of Intel: 8 x 8 sums with their operands are more than the 128 registers of a
 * thread (docs/gpu.md, Intel's compiler).
 */
export const intelTile: BlockTile = { ...largeTile, rowFours: 1 };

export const rowsOf = ({ down, rowFours }: BlockTile) => 4 * down * rowFours;
export const columnsOf = ({ across, columnFours }: BlockTile) => 4 * across * columnFours;

const tilesOf = (tile: BlockTile, rows: number, columns: number) =>
  Math.ceil(rows / rowsOf(tile)) * Math.ceil(columns / columnsOf(tile));

/**
 * A grid of fewer tiles than this leaves more than half of a large GPU's cores idle (an H100 has 132), and twice as many
 * small tiles fill them. From there on they would be two on a core, and they take more time than one large tile, because
 * they read workgroup memory more often (docs/gpu.md). A page does not know the number of cores; this bound is modelled.
 */
const enoughTiles = 66;
/**
 * Tile for an output of `rows` by `columns` values, and the number of workgroups. For a fixed number of columns more rows
 * never bring back the small tile, so a model that records its smallest and its largest pass has requested both.
 */
export function blockGrid(rows: number, columns: number, vendor?: string): { tile: BlockTile; groups: number } {
  const tile = tileFor(rows, columns, vendor);
  return { tile, groups: tilesOf(tile, rows, columns) };
}

function tileFor(rows: number, columns: number, vendor?: string): BlockTile {
  if (vendor === 'intel') return intelTile;
  return tilesOf(largeTile, rows, columns) < enoughTiles ? smallTile : largeTile;
}

/**
 * Constants of a kernel. An operand whose terms are innermost is loaded in blocks of four rows by two terms, another in
 * fours of one term.
 */
export function blockConstants(product: 'NT' | 'NN' | 'TN', tile: BlockTile): Constants {
  const threads = tile.down * tile.across;
  /** Loads of a thread, for `rows` of an operand. */
  const loads = (rows: number, valuesOfLoad: number) => {
    const count = (rows * tile.step) / (threads * valuesOfLoad);
    if (!Number.isInteger(count)) throw new Error(`${threads} threads cannot share ${rows} x ${tile.step} values.`);
    return count;
  };
  return {
    ...{ DOWN: tile.down, ACROSS: tile.across, ROW_FOURS: tile.rowFours, COLUMN_FOURS: tile.columnFours },
    ...{ STEP: tile.step, UNROLL: tile.unroll },
    ROW_LOADS: loads(rowsOf(tile), product === 'TN' ? 4 : 8),
    COLUMN_LOADS: loads(columnsOf(tile), product === 'NT' ? 8 : 4),
  };
}

/** As `blockConstants`, for packed weights and sums of `terms` terms. Without a rest the kernel checks no term. */
export const packedConstants = (product: 'NT' | 'NN', tile: BlockTile, terms: number): Constants => ({
  ...blockConstants(product, tile),
  REST: terms % tile.step === 0 ? 0 : 1,
});
