/**
 * Sizes of the products in register blocks (shaders/block_tile.wgsl): how many outputs a thread and a workgroup compute,
 * and which of two sizes a grid gets.
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
export const largeTile: BlockTile = {
  ...{ down: 16, across: 16, rowFours: 2, columnFours: 2 },
  ...{ step: 16, unroll: 1, interleaved: true },
};
/** 64 x 64 outputs, 8 x 4 a thread. */
export const smallTile: BlockTile = { ...largeTile, down: 8, columnFours: 1 };

export const rowsOf = ({ down, rowFours }: BlockTile) => 4 * down * rowFours;
export const columnsOf = ({ across, columnFours }: BlockTile) => 4 * across * columnFours;

const tilesOf = (tile: BlockTile, rows: number, columns: number) =>
  Math.ceil(rows / rowsOf(tile)) * Math.ceil(columns / columnsOf(tile));

/**
 * A grid of fewer large tiles than this leaves cores of a large GPU idle (an H100 has 132 of them), which costs up to
 * four times; small tiles on a GPU of few cores cost the tenth or fifth by which they read workgroup memory more often.
 * The number of cores is not known to a page.
 */
const enoughTiles = 128;

/** Tile for an output of `rows` by `columns` values, and the number of workgroups. */
export function blockGrid(rows: number, columns: number): { tile: BlockTile; groups: number } {
  const large = tilesOf(largeTile, rows, columns);
  if (large >= enoughTiles) return { tile: largeTile, groups: large };
  return { tile: smallTile, groups: tilesOf(smallTile, rows, columns) };
}

/**
 * Constants of a kernel. An operand whose terms are innermost is loaded in blocks of four rows by two terms, another in
 * fours of one term.
 */
export function blockConstants(product: 'NT' | 'NN' | 'TN', tile: BlockTile): Constants {
  const threads = tile.down * tile.across;
  const fours = (rows: number) => (rows / 4) * (tile.step / threads);
  return {
    ...{ DOWN: tile.down, ACROSS: tile.across, ROW_FOURS: tile.rowFours, COLUMN_FOURS: tile.columnFours },
    ...{ STEP: tile.step, UNROLL: tile.unroll, INTERLEAVED: tile.interleaved ? 1 : 0 },
    ROW_LOADS: fours(rowsOf(tile)) / (product === 'TN' ? 1 : 2),
    COLUMN_LOADS: fours(columnsOf(tile)) / (product === 'NT' ? 2 : 1),
  };
}
