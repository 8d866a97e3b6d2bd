/**
 * Rows by index and sums of rows: embedding, gather, scatter, column sums, partial sums. Each kernel is defined by the
 * shader of its name.
 */
import { ColumnSum, EmbedForward, GatherRows, ReduceHeadGains, ReducePartials, RmsnormBackwardWeight, ScatterRows } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { addScaled, addTo } from './math';
import { tableRow } from './quant';

const ROWS: u32 = 64;
/** Floats of a chunk of an elementwise sum. */
const FLOATS: u32 = 8192;
const COLUMNS: u32 = 64;

export function lookupChunks(count: u32): i32 { return ceilDiv(count, ROWS); }
export function embedForward(call: usize, chunk: u32): void {
  const T = EmbedForward.T(call), C = EmbedForward.C(call), first = EmbedForward.first(call), rows = EmbedForward.rows(call);
  const ids = EmbedForward.idsAt(call), table = EmbedForward.tableAt(call), out = EmbedForward.outAt(call);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const row = load<u32>(ids + (t << 2)) - first;
    if (row < rows) memory.copy(out + ((t * C) << 2), table + ((row * C) << 2), C << 2);
  }
}

export function gatherRows(call: usize, chunk: u32): void {
  const N = GatherRows.N(call), C = GatherRows.C(call);
  const pairs = GatherRows.pairsAt(call) + (GatherRows.pairOffset(call) << 2), inp = GatherRows.inpAt(call), out = GatherRows.outAt(call);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const source = load<u32>(pairs + (n << 3)), target = load<u32>(pairs + (n << 3), 4);
    memory.copy(out + ((target * C) << 2), inp + ((source * C) << 2), C << 2);
  }
}

const TARGETS: u32 = 8;
export function targetChunks(U: u32): i32 { return ceilDiv(U, TARGETS); }
/** out[target] += sum of the rows of its entries. Scratch: the sum of rows, then an unpacked row. */
export function scatterRows(call: usize, chunk: u32): void {
  const U = ScatterRows.U(call), C = ScatterRows.C(call), E = ScatterRows.E(call), scalesAt = ScatterRows.scalesAt(call);
  const targets = ScatterRows.listsAt(call) + (ScatterRows.listOffset(call) << 2);
  const table = ScatterRows.tableAt(call), scale = ScatterRows.scaleAt(call), out = ScatterRows.outAt(call);
  const starts = targets + (U << 2);
  const sources = starts + ((U + 1) << 2);
  const scaled = ScatterRows.SCALED(call) != 0, bits = ScatterRows.BITS(call), withMinimum = ScatterRows.MINIMUM(call) != 0;
  const space = scratch + ((C + 3) << 2);
  const end = least((chunk + 1) * TARGETS, U);
  for (let u = chunk * TARGETS; u < end; u++) {
    const last = load<u32>(starts + ((u + 1) << 2));
    memory.fill(scratch, 0, C << 2);
    for (let e = load<u32>(starts + (u << 2)); e < last; e++) {
      const row = tableRow(table, bits, withMinimum, load<u32>(sources + (e << 2)), C, scalesAt, space);
      if (scaled) addScaled(scratch, row, load<f32>(scale + (load<u32>(sources + ((E + e) << 2)) << 2)), C);
      else addTo(scratch, row, C);
    }
    addTo(out + ((load<u32>(targets + (u << 2)) * C) << 2), scratch, C);
  }
}

export function elementChunks(size: u32): i32 { return ceilDiv(size, FLOATS); }
/** out += sum of the partial sums, in their order. */
export function reducePartials(call: usize, chunk: u32): void {
  const size = ReducePartials.size(call), chunks = ReducePartials.chunks(call);
  const at = chunk * FLOATS, count = least(FLOATS, size - at);
  memory.fill(scratch, 0, count << 2);
  for (let s: u32 = 0; s < chunks; s++) addTo(scratch, ReducePartials.partialsAt(call) + ((s * size + at) << 2), count);
  addTo(ReducePartials.outAt(call) + (at << 2), scratch, count);
}

/** Number of chunks of column sums over every `chunk` rows. */
export function columnChunks(T: u32, C: u32, chunk: u32): i32 { return ceilDiv(T, chunk) * ceilDiv(C, COLUMNS); }

export function columnSum(call: usize, chunk: u32): void {
  const T = ColumnSum.T(call), C = ColumnSum.C(call), each = ColumnSum.chunk(call);
  const across = ceilDiv(C, COLUMNS);
  const s = chunk / across, c = chunk % across * COLUMNS;
  const count = least(COLUMNS, C - c);
  const out = ColumnSum.partialsAt(call) + ((s * C + c) << 2);
  memory.fill(out, 0, count << 2);
  const end = least((s + 1) * each, T);
  for (let t = s * each; t < end; t++) addTo(out, ColumnSum.inpAt(call) + ((t * C + c) << 2), count);
}

export function rmsnormBackwardWeight(call: usize, chunk: u32): void {
  const T = RmsnormBackwardWeight.T(call), C = RmsnormBackwardWeight.C(call), each = RmsnormBackwardWeight.chunk(call);
  const across = ceilDiv(C, COLUMNS);
  const s = chunk / across, c = chunk % across * COLUMNS;
  const count = least(COLUMNS, C - c);
  const inp = RmsnormBackwardWeight.inpAt(call), rstd = RmsnormBackwardWeight.rstdAt(call), dout = RmsnormBackwardWeight.doutAt(call);
  const out = RmsnormBackwardWeight.partialsAt(call) + ((s * C + c) << 2);
  memory.fill(out, 0, count << 2);
  const end = least((s + 1) * each, T);
  for (let t = s * each; t < end; t++) {
    const a = dout + ((t * C + c) << 2), b = inp + ((t * C + c) << 2);
    const r = load<f32>(rstd + (t << 2));
    const r4 = f32x4.splat(r);
    let i: u32 = 0;
    for (; i + 4 <= count; i += 4) {
      const product = f32x4.mul(f32x4.mul(v128.load(a + (i << 2)), v128.load(b + (i << 2))), r4);
      v128.store(out + (i << 2), f32x4.add(v128.load(out + (i << 2)), product));
    }
    for (; i < count; i++)
      store<f32>(out + (i << 2), load<f32>(out + (i << 2)) + load<f32>(a + (i << 2)) * load<f32>(b + (i << 2)) * r);
  }
}

/** out (2, D) += partial gradients of the heads' gains: of the query heads, then of the key heads. */
export function reduceHeadGains(call: usize, _chunk: u32): void {
  const H = ReduceHeadGains.H(call), KV = ReduceHeadGains.KV(call), D = ReduceHeadGains.D(call), chunks = ReduceHeadGains.chunks(call);
  for (let part: u32 = 0; part < 2; part++) {
    memory.fill(scratch, 0, D << 2);
    for (let s: u32 = 0; s < chunks; s++)
      for (let head = part * H; head < H + part * KV; head++)
        addTo(scratch, ReduceHeadGains.partialsAt(call) + (((s * (H + KV) + head) * D) << 2), D);
    addTo(ReduceHeadGains.outAt(call) + ((part * D) << 2), scratch, D);
  }
}
