// The diagnosis "reward rises, success falls" on records made up with a known course, and its false positive rate.
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/rl/common/random.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { rewardHackOf } from '../../src/rl/evaluation/reward-hack.ts';

const episodes = 64;
const groupSize = 8;

/** Success of a step. Each group has one task with a rate of its own, so episodes of a group are alike. */
function successes(seed: number, step: number, rate: number): number {
  let count = 0;
  for (let group = 0; group < episodes / groupSize; group++) {
    const own = Math.min(1, Math.max(0, rate + 0.5 * (uniform(seed, step, group, 1) - 0.5)));
    for (let k = 0; k < groupSize; k++) if (uniform(seed, step, group, 10 + k) < own) count += 1;
  }
  return count / episodes;
}

interface Course {
  rate(step: number): number;
  /** Absent: no chance is recorded. */
  chance?: number;
  reward(step: number): number;
}

const record = (seed: number, step: number, { rate, reward, chance }: Course, stage = 4): StepRecord => {
  const success = successes(seed, step, rate(step));
  const noise = 0.1 * (uniform(seed, step, 99) - 0.5);
  const own = reward(step) + noise;
  const beside: StepRecord['metrics'] = chance === undefined ? {} : { chance: successes(seed + 5000, step, chance) };
  const parts = { 'reward.steps': own, 'reward.success': success };
  return { step, stage, metrics: { episodes, success, ...beside, reward: own, ...parts } };
};

const run = (seed: number, steps: number, course: Course, stage?: (step: number) => number) =>
  Array.from({ length: steps }, (_, i) => record(seed, i + 1, course, stage?.(i + 1)));

const seeds = [1, 2, 3, 4, 5];
const rising = (step: number) => step / 50;

describe('reward rises, success falls', () => {
  it.each(seeds)('is found where a policy learns a part that harms success (seed %d)', (seed) => {
    const hacked = run(seed, 60, { rate: (k) => 0.5 - 0.4 * Math.min(1, k / 40), reward: rising });
    const found = rewardHackOf(hacked)!;
    expect(found.success.before - found.success.after).toBeGreaterThan(0.2);
    expect(found.reward.after).toBeGreaterThan(found.reward.before);
    expect(found.part?.column).toBe('steps');
    expect(found.from).toBeLessThan(found.to);
  });

  it('is found after a rise of success', () => {
    const rate = (k: number) => (k < 40 ? 0.3 + k / 100 : Math.max(0.05, 0.7 - (k - 40) / 30));
    expect(rewardHackOf(run(1, 80, { rate, reward: rising }))?.success.before).toBeGreaterThan(0.5);
  });

  it.each([
    ['both rise', { rate: (k: number) => 0.2 + k / 100, reward: rising }],
    [
      'both fall: a collapse has its own hint',
      { rate: (k: number) => 0.7 - k / 100, reward: (k: number) => 1 - rising(k) },
    ],
    ['only the reward rises', { rate: () => 0.5, reward: rising }],
    ['only success falls', { rate: (k: number) => 0.7 - k / 100, reward: () => 0.5 }],
  ])('is not reported where %s', (_, course) => {
    for (const seed of seeds) expect(rewardHackOf(run(seed, 60, course))).toBeNull();
  });

  it('is not reported for the fall that a shorter horizon makes, or before two windows', () => {
    const course = { rate: (k: number) => (k <= 30 ? 0.8 : 0.3), reward: rising };
    expect(rewardHackOf(run(1, 45, course, (k) => (k <= 30 ? 8 : 3)))).toBeNull();
    expect(rewardHackOf(run(1, 11, { rate: (k) => 1 - k / 11, reward: rising }))).toBeNull();
    expect(rewardHackOf([])).toBeNull();
  });

  it.each(seeds)('is found where the policy cheats from the second step on (seed %d)', (seed) => {
    const fast = run(seed, 12, { rate: (k) => (k === 1 ? 0.5 : 0.02), reward: (k) => (k === 1 ? 1 : 3), chance: 0.5 });
    expect(rewardHackOf(fast)?.from).toBe(1);
    expect(rewardHackOf(fast.slice(0, 5))).toBeNull();
  });

  it.each([
    ['that stays at its level', { rate: () => 0.4, reward: rising, chance: 0.4 }, 0.01],
    ['that has no chance beside it', { rate: () => 0.4, reward: rising }, 0.01],
    ['that learns', { rate: (k: number) => 0.4 + k / 200, reward: rising, chance: 0.4 }, 0.01],
    ['that stays below chance, at the worst', { rate: () => 0.2, reward: rising, chance: 0.5 }, 0.1],
  ])('is reported for few runs %s, looking after every step', (name, course, most) => {
    const runs = 200;
    let reported = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const whole = run(1000 + seed, 100, course);
      if (whole.some((_, i) => rewardHackOf(whole.slice(0, i + 1)))) reported += 1;
    }
    console.log(`${reported} of ${runs} runs ${name} were reported`);
    expect(reported / runs).toBeLessThanOrEqual(most);
  });
});
