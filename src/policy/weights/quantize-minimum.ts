/**
 * Codes, scale and minimum of one group of values: value = code * scale + minimum, with 16 or 256 equidistant levels.
 *
 * Levels spread evenly from the smallest to the largest value ignore where most values lie. So several other widths of
 * a step are tried as well. Each width gives codes; the codes give, in closed form, the scale and the minimum with the
 * least weighted squared error; and the pair with the smallest error after rounding to f16 is kept. Large values weigh
 * more, because they contribute more to a product (the idea of llama.cpp's K types; github.com/ggml-org/llama.cpp,
 * MIT).
 */
import { fromHalf, largestHalf, toHalf } from './half.ts';

/** Numbers of steps from the smallest to the largest value that are tried, relative to the number of levels less one. */
const stepChanges = { 4: [0, -1, -0.7, -0.4, 0.4, 0.8, 1.2], 8: [0] } as const;

export class MinimumPacker {
  /** Smallest and largest code. */
  private readonly lowest: number;
  private readonly highest: number;
  private readonly weights = new Float64Array(32);
  private codes = new Int32Array(32);
  private best = new Int32Array(32);
  /** 16 bits of the best scale and minimum. */
  private scale = 0;
  private minimum = 0;
  /** Weighted squared error of the best codes. */
  private error = 0;

  constructor(private readonly bits: 4 | 8) {
    [this.lowest, this.highest] = bits === 4 ? [0, 15] : [-128, 127];
  }

  /**
   * Packs at most 32 values: codes from word `codesAt` of `codes`, scale and minimum in the word `scaleAt` of `scales`.
   * Returns false if a value is not finite, or the scale or the minimum is too large for f16.
   */
  pack(values: Float32Array, codes: Uint32Array, codesAt: number, scales: Uint32Array, scaleAt: number): boolean {
    let [least, largest, squares] = [Infinity, -Infinity, 0];
    for (const x of values) {
      least = Math.min(least, x);
      largest = Math.max(largest, x);
      squares += x * x;
    }
    if (!(Math.max(Math.abs(least), Math.abs(largest), largest - least) <= largestHalf)) return false;
    const rms = Math.sqrt(squares / values.length);
    for (let k = 0; k < values.length; k++) this.weights[k] = rms + Math.abs(values[k]);
    this.error = Infinity;
    if (largest === least) this.keepEqual(least);
    else
      for (const change of stepChanges[this.bits]) {
        const step = (largest - least) / (this.highest - this.lowest + change);
        this.tryStep(values, step, least - this.lowest * step);
      }
    this.store(values.length, codes, codesAt);
    scales[scaleAt] = this.scale | (this.minimum << 16);
    return true;
  }

  /** Equal values: the minimum is the value. */
  private keepEqual(value: number): void {
    this.best.fill(0);
    this.scale = 0;
    this.minimum = toHalf(value);
  }

  /** Codes of a scale and minimum, then the best scale and minimum of these codes, then both as f16. */
  private tryStep(values: Float32Array, step: number, minimum: number): void {
    this.keepIfBetter(values, toHalf(step), toHalf(minimum));
    this.choose(values, step, minimum);
    const { weights, codes } = this;
    let [w, wc, wcc, wx, wcx] = [0, 0, 0, 0, 0];
    for (let k = 0; k < values.length; k++) {
      const [weight, code, x] = [weights[k], codes[k], values[k]];
      w += weight;
      wc += weight * code;
      wcc += weight * code * code;
      wx += weight * x;
      wcx += weight * code * x;
    }
    const determinant = w * wcc - wc * wc;
    if (determinant <= 0) return;
    const scale = (w * wcx - wc * wx) / determinant;
    this.keepIfBetter(values, toHalf(scale), toHalf((wx - scale * wc) / w));
  }

  /** Nearest codes of the values. */
  private choose(values: Float32Array, scale: number, minimum: number): void {
    const inverse = scale === 0 ? 0 : 1 / scale;
    const { codes, lowest, highest } = this;
    for (let k = 0; k < values.length; k++) {
      const code = Math.round((values[k] - minimum) * inverse);
      codes[k] = code < lowest ? lowest : code > highest ? highest : code;
    }
  }

  private keepIfBetter(values: Float32Array, scaleBits: number, minimumBits: number): void {
    const [scale, minimum] = [fromHalf(scaleBits), fromHalf(minimumBits)];
    if (!(Math.abs(scale) <= largestHalf && Math.abs(minimum) <= largestHalf)) return;
    this.choose(values, scale, minimum);
    let error = 0;
    for (let k = 0; k < values.length; k++) {
      const difference = this.codes[k] * scale + minimum - values[k];
      error += this.weights[k] * difference * difference;
    }
    if (error >= this.error) return;
    [this.error, this.scale, this.minimum] = [error, scaleBits, minimumBits];
    [this.codes, this.best] = [this.best, this.codes];
  }

  private store(count: number, codes: Uint32Array, codesAt: number): void {
    const { bits, best } = this;
    const each = 32 / bits;
    for (let w = 0; w < bits; w++) {
      let packed = 0;
      for (let i = 0; i < each; i++) {
        const k = w * each + i;
        if (k < count) packed |= (best[k] & (bits === 4 ? 15 : 255)) << (bits * i);
      }
      codes[codesAt + w] = packed;
    }
  }
}
