// A typed world: its contract, the same numbers every time, one realm for each episode, failures by name, views.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feedback, Task, World } from '../../src/envs/env.ts';
import { ResidentInterpreter } from '../../src/sandbox/resident.ts';
import { templateNames, templates } from '../../src/worlds/own-world/templates.ts';
import { FIRST_HELD_OUT, OwnWorld } from '../../src/worlds/own-world/world.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { failingSteps, harmlessTricks, refusedWorlds } from './hostile-worlds.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('own-world');
});

const tasksOf = async (code: string) => [
  ...(await world.tasks({ code }, 'train')),
  ...(await world.tasks({ code }, 'test')),
];
const begin = async (code: string): Promise<{ task: Task; first: Feedback }> => {
  const [task] = await world.tasks({ code }, 'train');
  return { task, first: (await world.reset([0], [task]))[0] };
};
const one = async (action: string) => (await world.step([0], [action]))[0];

describe.each(templateNames.map((name) => [name, templates[name]] as const))('the template %s', (_, code) => {
  it('is solved by its oracle in every task, with listed actions', async () => {
    const tasks = await tasksOf(code);
    expect(tasks.length).toBeGreaterThan(15);
    for (const task of tasks.filter((_each, k) => k % 20 === 0)) {
      let [feedback] = await world.reset([0], [task]);
      let actions = feedback.validActions;
      const [plan] = await world.oracle([0]);
      for (const action of plan!) {
        expect(actions).toContain(action);
        feedback = await one(action);
        expect(feedback).toMatchObject({ valid: true });
        actions = feedback.validActions ?? actions;
      }
      expect(feedback).toMatchObject({ reward: 1, done: true });
    }
  });

  it('answers an action after its end', async () => {
    await begin(code);
    const [plan] = await world.oracle([0]);
    for (const action of plan!) await one(action);
    const shown = await world.view(0);
    const after = { observation: 'The episode is over.', reward: 0, done: true, valid: false, validActions: null };
    expect([await one('dance wildly'), await one(plan![0])]).toEqual([after, after]);
    expect(await world.view(0)).toEqual(shown);
  });

  it('has a view, and refuses an unknown action without ending', async () => {
    await begin(code);
    expect((await world.view(0)).text.trim()).not.toBe('');
    expect(await one('dance wildly')).toMatchObject({ valid: false, done: false });
  });
});

describe('the tasks', () => {
  it('are held out by their content: none is in both splits, and another order changes nothing', async () => {
    const code = (list: string) => `${templates.nim}`.replace('return all;', `return ${list};`);
    const [forth, back] = [code('all'), code('all.reverse()')];
    const held = async (text: string) => (await world.tasks({ code: text }, 'test')).length;
    expect(await held(forth)).toBe(Math.round(26 * 0.2));
    expect(await held(back)).toBe(5);
    const openings = async (text: string) => {
      const tasks = await world.tasks({ code: text }, 'test');
      return (await world.reset([...tasks.keys()], tasks)).map(({ observation }) => observation).sort();
    };
    expect(await openings(forth)).toEqual(await openings(back));
  });

  it('may be divided by the code, and have levels', async () => {
    const code = `export const tasks = (seed, split) => [{ split, level: split === 'test' ? 2 : 1 }];
      export const reset = (task) => task.split; export const step = () => ({ text: '' });`;
    const [test] = await world.tasks({ code }, 'test');
    expect(test).toMatchObject({ id: FIRST_HELD_OUT, strata: { level: 2 } });
    expect((await world.reset([0], [test]))[0].observation).toBe('test');
  });

  it('are drawn from the seed', async () => {
    const at = async (seed: number) => {
      const [task] = await world.tasks({ code: templates.vending, seed }, 'train');
      return (await world.reset([0], [task]))[0].observation;
    };
    expect(await at(1)).toBe(await at(1));
    const openings = await Promise.all([1, 2, 3, 4, 5].map(at));
    expect(new Set(openings).size).toBeGreaterThan(1);
  });
});

