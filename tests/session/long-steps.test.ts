// Steps of minutes and hours on a slowed device and a clock that the test turns: they end, are paused where they stand,
// go on exactly, and are never taken for a sleeping computer.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import type { Clock, OtherThread } from '../../src/session/run/freeze-watch.ts';
import { watchForFreeze, watchGaps } from '../../src/session/run/freeze-watch.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { type FakeEngine, FakeEngines, type Hook } from './fakes.ts';

const micro = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 3 });
const minute = 60_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-long-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A clock for several threads, each of which may stand still while the time passes. */
class Time {
  private ms = 0;
  private readonly ticks = { own: new Set<() => void>(), other: new Set<() => void>() };

  clockOf(thread: 'own' | 'other'): Clock {
    return {
      now: () => this.ms,
      setInterval: (callback) => this.ticks[thread].add(callback) && callback,
      clearInterval: (callback) => this.ticks[thread].delete(callback as () => void),
    };
  }

  readonly otherThread: OtherThread = (listener) => watchGaps(this.clockOf('other'), listener).stop;

  /** Lets the time pass. `awake`: the threads that run meanwhile, with a tick each second. */
  pass(ms: number, ...awake: ('own' | 'other')[]): void {
    for (const end = this.ms + ms; this.ms < end; ) {
      this.ms = awake.length ? Math.min(end, this.ms + 1000) : end;
      for (const thread of awake) for (const tick of this.ticks[thread]) tick();
    }
  }

  wake(...order: ('own' | 'other')[]): void {
    for (const thread of order) for (const tick of this.ticks[thread]) tick();
  }
}

async function newSession(hook: Hook, time = new Time()) {
  const store = new RunStore(new FolderStore(join(folder, crypto.randomUUID())));
  const { id } = await store.create({ name: 'run', experiment: micro, origin: { kind: 'new' } });
  const events: SessionEvent[] = [];
  const engines = new FakeEngines(hook);
  const parts = { clock: time.clockOf('own'), otherThread: time.otherThread, sleep: async () => {} };
  const emit = (event: SessionEvent) => void events.push(event);
  const session = new Session(id, micro, { store, engines, emit, ...parts });
  const records = async () => (await store.records<StepRecord>(id)).map(withoutTimes);
  return { session, events, engines, records };
}

async function uninterrupted(): Promise<StepRecord[]> {
  const { session, records } = await newSession(() => {});
  await session.train();
  return records();
}

/** Work of `ms` in slices of 200 ms, after each of which this thread handles its events. */
async function work(time: Time, ms: number, engine: FakeEngine | null) {
  for (let done = 0; done < ms; done += 200) {
    time.pass(200, 'own', 'other');
    await engine?.gate?.();
  }
}

const noticesOf = (events: readonly SessionEvent[]) => events.filter(({ type }) => type === 'notice');

describe.each([1, 10, 60])('a step of %i minutes', (minutes) => {
  it('ends, with the numbers of a fast one', async () => {
    const time = new Time();
    const { session, events, engines, records } = await newSession(
      (what, step, engine) => (what === 'step' && step === 2 ? work(time, minutes * minute, engine) : undefined),
      time,
    );
    await session.train();
    expect(session.status).toBe('finished');
    expect(noticesOf(events)).toEqual([]);
    expect(engines.engines).toHaveLength(1);
    expect(await records()).toEqual(await uninterrupted());
  });

  it('is not taken for sleep even if this thread never handles its events', async () => {
    const time = new Time();
    const { session, events, records } = await newSession((what, step) => {
      if (what !== 'step' || step !== 2) return;
      time.pass(minutes * minute, 'other');
      time.wake('own');
    }, time);
    await session.train();
    expect(noticesOf(events)).toEqual([]);
    expect(await records()).toEqual(await uninterrupted());
  });

  it('is paused where it stands, and goes on exactly', async () => {
    const time = new Time();
    let plays = 0;
    let pausing: Promise<void> | undefined;
    const { session, events, records } = await newSession(async (what, step, engine) => {
      if (what !== 'step' || step !== 2) return;
      plays++;
      await work(time, (minutes * minute) / 2, engine);
      pausing = session.pause({ holds: true });
      await pausing;
      await work(time, (minutes * minute) / 2, engine);
    }, time);
    const training = session.train();
    while (session.status !== 'paused') await new Promise((resolve) => setTimeout(resolve));
    expect((await records()).map(({ step }) => step)).toEqual([0, 1]);
    // An hour passes, in which nothing runs.
    time.pass(60 * minute, 'own', 'other');
    await session.train();
    await training;
    expect(session.status).toBe('finished');
    expect(plays).toBe(1);
    expect(events.flatMap((event) => (event.type === 'status' ? [event.status] : []))).toEqual(
      expect.arrayContaining(['running', 'pausing', 'paused', 'finished']),
    );
    expect(await records()).toEqual(await uninterrupted());
  });
});

