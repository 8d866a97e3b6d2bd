/**
 * Faults inside one process: devices that are lost while a run loads, decodes or learns, pauses, and clocks that jump.
 * Each run must end with the numbers of a run that was left alone. The engine, the world and the store are real; the
 * loss is reported by the WebAssembly device itself, and the clock is faked.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { NodeBaseModels } from '../../src/library/node/base-models.ts';
import { openWorldHere } from '../../src/library/node/worlds.ts';
import type { SessionEvent, StepRecord } from '../../src/session/protocol.ts';
import { type Clock, type Gap, systemClock } from '../../src/session/run/freeze-watch.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openSandbox } from '../../src/workers/spawn-sandbox.ts';
import { generator } from '../fuzz/mutations.ts';
import { growthOf } from '../memory.ts';
import type { Outcome } from './outcome.ts';

const experiment = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 24 });
const hour = 3_600_000;

/** A clock that can jump, and the second clock of the freeze watch, which jumps with it. */
class JumpingClock implements Clock {
  private offset = 0;
  private readonly listeners = new Set<(gap: Gap) => void>();
  readonly now = () => Date.now() + this.offset;
  readonly setInterval = systemClock.setInterval;
  readonly clearInterval = systemClock.clearInterval;

  readonly other = (listener: (gap: Gap) => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Sets the clock forward, as after a sleep of all threads, or back. */
  jump(ms: number): void {
    const from = this.now();
    this.offset += ms;
    if (ms > 0) for (const listener of this.listeners) listener({ from, to: this.now() });
  }
}

/** Opens devices, and loses the last one on demand. */
class LosableDevices {
  private last: WasmDevice | null = null;

  /** `sleeps`: like a GPU, the device does not survive a sleep of the computer. */
  constructor(private readonly sleeps = false) {}

  readonly open = async (): Promise<WasmDevice> => {
    this.last = await WasmDevice.open({ threads: 1 });
    if (this.sleeps) Object.defineProperty(this.last, 'survivesSleep', { value: false });
    return this.last;
  };

  lose(): void {
    (this.last as unknown as { lose(why: string): void } | null)?.lose('it was taken away by a test');
  }
}

interface Life {
  id: string;
  store: RunStore;
  session: Session;
}

interface LifeParts {
  devices?: LosableDevices;
  clock?: JumpingClock;
  onEvent?(event: SessionEvent): void;
}

async function begun(folder: string, { devices, clock, onEvent }: LifeParts, settings = experiment): Promise<Life> {
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'a run', experiment: settings, origin: { kind: 'new' } });
  const machine = { open: (devices ?? new LosableDevices()).open };
  const engines = new Assembly({
    machine,
    openWorld: (name) => openWorldHere(name),
    models: new NodeBaseModels(),
    openSandbox,
  });
  const session = new Session(id, settings, {
    store,
    engines,
    emit: onEvent ?? (() => {}),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50))),
    ...(clock && { clock, otherThread: clock.other }),
  });
  return { id, store, session };
}

/** Records of a finished run, without times, as JSON. */
async function recordsOf({ store, id }: Life): Promise<string> {
  return JSON.stringify((await store.records<StepRecord>(id)).map(withoutTimes));
}

/** Trains a run to its end through faults. Returns its records. */
async function lived(life: Life, train = () => life.session.train()): Promise<string> {
  try {
    for (let tries = 0; life.session.status !== 'finished' && tries < 1000; tries++) await train();
    return await recordsOf(life);
  } finally {
    await life.session.close();
  }
}

