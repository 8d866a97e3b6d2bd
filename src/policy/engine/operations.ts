/**
 * Operations of the engine, one function per shader, each of which turns names and sizes into a dispatch. Sizes follow
 * the papers: T tokens, C channels, M x K times K x N. Independent of the order in which a transformer uses them.
 */
import {
  type BufferSlice,
  type Constants,
  type Dispatch,
  grid1d,
  type KernelCache,
  type KernelHandle,
  type Recorder,
} from '../../device/device.ts';
import { partialChunks } from '../plan/partial-sums.ts';
import {
  type AttentionBuffers,
  type AttentionGradients,
  type AttentionPass,
  type AttentionShape,
  attentionBackward,
  attentionForward,
  type CacheFormat,
  formOf,
} from './attention.ts';
import { blockConstants, blockGrid } from './block-tiles.ts';
import {
  type AttentionForm,
  defaultChoices,
  fewRows,
  fusesLowRank,
  type KernelChoices,
  type MatmulForm,
  narrowColumns,
  narrowInputs,
} from './kernel-choices.ts';
import { logitGradientFlops, type ScoredLogits } from './logit-gradient.ts';
import { type LowRankTerm, ofTerm } from './low-rank-forms.ts';
import { swigluFlops } from './quantized-operations.ts';
import { rowsFor } from './row-steps.ts';

/** Outputs of one workgroup of a tiled matmul, in each direction. */
const TILE = 64;
const ceil = (a: number, b: number) => Math.ceil(a / b);
/** Rows longer than this are shared by 64 threads instead of one. */
const laneLength = 256;
const lanes = (length: number) => (length > laneLength ? 64 : 1);
/** Lanes of a workgroup over `count` columns of four, so that few lanes are idle. */
const lanesFor = (count: number) => (count > 16 ? 32 : count > 8 ? 16 : 8);
/** Rows of a workgroup of the lane form. The smallest sufficient number is used. */
const laneRows = [1, 4, 8];
/**
 * Threads that share a sum, and vectors of four columns, of a workgroup of the lane form: in decoding many lanes, so
 * that a sum takes few steps; with many rows several columns, which then read a row of the input from the cache.
 */
const fewLanes = { LANES: 128, GROUPS: 1 };
const manyLanes = { LANES: 32, GROUPS: 4 };
const vectorised = (N: number, K: number) => N % 4 === 0 && K % 4 === 0;

export class Operations {
  constructor(
    readonly kernels: KernelCache,
    readonly recorder: Recorder,
    readonly choices: KernelChoices = defaultChoices,
  ) {}

  private elementwise(
    kernel: KernelHandle,
    bindings: BufferSlice[],
    count: number,
    params: Dispatch['params'],
    flopsEach = 1,
  ) {
    this.recorder.run({ kernel, bindings, grid: grid1d(ceil(count, 64)), params, flops: count * flopsEach });
  }

  /** out (M, N) = inp (M, K) weight^T (N, K) + bias + residual + an adapter's second product, if `addsLowRank`. */
  matmulNT(
    inp: BufferSlice,
    weight: BufferSlice,
    out: BufferSlice,
    M: number,
    N: number,
    K: number,
    extra: { bias?: BufferSlice; residual?: BufferSlice; lowRank?: LowRankTerm } = {},
  ) {
    const flags = { HAS_BIAS: extra.bias ? 1 : 0, HAS_RESIDUAL: extra.residual ? 1 : 0 };
    const bindings = [inp, weight, extra.bias ?? inp, extra.residual ?? inp, out];
    if (this.isNarrow(N, K)) return this.narrowNT(flags, bindings, { M, N, K });
    this.matmul('matmul_nt', flags, bindings, { M, N, K }, M, N, vectorised(N, K), extra.lowRank);
  }

  /** True if `matmulNT` adds an adapter's second product at these sizes. */
  addsLowRank(M: number, N: number, K: number): boolean {
    const fuses = fusesLowRank(this.choices, M, this.recorder.device.compiles);
    return fuses && vectorised(N, K) && !this.isNarrow(N, K) && this.form('matmul_nt', M) === 'blocks';
  }

  /** True if lanes share the sums of `matmulNT` at these sizes. */
  isNarrow(N: number, K: number): boolean {
    const fits = vectorised(N, K) && N <= narrowColumns && K >= narrowInputs;
    return fits && this.choices.matmul_nt_narrow === 'lanes';
  }

  /** `matmulNT` with the sum over K shared by the lanes of a workgroup. */
  private narrowNT(flags: Constants, bindings: BufferSlice[], params: { M: number; N: number; K: number }): void {
    const { M, N, K } = params;
    const ROWS = rowsFor(M, laneRows);
    const lanes = M > fewRows ? manyLanes : fewLanes;
    this.recorder.run({
      kernel: this.kernels.request('matmul_nt_lanes', { ROWS, ...lanes, ...flags }),
      bindings,
      grid: grid1d(ceil(M, ROWS) * ceil(N / 4, lanes.GROUPS)),
      params,
      flops: 2 * M * N * K,
    });
  }

