// A sweep on engines of plain numbers: the order of its runs, the cost of a kill, the number of open engines, and its
// file.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Experiment,
  ExperimentError,
  parseExperiment,
  parseRun,
  sweptRuns,
} from '../../src/experiment/experiment.ts';
import { variantLabels } from '../../src/experiment/variant-labels.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { SessionEvent, SweepState } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { SweepSession } from '../../src/session/sweep/sweep.ts';
import { remainingMs } from '../../src/session/sweep/sweep-estimate.ts';
import { completeSweep, createSweep, findSweep, runsOfSweep } from '../../src/session/sweep/sweep-runs.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { exportSweep, readSweep } from '../../src/store/sweep-bundle.ts';
import { FakeEngines, type Hook } from './fakes.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const variants = [
  { name: 'slow', changes: { 'optimizer.learningRate': 0.001 } },
  { name: 'other', changes: { 'algorithm.name': 'reinforce-pp', 'algorithm.gamma': 0.9 } },
];
const swept = (sweep: unknown = { seeds: [1, 2], variants }, steps = 4) => parseExperiment({ ...micro, steps, sweep });
const never = new Promise<never>(() => {});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-sweep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function problemsOf(sweep: unknown) {
  try {
    swept(sweep);
  } catch (error) {
    if (error instanceof ExperimentError) return error.problems;
    throw error;
  }
  return [];
}

describe('a document with a sweep', () => {
  it('stands for one whole document per variant and seed', () => {
    const runs = sweptRuns(swept());
    expect(runs.map(({ name, seed }) => [name, seed])).toEqual([
      ['slow', 1],
      ['other', 1],
      ['slow', 2],
      ['other', 2],
    ]);
    for (const { experiment, seed } of runs) {
      expect(experiment.sweep).toBeUndefined();
      expect(experiment.seed).toBe(seed);
      expect(parseRun(experiment)).toEqual(experiment);
    }
    expect(runs[0].experiment.optimizer.learningRate).toBe(0.001);
    // Another algorithm has its own fields and keeps the settings of how episodes are played.
    expect(runs[1].experiment.algorithm).toMatchObject({ name: 'reinforce-pp', gamma: 0.9, groups: 2, groupSize: 4 });
  });

  it('cannot be opened as one run, and a document without a sweep is one run', () => {
    expect(() => parseRun(swept())).toThrow(/sweep of 4 runs/);
    expect(sweptRuns(parseExperiment(micro))).toHaveLength(1);
  });

  it.each([
    [{ seeds: [] }, 'sweep.seeds', /1 to 20 seeds/],
    [{ seeds: [1, 1] }, 'sweep.seeds.1', /listed twice/],
    [{ seeds: [1.5] }, 'sweep.seeds.0', /1\.5/],
    [
      { seeds: [1], variants: [variants[0], variants[0]] },
      'sweep.variants.1.name',
      /"slow" is also the name of another/,
    ],
    [
      {
        seeds: Array.from({ length: 20 }, (_, i) => i),
        variants: Array.from({ length: 4 }, (_, i) => ({ name: `${i}`, changes: {} })),
      },
      'sweep',
      /80 runs, more than 64/,
    ],
    [{ seeds: [1], variants: [{ name: 'a', changes: { seed: 3 } }] }, 'sweep.variants.0.changes.seed', /cannot change/],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { sweep: {} } }] },
      'sweep.variants.0.changes.sweep',
      /cannot change/,
    ],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { 'optimizer.learningRate': 2 } }] },
      'sweep.variants.0.changes.optimizer.learningRate',
      /at most 1 \(it is 2\)/,
    ],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { 'optimizer.speed': 2 } }] },
      'sweep.variants.0.changes.optimizer.speed',
      /there is no such field/,
    ],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { horizon: [] } }] },
      'sweep.variants.0.changes.horizon',
      /1 to 32 stages/,
    ],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { 'worlds.0.options.depths': [9] } }] },
      'sweep.variants.0.changes.worlds.0.options.depths',
      /at most 4/,
    ],
    [
      { seeds: [1], variants: [{ name: 'a', changes: { 'algorithm.minibatches': 9 } }] },
      'sweep.variants.0.changes.algorithm.minibatches',
      /more than the 2 groups/,
    ],
  ])('refuses %j by path', (sweep, path, message) => {
    const problems = problemsOf(sweep);
    expect(problems.map((each) => each.path)).toEqual([path]);
    expect(problems[0].message).toMatch(message);
  });

  it('names its variants by the settings that differ', () => {
    expect(variantLabels(swept())).toEqual([
      { name: 'slow', apart: 'Learning rate 0.001, Algorithm GRPO' },
      { name: 'other', apart: 'Learning rate 0.002, Algorithm REINFORCE++, Discount 0.9' },
    ]);
    const horizons = [
      { name: 'short', changes: { horizon: [{ steps: 4, turns: 1 }] } },
      {
        name: 'growing',
        changes: {
          horizon: [
            { steps: 2, turns: 1 },
            { steps: 2, turns: 3 },
          ],
        },
      },
    ];
    expect(variantLabels(swept({ seeds: [1], variants: horizons })).map(({ apart }) => apart)).toEqual([
      'Maximum turns 1',
      'Maximum turns 1 → 3',
    ]);
  });
});

