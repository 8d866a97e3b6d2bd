// Settings of a run's memory: a fork may change them, and plans its memory anew.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { writePath } from '../../src/experiment/paths.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { forkRun } from '../../src/session/service/fork.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { trainOn } from './wasm-runs.ts';

const document = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const evaluation = { every: 1, episodes: 40 };
const micro = parseExperiment({
  ...document,
  steps: 3,
  evaluation,
  sampling: { ...document.sampling, maskActions: false },
});
const store = new RunStore(new MemoryStore());

const train = (id: string, steps: number) => trainOn(store, id, steps);

/** What a run computed: weights, and each step's metrics and evaluation, without times. */
async function resultOf(id: string) {
  const records = await store.records<StepRecord>(id);
  const evaluations = records.map(({ evaluation }) => evaluation && [evaluation.train.policy, evaluation.test.policy]);
  return { bytes: (await store.checkpoint(id))!.bytes, evaluations };
}

const capacityOf = async (id: string) => (await store.checkpoint(id))!.meta.batchPlan.capacity;
const changed = (path: string, value: unknown) => writePath(micro, path, value as never) as Experiment;

it('a run in a share of the pages has the same numbers bit for bit', async () => {
  await buildWasm();
  const runs = await Promise.all(
    [micro, changed('policy.kvShare', 0.1)].map((experiment) =>
      store.create({ name: 'run', experiment, origin: { kind: 'new' } }),
    ),
  );
  for (const { id } of runs) await train(id, 2);
  const [whole, shared] = await Promise.all(runs.map(({ id }) => resultOf(id)));
  expect(await capacityOf(runs[0].id)).not.toHaveProperty('cachePages');
  expect(await capacityOf(runs[1].id)).toMatchObject({ rows: 40, cachePages: 64 });
  expect(shared).toEqual(whole);

  // A fork continues the run in other memory, with the same numbers again.
  const forks = [];
  for (const experiment of [micro, changed('policy.kvShare', 0.1)])
    forks.push(await forkRun(store, runs[0].id, 2, experiment));
  for (const id of forks) await train(id, 1);
  expect(await capacityOf(forks[1])).toMatchObject({ cachePages: 64 });
  expect(await resultOf(forks[1])).toEqual(await resultOf(forks[0]));
});

it.each([
  ['sampling.completionTokens', 256, 'completionTokens', 128, 256],
  ['sampling.promptTokens', 200, 'promptTokens', 128, 200],
  ['algorithm.groups', 12, 'rows', 40, 48],
])('a fork with another %s has room for it', async (path, value, size, before, after) => {
  const { id } = await store.create({ name: 'run', experiment: micro, origin: { kind: 'new' } });
  await train(id, 1);
  const fork = await forkRun(store, id, 1, changed(path, value));
  await train(fork, 1);
  expect(await capacityOf(id)).toMatchObject({ [size]: before });
  expect(await capacityOf(fork)).toMatchObject({ [size]: after });
});
