// Makes the recorded run of the last lesson: `node scripts/lesson-recording.mjs RUN.tabgym`. From a run written by `npm
// run test:learn-lora` it keeps the parts that the lesson reads: settings, curves, tokenizer, and the episodes of every
// twentieth step and of the last five. It drops the weights, and replaces the folder of the model by a description.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { root } from './machine.mjs';

const file = process.argv[2];
if (!file) throw new Error('Missing a run: node scripts/lesson-recording.mjs RUN.tabgym');
const every = 20;
const last = 5;

const load = async (path) => (await runnerImport(join(root, path))).module;
const { exportRun, readRun } = await load('src/store/bundle.ts');
const { RunStore } = await load('src/store/run-store.ts');
const { FolderStore } = await load('src/store/folder.ts');

const run = readRun(readFileSync(file), 'adapter-run.tabgym');
const kept = [...run.trajectories].filter(([step]) => step % every === 0 || step > run.step - last);
const assets = Object.fromEntries(Object.entries(run.assets).filter(([name]) => name.endsWith('.json')));
const experiment = {
  ...run.experiment,
  policy: { ...run.experiment.policy, model: 'a policy of 0.18 million parameters that imitated the oracle' },
};
const folder = mkdtempSync(join(tmpdir(), 'tabgym-recording-'));
const store = new RunStore(new FolderStore(folder));
const { id } = await store.create({
  ...run,
  experiment,
  assets,
  checkpoints: [],
  best: undefined,
  trajectories: new Map(kept),
});
const bytes = await exportRun(store, id, { checkpoints: 'none' });
rmSync(folder, { recursive: true });
mkdirSync(join(root, 'public/lessons'), { recursive: true });
writeFileSync(join(root, 'public/lessons/adapter-run.tabgym'), bytes);
console.log(`${run.step} steps, episodes of ${kept.length} of them, ${bytes.length} bytes`);
