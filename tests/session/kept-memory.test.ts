// The setting for the memory of kept activations: its effect on the plan of a run, the advice to lower it first, and
// fewer layers where it is not set and memory is short.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { PlannedBuffer } from '../../src/policy/plan/planned-buffer.ts';
import { type Adapted, changeOf, planAdapted } from '../../src/session/policies/adapted-plan.ts';

const given = JSON.parse(readFileSync('experiments/textcraft-qwen-0.5b.json', 'utf8'));

const config = configOf(findModel('qwen2.5-0.5b'));
const blockBytes = 2 ** 31;
const of = (keptMiB: number | null) => parseExperiment({ ...given, policy: { ...given.policy, keptMiB } }) as Adapted;
const keptIn = (plan: readonly PlannedBuffer[]) => plan.filter(({ name }) => name.startsWith('normed.')).length;

it('more layers keep their activations in more memory, as planned', () => {
  const plan = (keptMiB: number) => planAdapted(of(keptMiB), config, undefined, { blockBytes });
  const kept = (keptMiB: number) => keptIn(plan(keptMiB));
  expect([0, 2 ** 16].map(kept)).toEqual([0, 23]);
  expect(kept(1024)).toBeGreaterThan(0);
  expect(totalBytes(plan(1024)) - totalBytes(plan(0))).toBeLessThanOrEqual(2 ** 30);
  // On a binding of 128 MiB, which the gates and ups of a batch exceed, too.
  expect(keptIn(planAdapted(of(1024), config))).toBe(kept(1024));
  // Before anything that changes the numbers.
  const change = changeOf(of(2 ** 16), config, blockBytes, { totalBytes: totalBytes(plan(2 ** 16)) - 1 });
  expect(change).toMatch(/^policy\.keptMiB \d+$/);
});

it('keeps fewer layers where it is not set and the default does not fit; a set number is refused', () => {
  const short = { ...given.sampling, promptTokens: 64, completionTokens: 32 };
  const single = { ...given, sampling: short, algorithm: { ...given.algorithm, groups: 1, groupSize: 2 } };
  const small = (keptMiB: number | null) =>
    parseExperiment({ ...single, policy: { ...given.policy, keptMiB } }) as Adapted;
  const plan = (keptMiB: number | null, mostBytes?: number) =>
    planAdapted(small(keptMiB), config, undefined, { blockBytes, mostBytes });
  const most = keptIn(plan(null));
  expect(most).toBe(keptIn(plan(128)));
  expect(most).toBeGreaterThan(1);
  const room = totalBytes(plan(null)) - 1;
  expect(keptIn(plan(null, room))).toBe(most - 1);
  expect(totalBytes(plan(null, room))).toBeLessThanOrEqual(room);
  expect(plan(null, totalBytes(plan(0)))).toEqual(plan(0));
  expect(keptIn(plan(128, room))).toBe(most);
  expect(changeOf(small(null), config, blockBytes, { totalBytes: room })).toBe('');
  expect(changeOf(small(128), config, blockBytes, { totalBytes: room })).toBe('policy.keptMiB 64');
});
