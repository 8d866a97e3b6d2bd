/** The data that a view of a maze draws, and its description as text. Independent of WASM. */
import type { WorldView } from '../../envs/env.ts';

export type Move = 'left' | 'right' | 'up' | 'down';

export interface Place {
  row: number;
  column: number;
}

export interface MazeView extends WorldView {
  kind: 'maze';
  /** Rows from top to bottom; true is a wall. */
  walls: boolean[][];
  start: Place;
  goal: Place;
  agent: Place;
  /** Every position of the agent in order; a move against a wall repeats the position. */
  way: Place[];
  steps: number;
  stepLimit: number;
  done: boolean;
}

/** Left, right, up, down: the order in which the world numbers its moves. */
export const moves: readonly Move[] = ['left', 'right', 'up', 'down'];
const offsets: { [move in Move]: Place } = {
  left: { row: 0, column: -1 },
  right: { row: 0, column: 1 },
  up: { row: -1, column: 0 },
  down: { row: 1, column: 0 },
};
const stepFrom = ({ row, column }: Place, move: Move): Place => ({
  row: row + offsets[move].row,
  column: column + offsets[move].column,
});

/** Parses the lines of `writeView` (envs-wasm/maze/index.ts). */
export function parseView(text: string): MazeView {
  const lines = text.split('\n');
  const [rows, columns, start, goal, agent, stepLimit, done] = lines.slice(0, 7).map(Number);
  const place = (at: number): Place => ({ row: Math.floor(at / columns), column: at % columns });
  const walls = Array.from({ length: rows }, (_, row) =>
    Array.from(lines[7].slice(row * columns, (row + 1) * columns), (cell) => cell === '1'),
  );
  const way = [place(start)];
  for (const step of lines[8]) {
    const move = moves[Number(step)];
    way.push(move ? stepFrom(way.at(-1)!, move) : way.at(-1)!);
  }
  const view = { walls, start: place(start), goal: place(goal), agent: place(agent), way, stepLimit };
  const steps = lines[8].length;
  return { kind: 'maze', text: describe(view, steps), ...view, steps, done: done === 1 };
}

/** Moves that are not blocked by a wall. */
export function openMoves({ walls, agent }: Pick<MazeView, 'walls' | 'agent'>): Move[] {
  return moves.filter((move) => {
    const { row, column } = stepFrom(agent, move);
    return !walls[row]?.[column];
  });
}

type Drawn = Pick<MazeView, 'walls' | 'goal' | 'agent' | 'way' | 'stepLimit'>;

function describe(view: Drawn, steps: number): string {
  const { walls, goal, agent, way, stepLimit } = view;
  const at = ({ row, column }: Place) => `row ${row}, column ${column}`;
  const visited = new Set(way.map(at)).size;
  return (
    `A maze of ${walls.length} by ${walls[0].length} cells. You are at ${at(agent)}; the goal is at ${at(goal)}. ` +
    `Open: ${openMoves(view).join(', ') || 'none'}. ${steps} of ${stepLimit} moves used, ${visited} cells seen.`
  );
}
