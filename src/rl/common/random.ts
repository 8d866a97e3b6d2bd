/**
 * Counter-based random numbers: each is a pure function of its keys, so any step can be repeated alone and nothing
 * needs to be saved. The GPU's sampler has its own; these draw tasks and play chance.
 */

/** Hash of no keys. */
export const hashStart = 0x9e3779b9;

/** Adds a key to a hash. */
export function hashOnto(state: number, key: number): number {
  let h = Math.imul(state ^ (key >>> 0), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) + 0x9e3779b9;
}

/** Final hash of all added keys. */
export function hashed(state: number): number {
  let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 32-bit mix of the keys (murmur3's finaliser over each key in turn). */
export function hash(...keys: number[]): number {
  let state = hashStart;
  for (const key of keys) state = hashOnto(state, key);
  return hashed(state);
}

/** Uniform in [0, 1). */
export function uniform(...keys: number[]): number {
  return hash(...keys) / 2 ** 32;
}

/** Uniform in 0 .. n-1. The bias of the product is below n / 2^32. */
export function below(n: number, ...keys: number[]): number {
  return Math.floor(uniform(...keys) * n);
}

/** Permutation of 0 .. n-1 (Fisher and Yates). */
export function permutation(n: number, ...keys: number[]): Int32Array {
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = below(i + 1, ...keys, i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
