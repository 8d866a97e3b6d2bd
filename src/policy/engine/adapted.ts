/**
 * Weights with a low-rank adapter beside a frozen base: the base's product plus the adapter's. Everything except the
 * matrix products is delegated to the base, so the policy without the adapter (the reference) is the base itself.
 */
import { type BufferSlice, grid1d, slice } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import { ownProduct } from '../plan/layer-buffers.ts';
import { partialChunks } from '../plan/partial-sums.ts';
import { type AdaptedOperand, adaptedOperands, type LoraConfig, loraScale } from '../weights/adapter.ts';
import type {
  BackwardExtra,
  BaseWeights,
  Entries,
  ForwardExtra,
  ListAt,
  MaskedSampling,
  Weights,
} from '../weights/linear.ts';
import type { ParameterSet } from '../weights/parameters.ts';
import type { ScoredLogits } from './logit-gradient.ts';
import {
  type BothForm,
  bothForm,
  canVectorise,
  type LowRankForm,
  type LowRankScalars,
  type LowRankSizes,
  upBackwardForm,
  upForm,
  upWeightForm,
} from './low-rank-forms.ts';
import { type NormInput, normalise, normaliseDown, normalisesDown } from './normed-product.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

/** An adapted operand with what its kernels need of its sizes. */
interface Placed extends AdaptedOperand {
  /** Rows of B, of all parts. */
  rows: number;
  /** Width of the product between A and B. */
  width: number;
  isAligned: boolean;
  scalars: LowRankScalars;
}

export function placed(operand: AdaptedOperand, lora: LoraConfig): Placed {
  const { outputs, parts } = operand;
  const ends: number[] = [];
  const shifts: number[] = [];
  let rows = 0;
  for (const part of parts) {
    shifts.push(part.column - rows);
    rows += part.rows;
    ends.push(rows);
  }
  const { rank } = lora;
  const width = parts.length * rank;
  const scalars = {
    ...{ N: rows, rank, width, stride: outputs, end0: ends[0] ?? rows, end1: ends[1] ?? rows },
    ...{ shift0: shifts[0] ?? 0, shift1: shifts[1] ?? 0, shift2: shifts[2] ?? 0, scale: loraScale(lora) },
  };
  return { ...operand, rows, width, isAligned: canVectorise(operand, rank), scalars };
}

function runLowRank(
  { recorder, kernels }: Operations,
  { name, constants, workgroups }: LowRankForm,
  bindings: BufferSlice[],
  { scalars, rows }: Placed,
  T: number,
  chunk: number,
  products = 1,
): void {
  recorder.run({
    kernel: kernels.request(name, constants),
    bindings,
    grid: grid1d(workgroups),
    params: { ...scalars, T, chunk },
    flops: products * 2 * T * rows * scalars.rank,
  });
}

function sizesOf({ choices }: Operations, { rows, width, isAligned, scalars }: Placed, T: number): LowRankSizes {
  const shared = choices.matmul_nt_narrow === 'lanes';
  return { T, N: rows, rank: scalars.rank, width, isAligned, shared };
}

/** out (T, outputs) += the second product of an adapted operand, in a kernel of its own. */
export function addUp(ops: Operations, x: Placed, { mid, B, out }: UpBuffers, T: number): void {
  runLowRank(ops, upForm(sizesOf(ops, x, T)), [mid, B, out], x, T, 0);
}

interface UpGradients {
  dout: BufferSlice;
  mid: BufferSlice;
  dmid: BufferSlice;
}

interface UpBuffers {
  mid: BufferSlice;
  B: BufferSlice;
  out: BufferSlice;
}

export class AdaptedWeights implements Weights {
  private readonly operands: ReadonlyMap<string, Placed>;

  constructor(
    config: ModelConfig,
    lora: LoraConfig,
    private readonly ops: Operations,
    private readonly ws: Workspace,
    private readonly base: BaseWeights,
    readonly set: ParameterSet,
    readonly grads: ParameterSet | null,
  ) {
    this.operands = new Map(adaptedOperands(config, lora).map((operand) => [operand.name, placed(operand, lora)]));
  }

