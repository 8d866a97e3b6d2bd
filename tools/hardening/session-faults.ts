/**
 * Faults inside one process: pauses, and clocks that jump; and memory over many steps. Each run must end with the
 * numbers of a run that was left alone. The clock is faked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { type Clock, type Gap, systemClock } from '../../src/session/run/freeze-watch.ts';
import { generator } from '../fuzz/mutations.ts';
import { growthOf } from '../memory.ts';
import { begun, counted, experiment, type LifeParts, lived } from './lives.ts';
import type { Outcome } from './outcome.ts';
import { partOf } from './part-of.ts';

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

/** Opens the processor. `sleeps`: like a GPU, it does not survive a sleep of the computer. */
const openProcessor = async (sleeps: boolean): Promise<WasmDevice> => {
  const device = await WasmDevice.open({ threads: 1 });
  if (sleeps) Object.defineProperty(device, 'survivesSleep', { value: false });
  return device;
};

/** Pauses at random instants. Every second one holds the step in progress where it stands. */
export async function pauses(times: number): Promise<Outcome> {
  const random = generator(6);
  const words = (runs: number) => `pause of a training at a random instant, half of them inside a step (${runs} runs)`;
  return counted(times, words, async (folder, left) => {
    let faults = 0;
    const life = await begun(folder, {});
    const result = await lived(life, async () => {
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
    return { faults, result };
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
    const machine = { open: () => openProcessor(run % 2 === 0) };
    const result = await lived(await begun(folder, { machine, clock, otherThread: clock.other, onEvent }));
    return { faults, result };
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

export const flatMemory = (times: number): Promise<Outcome> => grownMemory(times, 'processor, Node');

/** On the GPU that Node finds: Dawn's allocations are in this process too. */
export const flatGpuMemory = (times: number): Promise<Outcome> =>
  grownMemory(times, 'GPU, Dawn in Node', { open: async () => Gpu.open(await nodeGpu()) });

/** Trains for many steps and compares this process's memory in the last third with the second. */
async function grownMemory(times: number, device: string, machine?: LifeParts['machine']): Promise<Outcome> {
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
  const life = await begun(folder, { onEvent, ...(machine && { machine }) }, smallest);
  await life.session.train({ steps: times });
  await life.session.close();
  rmSync(folder, { recursive: true, force: true });
  const { thirds, isFlat } = growthOf('this process', samples);
  const [, middle, last] = thirds;
  const words = `${middle.toFixed(0)} MB in the second third, ${last.toFixed(0)} MB in the last`;
  return {
    what: `step of a training that must not grow (${device}): ${words}`,
    tried: taken,
    lost: Number(taken < times),
    accepted: Number(!isFlat),
  };
}
