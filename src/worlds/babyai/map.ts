/**
 * What an agent in BabyAI can know of where it is and what it left behind: its own steps and the things it was shown, on a map
 * of its own. The oracle that explores says it before it acts, so that a policy that thinks learns to keep such a map.
 *
 * Built from what the text tells and from the agent's own moves; a thing never shown is not on it. Columns and rows are counted
 * from where the episode began, which is column 30, row 30, facing north: no row or column is below 0, and none is as small as
 * the distances that the world tells.
 */
import { type Facts, inView, type Look, placeInView, readLook, STEPS, thingsInView } from './wasm.ts';

/** Where the episode begins, in columns and in rows. */
const ORIGIN = 30;
const HEADINGS = ['n', 'e', 's', 'w'] as const;
/** Column and row that one step ahead adds, by heading. */
const AHEAD = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const;
/** Doors that are said, the nearest first. */
const MOST_DOORS = 4;
/** Cells that are seen ahead, and to each side. */
const SIGHT = 6;
const SIDE = 3;

interface Cell {
  column: number;
  row: number;
}

interface Pose extends Cell {
  /** Of `HEADINGS`. */
  heading: number;
}

interface Thing extends Cell {
  look: Look;
  /** A door: the agent went through it. */
  passed: boolean;
}

const keyOf = ({ column, row }: Cell) => column * 100 + row;

/** What was seen of a room without doors: its outermost columns and rows. */
interface Extent {
  west: number;
  east: number;
  south: number;
  north: number;
}

export class ExploredMap {
  private pose: Pose = { column: ORIGIN, row: ORIGIN, heading: 0 };
  private view: Uint8Array;
  private readonly things = new Map<number, Thing>();
  private doorSeen = false;
  /** Walls that were told of, by heading: the column or row before them. */
  private readonly walls: (number | null)[] = [null, null, null, null];
  private readonly seen: Extent = { west: ORIGIN, east: ORIGIN, south: ORIGIN, north: ORIGIN };

  constructor(
    private readonly start: Facts,
    view: Uint8Array,
  ) {
    this.view = view;
    this.look();
  }

  /** After each of the agent's actions. */
  note(facts: Facts, view: Uint8Array): void {
    this.pose = this.poseOf(facts);
    this.view = view;
    const here = this.things.get(keyOf(this.pose));
    if (here) here.passed = true;
    this.look();
  }

  /** Where it is, what it has not been through, what it needs, and the thing that it acts on now. */
  thought(action: string): string {
    const { column, row, heading } = this.pose;
    const target = [...thingsInView(this.view)]
      .filter(([name]) => action.endsWith(` ${name}`))
      .map(([, cell]) => {
        const { color, type } = readLook(this.view[cell]);
        return `to ${color} ${type} ${this.words(this.cellOf(cell))}`;
      });
    return [`${column} ${row} ${HEADINGS[heading]}`, ...this.remembered(), ...target].join(' ');
  }

  private remembered(): string[] {
    if (!this.doorSeen) return [`see ${this.seen.west} ${this.seen.east} ${this.seen.south} ${this.seen.north}`];
    const doors = [...this.things.values()].filter(({ look, passed }) => look.type === 'door' && !passed);
    const locked = doors.filter(({ look }) => look.state === 'locked');
    const others = this.nearest(doors.filter(({ look }) => look.state !== 'locked'));
    const keys = [...this.things.values()].filter(
      ({ look }) => look.type === 'key' && locked.some((door) => door.look.color === look.color),
    );
    return [
      ...(others.length
        ? ['door', ...others.slice(0, MOST_DOORS).map((door) => `${door.look.color} ${this.words(door)}`)]
        : []),
      ...locked.map((door) => `locked ${door.look.color} ${this.words(door)}`),
      ...keys.map((key) => `key ${key.look.color} ${this.words(key)}`),
    ];
  }

  private nearest<Kind extends Cell>(cells: readonly Kind[]): Kind[] {
    const away = (cell: Cell) => Math.abs(cell.column - this.pose.column) + Math.abs(cell.row - this.pose.row);
    return [...cells].sort((a, b) => away(a) - away(b) || keyOf(a) - keyOf(b));
  }

  private words({ column, row }: Cell): string {
    return `${column} ${row}`;
  }

  private poseOf({ x, y, dir }: Facts): Pose {
    const [fx, fy] = STEPS[this.start.dir];
    const [dx, dy] = [x - this.start.x, y - this.start.y];
    return {
      column: ORIGIN - dx * fy + dy * fx,
      row: ORIGIN + dx * fx + dy * fy,
      heading: (dir - this.start.dir + 4) % 4,
    };
  }

  /** Of a cell of the view, as `inView` numbers them. */
  private cellOf(cell: number): Cell {
    const [ahead, aside] = placeInView(cell);
    const [fc, fr] = AHEAD[this.pose.heading];
    return { column: this.pose.column + fc * ahead + fr * aside, row: this.pose.row + fr * ahead - fc * aside };
  }

  private look(): void {
    for (const cell of inView) {
      const look = readLook(this.view[cell]);
      if (look.type === 'unseen' || look.type === 'wall') continue;
      const place = this.cellOf(cell);
      const passed = this.things.get(keyOf(place))?.passed ?? false;
      if (look.type === 'empty') this.things.delete(keyOf(place));
      else this.things.set(keyOf(place), { ...place, look, passed });
      this.doorSeen ||= look.type === 'door';
    }
    if (!this.doorSeen) this.widen();
  }

  /** Sight reaches as far as no wall is known. */
  private widen(): void {
    const { column, row, heading } = this.pose;
    const wall = this.wallAhead();
    const at = [row, column, row, column][heading];
    const away = [1, 1, -1, -1];
    if (wall !== null) this.walls[heading] = at + away[heading] * (wall - 1);
    const reach = (towards: number) => {
      if (towards === (heading + 2) % 4) return [row, column][towards % 2];
      return [row, column][towards % 2] + away[towards] * (towards === heading ? SIGHT : SIDE);
    };
    this.seen.north = Math.max(this.seen.north, reach(0));
    this.seen.east = Math.max(this.seen.east, reach(1));
    this.seen.south = Math.min(this.seen.south, reach(2));
    this.seen.west = Math.min(this.seen.west, reach(3));
    // To the side, sight may have been taken to reach behind a wall that is told only now.
    const { seen, walls } = this;
    seen.north = Math.min(seen.north, walls[0] ?? seen.north);
    seen.east = Math.min(seen.east, walls[1] ?? seen.east);
    seen.south = Math.max(seen.south, walls[2] ?? seen.south);
    seen.west = Math.max(seen.west, walls[3] ?? seen.west);
  }

  private wallAhead(): number | null {
    for (let ahead = 1; ahead <= SIGHT; ahead++) {
      const { type } = readLook(this.view[(SIGHT - ahead) * 7 + SIDE]);
      if (type === 'wall') return ahead;
      if (type === 'unseen') return null;
    }
    return null;
  }
}
