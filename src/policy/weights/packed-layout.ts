/**
 * Layout of a model's packed matrices: the tensors of each operand, its block, and the offsets of codes and scales,
 * both valid as binding offsets. Sizes only. Vectors (norms, biases, head gains) stay f32 and have a ParameterSet of
 * their own.
 *
 * An operand is codes (N, codeWords), a gap, and scales (N, scaleWords), in this order, so that a kernel with few free
 * bindings can read both through one.
 */
import { type ModelConfig, parameterShapes } from '../config.ts';
import type { Precision } from './linear.ts';
import {
  type Layout,
  layerTensors,
  type OperandSpec,
  placeOperands,
  type Table,
  tableOf,
  tableOperand,
  wholeOperand,
} from './parameters.ts';
import { type PackedFormat, type PackedRow, packedBytes, packedRow, symmetric, withMinimum } from './quantize.ts';

/** Packing of a frozen model's matrices, if its file does not decide (TensorFormats). */
export type PackedPrecision = Exclude<Precision, 'f32'>;

/** Rows of one tensor in an operand. */
export interface PackedPart {
  tensor: string;
  /** First row in the tensor. */
  firstRow: number;
  rows: number;
  /** First row in the operand. */
  at: number;
}

export interface PackedOperand {
  name: string;
  row: PackedRow;
  rows: number;
  parts: PackedPart[];
  block: number;
  /** Offsets from the block's start, in 32-bit words. */
  codesAt: number;
  scalesAt: number;
}

export interface PackedLayout {
  operands: Map<string, PackedOperand>;
  /** Size of each block, in 32-bit words. */
  blocks: number[];
  /** Layout of the f32 vectors. */
  vectors: Layout;
  embedding: Table;
  head: Table;
  /** Number of parameters, without padding. */
  count: number;
}

const tableTensors = { embedding: 'model.embed_tokens.weight', head: 'lm_head.weight' } as const;

/** Formats of a model's matrices by name, as its file suggests them. A missing one is `formatOf`'s. */
export type TensorFormats = ReadonlyMap<string, PackedFormat>;

export const isTable = (tensor: string) => Object.values<string>(tableTensors).includes(tensor);

/**
 * Matrices from which most of the loss of four bits comes: `down`, whose inputs have the largest outliers, and q, k and
 * v, which are few.
 */
const isSensitive = (tensor: string) => /\.(mlp\.down|self_attn\.[qkv])_proj\.weight$/.test(tensor);

/**
 * Format of a matrix whose file has floating-point numbers. Token tables and sensitive matrices always have 8 bits; the
 * measured costs are in docs/quantisation.md.
 */
export const formatOf = (precision: PackedPrecision, tensor: string): PackedFormat =>
  precision === 'int8' || isTable(tensor) || isSensitive(tensor) ? symmetric(8) : withMinimum(4);

/** Smallest format that holds the values of all given formats exactly. */
const commonFormat = (formats: readonly PackedFormat[]): PackedFormat => ({
  bits: formats.some(({ bits }) => bits === 8) ? 8 : 4,
  minimum: formats.some(({ minimum }) => minimum),
});

type Unplaced = Pick<PackedOperand, 'name' | 'row' | 'rows' | 'parts'>;

/** Operand of consecutive tensors, in one format. */
function matrix(
  name: string,
  tensors: readonly string[],
  shapes: ReadonlyMap<string, number[]>,
  formatIn: (tensor: string) => PackedFormat,
): Unplaced {
  const parts: PackedPart[] = [];
  let at = 0;
  for (const tensor of tensors) {
    const [rows] = shapes.get(tensor)!;
    parts.push({ tensor, firstRow: 0, rows, at });
    at += rows;
  }
  const format = commonFormat(tensors.map(formatIn));
  return { name, row: packedRow(format, shapes.get(tensors[0])![1]), rows: at, parts };
}

/** Token table, split by vocabulary rows if one binding cannot hold it. */
function tablePieces(table: Table, row: PackedRow): Unplaced[] {
  const pieces: Unplaced[] = [];
  for (let first = 0; first < table.rows; first += table.rowsEach) {
    const rows = Math.min(table.rowsEach, table.rows - first);
    const parts = [{ tensor: tableTensors[table.name], firstRow: first, rows, at: 0 }];
    pieces.push({ name: tableOperand(table, first), row, rows, parts });
  }
  return pieces;
}

const alignWords = 64; // 256 bytes: default alignment of storage binding offsets
const aligned = (words: number) => Math.ceil(words / alignWords) * alignWords;

function place(operands: readonly Unplaced[], blockBytes: number): Pick<PackedLayout, 'operands' | 'blocks'> {
  const placed = new Map<string, PackedOperand>();
  const blocks = [0];
  for (const operand of operands) {
    const codes = aligned(operand.rows * operand.row.codeWords);
    const words = codes + aligned(operand.rows * operand.row.scaleWords);
    if (words * 4 > blockBytes)
      throw new RangeError(
        `${operand.name} needs ${words * 4} bytes; this adapter binds at most ${blockBytes} at once.`,
      );
    if ((blocks[blocks.length - 1] + words) * 4 > blockBytes) blocks.push(0);
    const block = blocks.length - 1;
    const codesAt = blocks[block];
    placed.set(operand.name, { ...operand, block, codesAt, scalesAt: codesAt + codes });
    blocks[block] += words;
  }
  return { operands: placed, blocks };
}

/**
 * Places every parameter of a frozen model. `blockBytes` is the largest size of a block (the adapter's largest
 * binding). `formats`: those of the model's file.
 */
export function planPacked(
  config: ModelConfig,
  precision: PackedPrecision,
  blockBytes: number,
  formats: TensorFormats = new Map(),
): PackedLayout {
  const shapes = parameterShapes(config);
  const formatIn = (tensor: string) => formats.get(tensor) ?? formatOf(precision, tensor);
  const tableRow = (use: Table['name']) => packedRow(formatIn(tableTensors[use]), config.hiddenSize);
  // The gap between codes and scales takes a little of a block.
  const table = (use: 'embedding' | 'head') =>
    tableOf(config, use, packedBytes(tableRow(use), 1), blockBytes - 2 * alignWords * 4);
  const embedding = table('embedding');
  // A tied head is the embedding, in its format.
  const head = config.tieWordEmbeddings ? embedding : table('head');
  const matrices = tablePieces(embedding, tableRow('embedding'));
  const vectors: OperandSpec[] = [];
  for (let l = 0; l < config.numLayers; l++)
    for (const [name, tensors] of layerTensors(config, l))
      if (shapes.get(tensors[0])!.length === 1) vectors.push(wholeOperand(name, tensors, shapes));
      else matrices.push(matrix(name, tensors, shapes, formatIn));
  vectors.push(wholeOperand('finalNorm', ['model.norm.weight'], shapes));
  if (head.name === 'head') matrices.push(...tablePieces(head, tableRow('head')));
  let count = 0;
  for (const shape of shapes.values()) count += shape.reduce((a, b) => a * b, 1);
  return { ...place(matrices, blockBytes), vectors: placeOperands(vectors, blockBytes), embedding, head, count };
}

/** Size of all blocks, packed and f32, including padding, in 32-bit words. */
export const packedWords = ({ blocks, vectors }: PackedLayout) =>
  [...blocks, ...vectors.blocks].reduce((a, b) => a + b, 0);
