// Names of forks, and forks of runs whose file had no checkpoint.
import { expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import { forkRun } from '../../src/session/service/fork.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { type NewRun, RunStore } from '../../src/store/run-store.ts';

const experiment = parseExperiment(presetsByName['textcraft-first']);
const meta = { step: 0, optimizerStep: 0, kernelChoices: {}, batchPlan: {}, adapter: '' };

async function runWith(more: Partial<NewRun>) {
  const store = new RunStore(new MemoryStore());
  const run = await store.create({ name: 'x'.repeat(115), experiment, origin: { kind: 'new' }, ...more });
  return { store, id: run.id };
}

it('a fork of a fork has a name that fits like any other', async () => {
  const { store, id } = await runWith({ checkpoints: [{ meta, bytes: new Uint8Array(4) }] });
  const first = await forkRun(store, id, 0, experiment);
  const second = await forkRun(store, first, 0, experiment);
  const names = (await store.list()).map(({ name }) => name);
  expect(new Set(names).size).toBe(3);
  expect(Math.max(...names.map(({ length }) => length))).toBe(120);
  expect((await store.get(second)).name).toMatch(/^x{115}.* \(2\)$/);
});

it('a run whose file had no checkpoint is not forked, and says what to do', async () => {
  const { store, id } = await runWith({ step: 3 });
  await expect(forkRun(store, id, 3, experiment)).rejects.toThrow(
    'Step 3 has no checkpoint. No step of this run has one: export it again, with its checkpoints.',
  );
});