  /** dinp (M, K) (+)= dout (M, N) weight (N, K). */
  matmulNN(
    dout: BufferSlice,
    weight: BufferSlice,
    dinp: BufferSlice,
    M: number,
    N: number,
    K: number,
    accumulate = false,
  ) {
    this.matmul(
      'matmul_nn',
      { ACCUMULATE: accumulate ? 1 : 0 },
      [dout, weight, dinp],
      { M, N, K },
      M,
      K,
      vectorised(N, K),
    );
  }

  private form(name: 'matmul_nt' | 'matmul_nn', rows: number): MatmulForm {
    if (name === 'matmul_nn') return this.choices.matmul_nn_many;
    return rows > fewRows ? this.choices.matmul_nt_many : this.choices.matmul_nt_few;
  }

  /** Uses the chosen kernel if the sizes are multiples of four, else one output a thread. */
  private matmul(
    name: 'matmul_nt' | 'matmul_nn',
    flags: Constants,
    bindings: BufferSlice[],
    params: { M: number; N: number; K: number },
    rows: number,
    columns: number,
    fast: boolean,
    lowRank?: LowRankTerm,
  ) {
    const flops = 2 * params.M * params.N * params.K;
    if (!fast) {
      const kernel = this.kernels.request(`${name}_scalar`, flags);
      this.recorder.run({ kernel, bindings, grid: grid1d(ceil(rows * columns, 64)), params, flops });
      return;
    }
    const form = this.form(name, rows);
    if (form === 'tiled') {
      const kernel = this.kernels.request(`${name}_tiled`, flags);
      this.recorder.run({ kernel, bindings, grid: grid1d(ceil(rows, TILE) * ceil(columns, TILE)), params, flops });
      return;
    }
    if (form === 'blocks') {
      const { tile, groups } = blockGrid(rows, columns, this.recorder.device.info.vendor);
      const term = ofTerm(lowRank, rows);
      const constants =
        name === 'matmul_nt' ? { ...blockConstants('NT', tile), ...term.constants } : blockConstants('NN', tile);
      this.recorder.run({
        kernel: this.kernels.request(`${name}_blocks`, { ...constants, ...flags }),
        bindings: [...bindings, ...term.bindings],
        grid: grid1d(groups),
        params: { ...params, ...term.params },
        flops: flops + term.flops,
      });
      return;
    }
    const ROWS = form === 'rows4' ? 4 : 8;
    const LANES = lanesFor(columns / 4);
    const kernel = this.kernels.request(name, { ROWS, LANES, ...flags });
    this.recorder.run({ kernel, bindings, grid: grid1d(ceil(rows, ROWS) * ceil(columns / 4, LANES)), params, flops });
  }

  /** dweight (N, K) += dout^T (T, N) inp (T, K). */
  matmulTN(
    dout: BufferSlice,
    inp: BufferSlice,
    dweight: BufferSlice,
    partials: BufferSlice,
    T: number,
    N: number,
    K: number,
  ) {
    if (T === 0) return;
    const chunk = ceil(T, this.recorder.device.partialSums ? partialChunks(T, N * K) : 1);
    const chunks = ceil(T, chunk);
    // A single chunk is added to the gradient directly.
    const ACCUMULATE = chunks === 1 ? 1 : 0;
    const [name, constants, tiles] = this.formTN(N, K);
    // A batch of another length needs the other kernel.
    if (this.recorder.dry) this.kernels.request(name, { ...constants, ACCUMULATE: 1 - ACCUMULATE });
    this.recorder.run({
      kernel: this.kernels.request(name, { ...constants, ACCUMULATE }),
      bindings: [dout, inp, ACCUMULATE ? dweight : partials],
      grid: grid1d(tiles(chunks)),
      params: { T, N, K, chunk },
      flops: 2 * T * N * K,
    });
    if (!ACCUMULATE || this.recorder.dry) this.reducePartials(partials, dweight, N * K, chunks);
  }

  /** Kernel, its constants, and its number of workgroups as a function of the chunks. */
  private formTN(N: number, K: number): [string, Constants, (chunks: number) => number] {
    if (!vectorised(N, K)) return ['matmul_tn_scalar', {}, (chunks) => ceil(chunks * N * K, 64)];
    if (this.choices.matmul_tn_many === 'tiled')
      return ['matmul_tn_tiled', {}, (chunks) => chunks * ceil(N, TILE) * ceil(K, TILE)];
    if (this.choices.matmul_tn_many === 'blocks') {
      const { tile, groups } = blockGrid(N, K, this.recorder.device.info.vendor);
      return ['matmul_tn_blocks', blockConstants('TN', tile), (chunks) => chunks * groups];
    }
    const LANES = lanesFor(K / 4);
    const FOURS = this.choices.matmul_tn_many === 'rows16' ? 4 : 2;
    return ['matmul_tn', { FOURS, LANES }, (chunks) => chunks * ceil(N / 4, FOURS) * ceil(K / 4, LANES)];
  }

