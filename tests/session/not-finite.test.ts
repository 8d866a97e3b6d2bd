// Numbers that are not finite: an update that gives them is refused by name and not committed, the step can be
// repeated, and a run that holds them already names its last good step.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { encodeState } from '../../src/session/checkpoint.ts';
import { lastFinite, NotFiniteStepError, NotFiniteWeightsError } from '../../src/session/finite-weights.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { forkRun } from '../../src/session/service/fork.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore, type StoredCheckpoint } from '../../src/store/run-store.ts';
import { type FakeEngine, FakeEngines, type Hook } from './fakes.ts';

const micro = parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8')));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-not-finite-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const newRun = async (store: RunStore) =>
  (await store.create({ name: 'run', experiment: micro, origin: { kind: 'new' } })).id;

const sessionOn = (store: RunStore, id: string, hook: Hook = () => {}) =>
  new Session(id, micro, { store, engines: new FakeEngines(hook), emit: () => {}, sleep: async () => {} });

/** Replaces a weight by NaN, as a broken update does. */
async function spoil(engine: FakeEngine): Promise<void> {
  const state = await engine.save();
  state.tensors.get('w')!.data[3] = Number.NaN;
  await engine.load(state);
}

const recordsOf = async (store: RunStore, id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

/** A run at step 2 whose last checkpoint holds a NaN, as older versions could write it. */
async function spoiltRun(store: RunStore): Promise<string> {
  const id = await newRun(store);
  await sessionOn(store, id).train({ steps: 2 });
  const { meta, bytes } = (await store.checkpoint(id, 2))!;
  const data = new Float32Array(8).fill(Number.NaN);
  const spoilt = encodeState({ tensors: new Map([['w', { shape: [8], data }]]), optimizerStep: meta.optimizerStep });
  expect(spoilt.length).not.toBe(bytes.length);
  await store.claim(id, 'me');
  const record = (await store.records<StepRecord>(id)).at(-1)!;
  await store.commit(id, 'me', { record, checkpoint: { meta, bytes: spoilt }, trajectories: null });
  return id;
}

// Step 4 is evaluated, step 3 is not.
it.each([3, 4])('an update of step %i that is not finite is refused, and the step can be repeated', async (bad) => {
  const expected = new RunStore(new FolderStore(join(folder, 'whole')));
  const whole = await newRun(expected);
  await sessionOn(expected, whole).train();

  const store = new RunStore(new FolderStore(join(folder, 'broken')));
  const id = await newRun(store);
  const failing = sessionOn(store, id, async (what, step, engine) => {
    // Weights are spoilt before step `bad`, so that they are not finite after it.
    if (what === 'step' && step === bad) await spoil(engine!);
    if (what === 'evaluate' && step === bad) throw new Error('Token 11 at 0 is not in the trie');
  });
  const error = await failing.train().catch((each: Error) => each);
  expect(error).toBeInstanceOf(NotFiniteStepError);
  expect((error as Error).message).toMatch(
    new RegExp(`Step ${bad} was not committed: after its update w contains NaN. .* at step ${bad - 1} `),
  );
  expect(failing.status).toBe('failed');
  expect((await store.get(id)).step).toBe(bad - 1);
  await sessionOn(store, id).train();
  expect(await recordsOf(store, id)).toEqual(await recordsOf(expected, whole));
});

it('a run with such weights names its last good step, and a fork there trains', async () => {
  const store = new RunStore(new FolderStore(folder));
  const id = await spoiltRun(store);
  const error = await sessionOn(store, id)
    .train()
    .catch((each: Error) => each);
  expect(error).toBeInstanceOf(NotFiniteWeightsError);
  expect((error as NotFiniteWeightsError).lastGood).toBe(1);
  expect((error as Error).message).toMatch(/weights of step 2 .* w contains NaN\. Step 1 is the last good one: fork/);
  const fork = await forkRun(store, id, 1, micro);
  await sessionOn(store, fork).train();
  expect((await store.get(fork)).step).toBe(micro.steps);
});

it('the last of a list of checkpoints is refused alike', () => {
  const at = (step: number, value: number): StoredCheckpoint => ({
    meta: { step, optimizerStep: step, kernelChoices: {}, batchPlan: {}, adapter: 'x' } as StoredCheckpoint['meta'],
    bytes: encodeState({
      tensors: new Map([['w', { shape: [1], data: Float32Array.of(value) }]]),
      optimizerStep: step,
    }),
  });
  expect(lastFinite([])).toBeUndefined();
  expect(lastFinite([at(3, 1), at(1, 2)])?.meta.step).toBe(3);
  expect(() => lastFinite([at(1, 1), at(2, 2), at(3, Number.POSITIVE_INFINITY)])).toThrow(
    /Step 2 is the last good one/,
  );
  expect(() => lastFinite([at(0, Number.NaN)])).toThrow(/No earlier checkpoint .* start a new run/);
});
