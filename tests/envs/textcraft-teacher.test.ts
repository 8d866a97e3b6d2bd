// TextCraft's teaching oracle with its thoughts, and training tasks with made-up lists, other goals, and new names in
// each draw.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Advice, Task, WorldOptions } from '../../src/envs/env.ts';
import { below, hash } from '../../src/rl/common/random.ts';
import { textcraft } from '../../src/worlds/textcraft/index.ts';
import { listedInTextCraft } from '../../src/worlds/textcraft/listed-actions.ts';
import { ListWorld, madeUpList } from '../../src/worlds/textcraft/made-up.ts';
import { NameExchange, renamed } from '../../src/worlds/textcraft/name-exchange.ts';
import { CraftOracle } from '../../src/worlds/textcraft/oracle.ts';
import {
  actionsOfList,
  readCommand,
  readRecipeList,
  writeCommand,
  writeRecipeList,
} from '../../src/worlds/textcraft/recipe-list.ts';
import { splitIds } from '../../src/worlds/textcraft/split.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';

let world: TextCraft;
beforeAll(async () => {
  await buildWasm();
  world = await TextCraft.open();
}, 120_000);

const fresh: WorldOptions = { fresh: true, apart: 60 };

const firstText = async (task: Task) => (await world.reset([0], [task]))[0].observation;

/** Tasks that training draws under these options. */
async function drawn(options: WorldOptions, draws: number, members: number): Promise<Task[]> {
  const tasks = await world.tasks(options, 'train');
  const draw = textcraft.drawing!(options)!;
  return Array.from({ length: draws }, (_, k) =>
    Array.from({ length: members }, (_, member) => draw(tasks[below(tasks.length, 1, k)], { key: hash(2, k), member })),
  ).flat();
}

/** Name of every item under an exchange of whole names. */
function shownAs(names: readonly string[], naming: number): Map<string, string> {
  const recipes = names.map((name) => ({ makes: 1, name, inputs: [] }));
  const list = renamed({ recipes, goal: names[0] }, names, naming);
  return new Map(list.recipes.map(({ name }, i) => [names[i], name]));
}

/**
 * Plays the teacher's actions, except in turns where `meddle` returns another. Returns the advice and whether the goal
 * was reached.
 */
async function playTaught(task: Task, interfere: (turn: number) => string | null = () => null) {
  await world.reset([0], [task]);
  const lessons: Advice[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const [lesson] = await world.advise([0]);
    const other = interfere(turn);
    if (!lesson && other === null) return { lessons, won: false };
    if (other === null) lessons.push(lesson!);
    const [{ done }] = await world.step([0], [other ?? lesson!.action]);
    if (done) return { lessons, won: true };
  }
  return { lessons, won: false };
}

describe('the first text', () => {
  it('is read and written without loss, and offers the world’s actions', async () => {
    for (const task of (await world.tasks({}, 'train')).slice(0, 60)) {
      const [{ observation, validActions }] = await world.reset([0], [task]);
      const list = readRecipeList(observation)!;
      expect(writeRecipeList(list)).toBe(observation);
      expect(actionsOfList(list)).toEqual(listedInTextCraft([observation]));
      expect(new Set(actionsOfList(list))).toEqual(new Set(validActions));
    }
  });

  it('is not read as a list in another form', () => {
    expect(readRecipeList('Got 3 stick')).toBeNull();
    expect(readCommand('craft 2 bowl from 3 planks')).toBeNull();
    expect(writeCommand(readCommand('craft 1 jungle fence using 2 stick, 4 jungle planks')!)).toBe(
      'craft 1 jungle fence using 2 stick, 4 jungle planks',
    );
  });
});

