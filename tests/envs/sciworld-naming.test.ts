// ScienceWorld with exchanged names: the same world in other texts, and every text can be translated back.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { sciworld } from '../../src/worlds/sciworld/index.ts';
import { NameExchange } from '../../src/worlds/sciworld/name-exchange.ts';
import { namedThings, sideRooms } from '../../src/worlds/sciworld/named-things.ts';
import { SciWorld } from '../../src/worlds/sciworld/world.ts';

beforeAll(() => buildWasm());

const tasks = [
  'use-thermometer',
  'measure-melting-point-known-substance',
  'measure-melting-point-unknown-substance',
  'test-conductivity',
  'test-conductivity-of-unknown-substances',
  'find-living-thing',
  'find-animal',
  'find-plant',
  'chemistry-mix',
  'chemistry-mix-paint-secondary-color',
  'chemistry-mix-paint-tertiary-color',
  'lifespan-longest-lived',
  'lifespan-longest-lived-then-shortest-lived',
];
const optionsOf = (name: string, naming: number, exchange = 'names') => ({
  tasks: [name],
  validActions: false,
  oracle: 'finds out',
  fresh: true,
  naming,
  exchange,
});

describe.each(['names', 'all'])('another naming of %s', (exchange) => {
  it.each(tasks)('exchanges names in %s and keeps the world the same', async (name) => {
    const world = await SciWorld.open();
    const every = async (naming: number) => {
      const all = await world.tasks(optionsOf(name, naming, exchange), 'train');
      return all.filter((_, k) => k % Math.ceil(all.length / 12) === 0);
    };
    const own = await every(0);
    let changedCount = 0;
    for (const seed of [1, 77, 2 ** 31]) {
      const other = await every(seed);
      for (const [k, task] of own.entries()) {
        const [first, named] = await world.reset([0, 1], [task, other[k]]);
        const description = first.observation.split('\n')[0];
        const naming = new NameExchange(seed, exchange === 'all' ? { task: name, description } : null);
        expect(named.observation).toBe(naming.toShown(first.observation));
        expect(naming.toOriginal(named.observation)).toBe(first.observation);
        let differs = named.observation !== first.observation;
        const [plan, shown] = await world.oracle([0, 1]);
        expect(shown!.map((action) => naming.toOriginal(action))).toEqual(plan);
        for (const [i, action] of plan!.entries()) {
          const [before, after] = await world.step([0, 1], [action, shown![i]]);
          expect(after).toEqual({ ...before, observation: naming.toShown(before.observation) });
          expect(naming.toOriginal(after.observation)).toBe(before.observation);
          differs ||= after.observation !== before.observation;
        }
        if (differs) changedCount++;
        expect(JSON.stringify(await world.view(1))).not.toBe('');
      }
    }
    // Plants keep their names; every other task mentions something with an exchanged name.
    expect(changedCount).toBeGreaterThan(name === 'find-plant' ? 0 : own.length);
  });

  it('lists actions in its own names, which the world understands', async () => {
    const world = await SciWorld.open();
    const [task] = await world.tasks({ ...optionsOf('test-conductivity', 5), validActions: true }, 'train');
    const [{ validActions }] = await world.reset([0], [task]);
    for (const action of validActions!.slice(0, 40)) {
      await world.reset([0], [task]);
      expect([action, (await world.step([0], [action]))[0].valid]).toEqual([action, true]);
    }
  });
});

describe('texts with exchanged names', () => {
  it('stay true: the box fits the stated temperature, whether warm is shown as cold or not', async () => {
    const world = await SciWorld.open();
    const counts = { mirrored: 0, kept: 0 };
    for (const seed of [1, 2, 3, 77]) {
      const [own, renamed] = await Promise.all(
        [0, seed].map((naming) => world.tasks(optionsOf('use-thermometer', naming, 'all'), 'train')),
      );
      for (let k = 0; k < own.length; k += 9) {
        const [first, named] = await world.reset([0, 1], [own[k], renamed[k]]);
        const bound = (text: string) => Number(/temperature is above (-?[\d.]+) degrees/.exec(text)![1]);
        const boxFor = (side: string) =>
          new RegExp(`is ${side} -?[\\d.]+ degrees celsius, place it in the (\\w+ box)`).exec(named.observation)![1];
        const [plan] = await world.oracle([1]);
        let degrees = Number.NaN;
        for (const action of plan!) {
          const [{ observation }] = await world.step([1], [action]);
          if (action.startsWith('use thermometer')) degrees = Number(/temperature of (-?\d+)/.exec(observation)![1]);
        }
        const beyond = degrees - bound(named.observation);
        // The substance cools or warms a little on its way to the boxes.
        if (Math.abs(beyond) > 8) expect(plan!.at(-1)).toContain(boxFor(beyond > 0 ? 'above' : 'below'));
        counts[bound(named.observation) === bound(first.observation) ? 'kept' : 'mirrored'] += 1;
      }
    }
    expect(counts.mirrored).toBeGreaterThan(10);
    expect(counts.kept).toBeGreaterThan(10);
  });

  it.each(['solid', 'liquid'])('keep the state %s', (state) => {
    for (const seed of [1, 2, 3])
      expect(new NameExchange(seed, { task: '', description: '' }).toShown(`${state} unknown substance B`)).toMatch(
        new RegExp(`^${state} unknown substance [A-Z]$`),
      );
  });

  it('exchange side rooms if the task names them, and keep them if the agent must know one', () => {
    const seeds = Array.from({ length: 20 }, (_, k) => k + 1);
    const shown = (task: string) =>
      new Set(seeds.map((seed) => new NameExchange(seed, { task, description: '' }).toShown('the workshop')));
    expect(shown('find-plant')).toEqual(new Set(sideRooms.map((room) => `the ${room}`)));
    expect(shown('test-conductivity')).toEqual(new Set(['the workshop']));
  });
});