describe('an episode', () => {
  const counting = `let n = 0; let all = 0;
export const tasks = () => [1, 2];
export const reset = () => 'begin';
export function step() { n++; all++; return { text: \`\${n} \${all} \${Math.random()}\` }; }
export const oracle = () => (Math.random(), null);
export const view = () => String(Math.random());`;

  it('remembers nothing of another, and draws the same random numbers, whatever is asked in between', async () => {
    const [task] = await world.tasks({ code: counting }, 'train');
    await world.reset([0, 1], [task, task]);
    const first = [await one('a'), await one('a')].map(({ observation }) => observation);
    await world.step([1], ['a']);
    await world.reset([0], [task]);
    const again = [];
    for (let turn = 0; turn < 2; turn++) {
      await world.view(0);
      await world.oracle([0]);
      again.push((await one('a')).observation);
    }
    expect(again).toEqual(first);
    expect(first[1]).toMatch(/^2 2 0\./);
  });

  it('lists actions anew only when they change', async () => {
    const { first } = await begin(templates.nim);
    expect(first.validActions).toEqual(['take 1', 'take 2', 'take 3']);
    expect((await one('take 1')).validActions).toBeNull();
  });

  it('takes no code that has not been allowed', async () => {
    const guarded = await openWorld('own-world', { allowedCode: [] });
    await expect(guarded.tasks({ code: templates.nim }, 'train')).rejects.toThrow(/has not been allowed/);
    expect((await guarded.tasks({}, 'train')).length).toBeGreaterThan(0);
  });
});

describe('a hostile world', () => {
  it.each(failingSteps)('fails by name: %s', async (_, code, failure) => {
    const [task] = await world.tasks({ code }, 'train');
    const [beside] = await world.tasks({ code: templates.nim }, 'train');
    const begun = await world.reset([0, 1], [task, beside]);
    expect(begun.map((each) => each.failure)).toEqual([undefined, undefined]);
    const [failed, other] = await world.step([0, 1], ['go', 'take 1']);
    expect(failed.failure).toMatch(failure);
    expect(failed).toMatchObject({ done: true, valid: false });
    expect(other).toMatchObject({ valid: true, observation: expect.stringMatching(/^i take/) });
    expect((await world.step([0], ['go']))[0].failure).toBe(failed.failure);
    expect((await world.view(0)).text).toBe(failed.failure);
  });

  it('that keeps what it allocates fails by name, and the memory is there for the others', {
    tags: 'slow',
  }, async () => {
    const code = `const all = []; export const tasks = () => [1, 2]; export const reset = () => 'begin';
export const step = () => (all.push('x'.repeat(9e6) + all.length), { text: String(all.length) });`;
    const [hog] = await world.tasks({ code }, 'train');
    const [beside] = await world.tasks({ code: templates.nim }, 'train');
    for (let round = 0; round < 3; round++) {
      await world.reset([0, 1], [hog, beside]);
      let failure: string | undefined;
      for (let turn = 0; turn < 40 && failure === undefined; turn++) [{ failure }] = await world.step([0], ['go']);
      expect(failure).toMatch(/world\.js.*step\(\): the code requested more than/);
      expect((await world.step([1], ['take 1']))[0]).toMatchObject({ valid: true });
    }
  });

  it('that fills the memory to the last byte costs the episodes of its code alone', async () => {
    const small = await OwnWorld.open({}, { callBytes: 4 * 2 ** 20 });
    const code = `export const tasks = () => [1, 2]; export const reset = () => 'begin'; const all = [];
export const step = (action) => {
  if (action === 'hoard') for (let size = 1e6; size >= 60; size = size / 4) try { for (;;) all.push('x'.repeat(size) + all.length); } catch {}
  return { text: String(all.length) };
};`;
    const [hog] = await small.tasks({ code }, 'train');
    const [beside] = await small.tasks({ code: templates.nim }, 'train');
    await small.reset([0, 1, 2], [hog, hog, beside]);
    const failures: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn++)
      for (const slot of [0, 1]) failures.push((await small.step([slot], ['hoard']))[0].failure);
    for (const failure of failures) if (failure !== undefined) expect(failure).toMatch(/^world\.js.*memory/);
    expect(failures.some((failure) => failure !== undefined)).toBe(true);
    await small.reset([0, 1], [hog, beside]);
    expect((await small.step([0, 1], ['go', 'take 1'])).map(({ failure }) => failure)).toEqual([undefined, undefined]);
    await small.close();
  });

  it('whose oracle takes long for each action has no plan, and the reason is named', async () => {
    const quick = await OwnWorld.open({}, { callMs: 300 });
    const code = `export const tasks = () => [1, 2]; export const reset = () => 'begin';
export const step = () => ({ text: 'on' });
export const oracle = () => { for (let k = 0; k < 20; k++) 'x'.repeat(3e6 + k); return 'go'; };`;
    const [task] = await quick.tasks({ code }, 'train');
    await quick.reset([0], [task]);
    expect(await quick.oracle([0])).toEqual([null]);
    expect(await quick.inspect(0, 'oracle')).toMatch(/world\.js, line 3: oracle\(\): its plan took more than 0\.3 s/);
    expect((await quick.step([0], ['go']))[0]).toMatchObject({ observation: 'on', valid: true });
    await quick.close();
  });

  it('gets less time where it may make fewer loop passes, and two seconds at least', async () => {
    const interpreter = await ResidentInterpreter.open({ passes: 10_000_000, callMs: 20_000 });
    expect([10_000_000, 5_000_000, 500_000, 20_000_000].map((passes) => interpreter.msOf(passes))).toEqual([
      20_000, 10_000, 2000, 20_000,
    ]);
  });

  it.each(refusedWorlds)('is refused: %s', async (_, code, message) => {
    await expect(world.tasks({ code }, 'train')).rejects.toThrow(message);
  });

  it.each(harmlessTricks)('reaches nothing: %s', async (_, code) => {
    await begin(code);
    expect(await one('go')).toMatchObject({ observation: 'ok', reward: 0, valid: true });
    expect(({} as { text?: string }).text).toBeUndefined();
  });
});

