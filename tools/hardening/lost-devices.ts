/** Devices that are lost while a run loads, decodes or learns: the processor, which only reports it, and a real GPU. */
import type { Device } from '../../src/device/device.ts';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import type { AdapterMemory } from '../../src/store/adapter-memory.ts';
import { generator } from '../fuzz/mutations.ts';
import { begun, counted, experiment, type LifeParts, lived } from './lives.ts';
import type { Outcome } from './outcome.ts';
import { type Part, partOf } from './part-of.ts';

/** A kind of device that can be taken away. */
interface Losable<D extends Device> {
  open(): Promise<D>;
  lose(device: D): void;
  /** Longest time from an event of each part of a run to the loss. */
  latestMs: { readonly [part in Part]: number };
}

const processor: Losable<WasmDevice> = {
  open: () => WasmDevice.open({ threads: 1 }),
  lose: (device) => (device as unknown as { lose(why: string): void }).lose('it was taken away by a test'),
  latestMs: { loading: 0, decoding: 0, learning: 0 },
};

const gpu: Losable<Gpu> = {
  open: async () => Gpu.open(await nodeGpu()),
  lose: ({ device }) => device.destroy(),
  latestMs: { loading: 3000, decoding: 100, learning: 100 },
};

/** More losses than this without a step between end a training by design (`MOST_RECOVERIES`). */
const mostInARow = 3;

/** Takes a run's devices away at random instants of random parts of its steps. */
class Thief<D extends Device> {
  readonly by: { [part in Part]: number } = { loading: 0, decoding: 0, learning: 0 };
  /** Losses that the session named. */
  noticed = 0;
  /** The open device, until it is taken. */
  private held: D | null = null;
  private part: Part = 'loading';
  private next: Part = 'loading';
  private skip = 0;
  private step = 0;
  private inARow = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly kind: Losable<D>,
    private readonly random: (below: number) => number,
    private readonly most: number,
  ) {
    this.plan();
  }

  get taken(): number {
    return Object.values(this.by).reduce((sum, count) => sum + count, 0);
  }

  readonly machine = {
    open: async (): Promise<D> => {
      this.held = await this.kind.open();
      return this.held;
    },
  };

  readonly onEvent = (event: SessionEvent): void => {
    if (event.type === 'notice' && /device was lost/.test(event.message)) this.noticed++;
    if (event.type === 'step') this.reached(event.record.step);
    const part = partOf(event);
    this.part = part ?? this.part;
    if (part === null || this.timer || this.isDone || part !== this.next || this.skip-- > 0) return;
    const latestMs = this.kind.latestMs[part];
    if (latestMs) this.timer = setTimeout(() => this.take(), this.random(latestMs));
    else this.take();
  };

  /** In a run's last step a loss may come after the last use of the device. */
  private get isDone(): boolean {
    return this.taken >= this.most || this.step >= experiment.steps - 1 || this.inARow >= mostInARow;
  }

  private reached(step: number): void {
    this.step = step;
    // The session counts losses from the first update on.
    if (step > 0) this.inARow = 0;
    // Nothing is loaded until the next loss.
    if (this.next === 'loading') this.plan(['decoding', 'learning']);
  }

  private take(): void {
    this.timer = undefined;
    if (!this.held || this.isDone) return;
    this.kind.lose(this.held);
    this.held = null;
    this.by[this.part]++;
    this.inARow++;
    this.plan();
  }

  private plan(parts: readonly Part[] = ['loading', 'loading', 'decoding', 'learning']): void {
    this.next = parts[this.random(parts.length)];
    this.skip = this.random(this.next === 'loading' ? 2 : 4);
  }
}

/** Loses devices until `times` were lost. A run that ends otherwise, or does not name each loss, counts as lost. */
async function lostOnes<D extends Device>(
  times: number,
  kind: Losable<D>,
  words: string,
  shared: LifeParts = {},
): Promise<Outcome> {
  const random = generator(5);
  const by = { loading: 0, decoding: 0, learning: 0 };
  const what = (runs: number) =>
    `${words} lost while a run loads (${by.loading}), decodes (${by.decoding}) or learns (${by.learning}); ${runs} runs`;
  return counted(
    times,
    what,
    async (folder, left) => {
      const thief = new Thief(kind, random, left);
      const life = await begun(folder, { ...shared, machine: thief.machine, onEvent: thief.onEvent });
      const result = await lived(life);
      for (const part of Object.keys(by) as Part[]) by[part] += thief.by[part];
      if (thief.noticed !== thief.taken) console.log(`${thief.noticed} of ${thief.taken} losses were named`);
      return { faults: thief.taken, result: thief.noticed === thief.taken ? result : 'a loss was not named' };
    },
    { ...shared, machine: { open: kind.open } },
  );
}

export const lostDevices = (times: number): Promise<Outcome> => lostOnes(times, processor, 'device');

/** GPUs through Dawn. Their kernels are measured once, because two measurements may choose differently. */
export function lostGpus(times: number): Promise<Outcome> {
  const known = new Map<string, { readonly [kernel: string]: unknown }>();
  const adapters: AdapterMemory = {
    read: async (adapter) => known.get(adapter) ?? null,
    write: async (adapter, choices) => void known.set(adapter, choices),
  };
  return lostOnes(times, gpu, 'GPU (Dawn; the device is destroyed)', { adapters });
}
