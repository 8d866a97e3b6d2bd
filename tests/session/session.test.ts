// Life of a run on an engine of plain numbers: effects of a kill, a lost device, a full disk and a second owner.
import { DeviceLostError } from '../../src/device/device.ts';
import 'fake-indexeddb/auto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { NoRoomError } from '../../src/rl/episode/unplayed.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { MOST_RECOVERIES, Session } from '../../src/session/run/session.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { IndexedDbStore } from '../../src/store/indexeddb.ts';
import { SMALL_CHECKPOINT } from '../../src/store/retention.ts';
import type { Backend } from '../../src/store/run.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { FakeEngines, type Hook } from './fakes.ts';

const micro = parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8')));
const deviceLost = new DeviceLostError('gone');
/** A promise of a killed process never settles. */
const never = new Promise<never>(() => {});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-session-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backends: { [name: string]: () => Backend } = {
  folder: () => new FolderStore(folder),
  indexeddb: () => new IndexedDbStore(folder),
};

async function newRun(store: RunStore, experiment: Experiment = micro) {
  return (await store.create({ name: 'run', experiment, origin: { kind: 'new' } })).id;
}

function sessionOn(store: RunStore, id: string, hook: Hook = () => {}, experiment = micro) {
  const events: SessionEvent[] = [];
  const engines = new FakeEngines(hook);
  const session = new Session(id, experiment, {
    store,
    engines,
    emit: (event) => events.push(event),
    sleep: async () => {},
  });
  return { session, events, engines };
}

async function uninterrupted(experiment = micro): Promise<StepRecord[]> {
  const store = new RunStore(new FolderStore(join(folder, 'reference')));
  const id = await newRun(store, experiment);
  await sessionOn(store, id, undefined, experiment).session.train();
  return (await store.records<StepRecord>(id)).map(withoutTimes);
}

