/**
 * Operations on packed weights (quantize.ts), one function per shader, with choice of form and grid. Letters as in
 * operations.ts: M rows, N outputs, K inputs; all activations are f32.
 */
import { type BufferSlice, type Constants, grid1d, type KernelCache, type Recorder } from '../../device/device.ts';
import type { PackedFormat } from '../weights/quantize.ts';
import { blockGrid, packedConstants } from './block-tiles.ts';
import { defaultChoices, fewRows, formRuns, fusesLowRank, type KernelChoices, quantFewRows } from './kernel-choices.ts';
import { logitGradientFlops, type ScoredLogits } from './logit-gradient.ts';
import { type LowRankInputTerm, type LowRankTerm, ofTerm } from './low-rank-forms.ts';
import { rowsFor } from './row-steps.ts';

/** Packed rows on the GPU. */
export interface QuantSlice extends PackedFormat {
  codes: BufferSlice;
  scales: BufferSlice;
}

/** Whole packed table in one binding: codes, then scales from the 32-bit word `scalesAt` on. */
export interface QuantTable extends PackedFormat {
  words: BufferSlice;
  scalesAt: number;
}

/** Constants by which kernels read a format. */
export const formatConstants = ({ bits, minimum }: PackedFormat) => ({ BITS: bits, MINIMUM: minimum ? 1 : 0 });

/** Working memory of a product's activations as integers. */
export interface IntegerActivations {
  codes: BufferSlice;
  scales: BufferSlice;
}

interface ProductExtra {
  bias?: BufferSlice;
  residual?: BufferSlice;
  lowRank?: LowRankTerm;
  activated?: BufferSlice;
}

const ceil = (a: number, b: number) => Math.ceil(a / b);
const lanesFor = (count: number) => (count > 16 ? 32 : count > 8 ? 16 : 8);
const width = (k: number) => (k % 4 === 0 ? 4 : 1);
/** Rows a thread of the lane forms. The smallest sufficient number is used. */
const laneRows = [1, 4, 8, quantFewRows];
/** Rows a thread of the register form, where more than eight would spill. */
const registerRows = [1, 8];
/** Numbers of rows that, with a model's largest pass, request every kernel. */
export const quantRowSteps: readonly number[] = [...laneRows, 32, fewRows, fewRows + 1];
const stageBits = (form: string) => (form === 'tiled-half' ? 16 : 32);
/** Operations of SwiGLU for each of its outputs. */
export const swigluFlops = { forward: 5, backward: 10 };
const blocksKernel = 'quant_matmul_nt_blocks';
/** Form `blocks` for the rows of one of its tiles. */
const fewKernel = 'quant_matmul_nt_few';
/** Rows and columns of a tile of `fewKernel`, and terms of a step. */
const [fewTile, fewStep] = [32, 64];
/** Kernels that can add an adapter's second product. */
const addingKernels = new Set(['quant_matmul_nt_lanes', 'quant_matmul_nt_tiled', blocksKernel, fewKernel]);
/** Threads that share a sum in the lane forms. */
const laneCount = 16;
/** Up to this many outputs a product has few threads, so twice as many share a sum if a subgroup holds them. */
const narrowOutputs = 2048;
/** Columns of such a thread: with one row few, because many threads matter more than inputs that are loaded once. */
const laneColumns = (rows: number) => (rows === 1 ? 2 : 4);

/** What the lane form has beyond its other constants: with SwiGLU's activation each lane has as many gates as ups. */
export function gatedLanes({ ROWS, COLUMNS, LANES }: Constants, gated: boolean): Constants {
  if (!gated) return { GATED: 0 };
  const PAIRS = ceil((Number(ROWS) * Number(COLUMNS)) / 2, Number(LANES));
  return { GATED: 1, PAIRS, EACH: 2 * PAIRS };
}

export class QuantizedOperations {
  private readonly choices: KernelChoices;
  /** Most threads a column when they are summed by subgroup shuffles. */
  private readonly subgroupSize: number;

