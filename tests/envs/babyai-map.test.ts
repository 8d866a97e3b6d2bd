/** Thoughts of the exploring oracle, compared with the grid, which it does not see whole. */
import { beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Task, WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import type { BabyAiView } from '../../src/worlds/babyai/view-data.ts';
import { BabyAi } from '../../src/worlds/babyai/world.ts';

let world: BabyAi;
beforeAll(async () => {
  await buildWasm();
  world = await BabyAi.open();
});

const exploring = { observation: 'compact', oracle: 'explores', trainSeeds: 8 };
const tasksOf = (options: WorldOptions): Promise<Task[]> => world.tasks(options, 'train');

interface Said {
  pose: [column: number, row: number, heading: string];
  see: number[] | null;
  doors: [color: string, place: string][];
  locked: [color: string, place: string][];
  keys: [color: string, place: string][];
  to: { color: string; type: string; place: string } | null;
}

const pairs = (text: string) =>
  [...text.matchAll(/(\w+) (\d+ \d+)/g)].map((each): [string, string] => [each[1], each[2]]);

function read(thought: string): Said {
  const [, column, row, heading, rest] = /^(\d+) (\d+) ([nesw])(.*)$/.exec(thought)!;
  const placed = (word: string) =>
    [...rest.matchAll(new RegExp(` ${word} (\\w+ \\d+ \\d+)`, 'g'))].flatMap((each) => pairs(each[1]));
  const to = / to (\w+) (\w+) (\d+ \d+)$/.exec(rest);
  return {
    pose: [Number(column), Number(row), heading],
    see: /see (\d+) (\d+) (\d+) (\d+)/.exec(rest)?.slice(1).map(Number) ?? null,
    doors: pairs(/ door((?: [a-z]+ \d+ \d+)+?)(?= locked| key| to|$)/.exec(rest)?.[1] ?? ''),
    locked: placed('locked'),
    keys: placed('key'),
    to: to && { color: to[1], type: to[2], place: to[3] },
  };
}

type Heading = BabyAiView['agent']['direction'];
const clockwise: Heading[] = ['up', 'right', 'down', 'left'];

/** Column and row on the grid of a place in a thought: turns the grid until the first heading is up. */
function onGrid(place: string, start: BabyAiView['agent']): { x: number; y: number } {
  let [x, y] = place.split(' ').map((each) => Number(each) - 30);
  y = -y;
  for (let turn = 0; turn < clockwise.indexOf(start.direction); turn++) [x, y] = [-y, x];
  return { x: start.x + x, y: start.y + y };
}

const headingOf = (now: Heading, start: Heading) => 'nesw'[(clockwise.indexOf(now) - clockwise.indexOf(start) + 4) % 4];

/** One episode of the oracle, with some random actions. */
async function* playing(task: Task, random: number) {
  let [feedback] = await world.reset([0], [task]);
  const start = (await world.view(0)).agent;
  const seen = new Set<string>();
  const passed = new Set<string>();
  for (let turn = 0; turn < 30 && !feedback.done; turn++) {
    const view = await world.view(0);
    view.cells.forEach((row, y) => {
      row.forEach((cell, x) => {
        if (cell.seen) seen.add(`${x} ${y}`);
      });
    });
    passed.add(`${view.agent.x} ${view.agent.y}`);
    const [lesson] = await world.advise([0]);
    if (!lesson) return;
    yield { thought: read(lesson.thought!), action: lesson.action, view, start, seen, passed };
    const action = turn % 5 < random ? randomAction(feedback.validActions!, 1, task.id, turn) : lesson.action;
    [feedback] = await world.step([0], [action]);
  }
}

it('a thought gives the agent’s position, and places of doors and keys that were seen, and no others', async () => {
  const counts = { turns: 0, doors: 0, locked: 0, keys: 0, targets: 0 };
  for (const random of [0, 2]) {
    for (const task of await tasksOf({ ...exploring, levels: [6, 7, 31, 36] })) {
      for await (const { thought, action, view, start, seen, passed } of playing(task, random)) {
        counts.turns++;
        const { x, y } = onGrid(thought.pose.slice(0, 2).join(' '), start);
        expect([x, y]).toEqual([view.agent.x, view.agent.y]);
        expect(thought.pose[2]).toBe(headingOf(view.agent.direction, start.direction));
        const at = (place: string) => {
          const found = onGrid(place, start);
          expect(seen.has(`${found.x} ${found.y}`)).toBe(true);
          return { ...view.cells[found.y][found.x], place: `${found.x} ${found.y}` };
        };
        for (const [color, place] of thought.doors) {
          counts.doors++;
          expect(at(place)).toMatchObject({ type: 'door', color });
          expect(passed.has(at(place).place)).toBe(false);
        }
        for (const [color, place] of thought.locked) {
          counts.locked++;
          expect(at(place)).toMatchObject({ type: 'door', state: 'locked', color });
        }
        for (const [color, place] of thought.keys) {
          counts.keys++;
          expect(at(place)).toMatchObject({ type: 'key', color });
          expect(thought.locked.map(([locked]) => locked)).toContain(color);
        }
        const named = /(\w+) (?:open |closed |locked )?(door|key|ball|box) \d+$/.exec(action);
        expect(thought.to !== null).toBe(named !== null);
        if (!named) continue;
        counts.targets++;
        const [, color, type] = named;
        expect(thought.to).toMatchObject({ color, type });
        expect(at(thought.to!.place)).toMatchObject({ color, type });
      }
    }
  }
  for (const [name, least] of Object.entries({ turns: 300, doors: 200, locked: 10, keys: 5, targets: 150 }))
    expect(counts[name as keyof typeof counts], name).toBeGreaterThan(least);
});

it('in a room without doors a thought gives the seen area, never beyond a reported wall', async () => {
  let turns = 0;
  for (const task of await tasksOf({ ...exploring, levels: [33] })) {
    let before = [30, 30, 30, 30];
    for await (const { thought, view, start } of playing(task, 0)) {
      turns++;
      const [west, east, south, north] = thought.see!;
      // The seen area contains the agent and only grows, except on the side where a wall was reported.
      const [column, row, heading] = thought.pose;
      const grows = { w: west <= before[0], e: east >= before[1], s: south <= before[2], n: north >= before[3] };
      for (const [side, grown] of Object.entries(grows)) expect(grown || side === heading).toBe(true);
      expect(column >= west && column <= east && row >= south && row <= north).toBe(true);
      before = [west, east, south, north];
      // Straight ahead the seen area ends before the wall.
      const ahead = { n: `${column} ${north}`, e: `${east} ${row}`, s: `${column} ${south}`, w: `${west} ${row}` };
      const end = onGrid(ahead[thought.pose[2] as 'n'], start);
      if (view.cells[end.y]?.[end.x]?.seen) expect(view.cells[end.y][end.x].type).not.toBe('wall');
    }
  }
  expect(turns).toBeGreaterThan(60);
});

it('an oracle that knows the whole grid has no thoughts', async () => {
  const [task] = await tasksOf({ levels: [6], observation: 'compact' });
  await world.reset([0], [task]);
  const [lesson] = await world.advise([0]);
  const [plan] = await world.oracle([0]);
  expect(lesson).toEqual({ action: plan![0] });
});
