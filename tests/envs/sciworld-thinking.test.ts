// Thoughts of ScienceWorld's oracle: they consist of words from the texts shown before, and agree with the box that it
// then chooses, under any names.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { Findings } from '../../src/worlds/sciworld/findings.ts';
import { SciWorld } from '../../src/worlds/sciworld/world.ts';

beforeAll(() => buildWasm());

const optionsOf = (name: string, naming: number) => ({
  tasks: [name],
  validActions: false,
  oracle: 'finds out',
  fresh: true,
  naming,
  exchange: 'all',
});
const wordsOf = (text: string): string[] => text.match(/-?[\w.]*\w/g) ?? [];

interface Told {
  thought: string;
  action: string;
  /** All text shown before. */
  read: string;
  /** The world's memory before the turn. */
  memory: string;
  /** True if the world took the action. */
  valid: boolean;
}

async function* episodes(name: string) {
  const world = await SciWorld.open();
  for (const naming of [0, 5, 77]) {
    const tasks = await world.tasks(optionsOf(name, naming), 'train');
    for (let k = 0; k < tasks.length; k += Math.ceil(tasks.length / 8)) {
      const [first] = await world.reset([0], [tasks[k]]);
      const lessons: Told[] = [];
      let read = first.observation;
      let completed = false;
      for (let turn = 0; turn < 40; turn++) {
        const [lesson] = await world.advise([0]);
        if (!lesson) break;
        const memory = (await world.inspect(0, 'memory')) as string;
        const [{ observation, reward, done, valid }] = await world.step([0], [lesson.action]);
        lessons.push({ thought: lesson.thought!, action: lesson.action, read, memory, valid });
        read += `\n${observation}`;
        completed = done && reward === 1;
      }
      yield { description: first.observation.split('\n')[0], lessons, completed };
    }
  }
}

/** Words that the oracle concludes without having read them. */
const states = ['solid', 'liquid'];
const sorting = [
  'use-thermometer',
  'measure-melting-point-known-substance',
  'measure-melting-point-unknown-substance',
  'test-conductivity',
  'test-conductivity-of-unknown-substances',
];

describe("the oracle's thoughts", () => {
  it.each([...sorting, 'find-plant', 'find-animal', 'lifespan-longest-lived', 'chemistry-mix'])(
    'of %s use only words that appeared before, and their actions complete the task',
    async (name) => {
      for await (const { lessons, completed } of episodes(name)) {
        expect(completed).toBe(true);
        for (const { thought, read } of lessons)
          expect(wordsOf(thought).filter((word) => !wordsOf(read).includes(word) && !states.includes(word))).toEqual(
            [],
          );
      }
    },
  );

  it.each(sorting)('of %s begin with the boxes of the conditions, and end with the chosen one', async (name) => {
    const findings = new Set<string>();
    for await (const { description, lessons } of episodes(name)) {
      const conditions = lessons[0].thought.split(', ');
      for (const each of conditions) {
        const [, condition, box] = /^(\w+) (\w+ box)$/.exec(each)!;
        expect(description).toMatch(new RegExp(`\\b${condition}[^,]*, [a-z ]* the ${box}`));
      }
      expect(new Set(conditions).size).toBe(2);
      const { thought, action } = lessons.at(-1)!;
      const [, found, chosen, box] = /^(.+) (\w+ (\w+ box))$/.exec(thought)!;
      expect(action.endsWith(box)).toBe(true);
      expect(conditions).toContain(chosen);
      findings.add(found);
    }
    // Findings differ between episodes.
    expect(findings.size).toBeGreaterThan(1);
  });

  it.each(sorting.slice(1, 3))(
    'of %s give the temperature on the way to the bound, and the state there',
    async (name) => {
      const ways = new Map<string, number>();
      for await (const { lessons } of episodes(name)) {
        const [, bound, state, side] = /^(-?[\d.]+) (solid|liquid) (above|below) \w+ box$/.exec(
          lessons.at(-1)!.thought,
        )!;
        // A substance that is solid at the bound melts above it.
        expect([state, side]).toEqual([state, state === 'solid' ? 'above' : 'below']);
        const readings = lessons.filter(({ thought }) => /^-?[\d.]+ -?\d+$/.test(thought));
        for (const { thought, read } of readings)
          expect(read.split('\n').at(-1)).toBe(
            `the thermometer measures a temperature of ${thought.split(' ')[1]} degrees celsius`,
          );
        // All but the last reading are on the same side of the bound.
        const warmer = readings.map(({ thought }) => Number(thought.split(' ')[1]) > Number(bound));
        expect(new Set(warmer.slice(0, -1)).size).toBeLessThanOrEqual(1);
        const how = `${state}, ${readings.length ? 'measured' : 'at once'}`;
        ways.set(how, (ways.get(how) ?? 0) + 1);
      }
      expect([...ways.keys()].sort()).toEqual([
        'liquid, at once',
        'liquid, measured',
        'solid, at once',
        'solid, measured',
      ]);
    },
  );

  it.each(['find-plant', 'find-animal'])(
    'of %s name the destination when the thing is picked up and put down',
    async (name) => {
      for await (const { description, lessons } of episodes(name)) {
        const withThought = lessons.filter(({ thought }) => thought !== '');
        expect(withThought.at(-1)).toBe(lessons.at(-1));
        for (const { thought } of withThought) expect(description).toMatch(new RegExp(`, ${thought}\\.$`));
      }
    },
  );

  it('do not treat the lamp of a room as one that was looked at', () => {
    const description =
      'If it is electrically conductive, place it in the red box. If it is electrically nonconductive, place it in the green box.';
    const findings = new Findings(description);
    const plan = ['focus on spoon', 'move spoon to red box'];
    expect(findings.thought(plan)).toBe('conductive red box, nonconductive green box');
    const seen = 'This room is called the workshop. In it, you see: a blue light bulb, which is off';
    findings.record('look around', seen, true);
    expect(findings.thought(plan)).toBe('');
    findings.record(
      'look at blue light bulb',
      'a blue light bulb, which is on. its anode is connected to: a black wire',
      true,
    );
    expect(findings.thought(plan.slice(1))).toBe('on conductive red box');
  });
});