const recordsOf = async (store: RunStore, id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

describe.each(Object.keys(backends))('a session on %s', (name) => {
  it('trains to the end, evaluates on schedule, and reports it', async () => {
    const store = new RunStore(backends[name]());
    const id = await newRun(store);
    const { session, events } = sessionOn(store, id);
    await session.train();
    expect(session.status).toBe('finished');
    const records = await recordsOf(store, id);
    expect(records.map((r) => r.step)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(records.filter((r) => r.evaluation).map((r) => r.step)).toEqual([0, 4, 8]);
    expect(events.filter((e) => e.type === 'step')).toHaveLength(9);
    expect(events.filter((e) => e.type === 'hint').map((e) => e.hint)).toEqual([
      'wake-lock',
      'persist-storage',
      'wake-unlock',
    ]);
    expect((await store.get(id)).success).toBe(records[8].evaluation!.train.policy.rate);
    const evaluated = records.filter((r) => r.evaluation);
    const best = evaluated.reduce((a, b) => (b.evaluation!.test.policy.rate > a.evaluation!.test.policy.rate ? b : a));
    expect((await store.get(id)).best).toEqual({ step: best.step, success: best.evaluation!.test.policy.rate });
    expect(await store.checkpointSteps(id)).toContain(best.step);
  });

  it.each([1, 2, 5, 8])('killed in step %i, resumes with the numbers of a run that was never killed', async (at) => {
    const store = new RunStore(backends[name]());
    const id = await newRun(store);
    let reached = () => {};
    const inStep = new Promise<void>((resolve) => (reached = resolve));
    const hook: Hook = (what, step) => {
      if (what !== 'step' || step !== at) return;
      reached();
      return never;
    };
    const doomed = sessionOn(store, id, hook);
    void doomed.session.train();
    await inStep;
    expect((await store.get(id)).step).toBe(at - 1);

    const again = new RunStore(backends[name]());
    const resumed = sessionOn(again, id);
    await resumed.session.train();
    expect(await recordsOf(again, id)).toEqual(await uninterrupted());
    expect(resumed.engines.opened[0].choices).toMatchObject({
      kernelChoices: { matmul: 'tile8' },
      batchPlan: { rows: 8 },
    });
    expect(Object.keys(resumed.engines.opened[0].assets!)).toEqual(['tokenizer.json', 'config.json']);
  });

  it('killed between two checkpoints of a large policy, computes the steps after the first again', async () => {
    const experiment = { ...micro, evaluation: { ...micro.evaluation, every: 0 } };
    const store = new RunStore(backends[name]());
    const id = await newRun(store, experiment);
    let reached = () => {};
    const inStep = new Promise<void>((resolve) => (reached = resolve));
    const hook: Hook = (what, step) => {
      if (what !== 'step' || step !== 6) return;
      reached();
      return never;
    };
    const doomed = sessionOn(store, id, hook, experiment);
    doomed.engines.unused = new Float32Array(SMALL_CHECKPOINT / 4);
    void doomed.session.train();
    await inStep;
    expect([(await store.get(id)).step, await store.checkpointSteps(id)]).toEqual([5, [0]]);

    const again = new RunStore(backends[name]());
    const resumed = sessionOn(again, id, (_, step) => void (step === 2 && resumed.session.pause()), experiment);
    await resumed.session.train();
    expect((await recordsOf(again, id)).map(({ step }) => step)).toEqual([0, 1, 2]);
    expect(await again.trajectorySteps(id)).toEqual([1, 2]);
    await resumed.session.train();
    expect(await recordsOf(again, id)).toEqual(await uninterrupted(experiment));
  });
});

describe('a session', () => {
  it('pauses after the step in progress, and resumes', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let pausing: Promise<void> | undefined;
    const { session } = sessionOn(store, id, (what, step) => {
      if (what === 'step' && step === 3 && !pausing) pausing = session.pause();
    });
    await session.train();
    await pausing;
    expect(session.status).toBe('paused');
    expect((await store.get(id)).step).toBe(3);
    await session.train({ steps: 2 });
    expect((await store.get(id)).step).toBe(5);
    await session.train();
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it.each(['open', 'evaluate'] as const)(
    'paused while it is prepared (%s), stops at once and can start again',
    async (cut) => {
      const store = new RunStore(new FolderStore(folder));
      const id = await newRun(store);
      let cuts = 0;
      let reached = () => {};
      const there = new Promise<void>((resolve) => (reached = resolve));
      const { session, engines } = sessionOn(store, id, async (what, step, _engine, signal) => {
        if (what !== cut || step !== 0 || cuts++) return;
        reached();
        await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      });
      const training = session.train();
      await there;
      expect(session.status).toBe('preparing');
      await session.pause();
      await training;
      expect(session.status).toBe('paused');
      expect(await recordsOf(store, id)).toEqual([]);
      await session.train();
      expect(engines.engines).toHaveLength(1);
      expect(await recordsOf(store, id)).toEqual(await uninterrupted());
    },
  );

  it('held in the evaluation before the first step, goes on with it', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let evaluations = 0;
    let held = true;
    let reached = () => {};
    const there = new Promise<void>((resolve) => (reached = resolve));
    const { session } = sessionOn(store, id, async (what, step, engine) => {
      if (what !== 'evaluate' || step !== 0) return;
      evaluations++;
      reached();
      do {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await engine?.gate?.();
      } while (held);
    });
    const training = session.train();
    await there;
    await session.pause({ holds: true });
    expect(session.status).toBe('paused');
    held = false;
    await session.train();
    await training;
    expect(evaluations).toBe(1);
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it('evaluates only after the last step if it is to evaluate every 0 steps', async () => {
    const store = new RunStore(new FolderStore(folder));
    const experiment = { ...micro, evaluation: { ...micro.evaluation, every: 0 } };
    const id = await newRun(store, experiment);
    const evaluated: number[] = [];
    const hook: Hook = (what, step) => void (what === 'evaluate' && evaluated.push(step));
    await sessionOn(store, id, hook, experiment).session.train();
    expect(evaluated).toEqual([micro.steps]);
  });

  it('keeps a step whose evaluation has no room, with a warning that has the advice', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    const { session, events } = sessionOn(store, id, (what, step) => {
      if (what === 'evaluate' && step === micro.steps) throw new NoRoomError('Choose more sampling.completionTokens.');
    });
    await session.train();
    const records = await store.records<StepRecord>(id);
    expect(records.at(-1)).toMatchObject({ step: micro.steps });
    expect(records.at(-1)!.evaluation).toBeUndefined();
    expect(events).toContainEqual({
      type: 'notice',
      level: 'warning',
      message: `Step ${micro.steps} is kept without its evaluation. Choose more sampling.completionTokens.`,
    });
    const refused = sessionOn(store, await newRun(store), (what) => {
      if (what === 'evaluate') throw new NoRoomError('None.');
    });
    await expect(refused.session.train()).rejects.toThrow('None.');
  });

  it('paused while a lost device is replaced, prepares no other', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let pausing: Promise<void> | undefined;
    const { session, engines } = sessionOn(store, id, (what, step) => {
      if (what !== 'step' || step !== 3 || pausing) return;
      pausing = session.pause();
      throw deviceLost;
    });
    await session.train();
    await pausing;
    expect(session.status).toBe('paused');
    expect(engines.engines).toHaveLength(1);
    await session.train();
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it.each(['error', 'silent'])('survives a lost device (%s)', async (kind) => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let losses = 0;
    const { session, events, engines } = sessionOn(store, id, (what, step, engine) => {
      if (what !== 'step' || (step !== 4 && step !== 7) || losses >= 2) return;
      if (losses === (step === 4 ? 0 : 1)) {
        losses++;
        engine!.lose(deviceLost);
        if (kind === 'error') throw new Error('mapAsync failed');
      }
    });
    await session.train();
    expect(engines.engines).toHaveLength(3);
    expect(engines.engines[0].closed).toBe(true);
    expect(events.filter((e) => e.type === 'notice')).toHaveLength(2);
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it('counts no step twice that a lost device made it compute again', async () => {
    const experiment = { ...micro, evaluation: { ...micro.evaluation, every: 0 } };
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store, experiment);
    let losses = 0;
    const hook: Hook = (what, step) => {
      if (what === 'step' && step === 4 && losses++ === 0) throw deviceLost;
    };
    const { session, engines } = sessionOn(store, id, hook, experiment);
    engines.unused = new Float32Array(SMALL_CHECKPOINT / 4);
    await session.train({ steps: 5 });
    expect(losses).toBe(2);
    expect((await recordsOf(store, id)).map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await store.checkpointSteps(id)).toEqual([0, 5]);
  });

  it('gives up on a device that is lost repeatedly, with a message, and keeps every step', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    const { session, engines, events } = sessionOn(store, id, (what, step) => {
      if (what === 'step' && step === 3) throw deviceLost;
    });
    await expect(session.train()).rejects.toThrow(/lost 4 times.*All committed steps are kept.*choose another device/s);
    expect(session.status).toBe('failed');
    expect(engines.engines).toHaveLength(MOST_RECOVERIES + 1);
    // A reason that repeats is reported once.
    expect(events.filter((e) => e.type === 'notice')).toHaveLength(1);
    expect((await store.get(id)).step).toBe(2);
  });

  it('pauses on a full disk, loses nothing, and resumes when there is room', async () => {
    const inner = new FolderStore(folder);
    let full = false;
    const backend: Backend = Object.assign(Object.create(inner) as Backend, {
      change: (...args: Parameters<Backend['change']>) => {
        if (full) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        return inner.change(...args);
      },
      space: async () => ({ usage: 99e6, quota: 100e6 }),
    });
    const store = new RunStore(backend);
    const id = await newRun(store);
    const { session, events } = sessionOn(store, id, (what, step) => {
      if (what === 'step') full = step === 5 && !events.some((e) => e.type === 'notice');
    });
    await session.train();
    expect(session.status).toBe('paused');
    expect(events.find((e) => e.type === 'notice')).toMatchObject({
      level: 'error',
      action: 'storage',
      message: expect.stringMatching(
        /no space to store .*[KM]B \(99\.0 MB of 100\.0 MB are used\)\. No stored data is lost/,
      ),
    });
    full = false;
    expect((await store.get(id)).step).toBe(4);
    await session.train();
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it('stops writing once another session has claimed the run', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    const { session, events } = sessionOn(store, id, async (what, step) => {
      if (what === 'step' && step === 3) await store.claim(id, 'the other tab');
    });
    await session.train();
    expect(session.status).toBe('paused');
    expect(events).toContainEqual({ type: 'owner', runId: id, owner: 'another-tab' });
    expect((await store.get(id)).step).toBe(2);
  });

  it('reports an unknown failure as a failure and can be tried again', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let failed = false;
    const { session } = sessionOn(store, id, (what, step) => {
      if (what !== 'step' || step !== 2 || failed) return;
      failed = true;
      throw new Error('a bug');
    });
    await expect(session.train()).rejects.toThrow('a bug');
    expect(session.status).toBe('failed');
    await session.train();
    expect(await recordsOf(store, id)).toEqual(await uninterrupted());
  });

  it('drops the step in progress on close', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    let inStep = () => {};
    const reached = new Promise<void>((resolve) => (inStep = resolve));
    const { session, engines } = sessionOn(store, id, async (what, step, _engine, signal) => {
      if (what !== 'step' || step !== 2) return;
      inStep();
      await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const training = session.train();
    await reached;
    await session.close();
    await training;
    expect(session.status).toBe('paused');
    expect(engines.engines[0].closed).toBe(true);
    expect((await store.get(id)).step).toBe(1);
  });
  it('keeps the status of its run while an episode is watched in a new session', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await newRun(store);
    const statusAfterWatching = async () => {
      const { session } = sessionOn(store, id);
      await session.watch({ split: 'test', taskIndex: 0, turnMs: 0 });
      const { status } = session;
      await session.close();
      return status;
    };
    expect(await statusAfterWatching()).toBe('idle');
    await sessionOn(store, id).session.train({ steps: 3 });
    expect(await statusAfterWatching()).toBe('paused');
    await sessionOn(store, id).session.train();
    expect(await statusAfterWatching()).toBe('finished');
  });
});
