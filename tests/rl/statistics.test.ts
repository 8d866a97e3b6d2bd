// pass@k compared with enumeration, intervals with simulation, paired tests with a second implementation.
import { describe, expect, it } from 'vitest';
import { hash } from '../../src/rl/common/random.ts';
import { rateOf } from '../../src/rl/evaluation/evaluation.ts';
import {
  compare,
  mcNemar,
  meanEstimate,
  pairedBootstrap,
  passAtK,
  rateEstimate,
  studentQuantile,
} from '../../src/rl/evaluation/statistics.ts';

/** Uniform in [0, 1), the same on every machine. */
const uniform = (...key: number[]) => hash(0x73696d, ...key) / 2 ** 32;

describe('pass@k', () => {
  it('is the share of the subsets of k tries with a success', () => {
    for (let n = 1; n <= 8; n++)
      for (let c = 0; c <= n; c++)
        for (let k = 1; k <= n; k++) {
          let [hits, all] = [0, 0];
          for (let subset = 0; subset < 1 << n; subset++) {
            const size = subset.toString(2).replaceAll('0', '').length;
            if (size !== k) continue;
            all++;
            // The first c tries are the successes.
            if (subset & ((1 << c) - 1)) hits++;
          }
          expect(passAtK(n, c, k)).toBeCloseTo(hits / all, 12);
        }
  });

  it('is its closed form for large numbers, and unknown beyond the number of tries', () => {
    // 1 - C(56, 32) / C(64, 32), by products of ratios.
    let ratio = 1;
    for (let i = 0; i < 8; i++) ratio *= (32 - i) / (64 - i);
    expect(passAtK(64, 8, 32)).toBeCloseTo(1 - ratio, 12);
    expect(passAtK(4, 4, 5)).toBeNaN();
    expect(passAtK(4, 0, 4)).toBe(0);
  });
});

/** Share of simulated evaluations whose interval contains the true value. */
function coverage(simulations: number, simulate: (n: number) => { low: number; high: number }, truth: number): number {
  let held = 0;
  for (let n = 0; n < simulations; n++) {
    const { low, high } = simulate(n);
    if (low <= truth && truth <= high) held++;
  }
  return held / simulations;
}

describe('intervals', () => {
  it("with one try per item are Wilson's", () => {
    for (const [successes, items] of [
      [0, 20],
      [7, 50],
      [90, 90],
    ]) {
      const rates = Array.from({ length: items }, (_, i) => (i < successes ? 1 : 0));
      const { low, high } = rateOf(successes, items);
      const ours = rateEstimate(rates);
      expect(ours.low).toBeCloseTo(low, 12);
      expect(ours.high).toBeCloseTo(high, 12);
    }
  });

  it('contain the truth in 95% of simulated evaluations, within one point', { tags: 'slow' }, () => {
    // One try, averaged over many rates, since the coverage of a single rate jumps with the number of items (Brown, Cai
    // and DasGupta 2001).
    let single = 0;
    for (let p = 1; p < 20; p++) {
      const simulate = (n: number) =>
        rateEstimate(Array.from({ length: 100 }, (_, i) => (uniform(1, p, n, i) < p / 20 ? 1 : 0)));
      single += coverage(1000, simulate, p / 20) / 19;
    }
    expect(single).toBeGreaterThan(0.94);
    expect(single).toBeLessThan(0.96);
    // Eight tries each of 100 items whose own rates are spread evenly from 0.2 to 1: the mean is 0.6.
    const tries = (n: number) =>
      rateEstimate(
        Array.from({ length: 100 }, (_, i) => {
          const rate = 0.2 + 0.8 * uniform(2, n, i);
          return Array.from({ length: 8 }, (_, t) => Number(uniform(3, n, i, t) < rate)).reduce((a, b) => a + b) / 8;
        }),
      );
    expect(Math.abs(coverage(4000, tries, 0.6) - 0.95)).toBeLessThan(0.01);
    // Scores, the sum of twelve uniforms: normal except in the tails.
    const scores = (n: number) =>
      meanEstimate(
        Array.from({ length: 20 }, (_, i) =>
          Array.from({ length: 12 }, (_, t) => uniform(4, n, i, t)).reduce((a, b) => a + b),
        ),
      );
    expect(Math.abs(coverage(4000, scores, 6) - 0.95)).toBeLessThan(0.01);
  });

  it("quantiles of Student's t agree with the tables", () => {
    for (const [degrees, value] of [
      [3, 3.1824],
      [5, 2.5706],
      [10, 2.2281],
      [30, 2.0423],
      [120, 1.9799],
    ])
      expect(Math.abs(studentQuantile(degrees) / value - 1)).toBeLessThan(0.005);
  });
});

describe('paired tests', () => {
  it("McNemar's is the share of fair coins that split as unevenly", () => {
    for (let n = 0; n <= 12; n++)
      for (let ours = 0; ours <= n; ours++) {
        let extreme = 0;
        for (let coins = 0; coins < 1 << n; coins++) {
          const heads = coins.toString(2).replaceAll('0', '').length;
          if (Math.abs(heads - n / 2) >= Math.abs(ours - n / 2)) extreme++;
        }
        expect(mcNemar(ours, n - ours)).toBeCloseTo(extreme / 2 ** n, 12);
      }
    expect(mcNemar(500, 700)).toBeLessThan(1e-7);
  });

  it('the bootstrap agrees with the normal approximation in its range', () => {
    const differences = Array.from({ length: 400 }, (_, i) => uniform(5, i) - 0.45);
    const { mean, low, high } = meanEstimate(differences);
    const boot = pairedBootstrap(differences);
    expect(boot.low).toBeCloseTo(low, 2);
    expect(boot.high).toBeCloseTo(high, 2);
    expect(boot.p < 0.05).toBe(low > 0 || high < 0);
    expect(mean).toBeGreaterThan(boot.low);
  });

  it('chooses the test by the number of tries per item, and refuses different items', () => {
    expect(compare([1, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0])).toMatchObject({
      test: 'McNemar, exact',
      p: mcNemar(7, 0),
    });
    expect(compare([1, 0.5, 0.25], [1, 0.5, 0.25])).toMatchObject({
      test: 'paired bootstrap',
      p: 1,
      difference: { mean: 0 },
    });
    expect(() => compare([1], [1, 0])).toThrow('1 and 2');
  });
});