describe('the teacher', () => {
  const list = readRecipeList(
    'Crafting commands:\ncraft 3 oak sign using 6 oak planks, 1 stick\ncraft 1 oak door using 6 planks\ncraft 4 oak planks using 1 oak logs\n' +
      'craft 1 stick using 2 bamboo\n\nGoal: craft oak sign.',
  )!;

  it('states what is missing, then crafts backwards', () => {
    const teacher = new CraftOracle(list);
    const lines: string[] = [];
    for (let lesson = teacher.next(); lesson && lines.length < 9; lesson = teacher.next()) {
      lines.push(`${lesson.thought} | ${lesson.action}`);
      teacher.record(lesson.action, true);
    }
    expect(lines).toEqual([
      'oak sign A 1 craft 3 oak sign using 6 oak planks, 1 stick ; 6 oak planks, 1 stick ; oak planks B 2 craft 4 oak planks using 1 oak logs ; ' +
        '2 oak logs, 1 stick ; oak logs | get 64 oak logs',
      '1 stick ; stick C 1 craft 1 stick using 2 bamboo ; 2 bamboo ; bamboo | get 64 bamboo',
      'C 1 | craft 1 stick using 2 bamboo',
      'B 2 | craft 4 oak planks using 1 oak logs',
      'B 1 | craft 4 oak planks using 1 oak logs',
      'A 1 | craft 3 oak sign using 6 oak planks, 1 stick',
    ]);
  });

  it('chooses a concrete item for a kind, and does not fetch twice', () => {
    const teacher = new CraftOracle({ ...list, goal: 'oak door' });
    expect(teacher.next()!.thought).toContain('craft 1 oak door using 6 oak planks ;');
    const wood = new CraftOracle(
      readRecipeList('Crafting commands:\ncraft 1 a b using 1 c, 1 d\ncraft 1 d using 2 c\n\nGoal: craft a b.')!,
    );
    wood.record(wood.next()!.action, true);
    expect(wood.next()).toEqual({
      thought: '1 d ; d B 1 craft 1 d using 2 c ; 2 c ; c = B 1',
      action: 'craft 1 d using 2 c',
    });
  });

  it('takes the first of equally cheap recipes and things', () => {
    const head = 'Crafting commands:\n';
    const ways = ['craft 4 oak planks using 1 oak logs', 'craft 2 birch planks using 1 birch logs'];
    const first = (lines: readonly string[]) =>
      new CraftOracle(
        readRecipeList(`${head}${lines.join('\n')}\ncraft 1 oak door using 6 planks\n\nGoal: craft oak door.`)!,
      ).next()!.action;
    expect(first(ways)).toBe('get 64 oak logs');
    expect(first(ways.toReversed())).toBe('get 64 birch logs');
    const dyes = [
      'craft 1 red dye using 1 poppy',
      'craft 1 red dye using 1 beetroot',
      'craft 2 red dye using 1 rose bush',
    ];
    const goal = '\n\nGoal: craft red dye.';
    const dye = (lines: readonly string[]) =>
      new CraftOracle(readRecipeList(head + lines.join('\n') + goal)!).next()!.action;
    expect([dye(dyes), dye(dyes.toReversed())]).toEqual(['get 64 poppy', 'get 64 rose bush']);
  });

  it('starts over after a refusal, continues after a random action, and gives up if there is no way', () => {
    const teacher = new CraftOracle(list);
    const first = teacher.next()!;
    teacher.record(first.action, true);
    const second = teacher.next();
    teacher.record('inventory', true);
    expect(teacher.next()).toEqual(second);
    teacher.record('craft 3 oak sign using 6 oak planks, 1 stick', false);
    // Items that were fetched stay fetched.
    expect(teacher.next()!.thought).toContain('oak logs = 1 stick ;');
    const circle = 'Crafting commands:\ncraft 1 a using 1 b\ncraft 1 b using 1 a\n\nGoal: craft a.';
    expect(new CraftOracle(readRecipeList(circle)!).next()).toBeNull();
  });

  it.each([false, true])(
    'reaches the goals of training under the names of each draw, whole names: %s',
    async (wholeNames) => {
      const tasks = await drawn({ ...fresh, wholeNames }, 150, 1);
      const results = [];
      for (const task of tasks) results.push(await playTaught(task));
      expect(results.filter(({ won }) => won).length).toBeGreaterThanOrEqual(0.97 * tasks.length);
      for (const { lessons } of results.filter(({ won }) => won)) expect(lessons.length).toBeLessThanOrEqual(30);
    },
  );

  it('recovers from random actions', async () => {
    const tasks = await drawn(fresh, 60, 1);
    let won = 0;
    for (const [i, task] of tasks.entries()) {
      const list = readRecipeList(await firstText(task))!;
      const offered = actionsOfList(list);
      const interfere = (turn: number) =>
        below(5, 3, i, turn) === 0 ? offered[below(offered.length, 4, i, turn)] : null;
      if ((await playTaught(task, interfere)).won) won++;
    }
    expect(won).toBeGreaterThanOrEqual(0.9 * tasks.length);
  });
});