const atOnce = async () => {};
/** Longer than any step here. */
const long = () => new Promise<void>((resolve) => setTimeout(resolve, 60_000).unref());

async function sessionOn(store: RunStore, id: string, hook: Hook = () => {}, planned = 0, sleep = atOnce) {
  const events: SessionEvent[] = [];
  const engines = new FakeEngines(hook);
  engines.plan = async () => ({ parts: [], total: planned, fits: true, advice: '' });
  const runs = await runsOfSweep(store, id);
  const parts = { store, engines, emit: (event: SessionEvent) => events.push(event), sleep };
  const session = new SweepSession(
    id,
    runs.map((run) => ({ run, records: [] })),
    parts,
  );
  return { session, events, engines, runs };
}

const storeIn = (name: string) => new RunStore(new FolderStore(join(folder, name)));

async function recordsOf(store: RunStore, id: string) {
  const runs = await runsOfSweep(store, id);
  return Promise.all(runs.map(async (run) => (await store.records<StepRecord>(run.id)).map(withoutTimes)));
}

/** Records of each run when it is trained by itself. */
async function trainAlone(document: Experiment) {
  const store = storeIn('alone');
  const all: StepRecord[][] = [];
  for (const { experiment } of sweptRuns(document)) {
    const { id } = await store.create({ name: 'alone', experiment, origin: { kind: 'new' } });
    await new Session(id, experiment, { store, engines: new FakeEngines(), emit: () => {} }).train();
    all.push((await store.records<StepRecord>(id)).map(withoutTimes));
  }
  return all;
}

const stepsHeard = (events: readonly SessionEvent[], ids: readonly string[]) =>
  events.flatMap((event) =>
    event.type === 'step' && event.record.step > 0 ? [[ids.indexOf(event.runId), event.record.step]] : [],
  );
const lastState = (events: readonly SessionEvent[]) =>
  events.flatMap((event): SweepState[] => (event.type === 'sweep' ? [event.state] : [])).at(-1)!;