  forward(operand: string, inp: BufferSlice, out: BufferSlice, M: number, extra: ForwardExtra = {}): void {
    const adapted = this.operands.get(operand);
    if (!adapted) {
      this.base.forward(operand, inp, out, M, extra);
      return;
    }
    const { norm, ...rest } = extra;
    const [mid, B] = [this.mid(adapted, extra.first, M), this.set.slice(`${operand}.B`)];
    const isKept = extra.again && this.keeps(adapted);
    this.inputs(adapted, norm, inp, isKept ? null : mid, M);
    if (adapted.isAligned && this.base.addsLowRank(operand, M)) {
      this.base.forward(operand, inp, out, M, { ...rest, lowRank: { mid, B, scalars: adapted.scalars } });
      return;
    }
    this.base.forward(operand, inp, out, M, rest);
    addUp(this.ops, adapted, { mid, B, out }, M);
  }

  /** Inputs of the frozen product and of the adapter's second: the normed rows if there is a norm, and the first product. */
  private inputs(
    adapted: Placed,
    norm: NormInput | undefined,
    inp: BufferSlice,
    mid: BufferSlice | null,
    M: number,
  ): void {
    const { name, inputs: K, width: N } = adapted;
    if (norm && mid && normalisesDown(this.ops, M, N, K)) {
      normaliseDown(this.ops, norm, inp, { A: this.set.slice(`${name}.A`), mid }, { M, N, K });
      return;
    }
    if (norm) normalise(this.ops, norm, inp, M, K);
    if (mid) this.down(adapted, inp, mid, M);
  }

  activates(operand: string, M: number): boolean {
    const adapted = this.operands.get(operand);
    const isWhole = !adapted || (adapted.isAligned && this.base.addsLowRank(operand, M));
    return isWhole && this.base.activates(operand, M);
  }

  fusesGradients(operand: string, M: number): boolean {
    return (this.operands.get(operand)?.isAligned ?? true) && this.base.fusesGradients(operand, M);
  }

  private run(form: LowRankForm, bindings: BufferSlice[], x: Placed, T: number, chunk = 0, products = 1) {
    runLowRank(this.ops, form, bindings, x, T, chunk, products);
  }

  private sizes(x: Placed, T: number) {
    return sizesOf(this.ops, x, T);
  }

  /** True if the result of the operand's first product stays valid until the backward of the same pass. */
  private keeps({ name }: Placed): boolean {
    return this.ws.has(ownProduct(name));
  }

  /** Result of the operand's first product for M rows from row `first`. */
  private mid(adapted: Placed, first: number | undefined, M: number): BufferSlice {
    if (!this.keeps(adapted)) return this.ws.slice('loraMid');
    const rowBytes = 4 * adapted.width;
    return slice(this.ws.buffer(ownProduct(adapted.name)), (first ?? 0) * rowBytes, M * rowBytes);
  }

  /** mid (M, width) = inp A^T for all parts of the operand. */
  private down({ name, inputs, width }: Placed, inp: BufferSlice, mid: BufferSlice, M: number): void {
    this.ops.matmulNT(inp, this.set.slice(`${name}.A`), mid, M, width, inputs);
  }

  backward(
    operand: string,
    dout: BufferSlice,
    inp: BufferSlice,
    dinp: BufferSlice,
    M: number,
    extra: BackwardExtra = {},
  ): void {
    const adapted = this.operands.get(operand);
    if (!adapted) {
      this.base.backward(operand, dout, inp, dinp, M, extra);
      return;
    }
    const { ops, ws, set } = this;
    const { width } = adapted;
    const mid = this.mid(adapted, extra.first, M);
    const [dmid, A] = [ws.slice('loraDmid'), set.slice(`${operand}.A`)];
    const both = this.grads && this.bothForm(adapted, M);
    if (this.grads && !this.keeps(adapted)) this.down(adapted, inp, mid, M);
    if (both) this.upGradients(both, adapted, { dout, mid, dmid }, M);
    else this.run(upBackwardForm(this.sizes(adapted, M)), [dout, set.slice(`${operand}.B`), dmid], adapted, M);
    if (this.fusesGradients(operand, M))
      this.base.backward(operand, dout, inp, dinp, M, { ...extra, lowRank: { dmid, A, width } });
    else {
      this.base.backward(operand, dout, inp, dinp, M);
      ops.matmulNN(dmid, A, dinp, M, width, adapted.inputs, true);
    }
    if (!this.grads) return;
    if (!both) this.upWeightGradient(adapted, dout, mid, M);
    ops.matmulTN(dmid, inp, this.grads.slice(`${operand}.A`), ws.slice('partials'), M, width, adapted.inputs);
  }

