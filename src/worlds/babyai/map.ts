/**
 * Map that an agent in BabyAI can build from its own moves and the things it has seen. The exploring oracle writes it
 * as its thought before each action, so that a policy that imitates the thoughts learns to keep such a map.
 *
 * The map uses the text's facts and the agent's own moves alone; it contains only things that have been seen.
 * Coordinates are relative to the start of the episode, which is column 30, row 30, facing north: columns and rows are
 * never negative, and all are larger than the distances in the world's text.
 */
import { type CellLook, type Facts, inView, placeInView, readLook, STEPS, thingsInView } from './wasm.ts';

/** Column and row of the agent at the start of an episode. */
const ORIGIN = 30;
const HEADINGS = ['n', 'e', 's', 'w'] as const;
/** Change of column and row by one step ahead, by heading. */
const AHEAD = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const;
/** Maximum number of doors in a thought, nearest first. */
const MAX_DOORS = 4;
/** Cells seen ahead, and to each side. */
const SIGHT = 6;
const SIDE = 3;

interface Cell {
  column: number;
  row: number;
}

interface Pose extends Cell {
  /** Index into `HEADINGS`. */
  heading: number;
}

interface Thing extends Cell {
  look: CellLook;
  /** True if the thing is a door that the agent went through. */
  passed: boolean;
}

const keyOf = ({ column, row }: Cell) => column * 100 + row;

/** Seen part of a room without doors: its outermost columns and rows. */
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
  /** Walls seen so far, by heading: the column or row in front of the wall, or null. */
  private readonly walls: (number | null)[] = [null, null, null, null];
  private readonly seen: Extent = { west: ORIGIN, east: ORIGIN, south: ORIGIN, north: ORIGIN };

  constructor(
    private readonly start: Facts,
    view: Uint8Array,
  ) {
    this.view = view;
    this.readView();
  }

  /** Updates the map after each action of the agent. */
  update(facts: Facts, view: Uint8Array): void {
    this.pose = this.poseOf(facts);
    this.view = view;
    const here = this.things.get(keyOf(this.pose));
    if (here) here.passed = true;
    this.readView();
  }

  /**
   * Thought of the exploring oracle: the agent's position, the doors it has not passed (or the seen part of the room),
   * locked doors and their keys, and the target of `action`.
   */
  thought(action: string): string {
    const { column, row, heading } = this.pose;
    const target = [...thingsInView(this.view)]
      .filter(([name]) => action.endsWith(` ${name}`))
      .map(([, cell]) => {
        const { color, type } = readLook(this.view[cell]);
        return `to ${color} ${type} ${this.coordinates(this.cellOf(cell))}`;
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
        ? ['door', ...others.slice(0, MAX_DOORS).map((door) => `${door.look.color} ${this.coordinates(door)}`)]
        : []),
      ...locked.map((door) => `locked ${door.look.color} ${this.coordinates(door)}`),
      ...keys.map((key) => `key ${key.look.color} ${this.coordinates(key)}`),
    ];
  }

  private nearest<Kind extends Cell>(cells: readonly Kind[]): Kind[] {
    const away = (cell: Cell) => Math.abs(cell.column - this.pose.column) + Math.abs(cell.row - this.pose.row);
    return [...cells].sort((a, b) => away(a) - away(b) || keyOf(a) - keyOf(b));
  }

  private coordinates({ column, row }: Cell): string {
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

  /** Map cell of a cell of the view, numbered as in `inView`. */
  private cellOf(cell: number): Cell {
    const [ahead, aside] = placeInView(cell);
    const [fc, fr] = AHEAD[this.pose.heading];
    return { column: this.pose.column + fc * ahead + fr * aside, row: this.pose.row + fr * ahead - fc * aside };
  }

  private readView(): void {
    for (const cell of inView) {
      const look = readLook(this.view[cell]);
      if (look.type === 'unseen' || look.type === 'wall') continue;
      const place = this.cellOf(cell);
      const passed = this.things.get(keyOf(place))?.passed ?? false;
      if (look.type === 'empty') this.things.delete(keyOf(place));
      else this.things.set(keyOf(place), { ...place, look, passed });
      this.doorSeen ||= look.type === 'door';
    }
    if (!this.doorSeen) this.extend();
  }

  /** Extends the seen part of the room by the field of view, up to the known walls. */
  private extend(): void {
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
    // An earlier view may have been assumed to reach past a wall at the side; cut it back to the walls known now.
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
