// Worlds of tools: their contract, oracles, judging, offers and forms of actions.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feedback, Task, World, WorldOptions } from '../../../src/envs/env.ts';
import { openWorld, worldModules } from '../../../src/worlds/registry.ts';

const modules = worldModules.filter(({ view }) => view === 'tools');

/** Plays the oracle's plan to its end. Every action must be offered. */
async function solve(world: World, task: Task): Promise<{ last: Feedback; turns: number }> {
  let [feedback] = await world.reset([0], [task]);
  let listed = feedback.validActions!;
  for (let turns = 1; turns < 80; turns++) {
    const [plan] = await world.oracle([0]);
    const action = plan![0];
    expect(listed, `${JSON.stringify(task.strata)} ${feedback.observation}`).toContain(action);
    [feedback] = await world.step([0], [action]);
    listed = feedback.validActions ?? listed;
    expect([task.id, action, feedback]).toMatchObject([task.id, action, { valid: true }]);
    if (feedback.done) return { last: feedback, turns };
  }
  throw new Error(`The oracle does not end task ${task.id}.`);
}

describe.each(modules.map((module) => [module.title, module.name] as const))('%s', (_, name) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(name);
  });

  const tasksOf = async (options: WorldOptions, each: number) => [
    ...(await world.tasks({ ...options, instances: each }, 'train')),
    ...(await world.tasks({ ...options, testInstances: each }, 'test')),
  ];

  it.each<WorldOptions>([{}, { observation: 'brief' }, { upstream: true }])(
    'is solved by its oracle under %o',
    async (options) => {
      for (const task of await tasksOf(options, 1)) {
        const { last, turns } = await solve(world, task);
        expect([task.id, last]).toMatchObject([task.id, { reward: 1, done: true }]);
        expect(turns).toBeGreaterThan(0);
      }
    },
  );

  it('gives the same episode for the same task, and other data for another seed', async () => {
    const [task] = await world.tasks({}, 'test');
    const [first] = await world.reset([0], [task]);
    const [again] = await world.reset([1], [task]);
    expect(again).toEqual(first);
    const [other] = await world.reset([1], [{ ...task, options: { ...task.options, seed: 2 } }]);
    expect(other.observation).not.toBe(first.observation);
  });

  it('lists its actions when they are read, and the whole list to one who skipped some', async () => {
    const [task] = await world.tasks({}, 'train');
    await world.reset([0, 1], [task, task]);
    const [plan] = await world.oracle([0]);
    const [reader] = await world.reset([0], [task]);
    expect(reader.validActions!.length).toBeGreaterThan(0);
    const [[read], [skipped]] = [await world.step([0], [plan![0]]), await world.step([1], [plan![0]])];
    expect(skipped.validActions).toEqual(read.validActions ?? reader.validActions);
    const [[same]] = [await world.step([0], [plan![0]])];
    expect(same.validActions).toBeNull();
  });

  it('answers a wrong call with its error and goes on', async () => {
    const [task] = await world.tasks({}, 'train');
    await world.reset([0], [task]);
    const refused = ['dance 1', '{"name": "finish", "arguments": {"x": 1}}', 'Action: finish with Action Input: 7'];
    for (const [k, reason] of [/no tool "dance"/, /no argument "x"/, /one JSON object/].entries()) {
      const [answer] = await world.step([0], [refused[k]]);
      expect(answer).toMatchObject({ valid: false, done: false });
      expect(answer.observation).toMatch(reason);
    }
  });

  it('keeps the goals of training and of held-out tasks apart', async () => {
    const goals = async (split: 'train' | 'test') => {
      const tasks = await world.tasks({ instances: 6, testInstances: 6 }, split);
      return (await world.reset([...tasks.keys()], tasks)).map(({ observation }) => observation);
    };
    const [train, test] = [new Set(await goals('train')), await goals('test')];
    // A goal without a drawn name, like "Sort Sheet1 by price", is the same in both; its data are not.
    const isNamed = (goal: string) => /[A-Z][a-z]+ [A-Z]/.test(goal.replace(/^Goal: |Sheet\d/g, ''));
    expect(test.filter((goal) => train.has(goal) && isNamed(goal))).toEqual([]);
  });

  it('rewards nothing for an answer at once that is wrong, and ends', async () => {
    const [task] = await world.tasks({ partial: false }, 'train');
    await world.reset([0], [task]);
    const [end] = await world.step([0], ['finish surely wrong']);
    expect(end).toMatchObject({ reward: 0, done: true });
    expect((await world.step([0], ['finish surely wrong']))[0]).toMatchObject({ valid: false, done: true, reward: 0 });
  });

  it('has a view with calls, state and outcome', async () => {
    const [task] = await world.tasks({}, 'train');
    await solve(world, task);
    const view = await world.view(0);
    expect(view).toMatchObject({ kind: 'tools', outcome: { success: true, answerIsRight: true, stateIsRight: true } });
    expect(view.text).toContain('Goal:');
  });

  it('names a template that it does not have', async () => {
    await expect(world.tasks({ templates: ['dance'] }, 'train')).rejects.toThrow(/no template "dance"/);
    await expect(world.reset([0], [{ world: name, id: 63, options: {}, strata: {} }])).rejects.toThrow(/template/);
  });
});

describe('the to-do list with names in its calls', () => {
  const options = { names: true, observation: 'brief', instances: 1, testInstances: 1 };

  it('lists ids after their names, which its oracle writes, and takes an id alone too', async () => {
    const world = await openWorld('tools-todo');
    for (const task of [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))])
      expect((await solve(world, task)).last).toMatchObject({ reward: 1, done: true });
    const [task] = await world.tasks(options, 'train');
    await world.reset([0], [task]);
    const [{ observation, validActions }] = await world.step([0], ['get_projects']);
    const [name, id] = /^(.+?) (\d+)/.exec(observation)!.slice(1);
    expect(validActions).toContain(`get_tasks ${name} ${id}`);
    expect(validActions).not.toContain(`get_tasks ${id}`);
    const named = (await world.step([0], [`get_tasks ${name} ${id}`]))[0];
    expect(named.valid).toBe(true);
    expect((await world.step([0], [`get_tasks ${id}`]))[0].observation).toBe(named.observation);
    expect((await world.step([0], [`get_tasks Another Name ${id}`]))[0]).toMatchObject({ valid: false });
  });

  it('shows a person the reason of a refusal that a tiny policy reads as one word', async () => {
    const world = await openWorld('tools-todo');
    const [task] = await world.tasks(options, 'train');
    await world.reset([0], [task]);
    expect((await world.step([0], ['get_tasks 7']))[0].observation).toBe('refused');
    expect((await world.view(0)).text).toContain('There is no project "7"');
  });
});