/** Runs lives, each with faults of its own, until `times` faults were thrown. */
async function counted(
  times: number,
  what: (runs: number) => string,
  live: (folder: string, left: number, run: number) => Promise<{ faults: number; records: string }>,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-faults-'));
  const expected = await lived(await begun(join(folder, 'never'), {}));
  let [tried, lost, run] = [0, 0, 0];
  while (tried < times) {
    const place = join(folder, String(run));
    const { faults, records } = await live(place, times - tried, run++);
    tried += faults;
    if (records !== expected) lost++;
    rmSync(place, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  return { what: what(run), tried, lost, accepted: 0 };
}

/** Part of a step that an event belongs to. */
function partOf(event: SessionEvent): 'loading' | 'decoding' | 'learning' | null {
  if (event.type !== 'progress' || !event.progress) return null;
  const { unit } = event.progress;
  if (unit === 'kernels' || unit === 'bytes' || unit === 'steps') return 'loading';
  return unit === 'slices' ? 'learning' : 'decoding';
}

/** Devices that are lost while a run loads, decodes or learns. */
export async function lostDevices(times: number): Promise<Outcome> {
  const random = generator(5);
  const by = { loading: 0, decoding: 0, learning: 0 };
  const parts = Object.keys(by) as (keyof typeof by)[];
  const words = (runs: number) =>
    `device lost while a run loads (${by.loading}), decodes (${by.decoding}) or learns (${by.learning}); ${runs} runs`;
  return counted(times, words, async (folder, left) => {
    // At most one loss for each step: a device that is lost again and again ends the training by design.
    let [faults, skip, isLostSince] = [0, random(4), -1];
    let [step, next] = [0, parts[random(3)]];
    const devices = new LosableDevices();
    const onEvent = (event: SessionEvent) => {
      if (event.type === 'step') step = event.record.step;
      if (faults >= left || step === isLostSince || partOf(event) !== next || skip-- > 0) return;
      by[next]++;
      faults++;
      [isLostSince, skip, next] = [step, random(4), next === 'loading' ? parts[1 + random(2)] : parts[random(3)]];
      devices.lose();
    };
    // A device that is lost while it loads is one that was just opened after another loss.
    const records = await lived(await begun(folder, { devices, onEvent }));
    return { faults, records };
  });
}

/** Pauses at random instants. Every second one holds the step in progress where it stands. */
export async function pauses(times: number): Promise<Outcome> {
  const random = generator(6);
  const words = (runs: number) => `pause of a training at a random instant, half of them inside a step (${runs} runs)`;
  return counted(times, words, async (folder, left) => {
    let faults = 0;
    const life = await begun(folder, {});
    const records = await lived(life, async () => {
      const training = life.session.train();
      let timer: NodeJS.Timeout | undefined;
      const stopped = new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => {
          if (faults < left) life.session.pause({ holds: faults++ % 2 === 1 }).then(resolve, reject);
        }, random(400));
      });
      await Promise.race([training, stopped]);
      clearTimeout(timer);
    });
    return { faults, records };
  });
}

/** Clocks that are set back or forward, and sleeps of the computer with devices that survive them or do not. */
export async function clocks(times: number): Promise<Outcome> {
  const random = generator(7);
  let [back, asleep] = [0, 0];
  const words = (runs: number) =>
    `clock set back by hours (${back}), or computer asleep for minutes (${asleep}) while a run trains; ${runs} runs`;
  return counted(times, words, async (folder, left, run) => {
    const clock = new JumpingClock();
    let [faults, wait, lastSleep, step] = [0, random(6), -1, 0];
    const onEvent = (event: SessionEvent) => {
      if (event.type === 'step') step = event.record.step;
      if (faults >= left || partOf(event) === null || wait-- > 0) return;
      wait = random(6);
      const sleeps = random(2) === 1;
      if (sleeps && lastSleep === step) return;
      faults++;
      if (sleeps) [lastSleep, asleep] = [step, asleep + 1];
      else back++;
      clock.jump(sleeps ? 120_000 + random(hour) : -random(24 * hour));
    };
    const records = await lived(await begun(folder, { devices: new LosableDevices(run % 2 === 0), clock, onEvent }));
    return { faults, records };
  });
}

/** Smallest experiment: one episode of a few turns a step. */
const smallest = parseExperiment({
  ...experiment,
  policy: { ...experiment.policy, hidden: 16, heads: 1, headDim: 16, intermediate: 32 },
  algorithm: { ...experiment.algorithm, groups: 1, groupSize: 2, minibatches: 1, innerEpochs: 1 },
  sampling: { ...experiment.sampling, promptTokens: 256, completionTokens: 384 },
  evaluation: { ...experiment.evaluation, every: 100_000 },
  steps: 1_000_000,
});

/** Trains for many steps and compares this process's memory in the last third with the second. */
export async function flatMemory(times: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-memory-'));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const samples: number[] = [];
  const onEvent = ({ type }: SessionEvent) => {
    if (type !== 'step') return;
    const step = ++taken;
    if (step % Math.max(1, Math.floor(times / 60)) !== 0) return;
    collect();
    samples.push(process.memoryUsage().rss / 2 ** 20);
  };
  let taken = -1;
  const life = await begun(folder, { onEvent }, smallest);
  await life.session.train({ steps: times });
  await life.session.close();
  rmSync(folder, { recursive: true, force: true });
  const { thirds, isFlat } = growthOf('this process', samples);
  const [, middle, last] = thirds;
  const words = `${middle.toFixed(0)} MB in the second third, ${last.toFixed(0)} MB in the last`;
  return {
    what: `step of a training that must not grow (processor, Node): ${words}`,
    tried: taken,
    lost: Number(taken < times),
    accepted: Number(!isFlat),
  };
}