  /** The kernel of `upGradients`, if it can run. */
  private bothForm(adapted: Placed, M: number): BothForm | null {
    const { ops, ws } = this;
    if (!ops.recorder.device.compiles) return null;
    const floats = (name: 'partials' | 'dactivated' | 'loraDmid') => ws.buffer(name).size / 4;
    const room = { partials: floats('partials'), sums: floats('dactivated'), product: floats('loraDmid') };
    const partRows = adapted.parts.map(({ rows }) => rows);
    return bothForm(this.sizes(adapted, M), partRows, room);
  }

  /**
   * Both backward products of the adapter's second product. `dactivated`, which is written by later kernels alone, takes the
   * partial sums of the first.
   */
  private upGradients(form: BothForm, adapted: Placed, x: UpGradients, M: number): void {
    const { ops, ws, set } = this;
    const { name, rows, width, scalars } = adapted;
    const { blocks, chunk } = form;
    const [sums, partials] = [ws.slice('dactivated'), ws.slice('partials')];
    this.run(form, [x.dout, set.slice(`${name}.B`), x.mid, sums, partials], adapted, M, chunk, 2);
    ops.recorder.run({
      kernel: ops.kernels.request('lora_sum_blocks'),
      bindings: [sums, x.dmid],
      grid: grid1d(Math.ceil((M * width) / 64)),
      params: { size: M * width, blocks, scale: scalars.scale },
      flops: blocks * M * width,
    });
    ops.reducePartials(partials, this.grads!.slice(`${name}.B`), rows * scalars.rank, Math.ceil(M / chunk));
  }

  private upWeightGradient(adapted: Placed, dout: BufferSlice, mid: BufferSlice, M: number): void {
    const { ops, ws } = this;
    const partials = ws.slice('partials');
    const size = adapted.rows * adapted.scalars.rank;
    const chunk = Math.ceil(M / partialChunks(M, size));
    const chunks = Math.ceil(M / chunk);
    this.run(upWeightForm(this.sizes(adapted, M), chunks), [dout, mid, partials], adapted, M, chunk);
    ops.reducePartials(partials, this.grads!.slice(`${adapted.name}.B`), size, chunks);
  }

  vector(operand: string): BufferSlice {
    return this.base.vector(operand);
  }

  embed(ids: BufferSlice, out: BufferSlice, T: number): void {
    this.base.embed(ids, out, T);
  }

  logits(hidden: BufferSlice, out: BufferSlice, M: number, first: number, rows: number, scored?: ScoredLogits): void {
    this.base.logits(hidden, out, M, first, rows, scored);
  }

  differentiatesLogits(M: number, rows: number): boolean {
    return this.base.differentiatesLogits(M, rows);
  }

  logitsBackward(
    dlogits: BufferSlice,
    hidden: BufferSlice,
    dhidden: BufferSlice,
    M: number,
    first: number,
    rows: number,
  ): void {
    this.base.logitsBackward(dlogits, hidden, dhidden, M, first, rows);
  }

  get headRows(): number {
    return this.base.headRows;
  }

  get canMask(): boolean {
    return this.base.canMask;
  }

  entryLogits(entries: Entries, hidden: BufferSlice, out: BufferSlice, temperature: number): void {
    this.base.entryLogits(entries, hidden, out, temperature);
  }

  scatterTable(list: ListAt, scale: BufferSlice, out: BufferSlice): void {
    this.base.scatterTable(list, scale, out);
  }

  sampleMasked(hidden: BufferSlice, others: readonly BufferSlice[], R: number, params: MaskedSampling): void {
    this.base.sampleMasked(hidden, others, R, params);
  }

  gradient(): null {
    return null;
  }

  /** Destroys the adapter's own buffers, not those of the base. */
  destroy(): void {
    this.set.destroy();
    this.grads?.destroy();
  }
}