  /** Replaces forms that this adapter does not support, because stored choices may come from another adapter. */
  constructor(
    readonly kernels: KernelCache,
    readonly recorder: Recorder,
    choices: KernelChoices = defaultChoices,
    /** Only where the device has integer products. */
    private readonly integers: IntegerActivations | null = null,
  ) {
    const { features, info } = recorder.device;
    // The first word of a form's name is the form without features: tiled of tiled-half, lanes of lanes-subgroups.
    const runnable = <T extends string>(form: T) => (formRuns(form, features) ? form : (form.split('-')[0] as T));
    this.subgroupSize = info.subgroupMinSize || 4;
    this.choices = {
      ...choices,
      quant_nt_few: runnable(choices.quant_nt_few),
      quant_nt_some: runnable(choices.quant_nt_some),
      quant_nt_many: runnable(choices.quant_nt_many),
      quant_nn_many: runnable(choices.quant_nn_many),
    };
  }

  /**
   * out (M, N) = inp (M, K) weight^T (N, K) + bias + residual + an adapter's second product, if `addsLowRank`.
   * `activated`: receives SwiGLU's activation of out, if `activates`; there is no residual then.
   */
  matmulNT(
    inp: BufferSlice,
    weight: QuantSlice,
    out: BufferSlice,
    M: number,
    N: number,
    K: number,
    extra: ProductExtra = {},
  ): void {
    const flags = { ...formatConstants(weight), HAS_BIAS: extra.bias ? 1 : 0, HAS_RESIDUAL: extra.residual ? 1 : 0 };
    const others = [weight.codes, weight.scales, extra.bias ?? inp, extra.activated ?? extra.residual ?? inp, out];
    if (this.integers && this.choices.packed_activations === 'int16') {
      this.integerNT(inp, this.integers, others, flags, { M, N, K });
      return;
    }
    const [name, constants, groups] = this.formNT(M, N, K);
    const term = ofTerm(extra.lowRank, M);
    const choice = {
      ...(addingKernels.has(name) ? term.constants : {}),
      ...(name === blocksKernel ? { GATED: extra.activated ? 1 : 0, SCORED: 0 } : {}),
      ...(name === fewKernel ? { GATED: extra.activated ? 1 : 0 } : {}),
      ...(name === 'quant_matmul_nt_lanes' ? gatedLanes(constants, extra.activated !== undefined) : {}),
    };
    this.recorder.run({
      kernel: this.kernels.request(name, { ...flags, ...constants, ...choice }),
      bindings: [inp, ...others, ...term.bindings],
      grid: grid1d(groups),
      params: { M, N, K, ...term.params },
      flops: 2 * M * N * K + term.flops + (extra.activated ? (swigluFlops.forward * M * N) / 2 : 0),
    });
  }

  /** out (M, N) = the gradient of the logits inp (M, K) weight^T, if `differentiatesLogits`. */
  logitGradient(
    inp: BufferSlice,
    weight: QuantSlice,
    out: BufferSlice,
    M: number,
    N: number,
    K: number,
    { targets, lse, results, seeds, params }: ScoredLogits,
  ): void {
    const { tile, groups } = blockGrid(M, N, this.recorder.device.info.vendor);
    const flags = { ...formatConstants(weight), HAS_BIAS: 0, HAS_RESIDUAL: 0, LOW_RANK: 0, GATED: 0, SCORED: 1 };
    this.recorder.run({
      kernel: this.kernels.request(blocksKernel, { ...flags, ...packedConstants('NT', tile, K) }),
      bindings: [inp, weight.codes, weight.scales, targets, lse, out, results, seeds],
      grid: grid1d(groups),
      params: { M, N, K, ...params },
      flops: 2 * M * N * K + logitGradientFlops * M * N,
    });
  }

  /** True if the product of the head's logits can store their gradient instead. */
  differentiatesLogits(M: number, N: number, K: number): boolean {
    if (this.choices.swiglu_many !== 'fused' || !this.recorder.device.compiles) return false;
    return [blocksKernel, fewKernel].includes(this.formNT(M, N, K)[0]);
  }

  /** True if `matmulNT` adds an adapter's second product at these sizes. */
  addsLowRank(M: number, N: number, K: number): boolean {
    const fuses = fusesLowRank(this.choices, M, this.recorder.device.compiles);
    return fuses && addingKernels.has(this.formNT(M, N, K)[0]);
  }