  reducePartials(partials: BufferSlice, out: BufferSlice, size: number, chunks: number) {
    this.elementwise(this.kernels.request('reduce_partials'), [partials, out], size, { size, chunks }, chunks);
  }

  /** Embeds the tokens whose rows lie in [first, first + rows), the part held by `table`. */
  embed(ids: BufferSlice, table: BufferSlice, out: BufferSlice, T: number, C: number, first: number, rows: number) {
    this.elementwise(this.kernels.request('embed_forward'), [ids, table, out], T * C, { T, C, first, rows });
  }

  gatherRows(pairs: BufferSlice, inp: BufferSlice, out: BufferSlice, N: number, C: number, pairOffset = 0) {
    this.elementwise(this.kernels.request('gather_rows'), [pairs, inp, out], N * C, { N, C, pairOffset });
  }

  scatterRows(
    lists: BufferSlice,
    at: { offset: number; rows: number; entries: number },
    inp: BufferSlice,
    out: BufferSlice,
    C: number,
    scale?: BufferSlice,
  ) {
    const kernel = this.kernels.request('scatter_rows', { SCALED: scale ? 1 : 0, WIDTH: 1, BITS: 32 });
    this.elementwise(
      kernel,
      [lists, inp, scale ?? inp, out],
      at.rows * C,
      // A table of floats has no scales.
      { U: at.rows, C, listOffset: at.offset, E: at.entries, scalesAt: 0 },
      (2 * at.entries) / Math.max(1, at.rows),
    );
  }

  rmsnorm(inp: BufferSlice, gain: BufferSlice, out: BufferSlice, rstd: BufferSlice, T: number, C: number, eps: number) {
    const LANES = lanes(C);
    const kernel = this.kernels.request('rmsnorm_forward', { LANES, EPS_F: eps });
    this.recorder.run({
      kernel,
      bindings: [inp, gain, out, rstd],
      grid: grid1d(ceil(T * LANES, 64)),
      params: { T, C },
      flops: 4 * T * C,
    });
  }

  /** dinp = backward of rmsnorm (+ dresidual); dgain += its gradient, if it is trained. */
  rmsnormBackward(
    x: {
      inp: BufferSlice;
      gain: BufferSlice;
      rstd: BufferSlice;
      dout: BufferSlice;
      dresidual?: BufferSlice;
      dinp: BufferSlice;
      /** Null if the gain is frozen. */
      dgain: BufferSlice | null;
      partials: BufferSlice;
    },
    T: number,
    C: number,
  ) {
    const LANES = lanes(C);
    const kernel = this.kernels.request('rmsnorm_backward', { LANES, HAS_RESIDUAL: x.dresidual ? 1 : 0 });
    const bindings = [x.inp, x.gain, x.rstd, x.dout, x.dresidual ?? x.dout, x.dinp];
    this.recorder.run({ kernel, bindings, grid: grid1d(ceil(T * LANES, 64)), params: { T, C }, flops: 8 * T * C });
    if (!x.dgain) return;
    const chunk = ceil(T, partialChunks(T, C));
    const chunks = ceil(T, chunk);
    this.recorder.run({
      kernel: this.kernels.request('rmsnorm_backward_weight'),
      bindings: [x.inp, x.rstd, x.dout, x.partials],
      grid: grid1d(chunks * ceil(C, 64)),
      params: { T, C, chunk },
      flops: 3 * T * C,
    });
    this.reducePartials(x.partials, x.dgain, C, chunks);
  }

  /** Sums columns in chunks. Returns the number of chunks. */
  columnSum(inp: BufferSlice, partials: BufferSlice, T: number, C: number): number {
    const chunk = ceil(T, partialChunks(T, C));
    const chunks = ceil(T, chunk);
    this.recorder.run({
      kernel: this.kernels.request('column_sum'),
      bindings: [inp, partials],
      grid: grid1d(chunks * ceil(C, 64)),
      params: { T, C, chunk },
      flops: T * C,
    });
    return chunks;
  }

  private swigluKernel(name: string, bindings: BufferSlice[], T: number, I: number, flopsEach: number) {
    const WIDTH = I % 4 === 0 ? 4 : 1;
    this.elementwise(this.kernels.request(name, { WIDTH }), bindings, (T * I) / WIDTH, { T, I }, WIDTH * flopsEach);
  }

  swiglu(inp: BufferSlice, out: BufferSlice, T: number, I: number) {
    this.swigluKernel('swiglu_forward', [inp, out], T, I, swigluFlops.forward);
  }

