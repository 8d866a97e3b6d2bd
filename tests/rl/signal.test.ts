// Signal of a gradient: the estimates against a brute-force sum over different indices, and their means over many draws
// of a known distribution; the engine's gradient of parts, and training that is bit-identical with and without it.
import { describe, expect, it } from 'vitest';
import { normals } from '../../src/policy/weights/init.ts';
import { groupsToPointRight, meanMoments, momentsOf, productsOf, signalMetrics } from '../../src/rl/metrics/signal.ts';

/** Means over all tuples of different indices, by enumeration. */
function enumerated(K: number[][], groups: number) {
  const P = K.length;
  const sums = { square: 0, shared: 0, apart: 0, diagonal: 0 };
  const counts = { square: 0, shared: 0, apart: 0 };
  for (let i = 0; i < P; i++) {
    sums.diagonal += K[i][i] / P;
    for (let j = 0; j < P; j++) {
      if (j === i) continue;
      sums.square += K[i][j];
      counts.square++;
      for (let k = 0; k < P; k++) {
        if (k === i || k === j) continue;
        sums.shared += K[i][j] * K[i][k];
        counts.shared++;
        for (let l = 0; l < P; l++) {
          if (l === i || l === j || l === k) continue;
          sums.apart += K[i][j] * K[k][l];
          counts.apart++;
        }
      }
    }
  }
  const square = sums.square / counts.square;
  return {
    square,
    variance: groups * (sums.diagonal - square),
    along: groups * (sums.shared / counts.shared - sums.apart / counts.apart),
  };
}

/** Parts of a distribution with mean (2, 0, 0) and standard deviations 3, 1 and 0.5. */
function drawn(seed: number, parts: number): number[][] {
  const z = normals(3 * parts, seed, 'parts', 1);
  return Array.from({ length: parts }, (_, p) => [2 + 3 * z[3 * p], z[3 * p + 1], 0.5 * z[3 * p + 2]]);
}

describe('signal of a gradient', () => {
  it.each([4, 5, 8])('equals the sum over different indices for %i parts', (parts) => {
    const products = productsOf(drawn(7, parts));
    const [ours, slow] = [momentsOf(products, 3), enumerated(products, 3)];
    for (const name of ['square', 'variance', 'along'] as const) expect(ours[name]).toBeCloseTo(slow[name], 9);
  });

  it('has the known answer on average: |g|² 4, variance 2 × 10.25, along 2 × 4 × 9', () => {
    const draws = Array.from({ length: 40_000 }, (_, seed) => signalMetrics(momentsOf(productsOf(drawn(seed, 8)), 2)));
    const { square, variance, along, steps } = meanMoments(draws)!;
    expect(steps).toBe(40_000);
    expect(square).toBeGreaterThan(3.9);
    expect(square).toBeLessThan(4.1);
    expect(variance).toBeGreaterThan(20.2);
    expect(variance).toBeLessThan(20.8);
    expect(along).toBeGreaterThan(69);
    expect(along).toBeLessThan(75);
    // For nine in ten: 1.2816² times the variance along the mean (18 a group), divided by |g|² = 4.
    expect(groupsToPointRight({ square, variance, along })).toBeCloseTo((1.6424 * 18) / 4, 0);
  });

  it('gives no number of groups where the estimate of the mean is negative', () => {
    const moments = momentsOf(
      productsOf([
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ]),
      1,
    );
    expect(moments.square).toBeCloseTo(-1 / 3, 12);
    expect(signalMetrics(moments)).not.toHaveProperty('signalGroups');
    expect(meanMoments([{}])).toBeNull();
  });
});
