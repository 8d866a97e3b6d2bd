import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Task, WorldOptions } from '../../src/envs/env.ts';
import { uniformAt } from '../../src/envs/random-player.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { parseSciWorldOptions } from '../../src/worlds/sciworld/options.ts';
import { tasksWithOracle } from '../../src/worlds/sciworld/oracle.ts';
import { everyThing } from '../../src/worlds/sciworld/scene.ts';
import { SciWorldSimulator } from '../../src/worlds/sciworld/simulator.ts';
import {
  agentGymTasks,
  bitsOf,
  ITEMS,
  idOf,
  itemOf,
  sciWorldTasks,
  variationsOf,
} from '../../src/worlds/sciworld/tasks.ts';
import type { SciWorldView } from '../../src/worlds/sciworld/view-data.ts';
import { percent, SciWorld } from '../../src/worlds/sciworld/world.ts';
import { readEpisodes, replayEpisodes } from '../../tools/replay/sciworld.ts';
import { goldenFolder, hasGolden } from './helpers.ts';

beforeAll(() => buildWasm());

const task = (id: number, options: WorldOptions = {}): Task => ({ world: 'sciworld', id, options, strata: {} });

describe('items', () => {
  it("are AgentGym's 4,639 and then the rest", () => {
    expect(agentGymTasks.reduce((n, t) => n + t.variations, 0)).toBe(4639);
    expect(sciWorldTasks.reduce((n, t) => n + t.variations, 0)).toBe(ITEMS);
    expect(itemOf(0)).toEqual({ task: 'boil', variation: 0 });
    expect(itemOf(4638)).toEqual({ task: 'identify-life-stages-2', variation: 9 });
    expect(itemOf(1436)).toEqual({ task: 'test-conductivity', variation: 0 });
    expect(idOf('find-animal', 299)).toBe(4135);
    expect(() => itemOf(ITEMS)).toThrow(/0 to 7206/);
  });
  it.each([
    [30, [0, 13, 14, 20, 21, 29]],
    [14, [0, 5, 6, 8, 9, 13]],
    [10, [0, 3, 4, 5, 6, 9]],
    [1386, [0, 691, 692, 1037, 1038, 1385]],
    [125, [0, 61, 62, 92, 93, 124]],
    [436, [0, 217, 218, 326, 327, 435]],
  ])('%i variations split as in the original', (n, ends) => {
    const found = (['train', 'dev', 'test'] as const).flatMap((split) => {
      const list = variationsOf(split, n);
      return [list[0], list.at(-1)];
    });
    expect(found).toEqual(ends);
  });
  it('all 7,207 variations begin as in the original: texts, room, random state, object numbers', async () => {
    const simulator = await SciWorldSimulator.open();
    const world = simulator.create();
    const packed = readFileSync('envs-wasm/sciworld/tables/json/world_index.jsonl.gz');
    const lines = gunzipSync(packed).toString('utf8').trim().split('\n');
    const wrong: string[] = [];
    for (const line of lines) {
      const known = JSON.parse(line) as {
        task: string;
        var: number;
        desc: string;
        room: string;
        rng0: string;
        uid0: number;
      };
      simulator.load(world, known.task, known.var, 0);
      const room = /(?:room|location) is called the ([^.]+)\./.exec(simulator.look(world))?.[1];
      const found = [simulator.description(world), room, simulator.randomState(world), simulator.lastUuid(world)];
      const want = [known.desc, known.room, known.rng0, known.uid0];
      if (found.join('|') !== want.join('|')) wrong.push(`${known.task} ${known.var}: ${found.join(' | ')}`);
    }
    expect(lines.length).toBe(ITEMS);
    expect(wrong).toEqual([]);
  });
});

