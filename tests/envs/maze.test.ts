import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Task, WorldOptions } from '../../src/envs/env.ts';
import { firstAction } from '../../src/envs/reply.ts';
import { mazeActions } from '../../src/worlds/maze/moves.ts';
import { type MazeView, type Move, moves, openMoves, type Place } from '../../src/worlds/maze/view-data.ts';
import { FIRST_HELD_OUT, Maze } from '../../src/worlds/maze/world.ts';
import { fuzzedOptions, fuzzWorld } from '../../tools/fuzz/play-small.ts';
import { replayMaze } from '../../tools/replay/maze.ts';
import recorded from './fixtures/lmrlgym.golden.json' with { type: 'json' };
import { goldenText, play, transcriptHash, wander } from './small-worlds.ts';

let world: Maze;
beforeAll(async () => {
  await buildWasm();
  world = await Maze.open();
});

const taskOf = (id: number, options: WorldOptions = {}): Task => ({ world: 'maze', id, options, strata: {} });
const upstream = { upstream: true };
const begin = async (id: number, options: WorldOptions = {}) => (await world.reset([0], [taskOf(id, options)]))[0];
const viewOf = async (slot = 0) => (await world.view(slot)) as MazeView;
const wallText = ({ walls }: MazeView) => walls.map((row) => row.map((wall) => (wall ? '#' : '.')).join('')).join('\n');
const key = ({ row, column }: Place) => `${row},${column}`;

const placeBeside = ({ row, column }: Place, move: Move): Place => ({
  row: row + { left: 0, right: 0, up: -1, down: 1 }[move],
  column: column + { left: -1, right: 1, up: 0, down: 0 }[move],
});

/** Distances from a place, by a search over the view that is independent of the world's. */
function distancesFrom(view: MazeView, from: Place): Map<string, number> {
  const distances = new Map([[key(from), 0]]);
  const queue = [from];
  for (const agent of queue)
    for (const move of openMoves({ walls: view.walls, agent })) {
      const next = placeBeside(agent, move);
      if (distances.has(key(next))) continue;
      distances.set(key(next), distances.get(key(agent))! + 1);
      queue.push(next);
    }
  return distances;
}

describe('the original, recorded', () => {
  it('answers the same to every action', async () => {
    for (const { item, actions, answers } of recorded.maze) {
      const start = await begin(Number(item), upstream);
      const found = transcriptHash(start.observation, await play(world, 0, actions));
      expect([item, found]).toEqual([item, answers]);
    }
  });
  it('agrees completely with all recorded episodes', async () => {
    const text = goldenText('agentgym/maze-episodes.jsonl.gz');
    if (!text) return;
    const { agree, total, first } = await replayMaze(text);
    expect(first).toBeNull();
    expect(total).toBeGreaterThan(3000);
    expect(agree).toBe(total);
  });
  it('has the shortest paths of its table, 25 games, and its own count', async () => {
    const expected = [12, 11, 10, 11, 12, 12, 11, 10, 11, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1, 4, 5, 6, 7, 8, 9];
    const tasks = await world.tasks(upstream, 'test');
    expect(tasks.map(({ id }) => id)).toEqual(expected.map((_, id) => id));
    for (const [id, length] of expected.entries()) {
      const start = await begin(id, upstream);
      const [plan] = await world.oracle([0]);
      expect([id, plan?.length]).toEqual([id, length]);
      expect((await play(world, 0, plan!)).at(-1)).toMatchObject({ observation: 'Success\n', reward: 1, done: true });
      expect((await begin(id - 26, upstream)).observation).toBe(start.observation);
    }
    for (const id of [25, -1])
      await expect(begin(id, upstream)).rejects.toThrow(/cannot be played: it starts on the goal/);
    for (const id of [26, -27, 0.5]) await expect(begin(id, upstream)).rejects.toThrow(/games 0 to 24/);
    // The words of the original server (recorded in agentgym/lmrlgym.jsonl.gz).
    await expect(begin(26, upstream)).rejects.toThrow(/^The game 26 is not valid\./);
    await expect(begin(-27, upstream)).rejects.toThrow(/^list index out of range/);
  });
  it('wins with the 50th move and fails at the call after it', async () => {
    await begin(18, upstream);
    const wait = Array.from({ length: 49 }, () => 'move left');
    expect((await play(world, 0, [...wait, 'move down'])).at(-1)).toMatchObject({ reward: 1, done: true });
    await begin(18, upstream);
    const [fiftieth, after] = (await play(world, 0, [...wait, 'move left', 'move down'])).slice(-2);
    expect([fiftieth.done, fiftieth.reward]).toEqual([false, 0]);
    expect(after).toMatchObject({ observation: 'Failure\n', reward: -1, done: true });
  });
  it('is won about as often by chance as measured: 14 of 70 within 50 moves', async () => {
    let won = 0;
    for (let game = 0; game < 25; game++)
      for (let seed = 0; seed < 20; seed++)
        if ((await wander(world, 0, await begin(game, upstream), 50, 100 * seed + game)).reward === 1) won++;
    expect(won / 500).toBeGreaterThan(0.12);
    expect(won / 500).toBeLessThan(0.35);
  });
});

