/** Rows by index and sums of rows: embedding, gather, scatter, column sums, partial sums. Bindings and scalars as the shaders of the same names. */
import { binding, ceilDiv, constant, least, param, scratch } from './call';
import { addScaled, addTo } from './math';
import { tableRow } from './quant';

const ROWS: u32 = 64;
/** Floats of a chunk of what is summed element by element. */
const FLOATS: u32 = 8192;
const COLUMNS: u32 = 64;

export function embedChunks(call: usize): i32 { return ceilDiv(param(call, 0), ROWS); }
export function embed(call: usize, chunk: u32): void {
  const T = param(call, 0), C = param(call, 1), first = param(call, 2), rows = param(call, 3);
  const ids = binding(call, 0), table = binding(call, 1), out = binding(call, 2);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const row = load<u32>(ids + (t << 2)) - first;
    if (row < rows) memory.copy(out + ((t * C) << 2), table + ((row * C) << 2), C << 2);
  }
}

export function gatherRowsChunks(call: usize): i32 { return ceilDiv(param(call, 0), ROWS); }
export function gatherRows(call: usize, chunk: u32): void {
  const N = param(call, 0), C = param(call, 1);
  const pairs = binding(call, 0) + (param(call, 2) << 2), inp = binding(call, 1), out = binding(call, 2);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const source = load<u32>(pairs + (n << 3)), target = load<u32>(pairs + (n << 3), 4);
    memory.copy(out + ((target * C) << 2), inp + ((source * C) << 2), C << 2);
  }
}

const TARGETS: u32 = 8;
export function scatterRowsChunks(call: usize): i32 { return ceilDiv(param(call, 0), TARGETS); }
/** out[target] += the sum of its entries' rows. Constants SCALED, BITS. Scratch: a row's sum, and a row unpacked. */
export function scatterRows(call: usize, chunk: u32): void {
  const U = param(call, 0), C = param(call, 1), E = param(call, 3), scalesAt = param(call, 4);
  const targets = binding(call, 0) + (param(call, 2) << 2);
  const table = binding(call, 1), scale = binding(call, 2), out = binding(call, 3);
  const starts = targets + (U << 2);
  const sources = starts + ((U + 1) << 2);
  const scaled = constant(call, 0) != 0, bits = constant(call, 1);
  const space = scratch + ((C + 3) << 2);
  const end = least((chunk + 1) * TARGETS, U);
  for (let u = chunk * TARGETS; u < end; u++) {
    const last = load<u32>(starts + ((u + 1) << 2));
    memory.fill(scratch, 0, C << 2);
    for (let e = load<u32>(starts + (u << 2)); e < last; e++) {
      const row = tableRow(table, bits, load<u32>(sources + (e << 2)), C, scalesAt, space);
      if (scaled) addScaled(scratch, row, load<f32>(scale + (load<u32>(sources + ((E + e) << 2)) << 2)), C);
      else addTo(scratch, row, C);
    }
    addTo(out + ((load<u32>(targets + (u << 2)) * C) << 2), scratch, C);
  }
}

export function reducePartialsChunks(call: usize): i32 { return ceilDiv(param(call, 0), FLOATS); }
/** out += the chunks, added up in their order. */
export function reducePartials(call: usize, chunk: u32): void {
  const size = param(call, 0), chunks = param(call, 1);
  const at = chunk * FLOATS, count = least(FLOATS, size - at);
  memory.fill(scratch, 0, count << 2);
  for (let s: u32 = 0; s < chunks; s++) addTo(scratch, binding(call, 0) + ((s * size + at) << 2), count);
  addTo(binding(call, 1) + (at << 2), scratch, count);
}

/** Of sums of columns of chunks of rows: params T, C, chunk. */
export function columnChunks(call: usize): i32 {
  return ceilDiv(param(call, 0), param(call, 2)) * ceilDiv(param(call, 1), COLUMNS);
}

export function columnSum(call: usize, chunk: u32): void {
  const T = param(call, 0), C = param(call, 1), each = param(call, 2);
  const across = ceilDiv(C, COLUMNS);
  const s = chunk / across, c = chunk % across * COLUMNS;
  const count = least(COLUMNS, C - c);
  const out = binding(call, 1) + ((s * C + c) << 2);
  memory.fill(out, 0, count << 2);
  const end = least((s + 1) * each, T);
  for (let t = s * each; t < end; t++) addTo(out, binding(call, 0) + ((t * C + c) << 2), count);
}

export function normWeight(call: usize, chunk: u32): void {
  const T = param(call, 0), C = param(call, 1), each = param(call, 2);
  const across = ceilDiv(C, COLUMNS);
  const s = chunk / across, c = chunk % across * COLUMNS;
  const count = least(COLUMNS, C - c);
  const inp = binding(call, 0), rstd = binding(call, 1), dout = binding(call, 2);
  const out = binding(call, 3) + ((s * C + c) << 2);
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

export function reduceHeadGainsChunks(_call: usize): i32 { return 1; }
/** Constants H, KV, D. */
export function reduceHeadGains(call: usize, _chunk: u32): void {
  const H = constant(call, 0), KV = constant(call, 1), D = constant(call, 2), chunks = param(call, 0);
  for (let part: u32 = 0; part < 2; part++) {
    memory.fill(scratch, 0, D << 2);
    for (let s: u32 = 0; s < chunks; s++)
      for (let head = part * H; head < H + part * KV; head++)
        addTo(scratch, binding(call, 0) + (((s * (H + KV) + head) * D) << 2), D);
    addTo(binding(call, 1) + ((part * D) << 2), scratch, D);
  }
}