describe("AgentGym-RL's experiment", () => {
  const read = () => parseExperiment(JSON.parse(readFileSync('experiments/sciworld-rl.json', 'utf8')));
  it('has its batch, its horizon and its five reported groups of tasks, as served by AgentGym', () => {
    const { algorithm, horizon, worlds } = read();
    expect([algorithm.name, algorithm.groups, algorithm.groupSize]).toEqual(['grpo', 16, 8]);
    expect('kl' in algorithm && algorithm.kl).toEqual({ estimator: 'k3', coefficient: 0.001 });
    expect(horizon.map(({ turns }) => turns)).toEqual([10, 20, 30]);
    expect(horizon.slice(0, -1).map(({ steps }) => steps)).toEqual([100, 100]);
    const options = parseSciWorldOptions(worlds[0].options);
    expect(options).toMatchObject({ simplifications: [], stepLimit: 100, verbs: [] });
    const known = agentGymTasks.map(({ name }) => name);
    expect(options.tasks).toEqual(known.filter((name) => /^(use-th|measure|test|find|chem|life)/.test(name)));
    expect(options.tasks).toHaveLength(15);
  });
  it('has only items of AgentGym, enough of them held out, and all with an oracle within the last horizon', async () => {
    const { evaluation, horizon, worlds } = read();
    const world = await SciWorld.open();
    const [train, test] = [await world.tasks(worlds[0].options, 'train'), await world.tasks(worlds[0].options, 'test')];
    expect(Math.max(...[...train, ...test].map(({ id }) => id))).toBeLessThan(4639);
    expect(test.length).toBeGreaterThanOrEqual(evaluation.episodes);
    for (const item of train.filter((_, k) => k % 150 === 0)) {
      await world.reset([0], [item]);
      const [plan] = await world.oracle([0]);
      expect(plan?.length).toBeLessThanOrEqual(horizon.at(-1)!.turns as number);
    }
  });
});

describe('the contract', () => {
  it('refuses options by path', async () => {
    const world = await SciWorld.open();
    await expect(world.tasks({ tasks: ['fly'] }, 'train')).rejects.toThrow(/options\.tasks\.0: must be one of: boil/);
    await expect(world.tasks({ speed: 1 }, 'train')).rejects.toThrow(/no such option/);
    await expect(
      world.tasks({ tasks: ['power-component'], simplifications: ['noElectricalAction'] }, 'train'),
    ).rejects.toThrow(/impossible/);
    await expect(world.step([3], ['look around'])).rejects.toThrow(/World 3 has not begun/);
  });
  it('lists train and test without overlap', async () => {
    const world = await SciWorld.open();
    const ids = async (split: 'train' | 'test') => new Set((await world.tasks({}, split)).map(({ id }) => id));
    const [train, test] = [await ids('train'), await ids('test')];
    expect([...train].filter((id) => test.has(id))).toEqual([]);
    expect(train.size).toBeGreaterThan(test.size);
  });
  it('ends a failed episode at -1 and goes no further', async () => {
    const world = await SciWorld.open();
    const [start] = await world.reset([0], [task(idOf('find-living-thing', 3), { simplifications: ['easy'] })]);
    expect(start.observation).toMatch(/^Your task is to find a\(n\) living thing/);
    expect(start.validActions).toContain('look around');
    const [wrong] = await world.step([0], ['focus on air']);
    expect(wrong).toMatchObject({ observation: 'You focus on the air.', reward: -1, done: true, valid: true });
    const [after] = await world.step([0], ['look around']);
    expect(after).toMatchObject({ done: true, valid: false });
  });
  it('ends after the step limit, and distinguishes refused actions from executed ones', async () => {
    const world = await SciWorld.open();
    await world.reset([0], [task(0, { stepLimit: 2, validActions: false })]);
    expect(await world.step([0], ['xyzzy'])).toMatchObject([{ valid: false, done: false, validActions: undefined }]);
    expect(await world.step([0], ['eat agent'])).toMatchObject([
      { observation: 'The agent is not edible.', valid: false, done: false },
    ]);
    expect(await world.step([0], ['wait1'])).toMatchObject([{ valid: true, done: true }]);
  });
  it('keeps to the requested verbs', async () => {
    const world = await SciWorld.open();
    const [start] = await world.reset([0], [task(0, { verbs: ['open', 'look around'] })]);
    expect(start.validActions?.every((action) => /^(open |look around$)/.test(action))).toBe(true);
    expect(start.validActions?.length).toBeGreaterThan(1);
  });
  it('asks back after an ambiguous action, and takes the number', async () => {
    const world = await SciWorld.open();
    const [start] = await world.reset([0], [task(0)]);
    expect(start.observation).toContain('hallway');
    const [question] = await world.step([0], ['open door']);
    expect(question.observation).toMatch(/^Ambiguous request: .*\n0:\topen door between kitchen and hallway\n/);
    expect(question.validActions).toEqual(['0', '1', '2', '3', '4', '5']);
    expect((await world.step([0], ['+0']))[0].observation).toBe('The door is now open.');
  });
  it("shows the agent's place and the progress", async () => {
    const world = await SciWorld.open();
    await world.reset([0], [task(0)]);
    const view = await world.view(0);
    expect(view.text).toContain('In your inventory, you see:\n\tan orange');
    expect(view.text).toContain('Subgoals:\n[ ] focus on substance');
    expect(view.text).toContain('Closed doors: kitchen to hallway, ');
  });
  it('draws doors, devices, subgoals and temperatures, with the changes since the previous view', async () => {
    const world = await SciWorld.open();
    const see = async () => (await world.view(0)) as SciWorldView;
    const find = (view: SciWorldView, name: string) => everyThing(view.things).find((thing) => thing.name === name)!;
    await world.reset([0], [task(idOf('boil', 0), { simplifications: ['openDoors', 'teleportAction'] })]);
    const start = await see();
    expect(start.doors).toHaveLength(10);
    expect(start.doors.every(({ open }) => open)).toBe(true);
    expect(start.inventory.map(({ name }) => name)).toEqual(['orange']);
    for (const action of ['teleport to kitchen', 'close door to outside']) await world.step([0], [action]);
    const kitchen = await see();
    expect(kitchen.room).toBe('kitchen');
    expect(kitchen.doors.filter(({ open }) => !open)).toEqual([{ from: 'kitchen', to: 'outside', open: false }]);
    expect(find(kitchen, 'glass jar').contents.map(({ name }) => name)).toEqual(['sodium chloride']);
    expect(find(kitchen, 'glass jar')).toMatchObject({ marks: ['closed'], change: 0 });
    expect(find(kitchen, 'stove').marks).toEqual(['off']);
    for (const action of ['activate stove', 'pick up thermometer', 'move glass cup to stove', 'wait1']) {
      await see();
      await world.step([0], [action]);
    }
    const hot = await see();
    expect(find(hot, 'stove').marks).toEqual(['on']);
    expect(hot.inventory.map(({ name }) => name)).toEqual(['thermometer', 'orange']);
    const cup = find(hot, 'glass cup');
    expect(cup.temperature).toBeGreaterThan(50);
    expect(cup.change).toBeGreaterThan(20);
    // Looking again changes neither the view nor its comparison with the one before.
    expect(await see()).toEqual(hot);
    const [{ observation }] = await world.step([0], ['use thermometer on glass cup']);
    expect(observation).toContain(`a temperature of ${cup.temperature!.toFixed(0)} degrees celsius`);
  });
  it('draws connections, and subgoals as they are reached', async () => {
    const world = await SciWorld.open();
    const see = async () => (await world.view(0)) as SciWorldView;
    await world.reset([0], [task(idOf('power-component', 3), { simplifications: ['easy'] })]);
    const [plan] = await world.oracle([0]);
    const fresh: string[] = [];
    let joined: string[] = [];
    for (const action of plan!) {
      await world.step([0], [action]);
      const view = await see();
      fresh.push(...view.goals.filter((goal) => goal.fresh && goal.ordered).map(({ text }) => text));
      joined = everyThing(view.things).flatMap(({ detail }) => (detail.startsWith('joined to') ? [detail] : []));
    }
    const end = await see();
    expect([end.score, end.done]).toEqual([100, true]);
    expect(fresh).toEqual(
      end.goals
        .filter(({ ordered }) => ordered)
        .map(({ text }) => text)
        .slice(-fresh.length),
    );
    expect(fresh.length).toBeGreaterThan(0);
    expect(joined).toHaveLength(8);
    expect(joined).toContain('joined to anode of battery');
  });
});

