/** RMSNorm, SwiGLU, copies and the optimiser: what goes row by row or element by element. As the shaders of the same names. */
import { binding, ceilDiv, constant, constantF, least, param, paramF } from './call';
import { across, dot, exp, exp4 } from './math';

const ROWS: u32 = 32;
export function rowChunks(call: usize): i32 { return ceilDiv(param(call, 0), ROWS); }

/** Constants EPS_F. */
export function rmsnormForward(call: usize, chunk: u32): void {
  const T = param(call, 0), C = param(call, 1), eps = constantF(call, 0);
  const gain = binding(call, 1);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const inp = binding(call, 0) + ((t * C) << 2), out = binding(call, 2) + ((t * C) << 2);
    const r: f32 = 1 / sqrt<f32>(dot(inp, inp, C) / <f32>C + eps);
    const r4 = f32x4.splat(r);
    let c: u32 = 0;
    for (; c + 4 <= C; c += 4)
      v128.store(out + (c << 2), f32x4.mul(f32x4.mul(v128.load(inp + (c << 2)), r4), v128.load(gain + (c << 2))));
    for (; c < C; c++) store<f32>(out + (c << 2), load<f32>(inp + (c << 2)) * r * load<f32>(gain + (c << 2)));
    store<f32>(binding(call, 3) + (t << 2), r);
  }
}

/** Constants HAS_RESIDUAL. Bindings inp, gain, rstd, dout, dresidual, dinp. */
export function rmsnormBackward(call: usize, chunk: u32): void {
  const T = param(call, 0), C = param(call, 1);
  const gain = binding(call, 1);
  const residual = constant(call, 0) != 0;
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const at: usize = (t * C) << 2;
    const inp = binding(call, 0) + at, dout = binding(call, 3) + at, more = binding(call, 4) + at, out = binding(call, 5) + at;
    const r = load<f32>(binding(call, 2) + (t << 2));
    let sums = f32x4.splat(0);
    let c: u32 = 0;
    for (; c + 4 <= C; c += 4) {
      const g = f32x4.mul(v128.load(dout + (c << 2)), v128.load(gain + (c << 2)));
      sums = f32x4.add(sums, f32x4.mul(g, v128.load(inp + (c << 2))));
    }
    let sum = across(sums);
    for (; c < C; c++) sum += load<f32>(dout + (c << 2)) * load<f32>(gain + (c << 2)) * load<f32>(inp + (c << 2));
    const factor = r * (sum * r / <f32>C);
    const r4 = f32x4.splat(r), factor4 = f32x4.splat(factor);
    for (c = 0; c + 4 <= C; c += 4) {
      const g = f32x4.mul(v128.load(dout + (c << 2)), v128.load(gain + (c << 2)));
      let d = f32x4.mul(r4, f32x4.sub(g, f32x4.mul(v128.load(inp + (c << 2)), factor4)));
      if (residual) d = f32x4.add(d, v128.load(more + (c << 2)));
      v128.store(out + (c << 2), d);
    }
    for (; c < C; c++) {
      let d = r * (load<f32>(dout + (c << 2)) * load<f32>(gain + (c << 2)) - load<f32>(inp + (c << 2)) * factor);
      if (residual) d += load<f32>(more + (c << 2));
      store<f32>(out + (c << 2), d);
    }
  }
}

// @ts-ignore: decorator
@inline
function sigmoid4(x: v128): v128 { return f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exp4(f32x4.neg(x)))); }

export function swigluForward(call: usize, chunk: u32): void {
  const T = param(call, 0), I = param(call, 1);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const gate = binding(call, 0) + ((t * 2 * I) << 2), out = binding(call, 1) + ((t * I) << 2);
    const up = gate + (I << 2);
    let i: usize = 0;
    const fours: usize = (I & ~3) << 2, all: usize = I << 2;
    for (; i < fours; i += 16) {
      const g = v128.load(gate + i);
      v128.store(out + i, f32x4.mul(f32x4.mul(g, sigmoid4(g)), v128.load(up + i)));
    }
    for (; i < all; i += 4) {
      const g = load<f32>(gate + i);
      store<f32>(out + i, g * (1 / (1 + exp(-g))) * load<f32>(up + i));
    }
  }
}

/** In place of gate and up. */
export function swigluBackward(call: usize, chunk: u32): void {
  const T = param(call, 0), I = param(call, 1);
  const end = least((chunk + 1) * ROWS, T);
  const one = f32x4.splat(1);
  for (let t = chunk * ROWS; t < end; t++) {
    const dout = binding(call, 0) + ((t * I) << 2), gate = binding(call, 1) + ((t * 2 * I) << 2);
    const up = gate + (I << 2);
    let i: usize = 0;
    const fours: usize = (I & ~3) << 2, all: usize = I << 2;
    for (; i < fours; i += 16) {
      const g = v128.load(gate + i), d = v128.load(dout + i), u = v128.load(up + i);
      const s = sigmoid4(g);
      const slope = f32x4.mul(s, f32x4.add(one, f32x4.mul(g, f32x4.sub(one, s))));
      v128.store(gate + i, f32x4.mul(f32x4.mul(d, u), slope));
      v128.store(up + i, f32x4.mul(f32x4.mul(d, g), s));
    }
    for (; i < all; i += 4) {
      const g = load<f32>(gate + i), d = load<f32>(dout + i), u = load<f32>(up + i);
      const s: f32 = 1 / (1 + exp(-g));
      store<f32>(gate + i, d * u * (s * (1 + g * (1 - s))));
      store<f32>(up + i, d * g * s);
    }
  }
}

