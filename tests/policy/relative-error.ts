/** Largest difference of two arrays, relative to the largest value of the second. */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [worst, scale] = [0, 0];
  for (let i = 0; i < b.length; i++) {
    worst = Math.max(worst, Math.abs(a[i] - b[i]));
    scale = Math.max(scale, Math.abs(b[i]));
  }
  return worst / scale;
}
