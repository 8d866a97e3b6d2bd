// The real engine on Dawn: after a killed page, a lost device or a restart in another process, a run has the same
// numbers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { decodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import type { AdapterMemory } from '../../src/store/adapter-memory.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const micro = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 5 });
const folder = mkdtempSync(join(tmpdir(), 'tabgym-engine-'));
const store = new RunStore(new FolderStore(folder));
const opened: Gpu[] = [];
/**
 * The fastest forms of the kernels are measured only once: two measurements may choose differently, which changes the
 * last digits.
 */
const known = new Map<string, { readonly [kernel: string]: unknown }>();
const adapters: AdapterMemory = {
  read: async (adapter) => known.get(adapter) ?? null,
  write: async (adapter, choices) => void known.set(adapter, choices),
};
let reference: StepRecord[];

async function newRun(experiment: Experiment): Promise<string> {
  return (await store.create({ name: 'a run', experiment, origin: { kind: 'new' } })).id;
}

/** The same device, with a smaller limit on the size of a buffer. */
function withLargestBuffer(gpu: Gpu, bytes: number): Gpu {
  return Object.create(gpu, { bufferBytes: { value: bytes } });
}

function sessionOf(
  id: string,
  onEvent: (event: SessionEvent) => void = () => {},
  largestBuffer?: number,
): { session: Session; events: SessionEvent[] } {
  const events: SessionEvent[] = [];
  const machine = {
    open: async () => {
      const gpu = await Gpu.open(await nodeGpu());
      opened.push(gpu);
      return largestBuffer ? withLargestBuffer(gpu, largestBuffer) : gpu;
    },
  };
  const emit = (event: SessionEvent) => {
    events.push(event);
    onEvent(event);
  };
  return {
    session: new Session(id, micro, { store, engines: new Assembly({ machine, openWorld, adapters }), emit }),
    events,
  };
}

const recordsOf = async (id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

beforeAll(async () => {
  const id = await newRun(micro);
  const { session, events } = sessionOf(id);
  await session.train();
  await session.close();
  reference = await recordsOf(id);
  const tested = events.find((event) => event.type === 'gpu')!.report.selftest;
  expect(tested.length).toBeGreaterThan(10);
  expect(tested.filter(({ ok }) => !ok)).toEqual([]);
});

afterAll(() => {
  for (const gpu of opened) gpu.destroy();
  rmSync(folder, { recursive: true, force: true });
});

it('the run has KL, entropy, several updates a step and a horizon that grows', () => {
  expect(reference.map(({ step, stage }) => [step, stage])).toEqual([
    [0, 0],
    [1, 2],
    [2, 2],
    [3, 2],
    [4, 1],
    [5, 1],
  ]);
  expect(
    reference.slice(1).every(({ metrics }) => metrics.updates === 4 && metrics.kl > 0 && metrics.entropy > 0),
  ).toBe(true);
  expect(reference.slice(1).every(({ metrics }) => metrics.buffersCreated === 0)).toBe(true);
  expect(new Set(reference.map(({ metrics }) => metrics.kl)).size).toBe(reference.length);
});

it('a session that restarts in the middle repeats the run exactly', { timeout: 300_000 }, async () => {
  const id = await newRun(micro);
  for (const steps of [3, micro.steps]) {
    const { session } = sessionOf(id);
    await session.train({ steps });
    await session.close();
  }
  expect(await recordsOf(id)).toEqual(reference);
});

it('a session that restarts after each step repeats the run exactly', { tags: 'slow' }, async () => {
  const id = await newRun(micro);
  for (let life = 0; life < micro.steps; life++) {
    const { session } = sessionOf(id);
    await session.train({ steps: 1 });
    await session.close();
  }
  expect(await recordsOf(id)).toEqual(reference);
});

it('a device lost in the middle of a step is replaced, and the numbers stay', { tags: 'slow' }, async () => {
  const id = await newRun(micro);
  let losses = 0;
  const { session, events } = sessionOf(id, (event) => {
    if (event.type !== 'live' || event.live.step !== 2 * losses + 2 || losses >= 2) return;
    losses++;
    opened.at(-1)!.device.destroy();
  });
  await session.train();
  await session.close();
  expect(losses).toBe(2);
  expect(events.filter((event) => event.type === 'notice' && /device was lost/.test(event.message))).toHaveLength(2);
  expect(await recordsOf(id)).toEqual(reference);
});

it('an evaluation paused before the first step is repeated, and the numbers stay', { tags: 'slow' }, async () => {
  const id = await newRun(micro);
  let pausing: Promise<void> | undefined;
  const { session } = sessionOf(id, (event) => {
    if (event.type !== 'progress' || event.progress?.what !== 'held-out goals' || pausing) return;
    pausing = session.pause();
  });
  await session.train();
  await pausing;
  expect(session.status).toBe('paused');
  expect(await recordsOf(id)).toEqual([]);
  const devices = opened.length;
  await session.train();
  await session.close();
  expect(opened).toHaveLength(devices);
  expect(await recordsOf(id)).toEqual(reference);
});

it('playing an episode between steps does not change training', { tags: 'slow' }, async () => {
  const id = await newRun(micro);
  const { session, events } = sessionOf(id);
  await session.watch({ split: 'test', taskIndex: 3, turnMs: 0 });
  expect((await store.get(id)).step).toBe(0);
  await session.train({ steps: 2 });
  await session.watch({ split: 'train', taskIndex: 0, turnMs: 0 });
  const live = events.filter((event) => event.type === 'live').map((event) => event.live);
  expect(live.at(-1)).toMatchObject({ done: true, view: { kind: 'textcraft' } });
  await session.train();
  await session.close();
  expect(await recordsOf(id)).toEqual(reference);
  const stored = decodeTrajectories((await store.trajectories(id, 5))!);
  expect(stored).toHaveLength(8);
  expect(stored.every((t) => t.tokens.length === t.logprob.length && t.turns.length > 0)).toBe(true);
});

it('an adapter too small for a run stops it with a message, and a larger one continues it', {
  tags: 'slow',
}, async () => {
  const id = await newRun(micro);
  const first = sessionOf(id);
  await first.session.train({ steps: 2 });
  await first.session.close();
  const small = sessionOf(id, undefined, 2 ** 18);
  await expect(small.session.train()).rejects.toThrow(/does not fit on this adapter\. .* choose /);
  expect(small.session.status).toBe('failed');
  await small.session.close();
  expect(await recordsOf(id)).toEqual(reference.slice(0, 3));
  const last = sessionOf(id);
  await last.session.train();
  await last.session.close();
  expect(await recordsOf(id)).toEqual(reference);
});