/** Plays `turns` of the uniform player; returns all observations. */
function play(simulator: SciWorldSimulator, world: number, seed: number, turns: number): string[] {
  return Array.from({ length: turns }, (_, turn) => {
    const list = simulator.validActions(world);
    return simulator.step(world, list[Math.floor(uniformAt(seed, world, turn) * list.length)]);
  });
}

describe('worlds', () => {
  it('run the same from the same start, whatever else runs beside them', async () => {
    const simulator = await SciWorldSimulator.open();
    const [a, b, c] = [simulator.create(), simulator.create(), simulator.create()];
    const load = (world: number) => simulator.load(world, 'grow-fruit', 5, bitsOf(['easy'], 'grow-fruit'));
    load(a);
    simulator.load(c, 'boil', 2, 0);
    const first = Array.from({ length: 30 }, (_, turn) => {
      const list = simulator.validActions(a);
      return simulator.step(a, list[(turn * 37) % list.length]);
    });
    load(b);
    const second = Array.from({ length: 30 }, (_, turn) => {
      play(simulator, c, turn, 1);
      const list = simulator.validActions(b);
      return simulator.step(b, list[(turn * 37) % list.length]);
    });
    expect(second).toEqual(first);
  });
  it('do not change their random state by listing valid actions, except in upstream mode', async () => {
    const simulator = await SciWorldSimulator.open();
    const world = simulator.create();
    simulator.load(world, 'boil', 0, 0);
    const before = simulator.randomState(world);
    simulator.validActions(world);
    expect(simulator.randomState(world)).toBe(before);
    simulator.validActions(world, true);
    expect(simulator.randomState(world)).not.toBe(before);
  });
  it('list the same actions as a simulator without a cache', async () => {
    const simulator = await SciWorldSimulator.open();
    const [world, other] = [simulator.create(), simulator.create()];
    for (const number of [world, other]) simulator.load(number, 'use-thermometer', 3, 0);
    const actions: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const list = simulator.validActions(world);
      const fresh = await SciWorldSimulator.open();
      const again = fresh.create();
      fresh.load(again, 'use-thermometer', 3, 0);
      for (const action of actions) fresh.step(again, action);
      expect(list).toEqual(fresh.validActions(again));
      expect(Object.isFrozen(list)).toBe(true);
      // Another world in the same state returns the same array.
      expect(simulator.validActions(other)).toBe(list);
      actions.push(list[Math.floor(uniformAt(7, 0, turn) * list.length)]);
      for (const number of [world, other]) simulator.step(number, actions[turn]);
    }
    expect(new Set(actions).size).toBeGreaterThan(10);
  });
  it('list the actions of some verbs in the order of the whole list', async () => {
    const simulator = await SciWorldSimulator.open();
    const world = simulator.create();
    for (const verbs of [['focus on', 'teleport'], ['look', 'look around'], ['go'], ['wait', 'pour', 'nothing']]) {
      simulator.load(world, 'boil', 1, bitsOf(['easy'], 'boil'));
      const wanted = (action: string) => verbs.some((verb) => action === verb || action.startsWith(`${verb} `));
      for (let turn = 0; turn < 10; turn++) {
        const all = simulator.validActions(world);
        const asks = simulator.pending(world) > 0;
        expect(simulator.validActions(world, false, verbs)).toEqual(asks ? all : all.filter(wanted));
        simulator.step(world, all[(turn * 101) % all.length]);
      }
    }
  });
  it('that begin together are the same as alone', async () => {
    const [world, separate] = [await SciWorld.open(), await SciWorld.open()];
    const [task, other] = await world.tasks({ tasks: ['find-plant'] }, 'train');
    const slots = [0, 1, 2, 3];
    // In the second round the worlds already exist.
    for (let round = 0; round < 2; round++) {
      const started = await world.reset(slots, [task, other, task, task]);
      const apart = [];
      for (const [slot, each] of [task, other, task, task].entries())
        apart.push(...(await separate.reset([slot], [each])));
      expect(started).toEqual(apart);
      for (let turn = 0; turn < 5; turn++) {
        const actions = slots.map((slot) => started[slot].validActions![(slot * 17 + turn * 31) % 50]);
        expect(await world.step(slots, actions)).toEqual(await separate.step(slots, actions));
      }
    }
  });
  it('are restored from a snapshot byte for byte', async () => {
    const simulator = await SciWorldSimulator.open();
    const world = simulator.create();
    simulator.load(world, 'mendelian-genetics-known-plant', 7, bitsOf(['easy'], 'mendelian-genetics-known-plant'));
    play(simulator, world, 1, 10);
    const saved = simulator.snapshot(world);
    const went = play(simulator, world, 2, 20);
    const ended = [simulator.look(world), simulator.progress(world), simulator.randomState(world)];
    simulator.restore(world, saved);
    expect(play(simulator, world, 2, 20)).toEqual(went);
    expect([simulator.look(world), simulator.progress(world), simulator.randomState(world)]).toEqual(ended);
  });
  it('stay bounded over a thousand steps with every tap running', async () => {
    const simulator = await SciWorldSimulator.open();
    const world = simulator.create();
    simulator.load(world, 'boil', 0, bitsOf(['easy'], 'boil'));
    for (const room of ['kitchen', 'bathroom', 'greenhouse', 'foundry']) {
      simulator.step(world, `teleport to ${room}`);
      expect(simulator.step(world, 'activate sink')).toBe('The sink is now activated.');
    }
    const start = simulator.bytesOf(world);
    for (let k = 0; k < 100; k++) simulator.step(world, 'wait');
    expect(simulator.moves(world)).toBeGreaterThan(1000);
    expect(simulator.bytesOf(world)).toBeGreaterThan(start);
    expect(simulator.bytesOf(world)).toBeLessThan(8 << 20);
  });
});