describe('a held step', () => {
  async function held(time = new Time()) {
    let plays = 0;
    const parts = await newSession(async (what, step, engine) => {
      if (what !== 'step' || step !== 2) return;
      if (++plays === 1) {
        await parts.session.pause({ holds: true });
        await engine!.gate!();
      }
    }, time);
    const training = parts.session.train();
    while (parts.session.status !== 'paused') await new Promise((resolve) => setTimeout(resolve));
    return { ...parts, training, plays: () => plays };
  }

  it('is dropped when the policy plays an episode, and is repeated', async () => {
    const { session, training, records, plays } = await held();
    await session.watch({ split: 'train', taskIndex: 0, turnMs: 0 });
    await training;
    expect(session.status).toBe('paused');
    await session.train();
    expect(plays()).toBe(2);
    expect(await records()).toEqual(await uninterrupted());
  });

  it('is dropped on close, without an error', async () => {
    const { session, training, records } = await held();
    await session.close();
    await training;
    expect(session.status).toBe('paused');
    expect((await records()).map(({ step }) => step)).toEqual([0, 1]);
  });

  it('can be continued for this one step', async () => {
    const { session, training, records } = await held();
    await session.train({ steps: 1 });
    await training;
    expect(session.status).toBe('paused');
    expect((await records()).map(({ step }) => step)).toEqual([0, 1, 2]);
  });
});

describe('a computer that slept for an hour', () => {
  const sleep = async (survives: boolean) => {
    const time = new Time();
    let slept = false;
    const parts = await newSession(async (what, step, engine, signal) => {
      if (what !== 'step' || step !== 2 || slept) return;
      slept = true;
      engine!.survivesSleep = survives;
      time.pass(60 * minute);
      time.wake('other', 'own');
      signal.throwIfAborted();
    }, time);
    await parts.session.train();
    expect(parts.session.status).toBe('finished');
    expect(await parts.records()).toEqual(await uninterrupted());
    return parts;
  };

  it('goes on from the last committed step on a device that may have lost its memory', async () => {
    const { events, engines } = await sleep(false);
    expect(noticesOf(events)).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/stood still for 3600 s.*last committed step/) },
    ]);
    expect(engines.engines).toHaveLength(2);
  });

  it('goes on with the step on a device that keeps its memory', async () => {
    const { events, engines } = await sleep(true);
    expect(noticesOf(events)).toMatchObject([
      { level: 'info', message: expect.stringMatching(/stood still for 3600 s\. Nothing was lost/) },
    ]);
    expect(engines.engines).toHaveLength(1);
  });
});

describe('the freeze watch', () => {
  const watched = (play: (time: Time) => void): number[] => {
    const time = new Time();
    const frozen: number[] = [];
    watchForFreeze(time.clockOf('own'), time.otherThread, ({ message }) =>
      frozen.push(Number(/(\d+) s/.exec(message)![1])),
    );
    play(time);
    return frozen;
  };

  it.each([[['own', 'other']], [['other', 'own']]] as const)(
    'reports a sleep once, whoever wakes up first',
    (order) => {
      expect(
        watched((time) => {
          time.pass(5000, 'own', 'other');
          time.pass(200_000);
          time.wake(...order);
          time.pass(5000, 'own', 'other');
        }),
      ).toEqual([200]);
    },
  );

  it('needs both threads to stand still at the same time', () => {
    expect(
      watched((time) => {
        time.pass(200_000, 'other');
        time.wake('own');
        time.pass(200_000, 'own');
        time.wake('other', 'own');
        time.pass(60_000);
        time.wake('own', 'other');
      }),
    ).toEqual([]);
  });

  it('counts only the time in which both stood still', () => {
    expect(
      watched((time) => {
        time.pass(300_000, 'other');
        time.pass(120_000);
        time.wake('other', 'own');
      }),
    ).toEqual([120]);
  });
});