const SQUARES: u32 = 4096;
export function squareSumChunks(call: usize): i32 { return ceilDiv(param(call, 0), SQUARES); }
export function squareSum(call: usize, chunk: u32): void {
  const size = param(call, 0), at = chunk * SQUARES;
  const inp = binding(call, 0) + (at << 2);
  store<f32>(binding(call, 1) + ((param(call, 1) + chunk) << 2), dot(inp, inp, least(SQUARES, size - at)));
}

export function clipCoefficientChunks(_call: usize): i32 { return 1; }
export function clipCoefficient(call: usize, _chunk: u32): void {
  const count = param(call, 0);
  let sum: f32 = 0;
  for (let i: u32 = 0; i < count; i++) sum += load<f32>(binding(call, 0) + (i << 2));
  const norm = sqrt<f32>(sum);
  store<f32>(binding(call, 1), norm);
  const coefficient = paramF(call, 1) / (norm + <f32>1e-6);
  store<f32>(binding(call, 1), coefficient < 1 ? coefficient : 1, 4);
}

const PARAMETERS: u32 = 8192;
export function adamwChunks(call: usize): i32 { return ceilDiv(param(call, 0), PARAMETERS); }
/** Bindings norm, grad, weight, m, v. Sizes are padded to four by the host's allocation, so whole vectors are safe to the end. */
export function adamw(call: usize, chunk: u32): void {
  const size = param(call, 0), at = chunk * PARAMETERS;
  const learningRate = paramF(call, 1), beta1 = paramF(call, 2), beta2 = paramF(call, 3), decay = paramF(call, 5);
  const clip = f32x4.splat(load<f32>(binding(call, 0), 4));
  const grad = binding(call, 1) + (at << 2), weight = binding(call, 2) + (at << 2);
  const m = binding(call, 3) + (at << 2), v = binding(call, 4) + (at << 2);
  const one1 = f32x4.splat(1 - beta1), b2 = f32x4.splat(beta2), one2 = f32x4.splat(1 - beta2);
  const shrink = f32x4.splat(1 - learningRate * decay), step = f32x4.splat(learningRate / paramF(call, 6));
  const root = f32x4.splat(paramF(call, 7)), epsilon = f32x4.splat(paramF(call, 4));
  const bytes: usize = least(PARAMETERS, size - at) << 2;
  for (let i: usize = 0; i < bytes; i += 16) {
    const g = f32x4.mul(v128.load(grad + i), clip);
    const m0 = v128.load(m + i);
    const m1 = f32x4.add(m0, f32x4.mul(f32x4.sub(g, m0), one1));
    const v1 = f32x4.add(f32x4.mul(b2, v128.load(v + i)), f32x4.mul(f32x4.mul(one2, g), g));
    const change = f32x4.div(f32x4.mul(step, m1), f32x4.add(f32x4.div(f32x4.sqrt(v1), root), epsilon));
    const w = f32x4.sub(f32x4.mul(v128.load(weight + i), shrink), change);
    if (i + 16 <= bytes) {
      v128.store(grad + i, f32x4.splat(0));
      v128.store(m + i, m1);
      v128.store(v + i, v1);
      v128.store(weight + i, w);
    } else {
      const rest = (bytes - i) >> 2;
      for (let k: usize = 0; k < rest; k++) {
        const to = i + (k << 2);
        store<f32>(grad + to, 0);
        store<f32>(m + to, lane(m1, k));
        store<f32>(v + to, lane(v1, k));
        store<f32>(weight + to, lane(w, k));
      }
    }
  }
}
function lane(a: v128, k: usize): f32 {
  if (k == 0) return f32x4.extract_lane(a, 0);
  if (k == 1) return f32x4.extract_lane(a, 1);
  return f32x4.extract_lane(a, 2);
}

const BYTES: u32 = 1 << 18;
export function copyChunks(call: usize): i32 { return ceilDiv(param(call, 0), BYTES); }
/** A copy of params[0] bytes from binding 0 to binding 1. */
export function copy(call: usize, chunk: u32): void {
  const at = chunk * BYTES;
  memory.copy(binding(call, 1) + at, binding(call, 0) + at, least(BYTES, param(call, 0) - at));
}
/** Zeroes params[0] bytes of binding 0. */
export function clear(call: usize, chunk: u32): void {
  const at = chunk * BYTES;
  memory.fill(binding(call, 0) + at, 0, least(BYTES, param(call, 0) - at));
}
