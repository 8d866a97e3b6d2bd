/**
 * The part of the observation that a memory adds, compared with a second implementation that uses only what was in
 * sight.
 */
import { beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Feedback, Task, WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { BabyAi } from '../../src/worlds/babyai/world.ts';
import { Account, nameOf, type Place, read, STEPS } from './babyai-account.ts';

let world: BabyAi;
beforeAll(async () => {
  await buildWasm();
  world = await BabyAi.open();
});

/** Size of a room in cells, including both walls, by level. */
const roomSizes = new Map([
  [1, 8],
  [6, 7],
  [7, 8],
  [31, 7],
  [33, 20],
  [36, 8],
]);
class Memory extends Account {
  /**
   * The agent's room (both rooms if it stands in a door), and the unseen cells behind each open door, nearest door
   * first, in steps.
   */
  explored() {
    const { agent } = this.view;
    const unseen: Record<string, number> = {};
    const doors: { place: Place; open: boolean; inSight: boolean; behind: number }[] = [];
    /** The first door on the way to each cell; null for cells of this room. */
    const owners = new Map<string, (typeof doors)[number] | null>([[`${agent.x} ${agent.y}`, null]]);
    let rim: [number, number][] = [[agent.x, agent.y]];
    const enter = (x: number, y: number, owner: (typeof doors)[number] | null): boolean => {
      const key = `${x} ${y}`;
      const far = Math.max(Math.abs(x - agent.x), Math.abs(y - agent.y)) > 12;
      if (owners.has(key) || x < 0 || y < 0 || x > 28 || y > 28 || (far && !owner)) return false;
      const cell = this.seen.get(key);
      if (cell?.type !== 'door') {
        if (this.kindOf(x, y) === 'wall') return false;
        owners.set(key, owner);
        return true;
      }
      const open = cell.state === 'open';
      const mine = owner ?? { place: this.placeOf(x, y), open, inSight: cell.seen, behind: 0 };
      if (!owner) doors.push(mine);
      else if (!open) owner.behind += (this.roomSize - 2) ** 2;
      owners.set(key, mine);
      return open;
    };
    while (rim.length) {
      const next: [number, number][] = [];
      for (const [x, y] of rim) {
        const owner = owners.get(`${x} ${y}`)!;
        if (!this.seen.has(`${x} ${y}`)) {
          const direction = this.directionOf(this.placeOf(x, y));
          if (owner) owner.behind++;
          else unseen[direction] = (unseen[direction] ?? 0) + 1;
        }
        if (this.kindOf(x, y) === 'told') continue;
        for (const [dx, dy] of [STEPS.right, STEPS.left, STEPS.down, STEPS.up])
          if (enter(x + dx, y + dy, owner)) next.push([x + dx, y + dy]);
      }
      rim = next;
    }
    const side = (n: number) => Math.ceil(Math.sqrt(n));
    return {
      unseen: Object.fromEntries(Object.entries(unseen).map(([direction, n]) => [direction, side(n)])),
      leading: doors
        .filter(({ open, behind }) => open && behind > 0)
        .map((door) => ({ ...door, behind: side(door.behind) })),
      shut: doors.filter(({ open, inSight }) => !open && !inSight).map(({ place }) => place),
    };
  }
}

/** Turns of a player that follows the oracle and sometimes acts at random. */
async function* turns(options: WorldOptions, levels: number[]) {
  const tasks = await world.tasks({ oracle: 'reads', trainSeeds: 12, levels, ...options }, 'train');
  for (const task of tasks) yield* turnsOf(task);
}
async function* turnsOf(task: Task) {
  let [feedback]: Feedback[] = await world.reset([0], [task]);
  const account = new Memory(roomSizes.get(Number(task.strata.level))!);
  for (let turn = 0; turn < 20 && !feedback.done; turn++) {
    if (feedback.valid) {
      account.note(await world.view(0));
      yield { text: feedback.observation, account };
    }
    const [plan] = await world.oracle([0]);
    const random = turn % 3 === 2 || !plan?.length;
    [feedback] = await world.step([0], [random ? randomAction(feedback.validActions!, 1, task.id, turn) : plan[0]]);
  }
}

it('the observation is the compact text, followed by the remembered part', async () => {
  const shared = { levels: [1, 7, 36], trainSeeds: 6 };
  const [compact, memory] = await Promise.all(
    ['compact', 'memory'].map((observation) => world.tasks({ ...shared, observation }, 'train')),
  );
  let longer = 0;
  for (const [k, task] of compact.entries()) {
    let [a, b] = await world.reset([0, 1], [task, memory[k]]);
    for (let turn = 0; turn < 15 && !a.done; turn++) {
      expect(b.observation.startsWith(a.observation)).toBe(true);
      const rest = b.observation.slice(a.observation.length);
      expect(rest).toMatch(
        /^(; to see( (ahead|right|behind|left) \d+)+)?(; through [a-z0-9, ]+ see \d+)?(; not in sight [a-z0-9, ]+)?$/,
      );
      longer += Number(rest.length > 0);
      expect(b.validActions).toEqual(a.validActions);
      const action = randomAction(a.validActions!, 2, task.id, turn);
      [a, b] = await world.step([0, 1], [action, action]);
    }
  }
  expect(longer).toBeGreaterThan(100);
});

it('the memory contains what was in sight at the end of a turn, reported walls and the room size, and nothing else', {
  tags: 'slow',
}, async () => {
  const counted = { turns: 0, unseen: 0, leading: 0, shut: 0, things: 0 };
  for await (const { text, account } of turns({ observation: 'memory' }, [...roomSizes.keys()])) {
    if (!text.includes('carrying')) continue;
    const shown = read(text);
    const known = account.explored();
    counted.turns++;
    expect(shown.unseen, text).toEqual(known.unseen);
    counted.unseen += Object.keys(shown.unseen).length;
    // Doors in sight are identified by their number.
    const leading = shown.leading.map((each) => ({
      place:
        shown.inSight.find(({ name, number }) => number && name === each.name && number === each.number)?.place ??
        each.place,
      behind: each.see,
    }));
    const away = ({ ahead, aside }: Place) => Math.abs(ahead) + Math.abs(aside);
    // Order among equally near doors is free.
    const order = (a: { place: Place }, b: { place: Place }) =>
      away(a.place) - away(b.place) || a.place.ahead - b.place.ahead || a.place.aside - b.place.aside;
    if (known.leading.length <= 3)
      expect(leading.sort(order), text).toEqual(
        known.leading.map(({ place, behind }) => ({ place, behind })).sort(order),
      );
    counted.leading += leading.length;
    for (const { name, place } of shown.things) {
      const there = account.at(place);
      expect(there && nameOf(there), text).toBe(name);
      expect(there!.seen).toBe(false);
      counted.things++;
    }
    const shut = shown.things.filter(({ name }) => / (closed|locked) door$/.test(name)).map(({ place }) => place);
    if (known.shut.length <= 3) for (const place of known.shut) expect(shut, text).toContainEqual(place);
    counted.shut += known.shut.length;
  }
  for (const [name, least] of Object.entries({ turns: 400, unseen: 600, leading: 100, shut: 40, things: 60 }))
    expect(counted[name as keyof typeof counted], name).toBeGreaterThan(least);
});

it('the memory lists a key once a lock of its color was seen, and the objects that the goal names', {
  tags: 'slow',
}, async () => {
  const found = { keys: 0, named: 0 };
  for await (const { text } of turns({ observation: 'memory', trainSeeds: 20 }, [7, 36])) {
    for (const { name } of read(text).things) {
      found.keys += Number(name.endsWith(' key'));
      found.named += Number(/ (ball|box)$/.test(name));
    }
  }
  expect(found.keys).toBeGreaterThan(5);
  expect(found.named).toBeGreaterThan(5);
});
