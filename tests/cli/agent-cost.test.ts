/** Training cost on a shipped agent's card, also for a run that forked from an agent with thinned records. */
import { expect, it } from 'vitest';
import { costOf } from '../../src/cli/agents/ship.ts';
import { thinned } from '../../src/library/node/packed-run.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { RunSummary } from '../../src/session/protocol.ts';

const run = { step: 1000 } as RunSummary;
const records = (last: number, first = 1): StepRecord[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({
    step: first + i,
    stage: 8,
    metrics: { flops: 2e9, stepMs: 36, episodes: 128 },
  }));

it('counts every step, whether or not its record was kept', () => {
  const whole = costOf(records(1000), run, 'processor');
  expect(whole).toMatchObject({ steps: 1000, flops: 2e12, hours: 0.01, episodes: 128_000 });
  const shipped = thinned(records(700));
  expect(shipped.length).toBeLessThan(300);
  expect(costOf([...shipped, ...records(1000, 701)], run, 'processor')).toEqual(whole);
});

it('counts demonstrations as episodes, and ignores an evaluation before the first step', () => {
  const before = { step: 0, stage: 8, metrics: { stepMs: 1e9 } };
  const [first, ...others] = records(3);
  const imitation = { ...first, metrics: { flops: 1e9, stepMs: 36, demonstrations: 24 } };
  expect(costOf([before, imitation, ...others], run, 'processor')).toMatchObject({ flops: 5e9, episodes: 24 + 256 });
});
