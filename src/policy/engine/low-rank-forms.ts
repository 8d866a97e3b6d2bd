/**
 * Kernel, constants and number of workgroups of a low-rank adapter's second product and of its two backward products,
 * by the sizes of an operand; and the second product as a term of the frozen product.
 */
import type { BufferSlice, Constants } from '../../device/device.ts';
import type { AdaptedOperand } from '../weights/adapter.ts';
import { rowsFor } from './row-steps.ts';

export interface LowRankForm {
  name: string;
  constants: Constants;
  workgroups: number;
}

/** Sizes of an operand's adapter: T tokens, N rows of B, the rank, and the width of the product between A and B. */
export interface LowRankSizes {
  T: number;
  N: number;
  rank: number;
  width: number;
  /** True if four divides all sizes, so that the kernels load vectors. */
  isAligned: boolean;
  /** True if the lanes of a workgroup share the long sums of the backward; see `matmul_nt_narrow`. */
  shared: boolean;
}

/** Scalars of shaders/lora.wgsl but T and chunk: sizes, the end of each part's rows, the shift from a row to its column. */
export interface LowRankScalars {
  readonly N: number;
  readonly rank: number;
  readonly width: number;
  readonly stride: number;
  readonly end0: number;
  readonly end1: number;
  readonly shift0: number;
  readonly shift1: number;
  readonly shift2: number;
  readonly scale: number;
}

/** Second product of an adapter, which the frozen product adds where it stores its sums (shaders/low_rank1.wgsl). */
export interface LowRankTerm {
  /** Result of the first product. */
  mid: BufferSlice;
  B: BufferSlice;
  scalars: LowRankScalars;
}

interface TermParts {
  constants: Constants;
  bindings: BufferSlice[];
  params: { readonly [name: string]: number };
  flops: number;
}

/** What a product of M rows with a term has beyond one without. */
export function ofTerm(term: LowRankTerm | undefined, M: number): TermParts {
  if (!term) return { constants: { LOW_RANK: 0 }, bindings: [], params: {}, flops: 0 };
  const { N: rows, stride: _, ...scalars } = term.scalars;
  const fours = scalars.rank / 4;
  return {
    constants: { LOW_RANK: 1, RANK_FOURS: [4, 2, 1].find((count) => fours % count === 0)! },
    bindings: [term.mid, term.B],
    params: { rows, ...scalars },
    flops: 2 * M * rows * scalars.rank,
  };
}

/** An adapter's gradient of its input, which the frozen product adds to its sums (shaders/low_rank_input1.wgsl). */
export interface LowRankInputTerm {
  /** Gradient of the first product's result. */
  dmid: BufferSlice;
  A: BufferSlice;
  width: number;
}

const ceil = (a: number, b: number) => Math.ceil(a / b);
/** Tokens of a thread of the second product. The smallest sufficient number is used. */
const upRows = [1, 4, 8];
/** Tokens of a thread of the scalar forms. */
const scalarRows = 4;
/** Workgroups of the lane forms: tokens, threads that share a sum, and vectors of the output side by side. */
const backwardLanes = { ROWS: 8, LANES: 32, GROUPS: 4 };
/** Vectors of the rank that a thread computes, threads that share a sum over tokens, and columns side by side. */
const weightLanes = { FOURS: 2, LANES: 8, ACROSS: 16 };

export const canVectorise = ({ outputs, parts }: AdaptedOperand, rank: number) =>
  [rank, outputs, ...parts.flatMap(({ rows, column }) => [rows, column])].every((size) => size % 4 === 0);

export function upForm({ T, N, isAligned }: LowRankSizes): LowRankForm {
  if (!isAligned)
    return { name: 'lora_up', constants: { ROWS: scalarRows }, workgroups: ceil(ceil(T, scalarRows) * N, 64) };
  const ROWS = rowsFor(T, upRows);
  return { name: 'lora_up_fours', constants: { ROWS }, workgroups: ceil((ceil(T, ROWS) * N) / 4, 64) };
}

export function upBackwardForm({ T, width, isAligned, shared }: LowRankSizes): LowRankForm {
  if (!isAligned || !shared) {
    const workgroups = ceil(ceil(T, scalarRows) * width, 64);
    return { name: 'lora_up_backward', constants: { ROWS: scalarRows }, workgroups };
  }
  const { ROWS, GROUPS } = backwardLanes;
  const workgroups = ceil(T, ROWS) * ceil(width / 4, GROUPS);
  return { name: 'lora_up_backward_lanes', constants: backwardLanes, workgroups };
}

/** Rows of B of a workgroup of `lora_up_backward_both`, and its tokens. */
const bothRows = 256;
const bothTokens = 256;
/**
 * Fewest workgroups of `lora_up_backward_both`: with fewer a large GPU is half idle, and the two kernels, which have
 * more, take its place.
 */
const bothWorkgroups = 66;

/** One kernel for both backward products, the blocks of 256 rows of B in a part, and the tokens of a chunk. */
export interface BothForm extends LowRankForm {
  blocks: number;
  chunk: number;
}

/**
 * The kernel that computes both backward products in one pass over the output's gradient, or null where two kernels do.
 * `partials` and `sums`: floats of the buffers for its partial sums; `product`: those of the largest first product. By this
 * one, whether the kernel runs does not depend on fewer tokens, and the largest pass has requested it.
 */
export function bothForm(
  { T, N, rank, isAligned, shared }: LowRankSizes,
  partRows: readonly number[],
  room: { partials: number; sums: number; product: number },
): BothForm | null {
  const fours = rank / 4;
  const blocks = ceil(partRows[0], bothRows);
  const isEven = partRows.every((rows) => ceil(rows, bothRows) === blocks);
  if (!isAligned || !shared || !isEven || ![1, 2, 4].includes(fours)) return null;
  const chunk = ceil(T, Math.min(ceil(T, bothTokens), Math.floor(room.partials / (N * rank))));
  const workgroups = partRows.length * blocks * ceil(T, chunk);
  if (workgroups < bothWorkgroups || blocks * room.product > room.sums) return null;
  const constants = { FOURS: fours, VECTORS: 4 * fours, SHARE: 16 / fours };
  return { name: 'lora_up_backward_both', constants, workgroups, blocks, chunk };
}

export function upWeightForm({ N, rank, isAligned, shared }: LowRankSizes, chunks: number): LowRankForm {
  if (!isAligned || !shared)
    return { name: 'lora_up_backward_weight', constants: {}, workgroups: ceil(chunks * N * rank, 64) };
  const { FOURS, ACROSS } = weightLanes;
  const workgroups = chunks * ceil(N / 4, ACROSS) * ceil(rank / 4, FOURS);
  return { name: 'lora_up_backward_weight_lanes', constants: weightLanes, workgroups };
}
