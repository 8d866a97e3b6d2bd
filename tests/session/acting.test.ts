// Without a GPU a run can be watched: the processor plays the same episode as the engine on the GPU. Training is
// refused with a message.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { checkpointOf } from '../../src/session/checkpoint.ts';
import type { GpuMachine } from '../../src/session/device/gpu-report.ts';
import type { LiveTurn, SessionEvent } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { noGpu, useDawn } from './machines.ts';

const micro = parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8')));
const folder = mkdtempSync(join(tmpdir(), 'tabgym-acting-'));
const store = new RunStore(new FolderStore(folder));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const dawn = useDawn();

function sessionOf(id: string, machine: GpuMachine) {
  const live: LiveTurn[] = [];
  const emit = (event: SessionEvent) => void (event.type === 'live' && live.push(event.live));
  return { session: new Session(id, micro, { store, engines: new Assembly({ machine, openWorld }), emit }), live };
}

it('plays the same episode as the GPU', { tags: 'slow' }, async () => {
  const { id } = await store.create({ name: 'a run', experiment: micro, origin: { kind: 'new' } });
  const episodes: LiveTurn[][] = [];
  for (const machine of [noGpu, dawn]) {
    const { session, live } = sessionOf(id, machine);
    for (const taskIndex of [0, 3, 5]) await session.watch({ split: 'train', taskIndex, turnMs: 0 });
    await session.close();
    episodes.push(live);
  }
  expect(episodes[0].length).toBeGreaterThan(3);
  expect(episodes[0].filter(({ done }) => done)).toHaveLength(3);
  expect(episodes[0]).toEqual(episodes[1]);
});

it('plays with the weights of the last checkpoint', async () => {
  const engines = new Assembly({ machine: noGpu, openWorld });
  const options = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };
  const engine = await engines.open(micro, { ...options, purpose: 'watch' });
  const config = parseConfig(JSON.parse(new TextDecoder().decode(engine.assets['config.json'])));
  const tensors = initWeights(config, { seed: 99, std: 0.3 });
  const meta = checkpointOf(0, { tensors, optimizerStep: 0 }, engine.choices);
  await engine.close();
  const run = { name: 'imported', experiment: micro, origin: { kind: 'import', file: 'x' } as const };
  const { id } = await store.create({ ...run, checkpoints: [meta], assets: engine.assets });
  const fresh = await store.create({ name: 'fresh', experiment: micro, origin: { kind: 'new' } });
  const actions: string[][] = [];
  for (const each of [id, fresh.id]) {
    const { session, live } = sessionOf(each, noGpu);
    for (const taskIndex of [0, 1, 2]) await session.watch({ split: 'train', taskIndex, turnMs: 0 });
    await session.close();
    actions.push(live.map(({ action }) => action));
  }
  expect(actions[0]).not.toEqual(actions[1]);
});

it('plays tasks with the first and with the last weights', async () => {
  const engines = new Assembly({ machine: noGpu, openWorld });
  const options = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };
  const engine = await engines.open(micro, { ...options, purpose: 'watch' });
  const config = parseConfig(JSON.parse(new TextDecoder().decode(engine.assets['config.json'])));
  const tensors = initWeights(config, { seed: 99, std: 0.3 });
  const meta = checkpointOf(0, { tensors, optimizerStep: 0 }, engine.choices);
  await engine.close();
  const run = { name: 'imported', experiment: micro, origin: { kind: 'import', file: 'x' } as const };
  const { id } = await store.create({ ...run, checkpoints: [meta], assets: engine.assets });
  const fresh = await store.create({ name: 'fresh', experiment: micro, origin: { kind: 'new' } });
  const tasks = [0, 1, 2];
  const watched: LiveTurn[][] = [];
  for (const each of [fresh.id, id]) {
    const { session, live } = sessionOf(each, noGpu);
    for (const taskIndex of tasks) await session.watch({ split: 'test', taskIndex, turnMs: 0 });
    await session.close();
    watched.push(live);
  }
  const { session, live } = sessionOf(id, noGpu);
  const first = await session.tries({ weights: 'first', split: 'test', tasks });
  const last = await session.tries({ weights: 'last', split: 'test', tasks });
  await session.close();
  expect(first).toHaveLength(tasks.length);
  expect(first.flat()).toEqual(watched[0]);
  expect(last.flat()).toEqual(watched[1]);
  expect(first).not.toEqual(last);
  // The turns are returned, not shown live.
  expect(live).toEqual([]);
});

it('refuses training, also after an episode was watched', async () => {
  const { id } = await store.create({ name: 'a run', experiment: micro, origin: { kind: 'new' } });
  const { session } = sessionOf(id, noGpu);
  await session.watch({ split: 'train', taskIndex: 0, turnMs: 0 });
  await expect(session.train()).rejects.toThrow(/WebGPU/);
  expect(session.status).toBe('failed');
  await session.close();
});

it('plays a given task in place of a numbered one, as a person’s contest with the agent needs', async () => {
  const { id } = await store.create({ name: 'contest', experiment: micro, origin: { kind: 'new' } });
  const [{ name, options }] = micro.worlds;
  const tasks = await (await openWorld(name)).tasks(options, 'test');
  const { session, live } = sessionOf(id, noGpu);
  await session.watch({ split: 'test', taskIndex: 2, turnMs: 0 });
  const numbered = live.splice(0);
  await session.watch({ split: 'test', taskIndex: 0, task: tasks[2], turnMs: 0 });
  await session.close();
  expect(numbered.length).toBeGreaterThan(0);
  expect(live).toEqual(numbered);
});
