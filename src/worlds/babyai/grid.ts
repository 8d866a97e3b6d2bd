/**
 * BabyAI's grid for a view: the cells, the agent's field of view, and a text description for screen readers. Reads
 * looks and positions; draws nothing.
 */

import type { BabyAiView, GridCell } from './view-data.ts';
import { type CellLook, type Facts, placeInView, readLook, STEPS } from './wasm.ts';

type Grid = Pick<BabyAiView, 'cells' | 'agent' | 'carrying'>;

const DIRECTIONS = ['right', 'down', 'left', 'up'] as const;

/**
 * Indices (row * width + column) of the cells that the agent sees. View cell (i, j) is six rows ahead at j = 0, three
 * columns left at i = 0.
 */
function seenCells({ x, y, dir, width }: Facts, view: Uint8Array): Set<number> {
  const [fx, fy] = STEPS[dir];
  const seen = new Set<number>();
  for (let cell = 0; cell < 49; cell++) {
    if (view[cell] === 0) continue;
    const [ahead, aside] = placeInView(cell);
    const column = x + fx * ahead - fy * aside;
    if (column >= 0 && column < width) seen.add((y + fy * ahead + fx * aside) * width + column);
  }
  return seen;
}

export function gridOf(facts: Facts, looks: readonly Uint8Array[], view: Uint8Array): Grid {
  const seen = seenCells(facts, view);
  const cell = (look: number, index: number): GridCell => {
    const { type, color, state } = readLook(look) as CellLook & { type: GridCell['type'] };
    return { type, color, state, seen: seen.has(index) };
  };
  const { type, color } = readLook(facts.carried);
  return {
    cells: looks.map((row, y) => Array.from(row, (look, x) => cell(look, y * facts.width + x))),
    agent: { x: facts.x, y: facts.y, direction: DIRECTIONS[facts.dir] },
    carrying: facts.carried ? { type, color } : null,
  };
}

const nameOf = ({ type, color, state }: GridCell) => [color, state, type].filter(Boolean).join(' ');

/** "red ball at column 3, row 2; …": columns and rows count from 1, from the top left. */
function listOf(cells: { cell: GridCell; x: number; y: number }[]): string {
  return cells.map(({ cell, x, y }) => `${nameOf(cell)} at column ${x + 1}, row ${y + 1}`).join('; ');
}

export function describeGrid(goal: string, { cells, agent, carrying }: Grid): string {
  const things = cells.flatMap((row, y) =>
    row.flatMap((cell, x) => (cell.type === 'empty' || cell.type === 'wall' ? [] : [{ cell, x, y }])),
  );
  const seen = things.filter(({ cell }) => cell.seen);
  const hidden = things.filter(({ cell }) => !cell.seen);
  return [
    `Goal: ${goal}.`,
    `A grid of ${cells[0].length} columns and ${cells.length} rows.`,
    `The agent is at column ${agent.x + 1}, row ${agent.y + 1}, facing ${agent.direction}, carrying ${carrying ? `a ${carrying.color} ${carrying.type}` : 'nothing'}.`,
    seen.length ? `It sees: ${listOf(seen)}.` : 'It sees no object.',
    hidden.length ? `Out of its sight: ${listOf(hidden)}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
