/**
 * Kernel, constants and number of workgroups of a low-rank adapter's second product and of its two backward products,
 * by the sizes of an operand.
 */
import type { Constants } from '../../device/device.ts';
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

export function upWeightForm({ N, rank, isAligned, shared }: LowRankSizes, chunks: number): LowRankForm {
  if (!isAligned || !shared)
    return { name: 'lora_up_backward_weight', constants: {}, workgroups: ceil(chunks * N * rank, 64) };
  const { FOURS, ACROSS } = weightLanes;
  const workgroups = chunks * ceil(N / 4, ACROSS) * ceil(rank / 4, FOURS);
  return { name: 'lora_up_backward_weight_lanes', constants: weightLanes, workgroups };
}