describe('percent', () => {
  it('rounds halves to even, like the original wrapper', () => {
    expect([0.125, 0.135, 0.005, 0.015, 1, -1].map(percent)).toEqual([12, 14, 0, 2, 100, -100]);
  });
});

describe('recordings of the original', () => {
  const file = (name: string) => `${goldenFolder}/sciworld/${name}.jsonl.gz`;
  it("AgentGym's episodes agree completely, and their gold paths end at 100", async ({ skip }) => {
    if (!hasGolden('sciworld')) skip(`no recordings at ${goldenFolder}/sciworld`);
    const report = await replayEpisodes(readEpisodes(file('agentgym')), ['score', 'observation', 'valid']);
    expect(report.differences).toEqual([]);
    expect(report.gold).toEqual({ agree: 23, total: 23 });
    expect(report.parts.valid.total).toBeGreaterThan(600);
  });
  it('whole lists of valid actions agree', async ({ skip }) => {
    if (!hasGolden('sciworld')) skip(`no recordings at ${goldenFolder}/sciworld`);
    const report = await replayEpisodes(readEpisodes(file('validlist')), ['valid', 'observation']);
    expect(report.differences).toEqual([]);
    expect(report.parts.valid).toEqual({ agree: 60, total: 60 });
  });
  it('gold, fuzzed and a part of the random episodes agree', async ({ skip }) => {
    if (!hasGolden('sciworld')) skip(`no recordings at ${goldenFolder}/sciworld`);
    const chosen = readEpisodes(file('main')).filter(({ kind }, k) => kind !== 'random' || k % 36 === 1);
    const report = await replayEpisodes(chosen, ['score', 'observation']);
    expect(report.differences).toEqual([]);
    expect(report.gold).toEqual({ agree: 120, total: 120 });
    expect(report.parts.score.agree).toBe(report.parts.score.total);
  });
});

