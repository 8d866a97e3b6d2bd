import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { renderRecipes } from '../../scripts/generate-recipes.mjs';
import { type Feedback, WorldError } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import type { TextCraftView } from '../../src/worlds/textcraft/view-data.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';
import edges from './fixtures/textcraft-edges.golden.json' with { type: 'json' };
import starts from './fixtures/textcraft-starts.golden.json' with { type: 'json' };
import { allIds, taskOf } from './helpers.ts';

let world: TextCraft;
beforeAll(async () => {
  await buildWasm();
  world = await TextCraft.open();
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const every8th = allIds.filter((id) => id % 8 === 0);
const depths = [1, 2, 3, 4];

async function startHashes(ids: readonly number[], options = {}): Promise<string[]> {
  const answers = await world.reset(
    ids,
    ids.map((id) => taskOf(id, options)),
  );
  return answers.map(({ observation }) => hash(observation));
}

describe('first observations', () => {
  it('agree with an independent program for all 544 items', async () => {
    expect(await startHashes(allIds)).toEqual(starts.default);
  });
  it('agree with three distractors', async () => {
    expect(await startHashes(allIds, { distractors: 3 })).toEqual(starts.distractors3);
  });
  it('agree under other list seeds', async () => {
    expect(await startHashes(every8th, { distractors: 100, listSeed: 7 })).toEqual(starts.distractors100seed7);
    expect(await startHashes(every8th, { listSeed: 0xffffffff })).toEqual(starts.seed4294967295);
  });
  it('take an id modulo the number of goals', async () => {
    const [a, b] = await world.reset([0, 1], [taskOf(3), taskOf(3 + 544)]);
    expect(b.observation).toBe(a.observation);
  });
});

describe('steps', () => {
  it.each(edges.episodes.map((episode, k) => [k, episode] as const))(
    'follow the rules in edge cases (%i)',
    async (_k, { id, steps }) => {
      await world.reset([7], [taskOf(id)]);
      for (const [action, observation, reward, valid] of steps as [string, string, number, boolean][]) {
        const [found] = await world.step([7], [action]);
        expect({ action, ...found }).toEqual({
          action,
          observation,
          reward,
          done: reward === 1,
          valid,
          validActions: null,
        });
      }
    },
  );
  it('keep numbers of any size exact, up to Python’s limit', async () => {
    const nines = '9'.repeat(4300);
    await world.reset([0], [taskOf(0)]);
    const actions = [
      `get ${nines} flint`,
      'get 1 flint',
      `craft x using ${nines} flint`,
      `get ${nines}9 flint`,
      'inventory',
    ];
    const found: string[] = [];
    for (const action of actions) found.push((await world.step([0], [action]))[0].observation);
    expect(found[0]).toBe(`Got ${nines} flint`);
    expect(found[2]).toMatch(/^Could not find a valid recipe/);
    expect(found[3]).toMatch(/^Exceeds the limit \(4300 digits\).*value has 4301 digits/);
    expect(found[4]).toBe(`Inventory: [flint] (1${'0'.repeat(4300)}) `);
  });
  it('are the same in a batch as alone, with texts of every width', async () => {
    const [{ steps }] = edges.episodes;
    const actions = (steps as [string, string, number, boolean][]).map(([action]) => action);
    const slots = actions.map((_, k) => 100 + k);
    await world.reset(
      slots,
      slots.map(() => taskOf(9)),
    );
    await world.reset([1], [taskOf(9)]);
    const batch = await world.step(slots, actions);
    for (const [k, action] of actions.entries()) {
      await world.reset([1], [taskOf(9)]);
      expect((await world.step([1], [action]))[0]).toEqual(batch[k]);
    }
  });
});

describe('valid actions', () => {
  it('are each command and a get for each of its ingredients, in order, once', async () => {
    const [start] = await world.reset([0], [taskOf(300, { distractors: 3 })]);
    const lines = start.observation.split('\n\n')[0].split('\n').slice(1);
    const expected = lines.flatMap((line) => [
      line,
      ...line
        .split(' using ')[1]
        .split(', ')
        .map((part) => `get ${part}`),
    ]);
    expect(start.validActions).toEqual([...new Set(expected)]);
  });
  it('do not depend on what is carried, and are null after a step', async () => {
    const [first] = await world.reset([0], [taskOf(20)]);
    const [next] = await world.step([0], [first.validActions![1]]);
    expect(next.validActions).toBeNull();
    const [again] = await world.reset([0], [taskOf(20)]);
    expect(again.validActions).toEqual(first.validActions);
  });
});

describe('tasks', () => {
  it('are the official split, with depths', async () => {
    const count = async (split: 'train' | 'test') => {
      const tasks = await world.tasks({}, split);
      return [tasks.length, ...depths.map((depth) => tasks.filter((task) => task.strata.depth === depth).length)];
    };
    expect(await count('test')).toEqual([100, 31, 41, 25, 3]);
    expect(await count('train')).toEqual([374, 94, 232, 47, 1]);
  });
  it('do not share an item between training and test', async () => {
    const train = new Set((await world.tasks({}, 'train')).map(({ id }) => id));
    expect((await world.tasks({}, 'test')).filter(({ id }) => train.has(id))).toEqual([]);
  });
  it('keep to the requested depths and carry filled-in options', async () => {
    const tasks = await world.tasks({ depths: [4], distractors: 3 }, 'test');
    expect(tasks.map(({ id }) => id)).toEqual([533, 534, 535]);
    expect(tasks[0].options).toEqual({
      depths: [4],
      distractors: 3,
      listSeed: 42,
      listSeeds: 1,
      naming: 0,
      namings: 0,
      wholeNames: false,
      apart: 0,
      asked: 0,
      fresh: false,
      keepKinds: false,
      madeUp: false,
      instruction: null,
    });
  });
  it('show each training goal under every list, list by list, and held-out goals under the first', async () => {
    const options = { depths: [1], listSeed: 9, listSeeds: 3 };
    const once = await world.tasks({ depths: [1] }, 'train');
    const tasks = await world.tasks(options, 'train');
    expect(tasks.map(({ id }) => id)).toEqual([...once, ...once, ...once].map(({ id }) => id));
    expect(tasks.map(({ options }) => options.listSeed)).toEqual([9, 10, 11].flatMap((seed) => once.map(() => seed)));
    expect(new Set((await world.tasks(options, 'test')).map(({ options }) => options.listSeed))).toEqual(new Set([9]));
  });
});

describe('other names', () => {
  const named = (id: number, naming: number) => taskOf(id, { depths: [1], distractors: 3, naming });
  const begin = async (id: number, naming: number, slot = 0) => (await world.reset([slot], [named(id, naming)]))[0];
  const shape = (text: string) => text.replace(/[a-z]+/g, 'w');

  it('are applied in turn to training goals, and fixed for held-out goals', async () => {
    const once = await world.tasks({ depths: [1] }, 'train');
    const tasks = await world.tasks({ depths: [1], namings: 3 }, 'train');
    expect(tasks.map(({ options }) => options.naming)).toEqual([1, 2, 3].flatMap((k) => once.map(() => k)));
    const held = await world.tasks({ depths: [1], namings: 3 }, 'test');
    expect(new Set(held.map(({ options }) => options.naming))).toEqual(new Set([0]));
  });
  it('exchange the words of items and nothing else', async () => {
    const ids = (await world.tasks({ depths: [1] }, 'train')).map(({ id }) => id);
    let same = 0;
    for (const id of ids) {
      const own = await begin(id, 0);
      const other = await begin(id, 7);
      expect(shape(other.observation)).toBe(shape(own.observation));
      expect(other.validActions!.map(shape)).toEqual(own.validActions!.map(shape));
      expect(await begin(id, 7)).toEqual(other);
      if (other.observation === own.observation) same++;
    }
    expect(same).toBe(0);
  });
  it('are one to one: the same word stands for the same word everywhere', async () => {
    const forward = new Map<string, string>();
    for (const { id } of await world.tasks({ depths: [1] }, 'train')) {
      const wordsIn = ({ observation }: Feedback) => observation.match(/[a-z]+/g)!;
      const own = wordsIn(await begin(id, 0));
      wordsIn(await begin(id, 3)).forEach((word, i) => {
        expect(forward.get(own[i]) ?? word).toBe(word);
        forward.set(own[i], word);
      });
    }
    expect(new Set(forward.values()).size).toBe(forward.size);
    expect([...forward].filter(([own, other]) => own !== other).length).toBeGreaterThan(100);
  });
  it('are played like the originals: the oracle wins with the shown words, and the view uses them', async () => {
    for (const { id } of await world.tasks({ depths: [1] }, 'test')) {
      const { observation } = await begin(id, 5, 2);
      const goal = /Goal: craft (.*)\./.exec(observation)![1];
      const view = (await world.view(2)) as TextCraftView;
      expect([view.goal, view.tree.name]).toEqual([goal, goal]);
      const [plan] = await world.oracle([2]);
      let last: Feedback | null = null;
      for (const action of plan!) [last] = await world.step([2], [action]);
      expect(last).toMatchObject({ reward: 1, done: true });
      expect(last!.observation.replaceAll('_', ' ')).toContain(goal);
    }
  });
  it('belong to a slot: the next task in it has its own words again', async () => {
    await begin(0, 4);
    const { validActions } = await begin(0, 0);
    const action = validActions!.find((each) => each.startsWith('get '))!;
    expect((await world.step([0], [action]))[0].observation).toBe(action.replace(/^get/, 'Got'));
  });
});

describe('options', () => {
  const refused = [
    [{ depths: [5] }, /options\.depths\.0: .*at most 4.*it is 5/s],
    [{ depths: [] }, /options\.depths: .*at least one/s],
    [{ depths: [1, 1] }, /options\.depths: .*repeat/s],
    [{ depths: 1 }, /options\.depths: .*list of depths/s],
    [{ distractors: -1 }, /options\.distractors: .*at least 0.*it is -1/s],
    [{ distractors: 1.5 }, /options\.distractors: .*whole number from 0 to 100/s],
    [{ listSeed: 2 ** 32 }, /options\.listSeed: .*at most 4294967295/s],
    [{ distractor: 3 }, /options\.distractor: .*no such option/s],
  ] as const;
  it.each(refused)('%j is refused by path and bound', async (options, message) => {
    await expect(world.tasks(options as never, 'train')).rejects.toThrow(message);
    await expect(world.reset([0], [taskOf(0, options as never)])).rejects.toThrow(WorldError);
  });
  it('slots and lengths are checked', async () => {
    await expect(world.reset([-1], [taskOf(0)])).rejects.toThrow(/slot must be a whole number/);
    await expect(world.reset([0, 1], [taskOf(0)])).rejects.toThrow(/2 slots, 1 entries/);
    await expect(world.step([999_999], ['x'])).rejects.toThrow(/reset it with a task first/);
    await expect(world.reset([0], [taskOf(-1)])).rejects.toThrow(/whole numbers, 0 or more/);
  });
});

describe('the oracle', () => {
  async function play(slot: number, actions: readonly string[]): Promise<Feedback> {
    let last: Feedback | null = null;
    for (const action of actions) {
      [last] = await world.step([slot], [action]);
      expect(last, action).toMatchObject({ valid: true });
    }
    return last!;
  }

  it.each([10, 3, 0])(
    'solves all 544 goals, with %i distractors, with valid actions if so marked',
    async (distractors) => {
      const starts = await world.reset(
        allIds,
        allIds.map((id) => taskOf(id, { distractors })),
      );
      const plans = await world.oracle(allIds);
      const listed = await world.oracleIsListed(allIds);
      for (const id of allIds) {
        if (listed[id]) expect(starts[id].validActions).toEqual(expect.arrayContaining(plans[id]!));
        expect(await play(id, plans[id]!)).toMatchObject({ reward: 1, done: true });
      }
      // Goals that valid actions cannot reach: those whose every recipe needs a tag (docs/worlds/textcraft.md).
      expect(listed.filter((isListed) => !isListed)).toHaveLength(49);
    },
  );
  it('needs two to four actions at depth 1', async () => {
    const ids = (await world.tasks({ depths: [1] }, 'train')).map(({ id }) => id);
    await world.reset(
      ids,
      ids.map((id) => taskOf(id)),
    );
    const lengths = (await world.oracle(ids)).map((plan) => plan!.length);
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([2, 4]);
  });
  it('continues from the current state: a step of its plan leaves one step less', async () => {
    await world.reset(
      allIds,
      allIds.map((id) => taskOf(id)),
    );
    const plans = (await world.oracle(allIds)) as string[][];
    await world.step(
      allIds,
      plans.map((plan) => plan[0]),
    );
    const rest = (await world.oracle(allIds)) as string[][];
    const longer = rest.filter((plan, id) => plan.length > plans[id].length - 1 && plans[id].length > 1);
    expect(longer).toEqual([]);
  });
  it('solves from any state', async () => {
    await world.reset(
      allIds,
      allIds.map((id) => taskOf(id)),
    );
    const { validActions } = (await world.reset([0], [taskOf(0)]))[0];
    for (let turn = 0; turn < 12; turn++) {
      const actions = allIds.map((id) => randomAction(validActions!, 1, id, turn));
      await world.step(allIds, actions);
    }
    const plans = await world.oracle(allIds);
    for (const id of allIds) expect(await play(id, plans[id]!)).toMatchObject({ done: true });
  });
});

describe('the world', () => {
  it('is the same for the same seed, with random players', async () => {
    const ids = allIds.filter((id) => id % 4 === 0);
    const run = async (slots: readonly number[]) => {
      const starts = await world.reset(
        slots,
        ids.map((id) => taskOf(id)),
      );
      const transcript: string[] = [];
      for (let turn = 0; turn < 10; turn++) {
        const actions = starts.map((start, k) => randomAction(start.validActions!, 9, k, turn));
        transcript.push(
          ...(await world.step(slots, actions)).map((feedback, k) => `${actions[k]} > ${feedback.observation}`),
        );
      }
      return transcript;
    };
    const first = await run(ids);
    expect(await run(ids.map((id) => id + 1000))).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(100);
  });
  it('never traps, on any input', async () => {
    const pieces = [
      'craft ',
      ' using ',
      'get ',
      '1',
      ' ',
      ',',
      '\n',
      '\0',
      '\ud800',
      '😀',
      'é',
      '\u2028',
      'oak logs',
      '9'.repeat(30),
      "'",
      '"',
      '\\',
      'planks',
      '\u{10ffff}',
    ];
    const slots = allIds.slice(0, 64);
    await world.reset(
      slots,
      slots.map((id) => taskOf(id)),
    );
    for (let round = 0; round < 50; round++) {
      const actions = slots.map((slot) =>
        Array.from({ length: 1 + (slot % 7) }, (_, k) => randomAction(pieces, round, slot, k)).join(''),
      );
      const answers = await world.step(slots, actions);
      for (const [k, { observation }] of answers.entries()) {
        if (!/^(craft |get |inventory)/.test(actions[k]))
          expect(observation).toBe(`Could not execute ${actions[k].replace(/\p{Surrogate}/gu, '\ufffd')}`);
      }
    }
  });
  it('keeps its memory bounded over many episodes', { tags: 'slow' }, async () => {
    // Every episode makes each inventory larger than several memory blocks, and some counts larger than an i64.
    const { raw } = JSON.parse(readFileSync('envs-wasm/textcraft/recipes.json', 'utf8'));
    const outputs = new Set(raw.map(([, output]: string[]) => output));
    const inputs = new Set<string>(
      raw.flatMap(([, , , list]: [string, string, number, [string, number][]]) => list.map(([name]) => name)),
    );
    const names = [...inputs].filter((name) => !outputs.has(name) && !name.startsWith('#'));
    const slots = allIds.slice(0, 16);
    const fresh = await TextCraft.open();
    const episode = async (round: number) => {
      await fresh.reset(
        slots,
        slots.map((slot) => taskOf(slot, { listSeed: round })),
      );
      for (let turn = 0; turn < 40; turn++) {
        const actions = slots.map(
          (slot) => `get ${turn % 5 ? 1 : '7'.repeat(30 + slot)} ${names[(turn + slot) % names.length]}`,
        );
        for (const { valid } of await fresh.step(slots, actions)) expect(valid).toBe(true);
      }
    };
    for (let round = 0; round < 3; round++) await episode(round);
    const settled = fresh.memoryBytes();
    for (let round = 3; round < 300; round++) await episode(round);
    expect(fresh.memoryBytes()).toBe(settled);
  });
  it('accepts an action of a million characters', async () => {
    await world.reset([0], [taskOf(0)]);
    const long = 'é'.repeat(1_000_000);
    expect((await world.step([0], [long]))[0].observation).toBe(`Could not execute ${long}`);
  });
  it('draws a view: inventory, commands, and the tree to the goal', async () => {
    await world.reset([0], [taskOf(0)]);
    await world.step([0], ['get 3 acacia logs']);
    expect(await world.view(0)).toEqual({
      kind: 'textcraft',
      text: 'Goal: acacia planks, made from 1 acacia logs; carrying 3 acacia logs.',
      goal: 'acacia planks',
      inventory: [{ name: 'acacia logs', count: 3 }],
      commands: [
        {
          text: 'craft 4 acacia planks using 1 acacia logs',
          output: 'acacia planks',
          count: 4,
          inputs: [{ name: 'acacia logs', count: 1 }],
        },
      ],
      tree: {
        name: 'acacia planks',
        need: 1,
        have: 0,
        craftable: true,
        children: [{ name: 'acacia logs', need: 1, have: 3, craftable: false, children: [] }],
      },
    });
  });
});

describe('the random player', () => {
  it('chooses each action about equally often, and depends only on (seed, episode, turn)', () => {
    const actions = ['a', 'b', 'c', 'd', 'e'];
    const counts = new Map<string, number>();
    for (let episode = 0; episode < 1000; episode++)
      for (let turn = 0; turn < 10; turn++) {
        const action = randomAction(actions, 3, episode, turn);
        counts.set(action, (counts.get(action) ?? 0) + 1);
      }
    // 2000 expected each; five standard deviations are 200.
    for (const action of actions) expect(Math.abs(counts.get(action)! - 2000)).toBeLessThan(200);
    expect(randomAction(actions, 3, 500, 5)).toBe(randomAction(actions, 3, 500, 5));
  });
});

describe('the recipe table', () => {
  it('in the module equals recipes.json', () => {
    const { raw } = JSON.parse(readFileSync('envs-wasm/textcraft/recipes.json', 'utf8'));
    expect(readFileSync('envs-wasm/textcraft/recipes.ts', 'utf8')).toBe(renderRecipes(raw));
  });
});