describe('a sweep', () => {
  it('takes one step of each run in turn, with the numbers of runs by themselves', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    const { session, events, runs, engines } = await sessionOn(store, id);
    await session.train();
    const ids = runs.map((run) => run.id);
    expect(stepsHeard(events, ids)).toEqual([1, 2, 3, 4].flatMap((step) => [0, 1, 2, 3].map((run) => [run, step])));
    expect(lastState(events)).toMatchObject({ status: 'finished', done: 16, total: 16, remainingMs: 0, failed: [] });
    expect(await recordsOf(store, id)).toEqual(await trainAlone(swept()));
    expect(engines.opened).toHaveLength(4);
    expect(engines.engines.every((engine) => engine.closed)).toBe(true);
    expect(events.filter((event) => event.type === 'hint').map(({ hint }) => hint)).toEqual([
      'wake-lock',
      'persist-storage',
      'wake-unlock',
    ]);
  });

  it('trains first the runs that are behind', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    const [ahead] = await runsOfSweep(store, id);
    const alone = { store, engines: new FakeEngines(), emit: () => {} };
    await new Session(ahead.id, ahead.experiment, alone).train({ steps: 2 });
    const { session, events, runs } = await sessionOn(store, id);
    await session.train();
    const order = [1, 2].flatMap((step) => [1, 2, 3].map((run) => [run, step]));
    const together = [3, 4].flatMap((step) => [0, 1, 2, 3].map((run) => [run, step]));
    const ids = runs.map((run) => run.id);
    expect(stepsHeard(events, ids)).toEqual([...order, ...together]);
  });

  it.each([
    ['more bytes than fit', 2, 2 ** 29],
    ['more runs than take part at once', 9, 0],
  ])('has one engine open at a time: %s', { tags: 'slow' }, async (_, seeds, bytes) => {
    const document = swept({
      seeds: Array.from({ length: seeds }, (_seed, i) => i),
      variants: seeds === 2 ? variants : [],
    });
    const store = storeIn('sweep');
    const id = await createSweep(store, document);
    let most = 0;
    const { session, engines } = await sessionOn(
      store,
      id,
      () => {
        most = Math.max(most, engines.engines.filter((engine) => !engine.closed).length);
      },
      bytes,
    );
    await session.train();
    expect(most).toBe(1);
    expect(await recordsOf(store, id)).toEqual(await trainAlone(document));
  });

  it.each([
    [0, 2],
    [2, 1],
    [3, 4],
  ])('killed in run %i at step %i, resumes with the numbers of one that was never killed', async (member, at) => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    let reached = () => {};
    const inStep = new Promise<void>((resolve) => (reached = resolve));
    const doomed = await sessionOn(store, id, (what, step, engine) => {
      if (what !== 'step' || step !== at || doomed.engines.engines.indexOf(engine!) !== member) return;
      reached();
      return never;
    });
    void doomed.session.train();
    await inStep;
    const again = new RunStore(new FolderStore(join(folder, 'sweep')));
    expect((await runsOfSweep(again, id)).map(({ step }) => step)).toEqual(
      [0, 1, 2, 3].map((run) => (run < member ? at : at - 1)),
    );
    const resumed = await sessionOn(again, id);
    await resumed.session.train();
    expect(await recordsOf(again, id)).toEqual(await trainAlone(swept()));
  });

  it.each([
    ['pauses after a short step in progress', long, 5],
    ['drops a long step in progress on pause', atOnce, 4],
  ])('%s, and resumes with the rest', async (_, sleep, done) => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    let pausing: Promise<void> | undefined;
    const hook: Hook = (what, step) => {
      if (what === 'step' && step === 2) pausing ??= session.pause();
    };
    const { session, events } = await sessionOn(store, id, hook, 0, sleep);
    await session.train();
    await pausing;
    expect(lastState(events)).toMatchObject({ status: 'paused', done });
    await session.train();
    expect(lastState(events)).toMatchObject({ status: 'finished', done: 16 });
    expect(await recordsOf(store, id)).toEqual(await trainAlone(swept()));
  });

  it('continues without a run that fails, and names it', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    const { session, events, runs, engines } = await sessionOn(store, id, (what, step, engine) => {
      if (what === 'step' && step === 2 && engines.engines.indexOf(engine!) === 1) throw new Error('broken');
    });
    await session.train();
    expect(lastState(events)).toMatchObject({
      status: 'failed',
      done: 13,
      failed: [{ runId: runs[1].id, message: 'broken' }],
    });
    expect((await runsOfSweep(store, id)).map(({ step }) => step)).toEqual([4, 1, 4, 4]);
  });

  it('fails if every run does, and says a common reason once', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    const { session, runs } = await sessionOn(store, id, (what) => {
      if (what === 'step') throw new Error('broken');
    });
    const failed = session.train();
    await expect(failed).rejects.toThrow(`${runs.map(({ name }) => name).join('; ')}: broken`);
    // A named error is printed without its stack.
    await expect(failed).rejects.not.toHaveProperty('name', 'Error');
  });

  it('is found by its document, and completed if its creation was interrupted', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    const [first] = await runsOfSweep(store, id);
    await store.purge(first.id);
    expect(await findSweep(store, swept())).toBe(id);
    expect(await findSweep(store, swept({ seeds: [1], variants }))).toBeNull();
    await completeSweep(store, swept(), { id, name: 'Micro' });
    expect((await runsOfSweep(store, id)).map(({ sweep }) => sweep.index)).toEqual([0, 1, 2, 3]);
  });

  it('is found again by a later version, whose documents have more fields', async () => {
    const store = storeIn('sweep');
    const { context: _context, ...sampling } = swept().sampling;
    const earlier = { ...swept(), sampling } as Experiment;
    const id = crypto.randomUUID();
    for (const [index, { variant, name, seed, experiment }] of sweptRuns(swept()).entries())
      await store.create({
        name,
        experiment: { ...experiment, sampling },
        origin: { kind: 'new' },
        assets: {},
        sweep: { id, name: 'Micro', index, variant, variantName: name, seed, document: earlier },
      });
    expect(await findSweep(store, swept())).toBe(id);
  });

  it('is exported as one file and imported unchanged', async () => {
    const store = storeIn('sweep');
    const id = await createSweep(store, swept());
    await (await sessionOn(store, id)).session.train();
    const file = await exportSweep(
      store,
      (await runsOfSweep(store, id)).map((run) => run.id),
    );
    const other = storeIn('other');
    for (const run of readSweep(file, 'a.tabgym', 'new')!) await other.create(run);
    expect(await recordsOf(other, 'new')).toEqual(await recordsOf(store, id));
    const places = (await runsOfSweep(other, 'new')).map(({ sweep }) => sweep);
    expect(places.map(({ variantName, seed }) => [variantName, seed])).toEqual([
      ['slow', 1],
      ['other', 1],
      ['slow', 2],
      ['other', 2],
    ]);
    expect(places[0].document).toEqual(swept());
    expect(readSweep(new Uint8Array([1, 2, 3]), 'a.tabgym', 'new')).toBeNull();
    const damaged = file.slice();
    damaged[damaged.length >> 1] ^= 1;
    expect(() => readSweep(damaged, 'a.tabgym', 'new')).toThrow(/damaged/);
  });
});