describe('the oracle', () => {
  it('has a plan for each of the thirty tasks', () => {
    expect([...tasksWithOracle].sort()).toEqual(sciWorldTasks.map(({ name }) => name).sort());
  });
  it.each(tasksWithOracle)('solves %s from train and test, with actions that a player could type', async (name) => {
    const world = await SciWorld.open();
    const options = { tasks: [name], validActions: false };
    const all = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
    for (const item of all.filter((_, k) => k % Math.ceil(all.length / 6) === 0)) {
      await world.reset([0], [item]);
      const [plan] = await world.oracle([0]);
      expect(plan, `no plan for ${item.id}`).not.toBeNull();
      let last = { reward: 0, done: false };
      for (const action of plan!) [last] = await world.step([0], [action]);
      expect([item.id, last.reward, last.done]).toEqual([item.id, 1, true]);
      expect(world.simulator.moves(0)).toBeLessThanOrEqual(101);
    }
  });
  it.each(['grow-fruit', 'freeze', 'power-component'])('solves the easy form of %s too', async (name) => {
    const world = await SciWorld.open();
    const items = await world.tasks({ tasks: [name], simplifications: ['easy'], validActions: false }, 'test');
    await world.reset([0], items.slice(0, 1));
    const [plan] = await world.oracle([0]);
    let last = { reward: 0, done: false };
    for (const action of plan!) [last] = await world.step([0], [action]);
    expect([last.reward, last.done]).toEqual([1, true]);
  });
  it('finds a path from any place of the agent, and leaves the world unchanged', async () => {
    const world = await SciWorld.open();
    await world.reset([0], [task(idOf('find-animal', 3))]);
    const [plan] = await world.oracle([0]);
    const before = world.simulator.look(0);
    await world.oracle([0]);
    expect(world.simulator.look(0)).toBe(before);
    await world.step([0, 0], plan!.slice(0, 2));
    const [rest] = await world.oracle([0]);
    let last = { reward: 0, done: false };
    for (const action of rest!) [last] = await world.step([0], [action]);
    expect([last.reward, last.done]).toEqual([1, true]);
  });
  it('is null if the remaining moves are too few', async () => {
    const world = await SciWorld.open();
    const plan = async (stepLimit: number) => {
      await world.reset([0], [task(idOf('grow-fruit', 3), { stepLimit })]);
      return (await world.oracle([0]))[0];
    };
    expect(await plan(20)).toBeNull();
    expect((await plan(100))?.length).toBeGreaterThan(20);
  });
});
