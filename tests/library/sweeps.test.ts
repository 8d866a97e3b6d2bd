/** Sweeps of the library against single runs, and what a terminal does with runs: pause after a step, files, reports. */
import { expect, test } from 'vitest';
import { readPolicy, readRun, writePolicy, writeReport } from '../../src/library/files.ts';
import { importRun, openTrainer, preset } from '../../src/library/index.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';

const machine = { device: 'wasm', threads: 1 } as const;
const small = {
  ...preset('micro'),
  steps: 2,
  horizon: [{ steps: 2, turns: 2 }],
  evaluation: { every: 2, episodes: 4 },
};

/** Numbers of the steps that do not depend on time. */
const numbers = (records: readonly StepRecord[]) =>
  records.map(({ step, evaluation, metrics }) => ({
    step,
    evaluation,
    metrics: Object.entries(metrics).filter(([name]) => !/ms$|PerSecond$/i.test(name)),
  }));

test('a sweep trains the runs of its seeds with their own numbers, and is found again', async () => {
  const trainer = await openTrainer(machine);
  try {
    const document = { ...small, sweep: { seeds: [3, 4], variants: [] } };
    const sweep = await trainer.openSweep(document);
    const steps: string[] = [];
    const done: number[] = [];
    sweep.on('step', ({ runId, record }) => steps.push(`${runId} ${record.step}`));
    sweep.on('state', (state) => done.push(state.done));
    await sweep.train();
    const runs = await sweep.runs();
    expect(runs.map(({ seed, index, step }) => [seed, index, step])).toEqual([
      [3, 0, 2],
      [4, 1, 2],
    ]);
    expect([...steps].sort()).toEqual(runs.flatMap(({ id }) => [0, 1, 2].map((step) => `${id} ${step}`)).sort());
    expect(done.at(-1)).toBe(4);
    expect(await sweep.state()).toMatchObject({ done: 4, total: 4 });
    expect((await trainer.openSweep(document)).id).toBe(sweep.id);
    const alone = await trainer.createRun({ ...small, seed: 4 });
    await alone.train();
    expect(numbers(runs[1].records)).toEqual(numbers(await alone.records()));
  } finally {
    await trainer.close();
  }
});

test('a sweep with code of its own in a variant is refused', async () => {
  const trainer = await openTrainer(machine);
  const variants = [
    { name: 'own', changes: { 'algorithm.objectiveCode': 'export const objective = () => ({ loss: 0 });' } },
  ];
  await expect(trainer.openSweep({ ...small, sweep: { seeds: [1], variants } })).rejects.toThrow(/contains code/);
  await trainer.close();
});

test('a pause after the step commits it; the policy and the report leave the file', async () => {
  const trainer = await openTrainer(machine);
  expect(trainer.device).toMatchObject({ supported: true, problem: '' });
  const run = await trainer.createRun(small);
  let paused: Promise<void> = Promise.resolve();
  run.on('step', ({ step }) => {
    if (step === 0) paused = run.pause({ afterStep: true });
  });
  await run.train();
  await paused;
  expect([run.status, await run.checkpointSteps()]).toEqual(['paused', [run.step]]);
  const file = await run.export();
  const files = await readPolicy(file);
  expect(Object.keys(files).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  expect(await readPolicy(writePolicy(files))).toEqual(files);
  const imported = await importRun(writePolicy(files), { ...machine, name: 'policy.zip' });
  expect(imported.step).toBe(0);
  await imported.close();
  expect(await writeReport({ ...readRun(file), name: 'A <run>' })).toContain('A &lt;run&gt;');
  await trainer.close();
});
