// Effects of --resume, --steps, --seed and --fork-at on the run of a folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { continuedRun, type FolderOptions } from '../../src/cli/folder-run.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { openTrainer } from '../../src/library/index.ts';
import { getRun } from '../../src/session/stored-run.ts';
import { FolderStore } from '../../src/store/folder.ts';
import type { StoredRecord } from '../../src/store/run.ts';
import type { StoredCheckpoint } from '../../src/store/run-store.ts';
import { RunStore } from '../../src/store/run-store.ts';

const micro = parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8')));
const meta = {
  optimizerStep: 0,
  kernelChoices: {},
  batchPlan: {},
  adapter: 'x',
} as unknown as StoredCheckpoint['meta'];

let folder: string;
let store: RunStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-folder-run-'));
  store = new RunStore(new FolderStore(folder));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A run of `micro` at step 2, with checkpoints at 1 and 2. */
const begun = async (experiment: Experiment = micro) =>
  (
    await store.create({
      name: experiment.name,
      experiment,
      origin: { kind: 'new' },
      step: 2,
      checkpoints: [1, 2].map((step) => ({ meta: { ...meta, step }, bytes: new Uint8Array(8) })),
    })
  ).id;

async function asked(experiment: Experiment, options: Omit<FolderOptions, 'print'> = {}) {
  const printed: string[] = [];
  const trainer = await openTrainer({ device: 'wasm', threads: 1, store: { folder } });
  try {
    const found = await continuedRun(trainer, folder, experiment, { ...options, print: (line) => printed.push(line) });
    return { run: found && (await getRun(store, found.id)), printed: printed.join('\n') };
  } finally {
    await trainer.close();
  }
}

const with_ = (change: Partial<Experiment>) => parseExperiment({ ...micro, ...change });

it('continues the run whose name and description alone differ from the file', async () => {
  const id = await begun();
  const { run, printed } = await asked(with_({ name: 'Another name', description: 'Other words.' }));
  expect([run?.id, printed]).toEqual([id, '']);
});

it('continues the run of the same experiment, and reports another one', async () => {
  expect(await asked(micro)).toEqual({ run: null, printed: '' });
  const id = await begun();
  expect((await asked(micro)).run?.id).toBe(id);
  const other = await asked(with_({ steps: 20, seed: 3 }));
  expect(other.run).toBeNull();
  expect(other.printed).toMatch(
    /another run .* step 2 of 8\), which differs in seed, steps\. A new run begins; --resume/,
  );
});

it('--resume keeps the settings of the run and names those of the file that differ', async () => {
  const id = await begun();
  const { run, printed } = await asked(
    with_({ evaluation: { every: 0, episodes: 4, signalEvery: 0, overflow: 'left-out' } }),
    {
      resume: true,
    },
  );
  expect(run?.id).toBe(id);
  expect(printed).toMatch(/keeps its own settings\. The file differs in evaluation\.every, evaluation\.episodes\./);
});

it('--resume --steps continues a fork with that many steps, or is refused with the reason', async () => {
  const id = await begun();
  const longer = await asked(with_({ steps: 20 }), { resume: true, steps: 20 });
  expect(longer.run).toMatchObject({
    step: 2,
    experiment: { steps: 20 },
    origin: { kind: 'fork', parent: id, step: 2 },
  });
  expect(longer.printed).toBe("The folder's run has 8 steps; a fork of it at step 2 has 20.");
  // The fork is the folder's run from now on.
  expect((await asked(with_({ steps: 20 }))).run?.id).toBe(longer.run?.id);
  await expect(asked(with_({ steps: 1 }), { resume: true, steps: 1 })).rejects.toThrow(
    /--steps 1: the folder's run is already at step 2\. Give at least 2/,
  );
});

it('--resume --seed is refused if the run began with another seed', async () => {
  await begun();
  await expect(asked(with_({ seed: 99 }), { resume: true, seed: 99 })).rejects.toThrow(
    /--seed 99: the folder's run began with seed 7, and a seed cannot change/,
  );
  expect((await asked(micro, { resume: true, seed: micro.seed })).run).not.toBeNull();
});

it('--fork-at forks at a step with the settings of the file', async () => {
  const id = await begun();
  const file = with_({ optimizer: { ...micro.optimizer, learningRate: 0.0001 } });
  const { run } = await asked(file, { forkAt: 1 });
  expect(run).toMatchObject({ step: 1, experiment: file, origin: { kind: 'fork', parent: id, step: 1 } });
  await expect(asked(file, { forkAt: 7 })).rejects.toThrow(/Step 7 has no checkpoint/);
});

it('--fork-at forks a run with a damaged record, and says what is left out', async () => {
  const id = await begun();
  await store.claim(id, 'me');
  for (const step of [3, 4, 5])
    await store.commit(id, 'me', {
      record: { step, metrics: {} } as unknown as StoredRecord,
      checkpoint: step === 5 ? { meta: { ...meta, step }, bytes: new Uint8Array(8) } : null,
      trajectories: null,
    });
  const file = join(folder, 'runs', id, 'records-000000.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.map((line) => line.replace('"step":4', '"step":4,"more":1')).join('\n'));
  await expect(asked(micro)).rejects.toThrow(/record of step 4 .* is damaged.*--fork-at/);
  const { run, printed } = await asked(micro, { forkAt: 5 });
  expect(run).toMatchObject({ step: 5, origin: { kind: 'fork', parent: id, step: 5 } });
  expect(printed).toBe("Damaged records are left out of the fork's curve, of steps: 1, 2, 4.");
});