describe('mazes from a seed', () => {
  it.each([3, 4, 7, 20])('are fully connected, with exactly the requested loops: %i rooms', async (size) => {
    for (const loops of [0, 20, 50])
      for (const id of [0, 1, FIRST_HELD_OUT, FIRST_HELD_OUT + 7]) {
        await begin(id, { size, loops });
        const view = await viewOf();
        const free = view.walls.flat().filter((wall) => !wall).length;
        // A tree over n rooms has n - 1 passages; all other of the 2 size (size - 1) places between rooms are walls.
        const left = 2 * size * (size - 1) - (size * size - 1);
        expect(free).toBe(2 * size * size - 1 + Math.floor((left * loops) / 100));
        expect(distancesFrom(view, view.start).size).toBe(free);
        expect([view.walls.length, view.walls[0].length]).toEqual([2 * size + 1, 2 * size + 1]);
      }
  });
  it('begin at least half the largest distance from the goal, and the oracle takes a shortest path', async () => {
    const startDistance = async (id: number, nearest: number) => {
      await begin(id, { size: 3 + (id % 6), loops: 10 * (id % 5), nearest });
      return (await world.oracle([0]))[0]!.length;
    };
    for (let id = 0; id < 60; id++) {
      await begin(id, { size: 3 + (id % 6), loops: 10 * (id % 5) });
      const view = await viewOf();
      const distances = distancesFrom(view, view.goal);
      const rooms = [...distances].filter(([place]) => place.split(',').every((n) => Number(n) % 2 === 1));
      const farthest = Math.max(...distances.values());
      expect(rooms.length).toBe((view.walls.length >> 1) ** 2);
      expect(2 * distances.get(key(view.start))!).toBeGreaterThanOrEqual(farthest);
      const [far, any] = [await startDistance(id, 100), await startDistance(id, 0)];
      expect([far, any % 2, any > 0]).toEqual([farthest - (farthest % 2), 0, true]);
      await begin(id, { size: 3 + (id % 6), loops: 10 * (id % 5) });
      const [plan] = await world.oracle([0]);
      expect(plan).toHaveLength(distances.get(key(view.start))!);
      expect((await play(world, 0, plan!)).at(-1)).toMatchObject({ reward: 1, done: true, valid: true });
      expect(await world.oracleIsListed([0])).toEqual([null]);
    }
  });
  it('have an oracle that plans by what the agent has seen, as a second search of it does', async () => {
    const seen = (id: number) => ({ size: 3 + (id % 6), loops: 10 * (id % 6), nearest: 50, oracle: 'seen' });
    let longer = 0;
    for (let id = 0; id < 60; id++) {
      await begin(id, seen(id));
      const start = await viewOf();
      const [plan] = await world.oracle([0]);
      longer += plan!.length - distancesFrom(start, start.goal).get(key(start.start))!;
      const corner = ({ row, column }: Place) => (row % 2) + (column % 2) === 0;
      const edge = ({ row, column }: Place) =>
        Math.min(row, column) < 1 || Math.max(row, column) > start.walls.length - 2;
      const known = new Set<string>();
      for (const [k, action] of plan!.entries()) {
        const view = await viewOf();
        for (const move of moves) if (!openMoves(view).includes(move)) known.add(key(placeBeside(view.agent, move)));
        const walls = view.walls.map((cells, row) =>
          cells.map((_, column) => {
            const place = { row, column };
            return edge(place) || corner(place) || known.has(key(place));
          }),
        );
        const distances = distancesFrom({ ...view, walls }, view.goal);
        const left = (move: Move) => distances.get(key(placeBeside(view.agent, move))) ?? Number.POSITIVE_INFINITY;
        const nearest = Math.min(...openMoves(view).map(left));
        const expected = openMoves(view).find((move) => left(move) === nearest);
        expect([id, k, action]).toEqual([id, k, `move ${expected}`]);
        // What remains is planned alike from here.
        if (k % 7 === 0) expect((await world.oracle([0]))[0]).toEqual(plan!.slice(k));
        await world.step([0], [action]);
      }
      expect((await viewOf()).done).toBe(true);
    }
    expect(longer).toBeGreaterThan(200);
  });
  it.each([
    [3, 0],
    [3, 50],
    [4, 20],
  ])('are held out by their walls: %i rooms, %i percent', async (size, loops) => {
    const layouts = async (split: 'train' | 'test') => {
      const found = new Set<string>();
      for (const task of await world.tasks({ size, loops, trainMazes: 1500, testMazes: 300 }, split)) {
        await world.reset([0], [task]);
        found.add(wallText(await viewOf()));
      }
      return found;
    };
    const [train, test] = [await layouts('train'), await layouts('test')];
    expect([...test].filter((walls) => train.has(walls))).toEqual([]);
    // 3 by 3 rooms have only few layouts.
    expect(test.size).toBeGreaterThan(size === 3 ? 10 : 100);
    expect(train.size).toBeGreaterThan(size === 3 ? 40 : 1000);
  });
  it('are the same for the same seed, in a batch as alone, and differ for another', async () => {
    const other = await Maze.open();
    const slots = Array.from({ length: 200 }, (_, k) => k);
    const tasks = slots.map((k) => taskOf(k, { size: 3 + (k % 5), observation: k % 2 ? 'compact' : 'full' }));
    const histories = (await other.reset(slots, tasks)).map(({ observation }) => [observation]);
    const actions = slots.map((k) => Array.from({ length: 8 }, (_, turn) => mazeActions[(k * 7 + turn * 3) % 4]));
    for (let turn = 0; turn < 8; turn++)
      for (const [k, { observation }] of (
        await other.step(
          slots,
          actions.map((each) => each[turn]),
        )
      ).entries())
        histories[k].push(observation);
    for (const k of slots.filter((slot) => slot % 9 === 0)) {
      const [start] = await world.reset([0], [tasks[k]]);
      const single = [start, ...(await play(world, 0, actions[k]))].map(({ observation }) => observation);
      expect(single).toEqual(histories[k]);
    }
    expect(new Set(histories.map(([first]) => first)).size).toBeGreaterThan(150);
  });
  it('have full or compact texts that agree with the grid', async () => {
    for (let id = 0; id < 40; id++) {
      const options = { size: 4, loops: 30 };
      const full = await begin(id, options);
      const view = await viewOf();
      const [x, y, gx, gy] = [view.agent.row, view.agent.column, view.goal.row, view.goal.column];
      expect(full.observation).toContain(
        `The goal is at position ${gx}, ${gy}. Your current position is at position ${x}, ${y}. There `,
      );
      const walls = moves.filter((move) => !openMoves(view).includes(move));
      for (const [move, text] of Object.entries({
        right: 'to your right',
        left: 'to your left',
        up: 'above you',
        down: 'below you',
      }))
        expect([move, full.observation.includes(text)]).toEqual([move, walls.includes(move as 'up')]);
      const compact = await begin(id, { ...options, observation: 'compact' });
      const nearer = { left: gy < y, right: gy > y, up: gx < x, down: gx > x };
      const list = (text: string, towards: boolean) => {
        const open = openMoves(view).filter((move) => nearer[move] === towards);
        return open.length ? [text, ...open].join(' ') : '';
      };
      const offset = (distance: number, back: string, ahead: string) =>
        distance ? ` ${distance < 0 ? back : ahead} ${Math.abs(distance)}` : '';
      expect(compact.observation).toBe(
        `goal${offset(gx - x, 'up', 'down')}${offset(gy - y, 'left', 'right')}${list('; towards', true)}${list('; away', false)}`,
      );
    }
  });
  it('end with the last move of the limit, by default twice the number of free cells', async () => {
    await begin(3, { stepLimit: 4 });
    const answers = await play(world, 0, ['nowhere', 'nowhere', 'nowhere', 'nowhere', 'move up']);
    expect(answers.map(({ done }) => done)).toEqual([false, false, false, true, true]);
    expect(answers[3]).toMatchObject({ observation: 'Failure\n', reward: 0, valid: false });
    expect(answers[4]).toMatchObject({ observation: 'The episode is over.', reward: 0, valid: false });
    expect(await world.oracle([0])).toEqual([null]);
    await begin(3, { size: 5, loops: 0 });
    expect((await viewOf()).stepLimit).toBe(2 * 49);
  });
  it('show the path so far', async () => {
    await begin(5, { size: 4 });
    const [plan] = await world.oracle([0]);
    await play(world, 0, ['nowhere', ...plan!.slice(0, 3)]);
    const view = await viewOf();
    expect(view.way).toHaveLength(5);
    expect(view.way[0]).toEqual(view.start);
    expect(view.way[1]).toEqual(view.start);
    expect(view.way.at(-1)).toEqual(view.agent);
    expect(view.text).toContain('4 of ');
    expect(await world.oracleIsListed([0])).toEqual([true]);
  });
  it('keep their memory bounded over many episodes', async () => {
    const fresh = await Maze.open();
    const slots = Array.from({ length: 64 }, (_, k) => k);
    const round = async (seed: number) => {
      await fresh.reset(
        slots,
        slots.map((k) => taskOf(64 * seed + k, { size: 3 + (k % 18) })),
      );
      await fresh.step(
        slots,
        slots.map(() => 'move up'),
      );
      await fresh.oracle(slots);
    };
    await round(0);
    await round(1);
    const settled = fresh.memoryBytes();
    for (let seed = 2; seed < 40; seed++) await round(seed);
    expect(fresh.memoryBytes()).toBe(settled);
  });
});

