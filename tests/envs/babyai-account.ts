/**
 * What a reader of BabyAI's texts knows: what was in sight at the end of each turn, and the walls that the texts
 * reported. A second implementation of what the memory may use (envs-wasm/babyai/memory.ts, frontier.ts).
 */
import type { BabyAiView, GridCell } from '../../src/worlds/babyai/view-data.ts';

export const STEPS = { right: [1, 0], down: [0, 1], left: [-1, 0], up: [0, -1] } as const;

export interface Place {
  ahead: number;
  aside: number;
}

/** Records what was in sight at the end of each turn. */
export class Account {
  protected readonly seen = new Map<string, GridCell>();
  protected readonly reportedLine = { column: false, row: false };
  protected view!: BabyAiView;

  constructor(protected readonly roomSize: number) {}

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
    this.reportedLine[across ? 'row' : 'column'] = true;
    for (let ahead = 0; ahead < wall; ahead++) {
      for (const aside of [-3, -2, -1, 1, 2, 3]) {
        const cell = this.cellAt({ ahead, aside });
        if (cell?.seen && cell.type === 'door') this.reportedLine[across ? 'column' : 'row'] = true;
      }
    }
  }

  private cellAt({ ahead, aside }: Place): GridCell | undefined {
    const { x, y, direction } = this.view.agent;
    const [dx, dy] = STEPS[direction];
    return this.view.cells[y + dy * ahead + dx * aside]?.[x + dx * ahead - dy * aside];
  }

  protected placeOf(x: number, y: number): Place {
    const { agent } = this.view;
    const [dx, dy] = STEPS[agent.direction];
    return {
      // Adding 0 turns -0 into 0, which `toEqual` distinguishes.
      ahead: (x - agent.x) * dx + (y - agent.y) * dy + 0,
      aside: (y - agent.y) * dx - (x - agent.x) * dy + 0,
    };
  }

  /**
   * Knowledge of a cell without a door. A wall that was reported but not seen may contain a door, except where two
   * walls meet.
   */
  protected kindOf(x: number, y: number): 'free' | 'wall' | 'told' {
    const cell = this.seen.get(`${x} ${y}`);
    const apart = this.roomSize - 1;
    const wallLines = [this.reportedLine.column && x % apart === 0, this.reportedLine.row && y % apart === 0].filter(
      Boolean,
    ).length;
    if (!wallLines || (cell && cell.type !== 'wall')) return 'free';
    return cell || wallLines === 2 ? 'wall' : 'told';
  }

  protected directionOf({ ahead, aside }: Place): string {
    const side = aside > 0 ? 'right' : 'left';
    const line = ahead > 0 ? 'ahead' : 'behind';
    if (Math.abs(ahead) <= 3 && aside !== 0) return side;
    if (Math.abs(aside) <= 3) return line;
    return Math.abs(ahead) >= Math.abs(aside) ? line : side;
  }

  /** Object at a place that was in sight before. */
  at({ ahead, aside }: Place): GridCell | null {
    const { x, y, direction } = this.view.agent;
    const [dx, dy] = STEPS[direction];
    return this.seen.get(`${x + dx * ahead - dy * aside} ${y + dy * ahead + dx * aside}`) ?? null;
  }
}

export const nameOf = ({ color, state, type }: GridCell) => [color, state, type].filter(Boolean).join(' ');

/** Reads the compact text: things in sight by their names, and the remembered part. */
export function read(text: string) {
  const numbers = (text: string): Record<string, number> =>
    Object.fromEntries(
      [...text.matchAll(/(ahead|behind|left|right|see) (\d+)/g)].map(([, word, n]) => [word, Number(n)]),
    );
  const thing = (text: string) => {
    const [, name, number, rest] = /^([a-z ]*?(?:door|key|ball|box))( \d+)?(.*)$/.exec(text)!;
    const { ahead = 0, behind = 0, right = 0, left = 0, see = 0 } = numbers(rest);
    return { name, number: Number(number ?? 0), place: { ahead: ahead - behind, aside: right - left }, see };
  };
  const part = (start: string) => new RegExp(`; ${start} ([^;\n]*)`).exec(text)?.[1] ?? '';
  const list = (text: string) => text.split(', ').filter(Boolean).map(thing);
  const inSight = text
    .split(/; carrying|\ncarrying/)[0]
    .split('\n')
    .at(-1)!
    .split('; ');
  return {
    inSight: inSight.filter((text) => /(door|key|ball|box) \d/.test(text)).map(thing),
    unseen: numbers(part('to see')),
    leading: list(part('through')),
    things: list(part('not in sight')),
  };
}
