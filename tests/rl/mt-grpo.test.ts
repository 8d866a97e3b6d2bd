// MT-GRPO's credit of single turns, and the effect of a turn discount on it.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { CreditInput } from '../../src/rl/algorithms/algorithm.ts';
import { AlgorithmSchema, algorithmOf } from '../../src/rl/algorithms/registry.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';

/** One trained token per turn; scores are cumulative, as worlds report them. */
function inputOf(scores: readonly (readonly number[])[]): CreditInput {
  const trajectories = scores.map((turns): Trajectory => {
    const made = aTrajectory(3).turns[0] ?? aTrajectory(1).turns[0];
    return { ...aTrajectory(1), turns: turns.map((reward) => ({ ...made, reward, valid: true })) };
  });
  const offsets = Int32Array.from([0, ...scores.map((_, b) => scores.slice(0, b + 1).flat().length)]);
  const turn = Int32Array.from(scores.flatMap((turns) => turns.map((_, k) => k)));
  const group = new Int32Array(scores.length);
  return { trajectories, returns: scores.map((turns) => turns.at(-1)!), rows: { offsets, turn, group } };
}

function creditOf(scores: readonly (readonly number[])[], turnDiscount?: number): number[] {
  const settings = v.parse(AlgorithmSchema, { name: 'mt-grpo', groups: 1, groupSize: scores.length, turnDiscount });
  return [...algorithmOf(settings).credit!(inputOf(scores), settings as never).advantages];
}

/** (value - mean) / (unbiased standard deviation + TRL's epsilon). */
function compared(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return values.map((value) => (value - mean) / (Math.sqrt(variance) + 1e-4));
}

describe('the credit of a turn', () => {
  const scores = [
    [0.1, 0.3, 1],
    [0.2, 0.2, 0.2],
    [0, 0.3, 0.4],
  ];
  const outcome = compared(scores.map((turns) => turns[2]));
  const earned = scores.map((turns) => turns.map((score, k) => score - (k ? turns[k - 1] : 0)));

  it.each([0, 0.5, 1])('is its own reward and %d of the next turn’s value, beside the outcome', (gamma) => {
    const worth = earned.map(([a, b, c]) => [a + gamma * (b + gamma * c), b + gamma * c, c]);
    const turns = [0, 1, 2].map((k) => compared(worth.map((row) => row[k])));
    const expected = scores.flatMap((_, b) => [0, 1, 2].map((k) => outcome[b] + turns[k][b]));
    creditOf(scores, gamma).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 8);
    });
  });
  it('counts all later rewards by default', () => {
    expect(creditOf(scores)).toEqual(creditOf(scores, 1));
  });
});
