/** Second product of a low-rank adapter and its two backward products. shaders/lora.wgsl explains the scalars. */
import { Lora, LoraUp, LoraUpBackward, LoraUpBackwardWeight } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { packAcross } from './gemm';
import { addScaled, dot } from './math';

const TOKENS: u32 = 32;

/** The rows of B that belong to a part are [startOf, endOf); shiftOf added to a row gives its output column. */
// @ts-ignore: decorator
@inline
function startOf(call: usize, part: u32): u32 { return part == 0 ? 0 : part == 1 ? Lora.end0(call) : Lora.end1(call); }
// @ts-ignore: decorator
@inline
function endOf(call: usize, part: u32): u32 { return part == 0 ? Lora.end0(call) : part == 1 ? Lora.end1(call) : Lora.N(call); }
// @ts-ignore: decorator
@inline
function shiftOf(call: usize, part: u32): u32 { return part == 0 ? Lora.shift0(call) : part == 1 ? Lora.shift1(call) : Lora.shift2(call); }

export function tokenChunks(T: u32): i32 { return ceilDiv(T, TOKENS); }

/** Rows of B of a chunk of `loraUp`. */
const OUTPUTS: u32 = 256;
export function upChunks(T: u32, N: u32): i32 { return ceilDiv(T, TOKENS) * ceilDiv(N, OUTPUTS); }

/** out[t, column(n)] += scale * mid[t, part] · B[n]. */
export function loraUp(call: usize, chunk: u32): void {
  const T = LoraUp.T(call), N = LoraUp.N(call), rank = LoraUp.rank(call), width = LoraUp.width(call), stride = LoraUp.stride(call);
  const scale = LoraUp.scale(call), parts = width / rank, across = ceilDiv(N, OUTPUTS);
  const t = chunk / across * TOKENS, begin = chunk % across * OUTPUTS;
  const tokens = least(TOKENS, T - t);
  // Packing eight rows of B costs about as much as their products with three tokens.
  const packs = tokens > 3 && rank % 8 == 0;
  for (let part: u32 = 0; part < parts; part++) {
    const last = least(endOf(call, part), begin + OUTPUTS);
    let n = startOf(call, part) > begin ? startOf(call, part) : begin;
    const mid = LoraUp.midAt(call) + ((t * width + part * rank) << 2);
    for (; n < last; ) {
      const b = LoraUp.BAt(call) + ((n * rank) << 2);
      const out = LoraUp.outAt(call) + ((t * stride + n + shiftOf(call, part)) << 2);
      const eight = packs && n + 8 <= last;
      if (eight) upEight(mid, b, out, tokens, rank, width, stride, scale);
      else for (let i: u32 = 0; i < tokens; i++) {
        const to = out + ((i * stride) << 2);
        store<f32>(to, load<f32>(to) + scale * dot(mid + ((i * width) << 2), b, rank));
      }
      n += eight ? 8 : 1;
    }
  }
}