describe('the remaining time of a sweep', () => {
  const experiment = (turns: number[]) =>
    parseExperiment({
      ...micro,
      steps: 10,
      evaluation: { every: 0, episodes: 8 },
      horizon: turns.map((each) => ({ steps: 5, turns: each })),
    });
  const run = (turns: number[], step: number, ms: number | null) => ({
    experiment: experiment(turns),
    step,
    variant: turns.length,
    recent: ms === null ? [] : [{ step, ms }],
  });

  it('is unknown before the first step', () => {
    expect(remainingMs([run([2], 0, null)], 0)).toBeNull();
  });

  it('follows the pace so far, with an evaluation at the end', () => {
    expect(remainingMs([run([2], 4, 100)], 50)).toBeCloseTo(6 * 100 + 50);
    expect(remainingMs([run([2], 10, 100)], 50)).toBe(0);
  });

  it('grows with the horizon, and a run that has not begun counts like the others', () => {
    // Three steps at two turns, then five at four turns, each twice as long.
    expect(remainingMs([run([2, 4], 2, 100)], 0)).toBeCloseTo(3 * 100 + 5 * 200);
    const runs = [run([2], 5, 100), run([4, 4], 5, 900), run([2], 0, null)];
    expect(remainingMs(runs, 0)).toBeCloseTo(5 * 100 + 5 * 900 + 10 * 100);
  });
});
