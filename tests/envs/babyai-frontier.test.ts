/**
 * The part of the observation that says what is left to explore, compared with a second implementation that uses only
 * what was in sight, the size of the level's rooms and their number.
 */
import { beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Feedback } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { BabyAi } from '../../src/worlds/babyai/world.ts';
import { Account, nameOf, type Place, read, STEPS } from './babyai-account.ts';

let world: BabyAi;
beforeAll(async () => {
  await buildWasm();
  world = await BabyAi.open();
});

/** Size of a room in cells, including both walls, and the numbers of columns and rows of rooms, by level. */
const shapes = new Map([
  [1, { size: 8, columns: 1, rows: 1 }],
  [6, { size: 7, columns: 3, rows: 3 }],
  [7, { size: 8, columns: 3, rows: 3 }],
  [8, { size: 5, columns: 2, rows: 2 }],
  [31, { size: 7, columns: 3, rows: 3 }],
  [33, { size: 20, columns: 1, rows: 1 }],
  [36, { size: 8, columns: 3, rows: 3 }],
]);

interface Room {
  column: number;
  row: number;
}
interface Door {
  place: Place;
  locked: boolean;
  inSight: boolean;
  behind: number;
}
/** The first door on the way to a cell, null for cells of this room, and the number of doors on the way. */
interface Way {
  door: Door | null;
  doors: number;
}

class Frontier extends Account {
  constructor(private readonly shape: { size: number; columns: number; rows: number }) {
    super(shape.size);
  }

  private lineOf = (k: number) => k % (this.shape.size - 1) === 0;
  private roomOf = (k: number) => Math.floor(k / (this.shape.size - 1));

  /** Columns and rows of the rooms of which something was in sight. */
  private rooms(): Room[] {
    const rooms = new Map<string, Room>();
    for (const key of this.seen.keys()) {
      const [x, y] = key.split(' ').map(Number);
      const room = { column: this.roomOf(x), row: this.roomOf(y) };
      if (!this.lineOf(x) && !this.lineOf(y)) rooms.set(JSON.stringify(room), room);
    }
    return [...rooms.values()];
  }

  /** Rooms on both sides of a cell: one, if it is in a room. */
  private roomsBeside(x: number, y: number, { column, row }: { column: boolean; row: boolean }) {
    const columns = column ? [this.roomOf(x) - 1, this.roomOf(x)] : [this.roomOf(x)];
    const rows = row ? [this.roomOf(y) - 1, this.roomOf(y)] : [this.roomOf(y)];
    return columns.flatMap((column) => rows.map((row) => ({ column, row })));
  }

  /** True if the wall of this cell has a door that was in sight. */
  private hasDoor(x: number, y: number, [dx, dy]: readonly [number, number]): boolean {
    return [1, -1].some((sign) => {
      for (let k = 1; ; k++) {
        const [x2, y2] = [x + dx * k * sign, y + dy * k * sign];
        if (this.lineOf(dx ? x2 : y2)) return false;
        if (this.seen.get(`${x2} ${y2}`)?.type === 'door') return true;
      }
    });
  }

  private worthOf(x: number, y: number, known: Room[]): number {
    const on = {
      column: this.reportedLine.column && this.lineOf(x),
      row: this.reportedLine.row && this.lineOf(y),
    };
    if (on.column && on.row) return 0;
    const spread = (numbers: number[]) => Math.max(...numbers) - Math.min(...numbers) + 1;
    const beside = this.roomsBeside(x, y, on);
    const mayExist = beside.every(
      ({ column, row }) =>
        (!this.reportedLine.column || spread([column, ...known.map((each) => each.column)]) <= this.shape.columns) &&
        (!this.reportedLine.row || spread([row, ...known.map((each) => each.row)]) <= this.shape.rows),
    );
    if (!mayExist) return 0;
    if (!on.column && !on.row) return 1;
    if (this.hasDoor(x, y, on.column ? STEPS.down : STEPS.right)) return 0;
    const placed = this.reportedLine.column && this.reportedLine.row;
    const unseen = (room: Room) => !known.some(({ column, row }) => column === room.column && row === room.row);
    return !placed || beside.some(unseen) ? 4 : 0;
  }

