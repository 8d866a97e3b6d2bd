/**
 * Row by row or element by element: RMSNorm, SwiGLU, AdamW, sums of squares, copies. Each kernel is defined by the
 * shader of its name.
 */
import { Adamw, Clear, ClipCoefficient, Copy, RmsnormBackward, RmsnormForward, SquareSum, SwigluBackward, SwigluForward } from '../build/kernels/calls';
import { ceilDiv, least } from './call';
import { across, dot, exp, exp4 } from './math';

const ROWS: u32 = 32;
export function rowChunks(T: u32): i32 { return ceilDiv(T, ROWS); }

/** out = inp rstd gain, with rstd (T) = 1 / sqrt(mean(inp²) + EPS_F). */
export function rmsnormForward(call: usize, chunk: u32): void {
  const T = RmsnormForward.T(call), C = RmsnormForward.C(call), eps = RmsnormForward.EPS_F(call);
  const gain = RmsnormForward.gainAt(call);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const inp = RmsnormForward.inpAt(call) + ((t * C) << 2), out = RmsnormForward.outAt(call) + ((t * C) << 2);
    const r: f32 = 1 / sqrt<f32>(dot(inp, inp, C) / <f32>C + eps);
    const r4 = f32x4.splat(r);
    let c: u32 = 0;
    for (; c + 4 <= C; c += 4)
      v128.store(out + (c << 2), f32x4.mul(f32x4.mul(v128.load(inp + (c << 2)), r4), v128.load(gain + (c << 2))));
    for (; c < C; c++) store<f32>(out + (c << 2), load<f32>(inp + (c << 2)) * r * load<f32>(gain + (c << 2)));
    store<f32>(RmsnormForward.rstdAt(call) + (t << 2), r);
  }
}

/** dinp = rstd (dout gain - inp rstd² mean(dout gain inp)) (+ dresidual). */
export function rmsnormBackward(call: usize, chunk: u32): void {
  const T = RmsnormBackward.T(call), C = RmsnormBackward.C(call);
  const gain = RmsnormBackward.gainAt(call);
  const residual = RmsnormBackward.HAS_RESIDUAL(call) != 0;
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const at: usize = (t * C) << 2;
    const inp = RmsnormBackward.inpAt(call) + at, dout = RmsnormBackward.doutAt(call) + at, more = RmsnormBackward.dresidualAt(call) + at, out = RmsnormBackward.dinpAt(call) + at;
    const r = load<f32>(RmsnormBackward.rstdAt(call) + (t << 2));
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
  const T = SwigluForward.T(call), I = SwigluForward.I(call);
  const end = least((chunk + 1) * ROWS, T);
  for (let t = chunk * ROWS; t < end; t++) {
    const gate = SwigluForward.inpAt(call) + ((t * 2 * I) << 2), out = SwigluForward.outAt(call) + ((t * I) << 2);
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

/** Overwrites gate and up in `inp` with their gradients. */
export function swigluBackward(call: usize, chunk: u32): void {
  const T = SwigluBackward.T(call), I = SwigluBackward.I(call);
  const end = least((chunk + 1) * ROWS, T);
  const one = f32x4.splat(1);
  for (let t = chunk * ROWS; t < end; t++) {
    const dout = SwigluBackward.doutAt(call) + ((t * I) << 2), gate = SwigluBackward.inpAt(call) + ((t * 2 * I) << 2);
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
export function squareSumChunks(size: u32): i32 { return ceilDiv(size, SQUARES); }
export function squareSum(call: usize, chunk: u32): void {
  const size = SquareSum.size(call), at = chunk * SQUARES;
  const inp = SquareSum.inpAt(call) + (at << 2);
  store<f32>(SquareSum.partialsAt(call) + ((SquareSum.offset(call) + chunk) << 2), dot(inp, inp, least(SQUARES, size - at)));
}

export function clipCoefficient(call: usize, _chunk: u32): void {
  const count = ClipCoefficient.count(call);
  let sum: f32 = 0;
  for (let i: u32 = 0; i < count; i++) sum += load<f32>(ClipCoefficient.partialsAt(call) + (i << 2));
  const norm = sqrt<f32>(sum);
  store<f32>(ClipCoefficient.normAt(call), norm);
  const coefficient = ClipCoefficient.maxNorm(call) / (norm + <f32>1e-6);
  store<f32>(ClipCoefficient.normAt(call), coefficient < 1 ? coefficient : 1, 4);
}

const PARAMETERS: u32 = 8192;
export function parameterChunks(size: u32): i32 { return ceilDiv(size, PARAMETERS); }
/**
 * One step of AdamW; clears the gradient. The host pads buffers to 16 bytes, so loading a whole vector at the end is
 * safe.
 */
export function adamw(call: usize, chunk: u32): void {
  const size = Adamw.size(call), at = chunk * PARAMETERS;
  const learningRate = Adamw.learningRate(call), beta1 = Adamw.beta1(call), beta2 = Adamw.beta2(call), decay = Adamw.weightDecay(call);
  const clip = f32x4.splat(load<f32>(Adamw.normAt(call), 4));
  const grad = Adamw.gradAt(call) + (at << 2), weight = Adamw.weightAt(call) + (at << 2);
  const m = Adamw.mAt(call) + (at << 2), v = Adamw.vAt(call) + (at << 2);
  const one1 = f32x4.splat(1 - beta1), b2 = f32x4.splat(beta2), one2 = f32x4.splat(1 - beta2);
  const shrink = f32x4.splat(1 - learningRate * decay), step = f32x4.splat(learningRate / Adamw.biasCorrection1(call));
  const root = f32x4.splat(Adamw.biasCorrection2Sqrt(call)), epsilon = f32x4.splat(Adamw.epsilon(call));
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
export function byteChunks(bytes: u32): i32 { return ceilDiv(bytes, BYTES); }
/** Copies `bytes` bytes. */
export function copy(call: usize, chunk: u32): void {
  const at = chunk * BYTES;
  memory.copy(Copy.targetAt(call) + at, Copy.sourceAt(call) + at, least(BYTES, Copy.bytes(call) - at));
}
/** Sets `bytes` bytes to zero. */
export function clear(call: usize, chunk: u32): void {
  const at = chunk * BYTES;
  memory.fill(Clear.targetAt(call) + at, 0, least(BYTES, Clear.bytes(call) - at));
}