describe('a view', () => {
  const shown = async (view: string) => {
    await begin(`export const tasks = () => [1, 2]; export const reset = () => 'begin'; export const step = () => ({ text: 'a' });
      export const view = () => (${view});`);
    return world.view(0);
  };
  it('is the last text if the code has none', async () => {
    expect(await shown('null')).toEqual({
      kind: 'own-world',
      text: 'begin',
      parts: [{ kind: 'lines', lines: ['begin'] }],
    });
  });
  it('reads lines, a grid, a table and a picture', async () => {
    const view = await shown(`['a', { grid: ['#.', [1, 2]] }, { table: { columns: ['x'], rows: [[1]] } },
      { picture: { width: 4, height: 4, shapes: [{ kind: 'circle', x: 1, y: 2, colour: 'red' }], text: 'a disc' } }]`);
    expect(view.text).toBe('a\n\n#.\n12\n\nx\n1\n\na disc');
  });
  it('keeps markup as text', async () => {
    const text = '<img src=x onerror=alert(1)>';
    expect(await shown(JSON.stringify(text))).toMatchObject({ parts: [{ kind: 'lines', lines: [text] }] });
  });
  it.each([
    ['5', /view\(\): must return a text, or an object/],
    ["{ picture: { width: 4, height: 4, shapes: [{ kind: 'script' }] } }", /shape 0 must be one of: circle/],
    ['{ picture: { width: NaN, height: 4, shapes: [] } }', /picture\.width must be a number from 1 to 1000/],
    ['{ grid: Array(100).fill("a") }', /grid has 100 entries; at most 60/],
    ["'x'.repeat(2e5)", /view\(\): the view has 200002 characters/],
  ])('refuses %s', async (view, message) => {
    expect((await shown(view)).text).toMatch(message);
  });
});