describe('paints', () => {
  const seeds = Array.from({ length: 40 }, (_, k) => k + 1);
  const shown = (text: string) =>
    seeds.map((seed) => {
      const naming = new NameExchange(seed, { task: 'chemistry-mix-paint-tertiary-color', description: '' });
      const renamed = naming.toShown(text);
      expect(naming.toOriginal(renamed)).toBe(text);
      return renamed;
    });

  it('mix as before under other colours, and every mixture occurs', () => {
    expect(new Set(shown('Blue and yellow paint mix to produce green paint.'))).toEqual(
      new Set([
        ...['Blue and yellow', 'Yellow and blue'].map((parts) => `${parts} paint mix to produce green paint.`),
        ...['Red and yellow', 'Yellow and red'].map((parts) => `${parts} paint mix to produce orange paint.`),
        ...['Red and blue', 'Blue and red'].map((parts) => `${parts} paint mix to produce violet paint.`),
      ]),
    );
    expect(new Set(shown('create green-blue paint'))).toEqual(
      new Set(
        ['green-blue', 'yellow-green', 'red-orange', 'yellow-orange', 'violet-red', 'blue-violet'].map(
          (color) => `create ${color} paint`,
        ),
      ),
    );
  });

  it('in one container are listed alphabetically, as in the simulator', () => {
    for (const renamed of shown('mix wood cup containing blue paint and yellow paint')) {
      const names = /containing (.+) and (.+)$/.exec(renamed)!.slice(1);
      expect(names).toEqual(names.toSorted());
    }
  });

  it('keep their colours if no paint is mixed', () => {
    for (const seed of seeds)
      expect(new NameExchange(seed, { task: 'test-conductivity', description: '' }).toShown('red paint')).toBe(
        'red paint',
      );
  });
});

describe('draws', () => {
  const task = { world: 'sciworld', id: 1436, options: optionsOf('test-conductivity', 0), strata: {} };
  const drawn = sciworld.drawing!(task.options)!;

  it('depend only on their key, differ between siblings, and sometimes keep all names', () => {
    const namings = Array.from({ length: 400 }, (_, key) => drawn(task, { key, member: 0 }).options.naming);
    expect(namings).toEqual(namings.map((_, key) => drawn(task, { key, member: 0 }).options.naming));
    expect(new Set(namings).size).toBeGreaterThan(300);
    const kept = namings.filter((naming) => naming === 0).length;
    expect(kept).toBeGreaterThan(15);
    expect(kept).toBeLessThan(80);
    expect(drawn(task, { key: 9, member: 1 }).options.naming).not.toBe(
      drawn(task, { key: 9, member: 0 }).options.naming,
    );
    expect(drawn(task, { key: 9, member: 0 }).id).toBe(task.id);
  });

  it('happen only if requested, and never for held-out tasks', async () => {
    expect(sciworld.drawing!({ tasks: ['find-plant'] })).toBeNull();
    const world = await SciWorld.open();
    for (const { options } of await world.tasks(optionsOf('test-conductivity', 0), 'test'))
      expect(options.naming).toBe(0);
  });
});

it('no two things share a name, and every name translates back', () => {
  expect(new Set(namedThings).size).toBe(namedThings.length);
  for (const seed of [1, 2, 3]) {
    const naming = new NameExchange(seed);
    const shown = namedThings.map((name) => naming.toShown(name));
    expect(new Set(shown)).toEqual(new Set(namedThings));
    expect(shown.map((name) => naming.toOriginal(name))).toEqual(namedThings);
    expect(naming.toShown('an orange wire in the workshop, an apple tree')).toBe(
      'an orange wire in the workshop, an apple tree',
    );
  }
});

describe('training with everything exchanged', () => {
  const roomsOf = (text: string) => [...text.matchAll(/located around the ([\w ]+)\./g)].map(([, room]) => room).join();
  const drawn = async (exchange: string, split: 'train' | 'test') => {
    const world = await SciWorld.open();
    const all = await world.tasks({ ...optionsOf('use-thermometer', 0, exchange), heldOut: 'dev' }, split);
    const counts = new Map<string, number>();
    for (const task of all) {
      const [{ observation }] = await world.reset([0], [task]);
      const rooms = roomsOf(observation.split('\n')[0]);
      counts.set(rooms, (counts.get(rooms) ?? 0) + 1);
    }
    return { ids: all.map(({ id }) => id), counts: [...counts.values()] };
  };

  it('draws each pair of rooms about as often, and no other variation', async () => {
    const [even, own] = [await drawn('all', 'train'), await drawn('names', 'train')];
    expect(new Set(even.ids)).toEqual(new Set(own.ids));
    expect(own.ids.length).toBe(new Set(own.ids).size);
    expect(even.counts.length).toBe(9);
    expect(Math.max(...own.counts) / Math.min(...own.counts)).toBeGreaterThan(10);
    expect(Math.max(...even.counts) / Math.min(...even.counts)).toBeLessThan(1.6);
  });

  it('repeats nothing that is held out', async () => {
    const { ids } = await drawn('all', 'test');
    expect(ids.length).toBe(new Set(ids).size);
  });
});
