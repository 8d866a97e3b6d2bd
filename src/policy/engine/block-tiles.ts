/**
 * Sizes of the products in register blocks (shaders/block_tile.wgsl): how many outputs a thread and a workgroup compute,
 * and which of three sizes a grid gets.
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
  /** True: neighbouring threads share a column. */
  interleaved: boolean;
}

/** 128 x 128 outputs, 8 x 8 a thread; both operands fill the 16 KiB of workgroup memory that every adapter grants. */
export const wideTile: BlockTile = {
  ...{ down: 16, across: 16, rowFours: 2, columnFours: 2 },
  ...{ step: 16, unroll: 1, interleaved: true },
};
/** 128 x 64 outputs, 8 x 8 a thread. */
export const largeTile: BlockTile = { ...wideTile, across: 8 };
/** 64 x 64 outputs, 8 x 4 a thread. */
export const smallTile: BlockTile = { ...wideTile, down: 8, columnFours: 1 };

export const rowsOf = ({ down, rowFours }: BlockTile) => 4 * down * rowFours;
export const columnsOf = ({ across, columnFours }: BlockTile) => 4 * across * columnFours;

const tilesOf = (tile: BlockTile, rows: number, columns: number) =>
  Math.ceil(rows / rowsOf(tile)) * Math.ceil(columns / columnsOf(tile));

/**
 * A grid of fewer tiles than this leaves cores of a large GPU idle (an H100 has 132), which costs up to four times; small
 * tiles on a GPU of few cores cost the tenth or fifth by which they read workgroup memory more often. A page does not
 * know the number of cores.
 */
const enoughTiles = 128;
/**
 * Outputs of fewer columns take the large tile. An H100 holds two wide tiles a core: 2,048 x 1,152 outputs are 144 of
 * them, and the last 12 take as long as all others (int4, 17 TFLOP/s, and 24 by 288 large tiles).
 */
const wideColumns = 4096;

/**
 * Tile for an output of `rows` by `columns` values, and the number of workgroups. For one number of columns there are
 * two tiles, so a model that records its smallest and its largest pass has requested both.
 */
export function blockGrid(rows: number, columns: number): { tile: BlockTile; groups: number } {
  const best = columns < wideColumns ? largeTile : wideTile;
  const tile = tilesOf(best, rows, columns) < enoughTiles ? smallTile : best;
  return { tile, groups: tilesOf(tile, rows, columns) };
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
    ...{ STEP: tile.step, UNROLL: tile.unroll, INTERLEAVED: tile.interleaved ? 1 : 0 },
    ROW_LOADS: loads(rowsOf(tile), product === 'TN' ? 4 : 8),
    COLUMN_LOADS: loads(columnsOf(tile), product === 'NT' ? 8 : 4),
  };
}