  /** True if `matmulNT` with gate and up of these sizes writes their activation. */
  activates(M: number, N: number, K: number): boolean {
    if (this.choices.swiglu_many !== 'fused' || !this.recorder.device.compiles || N % 8 !== 0) return false;
    const [name] = this.formNT(M, N, K);
    if (name === 'quant_matmul_nt_lanes' || name === fewKernel) return true;
    return name === blocksKernel && blockGrid(M, N, this.recorder.device.info.vendor).tile.columnFours === 2;
  }

  /** True if `matmulNN` adds an adapter's gradient and applies SwiGLU's. */
  fusesGradients(M: number, N: number, K: number): boolean {
    if (this.choices.input_gradient_many !== 'fused' || !this.recorder.device.compiles) return false;
    return this.formNN(M, N, K)[0] === 'quant_matmul_nn_blocks';
  }

  /** `matmulNT` with the activations as integers. */
  private integerNT(
    inp: BufferSlice,
    { codes, scales }: IntegerActivations,
    others: readonly BufferSlice[],
    flags: Constants,
    { M, N, K }: { M: number; N: number; K: number },
  ): void {
    const kernel = this.kernels.request('integer_activations');
    this.recorder.run({ kernel, bindings: [inp, codes, scales], grid: [1], params: { M, K }, flops: 3 * M * K });
    this.recorder.run({
      kernel: this.kernels.request('integer_matmul_nt', flags),
      bindings: [codes, scales, ...others],
      grid: [1],
      params: { M, N, K },
      flops: 2 * M * N * K,
    });
  }

  /** Kernel, its constants, and its number of workgroups. */
  private formNT(M: number, N: number, K: number): [string, Constants, number] {
    if (N % 4 !== 0 || K % 4 !== 0) return ['quant_matmul_nt_scalar', {}, ceil(M * N, 64)];
    const { quant_nt_few, quant_nt_some, quant_nt_many } = this.choices;
    const form = M <= quantFewRows ? quant_nt_few : M <= fewRows ? quant_nt_some : quant_nt_many;
    if (form === 'registers') {
      const ROWS = rowsFor(M, registerRows);
      const LANES = lanesFor(N / 4);
      return ['quant_matmul_nt', { ROWS, LANES }, ceil(M, ROWS) * ceil(N / 4, LANES)];
    }
    if (form === 'lanes' || form === 'lanes-subgroups') {
      const ROWS = rowsFor(M, laneRows);
      const SUBGROUPS = form === 'lanes' ? 0 : 1;
      const wanted = SUBGROUPS && N <= narrowOutputs ? 2 * laneCount : laneCount;
      const LANES = SUBGROUPS ? Math.min(wanted, this.subgroupSize) : laneCount;
      const COLUMNS = laneColumns(ROWS);
      const constants = { ROWS, COLUMNS, LANES, EACH: ceil(ROWS * COLUMNS, LANES), SUBGROUPS };
      return ['quant_matmul_nt_lanes', constants, ceil(M, ROWS) * ceil(N, (64 / LANES) * COLUMNS)];
    }
    if (form === 'blocks') {
      if (M <= fewTile) return [fewKernel, { REST: K % fewStep === 0 ? 0 : 1 }, ceil(N, fewTile)];
      const { tile, groups } = blockGrid(M, N, this.recorder.device.info.vendor);
      return [blocksKernel, packedConstants('NT', tile, K), groups];
    }
    const STAGE_BITS = stageBits(form);
    // Few rows give few tiles; narrower tiles give more workgroups.
    const [TILE_M, TILE_N] = M <= 32 ? [32, 32] : M <= fewRows ? [64, 32] : [64, 64];
    return ['quant_matmul_nt_tiled', { TILE_M, TILE_N, STAGE_BITS }, ceil(M, TILE_M) * ceil(N, TILE_N)];
  }