describe('offered and refused actions', () => {
  it('the four moves are always offered, even into walls', async () => {
    const start = await begin(0);
    expect(start.validActions).toEqual(['move left', 'move right', 'move up', 'move down']);
    expect((await world.step([0], ['move up']))[0].validActions).toBeNull();
  });
  it('exactly the four texts are accepted', async () => {
    await begin(0);
    for (const text of [
      'move  up',
      ' move up',
      'move up ',
      'Move up',
      'move up\n',
      'up',
      '',
      'move upp',
      'move\u00a0up',
    ])
      expect([text, (await world.step([0], [text]))[0].valid]).toEqual([text, false]);
  });
  it('options and items out of range are refused, and slots that have not begun', async () => {
    await expect(world.tasks({ size: 2 }, 'train')).rejects.toThrow(/options\.size.*at least 3/s);
    await expect(world.tasks({ loops: 51 }, 'train')).rejects.toThrow(/options\.loops/);
    await expect(world.tasks({ rooms: 3 }, 'train')).rejects.toThrow(/there is no such option/);
    await expect(begin(-1)).rejects.toThrow(/whole number from 0/);
    await expect(world.step([77], ['move up'])).rejects.toThrow(/World 77 has not begun/);
    await expect(world.reset([0, 1], [taskOf(0)])).rejects.toThrow(/2 slots, 1 entries/);
  });
  it('no input traps', async () => {
    const report = await fuzzWorld(world, fuzzedOptions.maze, 100_000, 7);
    expect(report.problems).toEqual([]);
    expect(report.valid).toBeGreaterThan(20_000);
    expect(report.successes).toBeGreaterThan(20);
  });
});

describe('the action in a reply', () => {
  it.each([
    ['Thought:\nI look.\n\nAction:\nmove up', 'move up'],
    ['move up', 'move up'],
    ['Action: move up\nand then down', 'move up\nand then down'],
    ['Action: a\n\nAction: b', 'a'],
    ['action: move up', 'action: move up'],
    ['Action: move up\n</s>', 'move up'],
    ['Action: move up</s>', 'move u'],
    ['Action: ', ''],
  ])('%j gives %j', (text, action) => expect(firstAction(text)).toEqual({ action }));
  it("is what the originals' clients send, for both worlds", () => {
    const text = goldenText('agentgym/clients.jsonl.gz');
    if (!text) return;
    const rows = text
      .split('\n')
      .filter((line) => /"kind": ?"step"/.test(line) && /"client": ?"(maze|wordle)"/.test(line))
      .map((line) => JSON.parse(line) as { text: string; sent: string[] });
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows) expect([row.text, firstAction(row.text).action]).toEqual([row.text, row.sent[0]]);
  });
});