/** Products of tokens with eight rows of B, added in the order of `dot`. The rank is a multiple of 8. */
function upEight(mid: usize, b: usize, out: usize, tokens: u32, rank: u32, width: u32, stride: u32, scale: f32): void {
  packAcross(b, rank << 2, 8, rank, scratch);
  const scale4 = f32x4.splat(scale);
  for (let i: u32 = 0; i < tokens; i++) {
    for (let half: usize = 0; half < 32; half += 16) {
      let s0: v128, s1: v128, s2: v128, s3: v128, s4: v128, s5: v128, s6: v128, s7: v128;
      s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = f32x4.splat(0);
      let a = mid, from = scratch + half;
      const end = mid + (rank << 2);
      while (a < end) {
        s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a), v128.load(from)));
        s1 = f32x4.add(s1, f32x4.mul(v128.load32_splat(a, 4), v128.load(from, 32)));
        s2 = f32x4.add(s2, f32x4.mul(v128.load32_splat(a, 8), v128.load(from, 64)));
        s3 = f32x4.add(s3, f32x4.mul(v128.load32_splat(a, 12), v128.load(from, 96)));
        s4 = f32x4.add(s4, f32x4.mul(v128.load32_splat(a, 16), v128.load(from, 128)));
        s5 = f32x4.add(s5, f32x4.mul(v128.load32_splat(a, 20), v128.load(from, 160)));
        s6 = f32x4.add(s6, f32x4.mul(v128.load32_splat(a, 24), v128.load(from, 192)));
        s7 = f32x4.add(s7, f32x4.mul(v128.load32_splat(a, 28), v128.load(from, 224)));
        a += 32;
        from += 256;
      }
      s0 = f32x4.add(s0, s4); s1 = f32x4.add(s1, s5); s2 = f32x4.add(s2, s6); s3 = f32x4.add(s3, s7);
      const product = f32x4.add(f32x4.add(s0, s2), f32x4.add(s1, s3));
      v128.store(out + half, f32x4.add(v128.load(out + half), f32x4.mul(scale4, product)));
    }
    mid += width << 2;
    out += stride << 2;
  }
}

/** dmid[t] = scale * sum over the rows n of dout[t, column(n)] B[n]. */
export function loraUpBackward(call: usize, chunk: u32): void {
  const T = LoraUpBackward.T(call), rank = LoraUpBackward.rank(call), width = LoraUpBackward.width(call), stride = LoraUpBackward.stride(call), scale = LoraUpBackward.scale(call);
  const parts = width / rank;
  const end = least((chunk + 1) * TOKENS, T);
  for (let t = chunk * TOKENS; t < end; t++) {
    for (let part: u32 = 0; part < parts; part++) {
      const to = LoraUpBackward.dmidAt(call) + ((t * width + part * rank) << 2);
      memory.fill(to, 0, rank << 2);
      const last = endOf(call, part);
      const dout = LoraUpBackward.doutAt(call) + ((t * stride + shiftOf(call, part)) << 2);
      for (let n = startOf(call, part); n < last; n++)
        addScaled(to, LoraUpBackward.BAt(call) + ((n * rank) << 2), scale * load<f32>(dout + (n << 2)), rank);
    }
  }
}

const ROWS: u32 = 32;
export function weightChunks(T: u32, N: u32, chunk: u32): i32 { return ceilDiv(T, chunk) * ceilDiv(N, ROWS); }
/** partials[s, n] = scale * sum over the tokens t of chunk s of dout[t, column(n)] mid[t, part]. */
export function loraUpBackwardWeight(call: usize, chunk: u32): void {
  const T = LoraUpBackwardWeight.T(call), N = LoraUpBackwardWeight.N(call), rank = LoraUpBackwardWeight.rank(call), width = LoraUpBackwardWeight.width(call), stride = LoraUpBackwardWeight.stride(call);
  const scale = LoraUpBackwardWeight.scale(call), each = LoraUpBackwardWeight.chunk(call);
  const across = ceilDiv(N, ROWS);
  const s = chunk / across;
  const end = least((s + 1) * each, T);
  const lastRow = least((chunk % across + 1) * ROWS, N);
  for (let n = chunk % across * ROWS; n < lastRow; n++) {
    const part: u32 = (n >= LoraUpBackwardWeight.end0(call) ? 1 : 0) + (n >= LoraUpBackwardWeight.end1(call) ? 1 : 0);
    memory.fill(scratch, 0, rank << 2);
    for (let t = s * each; t < end; t++)
      addScaled(scratch, LoraUpBackwardWeight.midAt(call) + ((t * width + part * rank) << 2), load<f32>(LoraUpBackwardWeight.doutAt(call) + ((t * stride + n + shiftOf(call, part)) << 2)), rank);
    const to = LoraUpBackwardWeight.partialsAt(call) + (((s * N + n) * rank) << 2);
    for (let j: u32 = 0; j < rank; j++) store<f32>(to + (j << 2), scale * load<f32>(scratch + (j << 2)));
  }
}
