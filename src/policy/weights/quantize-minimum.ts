/**
 * Codes, scale and minimum of one group of values: value = code * scale + minimum, with 16 or 256 equidistant levels.
 *
 * Levels spread evenly from the smallest to the largest value ignore where most values lie. So several other widths of
 * a step are tried as well. Each width gives codes; the codes give, in closed form, the scale and the minimum with the
 * least weighted squared error; and the pair with the smallest error after rounding to f16 is kept. Large values weigh
 * more, because they contribute more to a product (the idea of llama.cpp's K types; github.com/ggml-org/llama.cpp,
 * MIT).
 *
 * kernels-wasm/packing.ts does the same for 4 bits, with the same bits, about nine times as fast (packing-kernel.ts; docs/quantisation.md).
 */
import { fromHalf, largestHalf, toHalf } from './half.ts';

/** Numbers of steps from the smallest to the largest value that are tried, relative to the number of levels less one. */
const stepChanges = { 4: [0, -1, -0.7, -0.4, 0.4, 0.8, 1.2], 8: [0] } as const;

/** Largest number below a half: the only one that floor(x + 0.5) rounds differently from Math.round. */
const underHalf = 0.49999999999999994;

/** Nearest code, halves up. Math.round of the clamped value, without its branch, which processors predict badly. */
function nearest(value: number, lowest: number, highest: number): number {
  const clamped = Math.min(Math.max(value, lowest), highest);
  return clamped === underHalf ? 0 : Math.floor(clamped + 0.5);
}

const isFinite16 = (half: number) => (half & 0x7c00) !== 0x7c00;

export class MinimumPacker {
  /** Smallest and largest code. */
  private readonly lowest: number;
  private readonly highest: number;
  private readonly values = new Float64Array(32);
  private readonly weights = new Float64Array(32);
  private count = 0;
  /** Sums of the weights, and of the weights times the values. */
  private w = 0;
  private wx = 0;
  /** 16 bits of the best scale and minimum. */
  private scale = 0;
  private minimum = 0;
  /** Weighted squared error of the best codes. */
  private error = 0;

  constructor(private readonly bits: 4 | 8) {
    [this.lowest, this.highest] = bits === 4 ? [0, 15] : [-128, 127];
  }

  /**
   * Packs at most 32 values, [start, end) of `input`: codes from word `codesAt` of `codes`, scale and minimum in the
   * word `scaleAt` of `scales`. Returns false if a value is not finite, or the scale or the minimum is too large for
   * f16.
   */
  pack(
    input: Float32Array,
    start: number,
    end: number,
    codes: Uint32Array,
    codesAt: number,
    scales: Uint32Array,
    scaleAt: number,
  ): boolean {
    let [least, largest, squares] = [Infinity, -Infinity, 0];
    for (let k = start; k < end; k++) {
      const x = input[k];
      this.values[k - start] = x;
      least = Math.min(least, x);
      largest = Math.max(largest, x);
      squares += x * x;
    }
    if (!(Math.max(Math.abs(least), Math.abs(largest), largest - least) <= largestHalf)) return false;
    this.count = end - start;
    this.weigh(Math.sqrt(squares / this.count));
    if (largest === least) [this.scale, this.minimum] = [0, toHalf(least)];
    else this.tryWidths(least, largest - least);
    this.store(codes, codesAt);
    scales[scaleAt] = this.scale | (this.minimum << 16);
    return true;
  }

  private weigh(rms: number): void {
    const { values, weights, count } = this;
    let [w, wx] = [0, 0];
    for (let k = 0; k < count; k++) {
      const weight = rms + Math.abs(values[k]);
      weights[k] = weight;
      w += weight;
      wx += weight * values[k];
    }
    [this.w, this.wx] = [w, wx];
  }

  private tryWidths(least: number, spread: number): void {
    this.error = Infinity;
    for (const change of stepChanges[this.bits]) {
      const step = spread / (this.highest - this.lowest + change);
      this.tryStep(step, least - this.lowest * step);
    }
  }

  /** Codes of a scale and minimum, then the best scale and minimum of these codes, both as f16. */
  private tryStep(step: number, minimum: number): void {
    const { values, weights, lowest, highest, count, w, wx } = this;
    const inverse = 1 / step;
    let [wc, wcc, wcx] = [0, 0, 0];
    for (let k = 0; k < count; k++) {
      const code = nearest((values[k] - minimum) * inverse, lowest, highest);
      const weighted = weights[k] * code;
      wc += weighted;
      wcc += weighted * code;
      wcx += weighted * values[k];
    }
    this.keepIfBetter(toHalf(step), toHalf(minimum));
    const determinant = w * wcc - wc * wc;
    if (determinant <= 0) return;
    const scale = (w * wcx - wc * wx) / determinant;
    this.keepIfBetter(toHalf(scale), toHalf((wx - scale * wc) / w));
  }

  private keepIfBetter(scaleBits: number, minimumBits: number): void {
    if (!(isFinite16(scaleBits) && isFinite16(minimumBits))) return;
    const { values, weights, lowest, highest, count } = this;
    const [scale, minimum] = [fromHalf(scaleBits), fromHalf(minimumBits)];
    const inverse = scale === 0 ? 0 : 1 / scale;
    let error = 0;
    for (let k = 0; k < count; k++) {
      const code = nearest((values[k] - minimum) * inverse, lowest, highest);
      const difference = code * scale + minimum - values[k];
      error += weights[k] * difference * difference;
    }
    if (error < this.error) [this.error, this.scale, this.minimum] = [error, scaleBits, minimumBits];
  }

  /** Writes the codes of the best scale and minimum. */
  private store(codes: Uint32Array, codesAt: number): void {
    const { bits, values, count, lowest, highest } = this;
    const [scale, minimum] = [fromHalf(this.scale), fromHalf(this.minimum)];
    const inverse = scale === 0 ? 0 : 1 / scale;
    const each = 32 / bits;
    for (let w = 0; w < bits; w++) {
      let packed = 0;
      for (let i = 0; i < each; i++) {
        const k = w * each + i;
        const code = k < count ? nearest((values[k] - minimum) * inverse, lowest, highest) : 0;
        packed |= (code & (bits === 4 ? 15 : 255)) << (bits * i);
      }
      codes[codesAt + w] = packed;
    }
  }
}