/** What the world answered in a turn before the last one. */
const answerTo = (lessons: readonly Told[], turn: number) =>
  lessons[turn + 1].read.slice(lessons[turn].read.length + 1);

describe('the memory of an episode', () => {
  it.each([...sorting, 'find-animal'])(
    'of %s has the conditions, the room, the latest actions and the readings, in words of the episode',
    async (name) => {
      let rooms = 0;
      for await (const { lessons } of episodes(name)) {
        for (const [turn, { memory, read }] of lessons.entries()) {
          const taken = lessons.slice(0, turn).filter(({ valid }) => valid);
          const actions = taken.map(({ action }) => action);
          const known = wordsOf(`${read} ${actions.join(' ')}`);
          const [told, carried] = memory.split('In your inventory, you see:');
          expect(carried).toBeDefined();
          expect(wordsOf(told).filter((word) => !known.includes(word) && !states.includes(word))).toEqual([]);
          const came = actions.findLastIndex((action) => action.startsWith('go to'));
          const looked = actions.lastIndexOf('look around');
          const room = looked > came ? answerTo(lessons, lessons.indexOf(taken[looked])) : '';
          const done = actions.filter((action) => !action.startsWith('look')).slice(-12);
          const readings = [...read.matchAll(/^the thermometer measures .*$/gm)].map(([line]) => line);
          const boxes = sorting.includes(name) ? lessons[0].thought : '';
          const start = [boxes, room, done.join(', '), ...readings.slice(-1)].filter(Boolean).join('\n');
          expect(told.startsWith(start)).toBe(true);
          rooms += Number(room !== '');
        }
      }
      // To use a thermometer nobody has to look around.
      expect(rooms > 0).toBe(name !== 'use-thermometer');
    },
  );

  it('leaves out actions that the world refuses', async () => {
    const world = await SciWorld.open();
    const [task] = await world.tasks(optionsOf('find-plant', 0), 'train');
    await world.reset([0], [task]);
    for (const action of ['sing a song', 'open door to art studio']) await world.step([0], [action]);
    expect(await world.inspect(0, 'memory')).toMatch(/^open door to art studio\nIn your inventory/);
  });
});

describe('the taught plan', () => {
  const begin = async () => {
    const world = await SciWorld.open();
    const [task] = await world.tasks(optionsOf('find-plant', 0), 'train');
    await world.reset([0], [task]);
    const lesson = async () => (await world.advise([0]))[0]!;
    return { world, lesson };
  };

  it('continues after a refused action', async () => {
    const { world, lesson } = await begin();
    const first = await lesson();
    expect((await world.step([0], ['sing a song']))[0].valid).toBe(false);
    expect(await lesson()).toEqual(first);
    await world.step([0], [first.action]);
    expect((await lesson()).action).not.toBe(first.action);
  });

  it('is made again after a detour', async () => {
    const { world, lesson } = await begin();
    await lesson();
    for (const action of ['open door to art studio', 'go to art studio']) await world.step([0], [action]);
    let reward = 0;
    for (let turn = 0; turn < 30 && reward < 1; turn++) [{ reward }] = await world.step([0], [(await lesson()).action]);
    expect(reward).toBe(1);
  });
});
