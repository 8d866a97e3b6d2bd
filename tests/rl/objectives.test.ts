// The objective's gradients, compared with central differences of its own loss away from the kinks, and the laws of its
// clips.
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/rl/common/random.ts';
import { type ClippedSettings, Flag } from '../../src/rl/objective/clipped.ts';
import { klEstimators, klTerm } from '../../src/rl/objective/kl.ts';
import { clippedPolicyTerm, clippedTerm } from './on-rows.ts';

const settings: ClippedSettings = {
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: 3,
  ratioCap: null,
  klEstimator: 'k3',
  klCoefficient: 0.3,
  klClamp: true,
  entropyCoefficient: 0.05,
};

const step = 1e-6;
const slope = (f: (x: number) => number, x: number) => (f(x + step) - f(x - step)) / (2 * step);

/** Ratios at which a branch changes; a difference across one is not a derivative. */
const kinks = [1 - 0.2, 1 + 0.28, 3];

describe('the clipped objective', () => {
  it.each(['k1', 'abs', 'k2', 'k3'] as const)('has the gradient of its loss, with %s', (klEstimator) => {
    let tested = 0;
    for (let i = 0; i < 500; i++) {
      const logprob = -4 * uniform(1, i);
      const column = {
        oldLogprob: logprob + 3 * (uniform(2, i) - 0.5),
        refLogprob: logprob + 6 * (uniform(3, i) - 0.5),
        advantage: 4 * (uniform(4, i) - 0.5),
        coefficient: uniform(5, i),
      };
      const ratio = Math.exp(logprob - column.oldLogprob);
      if (kinks.some((kink) => Math.abs(ratio - kink) < 1e-4)) continue;
      const own = { ...settings, klEstimator };
      const term = clippedTerm(logprob, 1.5, column, own);
      expect(term.weight).toBeCloseTo(
        slope((x) => clippedTerm(x, 1.5, column, own).loss, logprob),
        5,
      );
      expect(term.entropyWeight).toBeCloseTo(
        slope((h) => clippedTerm(logprob, h, column, own).loss, 1.5),
        6,
      );
      tested += 1;
    }
    expect(tested).toBeGreaterThan(450);
  });

  it('equals the policy gradient at the sampling policy: weight -A, nothing clipped', () => {
    for (const advantage of [-1.5, 0, 2]) {
      const term = clippedPolicyTerm(-1, -1, advantage, settings);
      expect(term).toMatchObject({ ratio: 1, flags: 0 });
      expect(term.weight).toBeCloseTo(-advantage, 12);
    }
  });

  it('stops beyond a clip only if the advantage would push further', () => {
    const at = (ratio: number, advantage: number) => clippedPolicyTerm(Math.log(ratio), 0, advantage, settings);
    expect(at(1.4, 1)).toMatchObject({ weight: 0, flags: Flag.clippedHigh });
    expect(at(0.6, -1)).toMatchObject({ weight: 0, flags: Flag.clippedLow });
    expect(at(1.4, -1)).toMatchObject({ flags: 0 });
    expect(at(0.6, 1).weight).toBeCloseTo(-0.6, 12);
    // Clip-higher: the upper bound is set separately.
    expect(at(1.25, 1).weight).toBeCloseTo(-1.25, 12);
  });

  it('bounds the loss of a bad action that became likely', () => {
    const at = (dualClip: number | null) => clippedPolicyTerm(Math.log(8), 0, -2, { ...settings, dualClip });
    expect(at(3)).toMatchObject({ loss: 6, weight: 0, flags: Flag.dualClipped });
    expect(at(null).loss).toBeCloseTo(16, 9);
    expect(at(null).flags).toBe(0);
  });

  it('stays finite at any difference', () => {
    for (const difference of [-500, -20.5, 20.5, 500]) {
      const column = { oldLogprob: -difference, refLogprob: difference, advantage: -1, coefficient: 1 };
      const { loss, weight } = clippedTerm(0, 0, column, { ...settings, dualClip: null });
      expect(Number.isFinite(loss) && Number.isFinite(weight)).toBe(true);
    }
  });
});

describe('KL estimators', () => {
  it('are zero, with zero gradient, at the reference (k1 and abs in value only)', () => {
    for (const estimator of klEstimators) expect(klTerm(-2, -2, estimator).value).toBeCloseTo(0, 15);
    for (const estimator of ['k2', 'k3', 'k1+', 'k3+'] as const)
      expect(klTerm(-2, -2, estimator).weight).toBeCloseTo(0, 12);
  });

  it('k1 and k3 average to the divergence over a distribution', () => {
    const [p, q] = [
      [0.5, 0.3, 0.2],
      [0.2, 0.2, 0.6],
    ];
    const exact = p.reduce((sum, value, i) => sum + value * Math.log(value / q[i]), 0);
    for (const estimator of ['k1', 'k3'] as const) {
      const mean = p.reduce(
        (sum, value, i) => sum + value * klTerm(Math.log(value), Math.log(q[i]), estimator).value,
        0,
      );
      expect(mean).toBeCloseTo(exact, 12);
    }
  });

  it('k+ has the value of k and the gradient of k2', () => {
    expect(klTerm(-1, -2, 'k3+')).toEqual({ value: klTerm(-1, -2, 'k3').value, weight: klTerm(-1, -2, 'k2').weight });
  });
});
