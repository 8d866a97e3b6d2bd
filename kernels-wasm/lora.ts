/** Second product of a low-rank adapter and its two backward products. shaders/lora.wgsl explains the scalars. */
import { Lora, LoraUp, LoraUpBackward, LoraUpBackwardWeight } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
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

/** out[t, column(n)] += scale * mid[t, part] · B[n]. */
export function loraUp(call: usize, chunk: u32): void {
  const T = LoraUp.T(call), rank = LoraUp.rank(call), width = LoraUp.width(call), stride = LoraUp.stride(call), scale = LoraUp.scale(call);
  const parts = width / rank;
  const end = least((chunk + 1) * TOKENS, T);
  for (let part: u32 = 0; part < parts; part++) {
    const last = endOf(call, part);
    for (let n = startOf(call, part); n < last; n++) {
      const b = LoraUp.BAt(call) + ((n * rank) << 2);
      let out = LoraUp.outAt(call) + ((chunk * TOKENS * stride + n + shiftOf(call, part)) << 2);
      let mid = LoraUp.midAt(call) + ((chunk * TOKENS * width + part * rank) << 2);
      for (let t = chunk * TOKENS; t < end; t++) {
        store<f32>(out, load<f32>(out) + scale * dot(mid, b, rank));
        out += stride << 2;
        mid += width << 2;
      }
    }
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
