// SQL: oracle, judging, forms of actions, splits, options.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feedback, Task, World, WorldOptions } from '../../../src/envs/env.ts';
import { openWorld } from '../../../src/worlds/registry.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('sql');
});

/** Plays the oracle's plan to its end. Every action must be offered. */
async function solve(task: Task): Promise<{ last: Feedback; turns: number }> {
  let [feedback] = await world.reset([0], [task]);
  let listed = feedback.validActions!;
  for (let turns = 1; turns < 20; turns++) {
    const [plan] = await world.oracle([0]);
    expect(listed, `${task.id} ${feedback.observation}`).toContain(plan![0]);
    [feedback] = await world.step([0], [plan![0]]);
    listed = feedback.validActions ?? listed;
    expect([task.id, feedback]).toMatchObject([task.id, { valid: true }]);
    if (feedback.done) return { last: feedback, turns };
  }
  throw new Error(`The oracle does not end task ${task.id}.`);
}

const tasksOf = async (options: WorldOptions, each: number) => [
  ...(await world.tasks({ ...options, instances: each }, 'train')),
  ...(await world.tasks({ ...options, testInstances: each }, 'test')),
];

const begin = async (options: WorldOptions, pick = (_: Task) => true) => {
  const task = (await world.tasks({ instances: 1, ...options }, 'train')).find(pick)!;
  const [first] = await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  return { task, first, plan: plan!, act: async (action: string) => (await world.step([0], [action]))[0] };
};

