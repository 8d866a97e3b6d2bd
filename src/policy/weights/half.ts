/** 16-bit floating-point numbers, as their bits. */

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** Nearest f16 of an f32, ties to even, as its 16 bits. Too large a value becomes infinite. */
export function toHalf(value: number): number {
  float[0] = value;
  return narrowWord(word[0]);
}

/** `toHalf` of an f32 given as 32 bits. A NaN keeps its sign. */
export function narrowWord(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Adding 1/2 in f32 rounds to a multiple of 2^-24, the spacing of f16's subnormals.
    word[0] = magnitude;
    float[0] += 0.5;
    return sign | (word[0] - 0x3f000000);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

/** Value of an f16 given as 16 bits. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Largest finite f16. */
export const largestHalf = 65504;
