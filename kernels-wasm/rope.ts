/**
 * Rotary position embedding with an optional RMSNorm of each head, and its backward (shaders/rope_forward.wgsl,
 * rope_backward.wgsl).
 */
import { RopeBackward, RopeForward } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { dot } from './math';

const TOKENS: u32 = 16;
export function tokenChunks(T: u32): i32 { return ceilDiv(T, TOKENS); }

// @ts-ignore: decorator
@inline
function physical(row: u32, pages: usize, pageBits: u32): u32 {
  if (pageBits == 0) return row;
  return (load<u32>(pages + ((row >> pageBits) << 2)) << pageBits) | (row & ((1 << pageBits) - 1));
}

/** Rotates the halves x, y of a head: out = (x cos - y sin, y cos + x sin). `sign` -1 rotates back. */
function rotate(inp: usize, table: usize, D: u32, sign: f32, out: usize): void {
  const half = (D >> 1) << 2;
  const sign4 = f32x4.splat(sign);
  let d: u32 = 0;
  for (; d + 16 <= half; d += 16) {
    const x = v128.load(inp + d), y = v128.load(inp + half + d);
    const c = v128.load(table + d), s = f32x4.mul(v128.load(table + half + d), sign4);
    v128.store(out + d, f32x4.sub(f32x4.mul(x, c), f32x4.mul(y, s)));
    v128.store(out + half + d, f32x4.add(f32x4.mul(y, c), f32x4.mul(x, s)));
  }
  for (; d < half; d += 4) {
    const x = load<f32>(inp + d), y = load<f32>(inp + half + d);
    const c = load<f32>(table + d), s = load<f32>(table + half + d) * sign;
    store<f32>(out + d, x * c - y * s);
    store<f32>(out + half + d, y * c + x * s);
  }
}

/** Stores a head as signed bytes and their scale (shaders/kv_store1.wgsl). */
function keepBytes(head: usize, D: u32, to: usize): void {
  let largest: f32 = 0;
  for (let d: u32 = 0; d < D; d++) largest = max<f32>(largest, abs<f32>(load<f32>(head + (d << 2))));
  const inverse: f32 = 127 / max<f32>(largest, 1e-30);
  for (let d: u32 = 0; d < D; d++) {
    const code = nearest<f32>(load<f32>(head + (d << 2)) * inverse);
    store<i8>(to + d, <i8>min<f32>(max<f32>(code, -127), 127));
  }
  store<f32>(to + D, largest / 127);
}

/**
 * Rotates queries into `query` and keys into the cache, and copies values into the cache. Scratch: the normalised head,
 * then the rotated one.
 */
export function ropeForward(call: usize, chunk: u32): void {
  const H = RopeForward.H(call), KV = RopeForward.KV(call), D = RopeForward.D(call);
  const norm = RopeForward.QK_NORM(call) != 0, eps = RopeForward.EPS_F(call), int8 = RopeForward.KV8(call) != 0;
  const heads = H + 2 * KV;
  const bytes = D << 2, kept = int8 ? D + 4 : bytes;
  const end = least((chunk + 1) * TOKENS, RopeForward.T(call));
  for (let t = chunk * TOKENS; t < end; t++) {
    const token = RopeForward.tokensAt(call) + (t << 5);
    const angle = RopeForward.tableAt(call) + load<u32>(token) * bytes;
    const row = RopeForward.cacheAt(call) + physical(load<u32>(token, 4), RopeForward.pagesAt(call), RopeForward.pageBits(call)) * 2 * KV * kept;
    for (let h: u32 = 0; h < heads; h++) {
      let inp = RopeForward.inpAt(call) + (t * heads + h) * bytes;
      const to = h < H ? RopeForward.queryAt(call) + (t * H + h) * bytes : row + (h - H) * kept;
      if (h < H + KV) {
        if (norm) {
          scaleHead(inp, RopeForward.gainsAt(call) + (h < H ? 0 : bytes), D, 1 / sqrt<f32>(dot(inp, inp, D) / <f32>D + eps));
          inp = scratch;
        }
        if (h < H || !int8) {
          rotate(inp, angle, D, 1, to);
          continue;
        }
        rotate(inp, angle, D, 1, scratch + bytes);
        inp = scratch + bytes;
      }
      if (int8) keepBytes(inp, D, to);
      else memory.copy(to, inp, bytes);
    }
  }
}

/** scratch = head * r * gain. */
function scaleHead(inp: usize, gain: usize, D: u32, r: f32): void {
  for (let d: u32 = 0; d < D; d++) store<f32>(scratch + (d << 2), load<f32>(inp + (d << 2)) * r * load<f32>(gain + (d << 2)));
}

/** Gradient of q | k | v before rotation and norm, and of the gains of each head. */
export function ropeBackward(call: usize, chunk: u32): void {
  const H = RopeBackward.H(call), KV = RopeBackward.KV(call), D = RopeBackward.D(call);
  const norm = RopeBackward.QK_NORM(call) != 0, eps = RopeBackward.EPS_F(call);
  const heads = H + 2 * KV;
  const bytes = D << 2;
  const end = least((chunk + 1) * TOKENS, RopeBackward.T(call));
  for (let t = chunk * TOKENS; t < end; t++) {
    const angle = RopeBackward.tablesAt(call) + load<u32>(RopeBackward.tokensAt(call) + (t << 5)) * bytes;
    for (let h: u32 = 0; h < heads; h++) {
      const at = (t * heads + h) * bytes;
      const to = RopeBackward.dinpAt(call) + at;
      const from = h < H ? RopeBackward.dqueryAt(call) + (t * H + h) * bytes : RopeBackward.dcacheAt(call) + (t * 2 * KV + h - H) * bytes;
      if (h >= H + KV) {
        memory.copy(to, from, bytes);
        continue;
      }
      rotate(from, angle, D, -1, to);
      if (norm) normBackward(RopeBackward.inpAt(call) + at, RopeBackward.gainsAt(call) + (h < H ? 0 : bytes), eps, D, to, RopeBackward.dgainAt(call) + (t * (H + KV) + h) * bytes);
    }
  }
}

/** Replaces the gradient `d` of a normalised head by that of its input; dgain = d xhat. */
function normBackward(inp: usize, gain: usize, eps: f32, D: u32, d: usize, dgain: usize): void {
  const r: f32 = 1 / sqrt<f32>(dot(inp, inp, D) / <f32>D + eps);
  let sum: f32 = 0;
  for (let i: u32 = 0; i < D; i++) {
    const at = i << 2;
    const xhat = load<f32>(inp + at) * r;
    const g = load<f32>(d + at);
    store<f32>(dgain + at, g * xhat);
    const scaled = g * load<f32>(gain + at);
    store<f32>(d + at, scaled);
    sum += scaled * xhat;
  }
  const mean = sum / <f32>D;
  for (let i: u32 = 0; i < D; i++) {
    const at = i << 2;
    store<f32>(d + at, r * (load<f32>(d + at) - load<f32>(inp + at) * r * mean));
  }
}