  /**
   * dinp (M, K) (+)= dout (M, N) weight (N, K). If `fusesGradients`: `lowRank` is added, and with `gated` the sum is the
   * gradient of SwiGLU's activation, and dinp (M, 2 K) has gates and ups, which their gradients replace.
   */
  matmulNN(
    dout: BufferSlice,
    weight: QuantSlice,
    dinp: BufferSlice,
    M: number,
    N: number,
    K: number,
    extra: { accumulate?: boolean; lowRank?: LowRankInputTerm; gated?: boolean } = {},
  ): void {
    const { lowRank, gated } = extra;
    const [name, constants, groups] = this.formNN(M, N, K);
    const width = lowRank?.width ?? 0;
    const flags = {
      ...{ ...formatConstants(weight), ACCUMULATE: extra.accumulate ? 1 : 0 },
      ...(name === 'quant_matmul_nn_blocks' ? { LOW_RANK: lowRank ? 1 : 0, GATED: gated ? 1 : 0 } : {}),
    };
    this.recorder.run({
      kernel: this.kernels.request(name, { ...flags, ...constants }),
      bindings: [dout, weight.codes, weight.scales, dinp, ...(lowRank ? [lowRank.dmid, lowRank.A] : [])],
      grid: grid1d(groups),
      params: { M, N, K, ...(lowRank ? { width } : {}) },
      flops: 2 * M * (N + width) * K + (gated ? swigluFlops.backward * M * K : 0),
    });
  }

  private formNN(M: number, N: number, K: number): [string, Constants, number] {
    if (N % 4 !== 0 || K % 4 !== 0) return ['quant_matmul_nn_scalar', {}, ceil(M * K, 64)];
    const form = this.choices.quant_nn_many;
    if (form === 'blocks') {
      const { tile, groups } = blockGrid(M, K, this.recorder.device.info.vendor);
      return ['quant_matmul_nn_blocks', packedConstants('NN', tile, N), groups];
    }
    if (form !== 'registers')
      return ['quant_matmul_nn_tiled', { STAGE_BITS: stageBits(form) }, ceil(M, 64) * ceil(K, 32)];
    // Eight rows spill on a software adapter and take seconds to compile, at the same speed (docs/log.md).
    const ROWS = 4;
    const LANES = lanesFor(ceil(K, 8));
    return ['quant_matmul_nn', { ROWS, LANES }, ceil(M, ROWS) * ceil(ceil(K, 8), LANES)];
  }

  /** out (T, C) of the tokens whose rows lie in [first, first + rows), the part held by `table`. */
  embed(ids: BufferSlice, table: QuantSlice, out: BufferSlice, T: number, C: number, first: number, rows: number) {
    this.recorder.run({
      kernel: this.kernels.request('quant_embed', formatConstants(table)),
      bindings: [ids, table.codes, table.scales, out],
      grid: grid1d(ceil(T * C, 64)),
      params: { T, C, first, rows },
      flops: T * C,
    });
  }

  /** Masked head: out (E) = logits of the allowed entries; see head_sparse_logits. */
  entryLogits(
    x: { lists: BufferSlice; hidden: BufferSlice; table: QuantTable; out: BufferSlice },
    at: { E: number; row: number; token: number },
    C: number,
    temperature: number,
  ): void {
    this.recorder.run({
      kernel: this.kernels.request('head_sparse_logits', { WIDTH: width(C), ...formatConstants(x.table) }),
      bindings: [x.lists, x.hidden, x.table.words, x.out],
      grid: grid1d(ceil(at.E, 64)),
      params: {
        ...{ E: at.E, C, rowOffset: at.row, tokenOffset: at.token },
        ...{ inverseTemperature: 1 / temperature, scalesAt: x.table.scalesAt },
      },
      flops: 2 * at.E * C,
    });
  }

  /** out += scale times rows of the table; see scatter_rows. */
  scatterRows(
    lists: BufferSlice,
    at: { offset: number; rows: number; entries: number },
    table: QuantTable,
    out: BufferSlice,
    C: number,
    scale: BufferSlice,
  ): void {
    this.recorder.run({
      kernel: this.kernels.request('scatter_rows', { SCALED: 1, WIDTH: 1, ...formatConstants(table) }),
      bindings: [lists, table.words, scale, out],
      grid: grid1d(ceil(at.rows * C, 64)),
      params: { U: at.rows, C, listOffset: at.offset, E: at.entries, scalesAt: table.scalesAt },
      flops: 2 * at.entries * C,
    });
  }
}