  swigluBackward(dout: BufferSlice, inp: BufferSlice, T: number, I: number) {
    this.swigluKernel('swiglu_backward', [dout, inp], T, I, swigluFlops.backward);
  }

  private attentionConstants(a: AttentionShape) {
    return { H: a.heads, KV: a.kvHeads, D: a.headDim };
  }

  rope(
    a: AttentionShape,
    x: {
      tokens: BufferSlice;
      qkv: BufferSlice;
      table: BufferSlice;
      gains: BufferSlice | null;
      pages: BufferSlice;
      query: BufferSlice;
      cache: BufferSlice;
    },
    T: number,
    { pageBits, int8 }: CacheFormat,
  ) {
    const kernel = this.kernels.request('rope_forward', {
      ...this.attentionConstants(a),
      QK_NORM: x.gains ? 1 : 0,
      EPS_F: a.eps,
      KV8: int8 ? 1 : 0,
    });
    const heads = a.heads + 2 * a.kvHeads;
    this.elementwise(
      kernel,
      [x.tokens, x.qkv, x.table, x.gains ?? x.table, x.pages, x.query, x.cache],
      T * heads,
      { T, pageBits },
      6 * a.headDim,
    );
  }

  ropeBackward(
    a: AttentionShape,
    x: {
      tokens: BufferSlice;
      qkv: BufferSlice;
      table: BufferSlice;
      gains: BufferSlice | null;
      dquery: BufferSlice;
      dcache: BufferSlice;
      dqkv: BufferSlice;
      dgains: BufferSlice;
    },
    T: number,
  ) {
    const kernel = this.kernels.request('rope_backward', {
      ...this.attentionConstants(a),
      QK_NORM: x.gains ? 1 : 0,
      EPS_F: a.eps,
    });
    const bindings = [x.tokens, x.qkv, x.table, x.gains ?? x.table, x.dquery, x.dcache, x.dqkv, x.dgains];
    this.elementwise(kernel, bindings, T * (a.heads + 2 * a.kvHeads), { T }, 6 * a.headDim);
  }

  /** `pairs` is the number of query-key pairs, used to count operations. */
  attention(a: AttentionShape, x: AttentionBuffers, T: number, pairs: number, pass: AttentionPass) {
    attentionForward(this, a, x, T, pairs, pass, this.attentionForm(a, pass));
  }

  /** Form of a pass. An int8 cache needs a tiled form. */
  attentionForm(a: AttentionShape, pass: AttentionPass): AttentionForm {
    const wanted = this.choices[pass.kind === 'decode' ? 'attention_few' : 'attention_many'];
    return formOf(a, wanted, pass.format);
  }

  attentionBackward(a: AttentionShape, x: AttentionGradients, T: number, pairs: number, pass: AttentionPass) {
    attentionBackward(this, a, x, T, pairs, pass.tiles, this.attentionForm(a, pass));
  }

  /** Gradients of the query and key norms' gains, from gradient times xhat (T, (H + KV) D). */
  headGainsBackward(a: AttentionShape, dgains: BufferSlice, partials: BufferSlice, out: BufferSlice, T: number) {
    const chunks = this.columnSum(dgains, partials, T, (a.heads + a.kvHeads) * a.headDim);
    const kernel = this.kernels.request('reduce_head_gains', this.attentionConstants(a));
    this.recorder.run({ kernel, bindings: [partials, out], grid: [ceil(2 * a.headDim, 64)], params: { chunks } });
  }

  headLseUpdate(
    x: { logits: BufferSlice; targets: BufferSlice; state: BufferSlice },
    N: number,
    W: number,
    first: number,
    temperature: number,
  ) {
    // A barrier costs a software adapter as much as hundreds of values, so small vocabularies use as few lanes as their
    // length allows.
    const LANES = W > 4 * laneLength ? 64 : W > laneLength ? 8 : 1;
    const kernel = this.kernels.request('head_lse_update', { LANES });
    this.recorder.run({
      kernel,
      bindings: [x.logits, x.targets, x.state],
      grid: grid1d(ceil(N * LANES, 64)),
      params: { N, W, first, inverseTemperature: 1 / temperature },
      flops: 6 * N * W,
    });
  }

  headFinish(state: BufferSlice, results: BufferSlice, lse: BufferSlice, N: number, resultOffset: number) {
    this.elementwise(this.kernels.request('head_finish'), [state, results, lse], N, { N, resultOffset });
  }

  headDlogits({ targets, lse, results, seeds, params }: ScoredLogits, logits: BufferSlice, N: number, W: number) {
    const bindings = [targets, lse, results, seeds, logits];
    this.elementwise(this.kernels.request('head_dlogits'), bindings, N * W, { N, W, ...params }, logitGradientFlops);
  }
}
