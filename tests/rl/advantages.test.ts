import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { reinforcePp } from '../../src/rl/algorithms/reinforce-pp.ts';
import { aggregationModes, maskCoefficients, sequenceCoefficients } from '../../src/rl/common/aggregation.ts';
import { unbiasedStd } from '../../src/rl/common/numbers.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { groupAdvantages } from '../../src/rl/credit/groups.ts';

const returns = Array.from({ length: 24 }, (_, i) => Math.round(4 * uniform(11, i)) / 4);
const groupOf = returns.map((_, i) => Math.floor(i / 6));
const baselines = ['mean-std', 'mean', 'leave-one-out'] as const;

describe('group advantages', () => {
  it.each(baselines)('%s sums to zero in each group', (baseline) => {
    const { advantages } = groupAdvantages(returns, groupOf, { baseline, epsilon: 1e-6 });
    for (let g = 0; g < 4; g++) {
      const sum = advantages.filter((_, i) => groupOf[i] === g).reduce((total, value) => total + value, 0);
      expect(Math.abs(sum)).toBeLessThan(1e-9);
    }
  });

  it.each(baselines)('%s does not change when all returns of a group move together', (baseline) => {
    const options = { baseline, epsilon: 1e-6 };
    const moved = groupAdvantages(
      returns.map((value, i) => value + 3 * groupOf[i]),
      groupOf,
      options,
    );
    const plain = groupAdvantages(returns, groupOf, options);
    moved.advantages.forEach((value, i) => {
      expect(value).toBeCloseTo(plain.advantages[i], 9);
    });
  });

  it('do not change with the scale of the returns if divided by the spread, and grow with it otherwise', () => {
    const of = (baseline: 'mean-std' | 'mean', scale: number) =>
      groupAdvantages(
        returns.map((value) => scale * value),
        groupOf,
        { baseline, epsilon: 0 },
      ).advantages;
    of('mean-std', 10).forEach((value, i) => {
      expect(value).toBeCloseTo(of('mean-std', 1)[i], 9);
    });
    of('mean', 10).forEach((value, i) => {
      expect(value).toBeCloseTo(10 * of('mean', 1)[i], 9);
    });
  });

  it('leave-one-out compares with the mean of the others', () => {
    const { advantages } = groupAdvantages([1, 0, 0.5], [0, 0, 0], { baseline: 'leave-one-out', epsilon: 0 });
    expect(Array.from(advantages)).toEqual([1 - 0.25, 0 - 0.75, 0.5 - 0.5]);
  });

  it('divides by the unbiased standard deviation', () => {
    expect(unbiasedStd([0, 1])).toBeCloseTo(Math.SQRT1_2, 12);
    const { advantages } = groupAdvantages([0, 1], [5, 5], { baseline: 'mean-std', epsilon: 0 });
    expect(advantages[1]).toBeCloseTo(0.5 / Math.SQRT1_2, 12);
  });

  it('counts groups without signal, whose advantages are exactly 0', () => {
    const result = groupAdvantages([0.1, 0.1, 0.1, 0, 1, 1], [0, 0, 0, 1, 1, 1], {
      baseline: 'mean-std',
      epsilon: 1e-6,
    });
    expect(result).toMatchObject({ groups: 2, withoutSignal: 1 });
    expect(Array.from(result.advantages.subarray(0, 3))).toEqual([0, 0, 0]);
  });

  it('takes members in any order', () => {
    const result = groupAdvantages([1, 5, 0, 7], [0, 1, 0, 1], { baseline: 'mean', epsilon: 0 });
    expect(Array.from(result.advantages)).toEqual([0.5, -1, -0.5, 1]);
  });
});

describe('returns of each token, whitened over the step', () => {
  const settings = v.parse(reinforcePp.schema, { name: 'reinforce-pp', groups: 1, groupSize: 4 });
  const credit = (returns: readonly number[]) => {
    const rows = {
      offsets: Int32Array.from([0, ...returns], (_, i) => 2 * i),
      turn: new Int32Array(2 * returns.length),
      group: new Int32Array(returns.length),
    };
    return [
      ...reinforcePp.credit({ rows, returns: Float64Array.from(returns), trajectories: [] }, settings).advantages,
    ];
  };

  it('do not count a dropped episode, whose tokens get none', () => {
    const whole = credit([1, 0, 0.5]);
    expect(whole.every(Number.isFinite)).toBe(true);
    expect(credit([1, Number.NaN, 0, 0.5])).toEqual([...whole.slice(0, 2), 0, 0, ...whole.slice(2)]);
  });
});

describe('aggregation', () => {
  const mask = [1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0];

  it.each(aggregationModes)('%s ignores masked tokens and empty sequences', (mode) => {
    const coefficients = maskCoefficients(mask, 4, { mode });
    coefficients.forEach((value, i) => {
      if (mask[i]) expect(value).toBeGreaterThan(0);
      else expect(value).toBe(0);
    });
  });

  it('means sum to one', () => {
    for (const mode of ['token-mean', 'seq-mean-token-mean'] as const) {
      const total = maskCoefficients(mask, 4, { mode }).reduce((sum, value) => sum + value, 0);
      expect(total).toBeCloseTo(1, 6);
    }
  });

  it('divides by the given number instead of the counted one', () => {
    expect(sequenceCoefficients([3, 1], { mode: 'token-mean', batchTokens: 8 })[0]).toBe(1 / 8);
    expect(sequenceCoefficients([3, 1], { mode: 'seq-mean-token-sum', batchSequences: 4 })[0]).toBe(1 / 4);
    expect(sequenceCoefficients([3, 1], { mode: 'seq-mean-token-sum-norm', scaleFactor: 5 })[0]).toBe(1 / 10);
    expect(sequenceCoefficients([3, 1], { mode: 'seq-mean-token-sum-norm' })[0]).toBe(1 / 6);
  });
});
