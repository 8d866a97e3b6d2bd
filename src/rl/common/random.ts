/**
 * Random numbers by counter: each is a pure function of its keys, so any step can be replayed alone and nothing needs to be
 * saved. The GPU's sampler has its own; these choose tasks and play chance.
 */

/** Where a hash of no keys stands. */
export const hashStart = 0x9e3779b9;

/** One key more. */
export function hashOnto(state: number, key: number): number {
  let h = Math.imul(state ^ (key >>> 0), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) + 0x9e3779b9;
}

/** The hash of the keys that came. */
export function hashed(state: number): number {
  let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit mix of the keys (murmur3's finaliser over each key in turn). */
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

/** A permutation of 0 .. n-1 (Fisher and Yates). */
export function permutation(n: number, ...keys: number[]): Int32Array {
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = below(i + 1, ...keys, i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
