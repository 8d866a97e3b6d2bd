// On-policy distillation from another policy on the real engine: the credit against the shipped agent scored by itself,
// episode by episode; a teacher equal to the student; memory as planned; an exact resume; refusals by name.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { shippedAgent } from '../../src/library/node/shipped-agents.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import type { Learner } from '../../src/policy/policy.ts';
import { initTiny } from '../../src/policy/weights/init.ts';
import { teacherOf } from '../../src/rl/algorithms/registry.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { Engine } from '../../src/session/engine.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openRunEngine } from '../../src/session/service/loaded-policy.ts';
import { noLocks } from '../../src/session/service/ownership.ts';
import { teacherFiles, withTeachers } from '../../src/session/service/teacher-files.ts';
import { TrainerService } from '../../src/session/service/trainer-service.ts';
import { writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const { sweep: _, ...maze } = JSON.parse(readFileSync('experiments/distil-maze.json', 'utf8'));
const algorithm = { ...maze.algorithm, groups: 2, groupSize: 4 };
const taught = (teacher: string | null, change: object = {}) =>
  parseExperiment({
    ...maze,
    steps: 4,
    evaluation: { every: 0, episodes: 4 },
    algorithm: { ...algorithm, teacher },
    ...change,
  });

const folder = mkdtempSync(join(tmpdir(), 'tabgym-taught-'));
const store = new RunStore(new FolderStore(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function assembly() {
  const device = await WasmDevice.open({ threads: 1 });
  return { engines: new Assembly({ machine: { open: async () => device }, openWorld }), close: () => device.destroy() };
}

const opening = { choices: null, onProgress: () => {}, signal: new AbortController().signal };

/** Opens an engine, uses it, and releases it. */
async function withEngine<T>(open: (engines: Assembly) => Promise<Engine>, use: (engine: Engine) => Promise<T>) {
  const { engines, close } = await assembly();
  const engine = await open(engines);
  try {
    return await use(engine);
  } finally {
    await engine.close();
    close();
  }
}

const whole = (divergence: string, change: object = {}) => ({
  ...change,
  algorithm: { ...algorithm, teacher: 'maze-few', divergence },
});

/** The first step of a new run that learns from a teacher. */
async function firstStep(teacher: string, read: (name: string) => Promise<Uint8Array | null>, change: object = {}) {
  const { experiment, assets } = await withTeachers(taught(teacher, change), read);
  return withEngine(
    (engines) => engines.open(experiment, { ...opening, assets }),
    async (engine) => {
      await engine.initialize();
      return engine.training!.step(1, { signal: opening.signal });
    },
  );
}

/** Log-probabilities of an episode's choices, in a batch of its own. */
async function scored(policy: Pick<Learner, 'score'>, { tokens, choices }: Trajectory): Promise<Float32Array> {
  const { position, ...allowed } = choices!;
  const segments = [{ start: 0, end: tokens.length, parent: -1 }];
  const batch = { tokens, segments, scored: position, allowed };
  return (await policy.score(batch, { temperature: 1, weights: 'policy' })).logprob;
}

it("gives each choice the agent's own log-probability minus the policy's", async () => {
  const { trajectories, record } = await firstStep('maze-few', shippedAgent);
  const run = readRunFile((await shippedAgent('maze-few'))!, 'maze-few');
  const [gaps, credit] = await withEngine(
    (engines) => openRunEngine(engines, run, 'maze-few', (experiment) => experiment),
    async (engine) => {
      const { policy } = (await engine.completionPolicy!())!;
      const all = [];
      for (const each of trajectories) all.push(await scored(policy as Learner, each));
      const own = trajectories.flatMap((each) => Array.from(chosenPositions(each), (at) => each.logprob[at]));
      const theirs = all.flatMap((each) => [...each]);
      return [theirs.map((q, i) => q - own[i]), trajectories.flatMap(({ advantages }) => [...advantages])];
    },
  );
  expect(credit.length).toBeGreaterThan(50);
  expect(credit).toHaveLength(gaps.length);
  for (const [i, gap] of gaps.entries()) expect(Math.abs(credit[i] - gap)).toBeLessThan(2e-4);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  expect(record.metrics.teacherKl).toBeCloseTo(-mean, 4);
  expect(record.metrics.teacherKl).toBeGreaterThan(0.1);
});

/** The policy of the student before its first step, as a file. */
async function ownFirstWeights(): Promise<Uint8Array> {
  const experiment = taught(null);
  const assets = await withEngine(
    (engines) => engines.open(experiment, { ...opening, assets: null }),
    async (engine) => engine.assets,
  );
  const text = (name: string) => new TextDecoder().decode(assets[name]);
  const config = parseConfig(JSON.parse(text('config.json')));
  const tensors = initTiny(config, experiment.policy as never, experiment.seed, []);
  const saved = saveCheckpoint(config, tensors, text('tokenizer.json'));
  const bytes = (each: string) => new TextEncoder().encode(each);
  return writePolicy({
    'config.json': bytes(saved['config.json']),
    'model.safetensors': saved['model.safetensors'],
    'tokenizer.json': assets['tokenizer.json'],
  });
}

it('a teacher equal to the policy gives no credit', async () => {
  const own = await ownFirstWeights();
  const { trajectories, record } = await firstStep('own.zip', async () => own);
  for (const { advantages } of trajectories) for (const each of advantages) expect(Math.abs(each)).toBeLessThan(1e-4);
  expect(Math.abs(record.metrics.teacherKl)).toBeLessThan(1e-5);
});

it.each(['reverse', 'forward', 'jensen-shannon'])('nor has it a divergence: %s', async (divergence) => {
  const own = await ownFirstWeights();
  const change = { algorithm: { ...algorithm, teacher: 'own.zip', divergence } };
  const { record } = await firstStep('own.zip', async () => own, change);
  expect(Math.abs(record.metrics.teacherDivergence)).toBeLessThan(1e-6);
  expect(record.metrics.gradNorm).toBeLessThan(1e-5);
});

/** Log-probabilities of every allowed token of an episode's choices, each scored in the place of the chosen one. */
async function everyLogprob(policy: Pick<Learner, 'score'>, trajectory: Trajectory): Promise<number[][]> {
  const { position, offsets, tokens: allowed } = trajectory.choices!;
  const rows: number[][] = [];
  for (const [k, at] of position.entries()) {
    const list = [...allowed.subarray(offsets[k], offsets[k + 1])];
    const row: number[] = [];
    for (const token of list) {
      const tokens = Int32Array.of(...trajectory.tokens.subarray(0, at), token);
      const choices = { offsets: Int32Array.of(0, list.length), tokens: Int32Array.from(list) };
      const segments = [{ start: 0, end: tokens.length, parent: -1 }];
      const batch = { tokens, segments, scored: Int32Array.of(at), allowed: choices };
      row.push((await policy.score(batch, { temperature: 1, weights: 'policy' })).logprob[0]);
    }
    rows.push(row);
  }
  return rows;
}

/** Every allowed token of these episodes under a policy whose engine `open` opens. */
const everyUnder = (open: (engines: Assembly) => Promise<Engine>, trajectories: readonly Trajectory[]) =>
  withEngine(open, async (engine) => {
    const { policy } = (await engine.completionPolicy!())!;
    const rows: number[][] = [];
    for (const each of trajectories) rows.push(...(await everyLogprob(policy as Learner, each)));
    return rows;
  });

it('the reverse KL is that of all allowed tokens, each scored by itself under the agent and under the policy', async () => {
  const { trajectories, record } = await firstStep('maze-few', shippedAgent, whole('reverse'));
  const run = readRunFile((await shippedAgent('maze-few'))!, 'maze-few');
  const agent = (engines: Assembly) => openRunEngine(engines, run, 'maze-few', (experiment) => experiment);
  const student = async (engines: Assembly) => {
    const engine = await engines.open(taught(null), { ...opening, assets: null });
    await engine.initialize();
    return engine;
  };
  const [own, theirs] = [await everyUnder(student, trajectories), await everyUnder(agent, trajectories)];
  const labels = trajectories.flatMap(({ distributions }) => [...distributions!.logprobs]);
  expect(labels).toHaveLength(theirs.flat().length);
  theirs.flat().forEach((logprob, i) => void expect(Math.abs(labels[i] - logprob)).toBeLessThan(2e-4));
  const kls = own.map((row, k) => row.reduce((sum, p, i) => sum + Math.exp(p) * (p - theirs[k][i]), 0));
  const { teacherDivergence, policyLoss, loss } = record.metrics;
  expect(teacherDivergence).toBeCloseTo(kls.reduce((sum, kl) => sum + kl, 0) / kls.length, 4);
  expect(teacherDivergence).toBeGreaterThan(0.1);
  expect(loss).toBeCloseTo(teacherDivergence, 4);
  expect(policyLoss).toBe(0);
  for (const { advantages } of trajectories) expect(advantages.every((each) => each === 0)).toBe(true);
});

it('compares whole vocabularies where nothing is masked', async () => {
  const { sampling } = maze;
  const own = await ownFirstWeights();
  const change = {
    algorithm: { ...algorithm, divergence: 'forward', teacher: 'own.zip' },
    sampling: { ...sampling, maskActions: false },
  };
  const { record, trajectories } = await firstStep('own.zip', async () => own, change);
  const { offsets } = trajectories[0].distributions!;
  const [first, ...others] = Array.from(offsets.subarray(1), (end, k) => end - offsets[k]);
  expect(first).toBeGreaterThan(20);
  for (const each of others) expect(each).toBe(first);
  expect(Math.abs(record.metrics.teacherDivergence)).toBeLessThan(1e-5);
});

it.each(['sampled', 'reverse'])('is planned as it is allocated: %s', async (divergence) => {
  const { experiment, assets } = await withTeachers(taught('maze-few', whole(divergence)), shippedAgent);
  const { engines, close } = await assembly();
  const planned = await engines.plan(experiment, assets);
  const alone = await engines.plan(experiment);
  const engine = await engines.open(experiment, { ...opening, assets });
  const { memory } = await engine.report();
  const bytes = Object.fromEntries(memory.map((part) => [part.name, part.bytes]));
  expect(planned.parts.find(({ name }) => name === 'teacher')?.bytes).toBe(bytes.teacher);
  expect(planned.total - alone.total).toBe(bytes.teacher);
  await engine.close();
  close();
});

/** Trains a stored run, in an engine of its own. */
async function train(id: string, steps?: number): Promise<void> {
  const { engines, close } = await assembly();
  const { experiment } = await store.get<ReturnType<typeof taught>>(id);
  const session = new Session(id, experiment, { store, engines, emit: () => {} });
  try {
    await session.train({ steps });
  } finally {
    await session.close();
    close();
  }
}

function service() {
  return new TrainerService({ store, engines: {} as never, locks: noLocks, presets: [], shippedAgent });
}
const recordsOf = async (id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

it.each(['sampled', 'reverse'])(
  'stores the teacher and its hash with the run, which then resumes exactly: %s',
  async (divergence) => {
    const document = taught('maze-few', whole(divergence));
    const [complete, stopped] = [await service().createRun(document), await service().createRun(document)];
    expect(teacherOf(complete.experiment.algorithm)).toMatch(/^maze-few#[0-9a-f]{16}$/);
    await train(complete.id);
    await train(stopped.id, 2);
    await train(stopped.id);
    const records = await recordsOf(complete.id);
    expect(records).toHaveLength(5);
    expect(records.at(-1)!.metrics.teacherDivergence !== undefined).toBe(divergence === 'reverse');
    expect(await recordsOf(stopped.id)).toEqual(records);
  },
);

it('refuses a teacher that is missing or another policy, by name', async () => {
  await expect(service().createRun(taught('no-such-agent'))).rejects.toThrow(
    /the policy no-such-agent, which is not here/,
  );
  const other = taught('maze-few#0123456789abcdef');
  await expect(service().createRun(other)).rejects.toThrow(
    /The policy maze-few is not the teacher .* names 0123456789abcdef/,
  );
  const { assets } = await withTeachers(taught('maze-few'), shippedAgent);
  const origin = { kind: 'new' } as const;
  const changed = await store.create({ name: 'changed', experiment: other, origin, assets });
  await expect(train(changed.id)).rejects.toThrow(/copy of its teacher maze-few .* began with 0123456789abcdef/);
  const bare = await store.create({ name: 'bare', experiment: taught('maze-few'), origin });
  await expect(train(bare.id)).rejects.toThrow(/learns from the policy maze-few and does not contain it/);
  const noPolicy = new TextEncoder().encode('no zip');
  expect(() => teacherFiles(noPolicy, 'a.tabgym')).toThrow(/The policy a.tabgym cannot teach: /);
});

it('refuses a teacher with another vocabulary before anything is allocated', async () => {
  const { experiment, assets } = await withTeachers(taught('textcraft-first'), shippedAgent);
  const { engines, close } = await assembly();
  const device = await engines.plan(experiment, assets);
  expect(device.fits).toBe(true);
  await expect(engines.open(experiment, { ...opening, assets })).rejects.toThrow(
    /The policy textcraft-first cannot teach this run: its vocabulary of \d+ tokens is not the run's/,
  );
  close();
});
