// The setting for the memory of kept activations: its effect on the plan of a run, and the advice to lower it first.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import { type Adapted, changeOf, planAdapted } from '../../src/session/policies/adapted-plan.ts';

const given = JSON.parse(readFileSync('experiments/textcraft-qwen-0.5b.json', 'utf8'));

it('more layers keep their activations in more memory, as planned', () => {
  const config = configOf(findModel('qwen2.5-0.5b'));
  const blockBytes = 2 ** 31;
  const of = (keptMiB: number) => parseExperiment({ ...given, policy: { ...given.policy, keptMiB } }) as Adapted;
  const plan = (keptMiB: number) => planAdapted(of(keptMiB), config, undefined, { blockBytes });
  const kept = (keptMiB: number) => plan(keptMiB).filter(({ name }) => name.startsWith('gateUp.')).length;
  expect([0, 2 ** 16].map(kept)).toEqual([0, 23]);
  expect(kept(1024)).toBeGreaterThan(0);
  expect(totalBytes(plan(1024)) - totalBytes(plan(0))).toBeLessThanOrEqual(2 ** 30);
  // Before anything that changes the numbers.
  const change = changeOf(of(2 ** 16), config, blockBytes, { totalBytes: totalBytes(plan(2 ** 16)) - 1 });
  expect(change).toMatch(/^policy\.keptMiB \d+$/);
});