  /** What is left to see from here by direction, the doors to more of it, and the locked doors. */
  left() {
    const { agent } = this.view;
    const known = this.rooms();
    const toSee: Record<string, number> = {};
    const doors: Door[] = [];
    const ways = new Map<string, Way>([[`${agent.x} ${agent.y}`, { door: null, doors: 0 }]]);
    let rim: [number, number][] = [[agent.x, agent.y]];
    const enter = (x: number, y: number, way: Way): boolean => {
      const key = `${x} ${y}`;
      const far = Math.max(Math.abs(x - agent.x), Math.abs(y - agent.y)) > 12;
      if (ways.has(key) || x < 0 || y < 0 || x > 28 || y > 28 || (far && !way.door)) return false;
      const cell = this.seen.get(key);
      if (cell?.type !== 'door') {
        if (this.kindOf(x, y) === 'wall') return false;
        ways.set(key, way);
        return true;
      }
      const locked = cell.state === 'locked';
      const door = way.door ?? { place: this.placeOf(x, y), locked, inSight: cell.seen, behind: 0 };
      if (!way.door) doors.push(door);
      ways.set(key, { door, doors: way.doors + 1 });
      return !locked;
    };
    while (rim.length) {
      const next: [number, number][] = [];
      for (const [x, y] of rim) {
        const way = ways.get(`${x} ${y}`)!;
        if (!this.seen.has(`${x} ${y}`)) {
          const worth = this.worthOf(x, y, known);
          const direction = this.directionOf(this.placeOf(x, y));
          if (way.door) way.door.behind += Math.floor((worth * 12) / way.doors);
          else if (worth) toSee[direction] = (toSee[direction] ?? 0) + worth;
        }
        if (this.kindOf(x, y) === 'told') continue;
        for (const [dx, dy] of [STEPS.right, STEPS.left, STEPS.down, STEPS.up])
          if (enter(x + dx, y + dy, way)) next.push([x + dx, y + dy]);
      }
      rim = next;
    }
    const side = (n: number) => Math.ceil(Math.sqrt(n));
    return {
      toSee: Object.fromEntries(Object.entries(toSee).map(([direction, n]) => [direction, side(n)])),
      doors: doors
        .filter(({ locked, behind }) => !locked && behind >= 12)
        .sort((a, b) => b.behind - a.behind)
        .map(({ place, behind }) => ({ place, see: side(Math.floor(behind / 12)) })),
      locked: doors.filter(({ locked, inSight }) => locked && !inSight).map(({ place }) => place),
    };
  }
}

it('the frontier contains what was in sight at the end of a turn, reported walls and the rooms’ shape, and nothing else', async () => {
  const counted = { turns: 0, toSee: 0, doors: 0, several: 0, locked: 0 };
  const options = { observation: 'frontier', oracle: 'reads', trainSeeds: 5, levels: [...shapes.keys()] };
  for (const task of await world.tasks(options, 'train')) {
    let [feedback]: Feedback[] = await world.reset([0], [task]);
    const account = new Frontier(shapes.get(Number(task.strata.level))!);
    for (let turn = 0; turn < 20 && !feedback.done; turn++) {
      const text = feedback.observation;
      if (feedback.valid) account.note(await world.view(0));
      if (feedback.valid && text.includes('carrying')) {
        const shown = read(text);
        const known = account.left();
        expect(shown.unseen, text).toEqual(known.toSee);
        // Doors in sight are identified by their number.
        const doors = shown.leading.map(({ name, number, place, see }) => ({
          place: shown.inSight.find((each) => number && each.name === name && each.number === number)?.place ?? place,
          see,
        }));
        expect(doors, text).toEqual(known.doors.slice(0, 4));
        for (const { name, place } of shown.things) expect(nameOf(account.at(place)!), text).toBe(name);
        const locked = shown.things.filter(({ name }) => name.endsWith('locked door')).map(({ place }) => place);
        expect(locked, text).toEqual(known.locked.slice(0, 3));
        counted.turns++;
        counted.toSee += Object.keys(known.toSee).length;
        counted.doors += doors.length;
        counted.several += Number(doors.length > 1);
        counted.locked += locked.length;
      }
      const [plan] = await world.oracle([0]);
      const random = turn % 3 === 2 || !plan?.length;
      [feedback] = await world.step([0], [random ? randomAction(feedback.validActions!, 1, task.id, turn) : plan[0]]);
    }
  }
  for (const [name, least] of Object.entries({ turns: 250, toSee: 400, doors: 250, several: 100, locked: 5 }))
    expect(counted[name as keyof typeof counted], name).toBeGreaterThan(least);
});