describe('SQL', () => {
  it.each<WorldOptions>([
    { rows: 100, tables: 3 },
    { observation: 'brief', schema: 'shown', tables: 8 },
    { upstream: true },
  ])('is solved by its oracle under %o', async (options) => {
    const tasks = await tasksOf(options, 1);
    expect(tasks.length).toBeGreaterThanOrEqual(28 + 34);
    for (const task of tasks) expect((await solve(task)).last).toMatchObject({ reward: 1, done: true });
  });

  it('has 30 templates or more, of all kinds and difficulties', async () => {
    const tasks = await world.tasks({ testInstances: 1 }, 'test');
    expect(tasks.length).toBeGreaterThanOrEqual(30);
    const kinds = new Set(tasks.map(({ strata }) => strata.kind));
    const difficulties = new Set(tasks.map(({ strata }) => strata.difficulty));
    expect([kinds.size, difficulties.size]).toEqual([5, 4]);
  });

  it('keeps names, themes and templates of held-out tasks apart', async () => {
    const goals = async (split: 'train' | 'test') => {
      const tasks = await world.tasks({ rows: 100, instances: 2, testInstances: 2 }, split);
      return (await world.reset([...tasks.keys()], tasks)).map(({ observation }) => observation);
    };
    const [train, test] = [new Set(await goals('train')), await goals('test')];
    const named = (text: string) => /"[A-Z][a-z]+ [A-Z][a-z]+"/.exec(text)?.[0];
    const trained = new Set([...train].map(named));
    expect(test.filter((text) => named(text) && trained.has(named(text)))).toEqual([]);
    const [trainTasks, testTasks] = [await world.tasks({}, 'train'), await world.tasks({}, 'test')];
    const templatesOf = (tasks: Task[]) => new Set(tasks.map(({ id }) => id % 64));
    expect(templatesOf(testTasks).size).toBeGreaterThan(templatesOf(trainTasks).size);
  });

  it('gives the same episode for the same task, and others for another seed', async () => {
    const [task] = await world.tasks({}, 'test');
    const [first] = await world.reset([0], [task]);
    expect((await world.reset([1], [task]))[0]).toEqual(first);
    const [other] = await world.reset([1], [{ ...task, options: { ...task.options, seed: 2 } }]);
    expect(other.observation).not.toBe(first.observation);
  });

  it('shows tables, columns, rows and errors, and judges the last query', async () => {
    const { act, plan, first } = await begin({ templates: ['filter-equal'], rows: 100 });
    expect(first.observation).toMatch(/^Question: List the /);
    expect((await act('answer')).observation).toMatch(/^Error: there is no query yet/);
    expect((await act('tables')).observation).toMatch(/\(\d+ rows\)/);
    const described = plan.find((action) => action.startsWith('describe'))!;
    expect((await act(described)).observation).toMatch(/^CREATE TABLE [\s\S]+\(3 rows\)$/);
    expect((await act('describe nothing')).observation).toBe('Error: there is no table "nothing"');
    expect(await act('query SELECT x FROM nowhere')).toMatchObject({
      observation: 'Error: no such table: nowhere',
      valid: false,
      done: false,
    });
    const wrong = await act('SELECT 1');
    expect(wrong.observation).toBe('1\n1\n(1 row)');
    expect((await world.oracle([0]))[0]).toHaveLength(2);
    expect(await act('answer')).toMatchObject({ reward: 0, done: true });
    expect(await act('answer')).toMatchObject({ valid: false, done: true, reward: 0 });
  });

  it.each([
    (sql: string) => `answer ${sql}`,
    (sql: string) => `Thought: I know.\nAction: answer\n\`\`\`sql\n${sql};\n\`\`\``,
    (sql: string) => JSON.stringify({ name: 'answer', arguments: { sql } }),
    // Llama's templates.
    (sql: string) => `<|python_tag|>${JSON.stringify({ name: 'answer', parameters: { sql } })}`,
    (sql: string) => `<tool_call>\n${JSON.stringify({ name: 'answer', arguments: { sql } })}\n</tool_call>`,
    (sql: string) =>
      JSON.stringify({ tool_calls: [{ function: { name: 'answer', arguments: JSON.stringify({ sql }) } }] }),
  ])('reads an answer in each form (%#)', async (write) => {
    const { act, plan } = await begin({ templates: ['group-count'], rows: 100 });
    const gold = plan.at(-2)!.slice('query '.length);
    expect(await act(write(gold))).toMatchObject({ reward: 1, done: true });
  });

  it.each([
    ['dance', /no tool "dance"/],
    ['describe', /needs the argument "table"/],
    ['tables all', /takes no argument/],
    ['{"name": "query", "arguments": {"sql": 1}}', /must be a text/],
    ['{"name": "query", "arguments": {"statement": "SELECT 1"}}', /no argument "statement"/],
    ['<tool_call>{}</tool_call><tool_call>{}</tool_call>', /exactly one tool call/],
    ['query CREATE TABLE x (a)', /only be read/],
    ['query SELECT 1; SELECT 2', /one statement at a time/],
  ])('refuses %j and goes on', async (action, reason) => {
    const { act } = await begin({ templates: ['filter-equal'], rows: 100 });
    expect(await act(action)).toMatchObject({ valid: false, done: false, observation: expect.stringMatching(reason) });
  });

  it('counts order only where the question asks for it', async () => {
    const { act, plan } = await begin({ templates: ['group-year'], rows: 400 });
    const gold = plan.at(-2)!.slice('query '.length);
    expect(await act(`answer ${gold} DESC`)).toMatchObject({ reward: 0, done: true });
    const other = await begin({ templates: ['group-count'], rows: 400 });
    const set = other.plan.at(-2)!.slice('query '.length);
    expect(await other.act(`answer ${set} ORDER BY 2`)).toMatchObject({ reward: 1, done: true });
  });

  it('has a view with turns, tables and outcome', async () => {
    await solve((await world.tasks({ instances: 1, templates: ['join-count'] }, 'train'))[0]);
    const view = await world.view(0);
    expect(view).toMatchObject({ kind: 'sql', outcome: { success: true }, tables: expect.any(Array) });
    expect(view.text).toContain('success');
  });

  it('names a template, a theme and a database that it does not have', async () => {
    await expect(world.tasks({ templates: ['dance'] }, 'train')).rejects.toThrow(/no template "dance"/);
    await expect(world.tasks({ themes: ['dance'] }, 'train')).rejects.toThrow(/no theme "dance"/);
    await expect(world.tasks({ themes: ['harbour'] }, 'train')).rejects.toThrow(/for evaluations alone/);
    await expect(world.tasks({ database: 'none' }, 'train')).rejects.toThrow(/no database named "none"/);
    await expect(world.reset([0], [{ world: 'sql', id: 63, options: {}, strata: {} }])).rejects.toThrow(/template/);
  });
});
