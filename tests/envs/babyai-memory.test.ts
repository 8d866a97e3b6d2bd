/** What the observation with a memory adds, beside a second account of it that is made from nothing but what was in sight. */
import { beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { BabyAiView, GridCell } from '../../src/envs/babyai/view.ts';
import { BabyAi } from '../../src/envs/babyai/world.ts';
import type { Feedback, Task, WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';

let world: BabyAi;
beforeAll(async () => {
  await buildWasm();
  world = await BabyAi.open();
});

/** Cells from wall to wall, both counted, by level. */
const roomSizes = new Map([
  [1, 8],
  [6, 7],
  [7, 8],
  [31, 7],
  [33, 20],
  [36, 8],
]);
const STEPS = { right: [1, 0], down: [0, 1], left: [-1, 0], up: [0, -1] } as const;

interface Place {
  ahead: number;
  aside: number;
}

/** Keeps what was in sight at the end of each turn. */
class Account {
  private readonly seen = new Map<string, GridCell>();
  private readonly told = { column: false, row: false };
  private view!: BabyAiView;

  constructor(private readonly roomSize: number) {}

  note(view: BabyAiView): void {
    this.view = view;
    view.cells.forEach((row, y) => {
      row.forEach((cell, x) => {
        if (cell.seen) this.seen.set(`${x} ${y}`, cell);
        else if (this.seen.has(`${x} ${y}`)) this.seen.set(`${x} ${y}`, { ...cell, seen: false });
      });
    });
    const wall = [1, 2, 3, 4, 5, 6].find((ahead) => {
      const cell = this.cellAt({ ahead, aside: 0 });
      return cell?.seen && (cell.type === 'wall' || cell.type === 'door');
    });
    if (wall === undefined) return;
    const across = view.agent.direction === 'up' || view.agent.direction === 'down';
    this.told[across ? 'row' : 'column'] = true;
    for (let ahead = 0; ahead < wall; ahead++) {
      for (const aside of [-3, -2, -1, 1, 2, 3]) {
        const cell = this.cellAt({ ahead, aside });
        if (cell?.seen && cell.type === 'door') this.told[across ? 'column' : 'row'] = true;
      }
    }
  }

  private cellAt({ ahead, aside }: Place): GridCell | undefined {
    const { x, y, direction } = this.view.agent;
    const [dx, dy] = STEPS[direction];
    return this.view.cells[y + dy * ahead + dx * aside]?.[x + dx * ahead - dy * aside];
  }

  private placeOf(x: number, y: number): Place {
    const { agent } = this.view;
    const [dx, dy] = STEPS[agent.direction];
    return {
      ahead: (x - agent.x) * dx + (y - agent.y) * dy,
      aside: (y - agent.y) * dx - (x - agent.x) * dy,
    };
  }

  private isShut(x: number, y: number): boolean {
    const cell = this.seen.get(`${x} ${y}`);
    if (cell?.type === 'door') return cell.state !== 'open';
    if (cell && cell.type !== 'wall') return false;
    const apart = this.roomSize - 1;
    return (this.told.column && x % apart === 0) || (this.told.row && y % apart === 0);
  }

  /** Sides of the squares of what was not seen, by direction. */
  unseen(): Record<string, number> {
    const { agent } = this.view;
    const counts: Record<string, number> = {};
    const met = new Set<string>();
    const visit = (x: number, y: number): [number, number][] => {
      const key = `${x} ${y}`;
      const far = Math.max(Math.abs(x - agent.x), Math.abs(y - agent.y)) > 12;
      if (far || x < 0 || y < 0 || x > 28 || y > 28 || met.has(key) || this.isShut(x, y)) return [];
      met.add(key);
      const { ahead, aside } = this.placeOf(x, y);
      const behind = -ahead >= Math.abs(aside) ? 'behind' : aside > 0 ? 'right' : 'left';
      const direction = ahead >= Math.abs(aside) ? 'ahead' : behind;
      // What is off the grid was never seen, and nobody can tell.
      if (!this.seen.has(key)) counts[direction] = (counts[direction] ?? 0) + 1;
      return [
        [x + 1, y],
        [x - 1, y],
        [x, y + 1],
        [x, y - 1],
      ];
    };
    const queue: [number, number][] = [[agent.x, agent.y]];
    for (let next = queue.pop(); next; next = queue.pop()) queue.push(...visit(...next));
    return Object.fromEntries(Object.entries(counts).map(([direction, n]) => [direction, Math.ceil(Math.sqrt(n))]));
  }

  /** Whether the thing at the place was in sight before and is not now. */
  remembers(name: string, { ahead, aside }: Place): boolean {
    const [color, ...rest] = name.split(' ');
    for (const [key, cell] of this.seen) {
      const [x, y] = key.split(' ').map(Number);
      const place = this.placeOf(x, y);
      if (place.ahead !== ahead || place.aside !== aside) continue;
      return !cell.seen && cell.color === color && [cell.state, cell.type].filter(Boolean).join(' ') === rest.join(' ');
    }
    return false;
  }

  /** Doors that are shut and out of sight. */
  shutDoors(): Place[] {
    return [...this.seen]
      .filter(([, { type, state, seen }]) => type === 'door' && state !== 'open' && !seen)
      .map(([key]) => this.placeOf(...(key.split(' ').map(Number) as [number, number])));
  }
}

function read(line: string) {
  const places = (text: string): Record<string, number> =>
    Object.fromEntries([...text.matchAll(/(ahead|behind|left|right) (\d+)/g)].map(([, word, n]) => [word, Number(n)]));
  const things = (/; not in sight (.*)$/m.exec(line)?.[1] ?? '').split(', ').filter(Boolean);
  return {
    unseen: places(/; to see([^;\n]*)/.exec(line)?.[1] ?? ''),
    things: things.map((text) => {
      const [, name, rest] = /^([a-z ]*?(?:door|key|ball|box))(.*)$/.exec(text)!;
      const { ahead = 0, behind = 0, right = 0, left = 0 } = places(rest);
      return { name, ahead: ahead - behind, aside: right - left };
    }),
  };
}

/** Rooms that a player walks who now and then acts at random. */
async function* turns(options: WorldOptions, levels: number[]) {
  const tasks = await world.tasks({ oracle: 'reads', trainSeeds: 12, levels, ...options }, 'train');
  for (const task of tasks) yield* turnsOf(task);
}
async function* turnsOf(task: Task) {
  let [feedback]: Feedback[] = await world.reset([0], [task]);
  const account = new Account(roomSizes.get(Number(task.strata.level))!);
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

it('says what the compact text says, and then what it remembers', async () => {
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
      expect(rest).toMatch(/^(; to see( (ahead|right|behind|left) \d+)+)?(; not in sight [a-z0-9, ]+)?$/);
      longer += Number(rest.length > 0);
      expect(b.validActions).toEqual(a.validActions);
      const action = randomAction(a.validActions!, 2, task.id, turn);
      [a, b] = await world.step([0, 1], [action, action]);
    }
  }
  expect(longer).toBeGreaterThan(100);
});

it('knows what was in sight at the end of a turn, the walls it was told of, the room size, and nothing else', async () => {
  const counted = { turns: 0, unseen: 0, things: 0, doors: 0 };
  for await (const { text, account } of turns({ observation: 'memory' }, [...roomSizes.keys()])) {
    const said = read(text);
    if (!text.includes('carrying')) continue;
    counted.turns++;
    expect(said.unseen).toEqual(account.unseen());
    counted.unseen += Object.keys(said.unseen).length;
    for (const { name, ...place } of said.things) {
      expect(account.remembers(name, place), `${name} ${JSON.stringify(place)} in ${text}`).toBe(true);
      counted.things++;
    }
    // The nearest three doors that are shut are all told.
    const shut = account.shutDoors();
    const told = said.things
      .filter(({ name }) => / (closed|locked) door$/.test(name))
      .slice(0, Math.min(3, shut.length));
    const away = ({ ahead, aside }: Place) => Math.abs(ahead) + Math.abs(aside);
    expect(told.map(away)).toEqual(
      shut
        .map(away)
        .sort((a, b) => a - b)
        .slice(0, 3),
    );
    counted.doors += told.length;
  }
  for (const [name, least] of Object.entries({ turns: 400, unseen: 600, things: 200, doors: 100 }))
    expect(counted[name as keyof typeof counted], name).toBeGreaterThan(least);
});

it('tells of a key once a lock of its color was seen, and of what the goal names', async () => {
  const found = { keys: 0, named: 0 };
  for await (const { text } of turns({ observation: 'memory', trainSeeds: 40 }, [7, 36])) {
    for (const { name } of read(text).things) {
      found.keys += Number(name.endsWith(' key'));
      found.named += Number(/ (ball|box)$/.test(name));
    }
  }
  expect(found.keys).toBeGreaterThan(5);
  expect(found.named).toBeGreaterThan(5);
});