describe('lists that are not in the world', () => {
  it.each([false, true])(
    'are the same for the same seed, can be solved, and differ between siblings only in the goal; whole names: %s',
    async (wholeNames) => {
      const tasks = await drawn({ madeUp: true, wholeNames }, 80, 4);
      let won = 0;
      for (let i = 0; i < tasks.length; i++) {
        const text = await firstText(tasks[i]);
        expect(await firstText(tasks[i])).toBe(text);
        const sibling = await firstText(tasks[i - (i % 4)]);
        expect(text.slice(0, text.indexOf('Goal:'))).toBe(sibling.slice(0, sibling.indexOf('Goal:')));
        if ((await playTaught(tasks[i])).won) won++;
      }
      expect(won).toBeGreaterThanOrEqual(0.95 * tasks.length);
    },
  );

  it('are played by the rules of the world: its own lists give the same answers', async () => {
    for (const task of (await world.tasks({}, 'train')).filter((_, i) => i % 7 === 0)) {
      const list = readRecipeList(await firstText(task))!;
      const here = new ListWorld(list);
      const plan = (await world.oracle([0]))[0]!;
      const refused = ['get 2 nothing', 'blah', `craft 1 ${list.goal} using 99 ${list.recipes[0].inputs[0].name}`];
      // The plan without its last action, then actions that must be refused, then the last action.
      for (const action of [...plan.slice(0, -1), ...refused, plan[plan.length - 1]]) {
        const [{ observation, valid, done, reward }] = await world.step([0], [action]);
        const mine = here.step(action);
        expect({ action, ...mine, validActions: null }).toEqual({
          action,
          observation,
          valid,
          done,
          reward,
          validActions: null,
        });
      }
    }
  });
});

describe('a held-out goal', () => {
  const inverse = (task: Task, words: readonly string[]) => {
    const { naming } = task.options as { naming: number };
    return (text: string) => (naming === 0 ? text : new NameExchange(words, naming).toOriginal(text));
  };

  it('is never drawn in training, under any exchange of names', async () => {
    const kept = new Set((await world.tasks(fresh, 'test')).map(({ id }) => id));
    expect(kept.size).toBe(60);
    const heldOut = new Set([...splitIds('test'), ...kept]);
    const goals = new Set<string>();
    for (const id of heldOut)
      goals.add(readRecipeList(await firstText({ world: 'textcraft', id, options: {}, strata: {} }))!.goal);
    const { words } = world.vocabulary(false);
    const tasks = await drawn(fresh, 400, 4);
    for (const task of tasks) {
      expect(heldOut.has(task.id)).toBe(false);
      const { goal } = readRecipeList(await firstText(task))!;
      expect(goals.has(inverse(task, words)(goal)), goal).toBe(false);
    }
    // The exchange is a permutation and differs between draws; siblings share it.
    expect(new Set(tasks.map(({ options }) => options.naming)).size).toBeGreaterThanOrEqual(399);
    const naming = new NameExchange(words, 12345);
    expect(new Set(words.map((word) => naming.toShown(word))).size).toBe(words.length);
  });

  it('is never drawn in training if names are exchanged whole', async () => {
    const { names } = world.vocabulary(true);
    const kept = (await world.tasks(fresh, 'test')).map(({ id }) => id);
    const goals = new Set<string>();
    for (const id of [...splitIds('test'), ...kept])
      goals.add(readRecipeList(await firstText({ world: 'textcraft', id, options: {}, strata: {} }))!.goal);
    const tasks = await drawn({ ...fresh, wholeNames: true }, 200, 4);
    for (const task of tasks) {
      const { goal, recipes } = readRecipeList(await firstText(task))!;
      const shown = shownAs(names, task.options.naming as number);
      const meant = new Map([...shown].map(([name, other]) => [other, name]));
      expect(goals.has(meant.get(goal)!), goal).toBe(false);
      // The list is the goal's own list in the world's names, under the exchange.
      const own = await firstText({ ...task, options: { ...task.options, naming: 0, asked: 0 } });
      expect(readRecipeList(own)!.recipes.map(({ name }) => shown.get(name) ?? name)).toEqual(
        recipes.map(({ name }) => name),
      );
    }
  });

  it('is protected by a permutation of whole names that maps kinds to themselves and members to members', () => {
    const { names } = world.vocabulary(true);
    const shown = shownAs(names, 12345);
    expect(new Set(shown.values())).toEqual(new Set(names));
    expect(shown.get('planks')).toBe('planks');
    for (const [name, other] of shown) expect(other.endsWith(' planks'), name).toBe(name.endsWith(' planks'));
    expect([...shown].filter(([name, other]) => name === other).length).toBeLessThan(names.length / 20);
    expect([...shownAs(names, 12346)]).not.toEqual([...shown]);
  });

  it('is never another goal of a list, whatever the world played before', async () => {
    const tasks = splitIds('train')
      .slice(0, 200)
      .map((id) => ({ world: 'textcraft', id, options: { apart: 60, asked: 1000, listSeed: 3 }, strata: {} }));
    const slots = tasks.map((_, slot) => slot);
    const alone = await TextCraft.open();
    const expected = (await alone.reset(slots, tasks)).map(({ observation }) => observation);
    const after = await TextCraft.open();
    await after.reset([0], [{ ...tasks[0], options: { ...tasks[0].options, apart: 0 } }]);
    expect((await after.reset(slots, tasks)).map(({ observation }) => observation)).toEqual(expected);
  });

  it('is not in the training set, and the official split stays unchanged', async () => {
    const ids = async (options: WorldOptions, split: 'train' | 'test') =>
      (await world.tasks(options, split)).map(({ id }) => id);
    const [train, apart] = [await ids(fresh, 'train'), await ids(fresh, 'test')];
    expect(train.filter((id) => apart.includes(id))).toEqual([]);
    expect([...train, ...apart].sort((a, b) => a - b)).toEqual(splitIds('train'));
    expect(await ids({}, 'test')).toEqual(splitIds('test'));
  });

  it('shares no seed with the made-up lists of training', async () => {
    const seeds = (await drawn({ madeUp: true }, 200, 1)).map(({ options }) => options.listSeed as number);
    const other = (await world.tasks({ madeUp: true }, 'test')).map(({ options }) => options.listSeed as number);
    expect(Math.max(...seeds)).toBeLessThan(Math.min(...other));
  });
});

describe('made-up lists', () => {
  it('need words and no world', () => {
    const words = Array.from(
      { length: 80 },
      (_, i) => `w${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
    );
    for (let seed = 0; seed < 50; seed++) {
      const { recipes, goal } = madeUpList({ words, names: [] }, seed, 0);
      expect(recipes.some(({ name }) => name === goal)).toBe(true);
      for (const { inputs, name } of recipes) {
        expect(inputs.length).toBeGreaterThan(0);
        expect(inputs.map((input) => input.name)).not.toContain(name);
      }
    }
  });
});
