/**
 * The data that a typed world's view draws: lines, a grid of symbols, a table or a picture of a fixed set of shapes.
 * Reads them from what the code returned, and refuses anything else by name. Texts stay texts: none is ever markup.
 */
import type { WorldView } from '../../envs/env.ts';
import { most } from './bounds.ts';

const shapeKinds = ['circle', 'square', 'triangle', 'line', 'text'] as const;
const shapeColours = ['black', 'grey', 'red', 'orange', 'green', 'blue', 'purple'] as const;

export interface Shape {
  kind: (typeof shapeKinds)[number];
  x: number;
  y: number;
  /** End of a line. */
  x2: number;
  y2: number;
  size: number;
  colour: (typeof shapeColours)[number];
  label: string;
}

export type ViewPart =
  | { kind: 'lines'; lines: string[] }
  | { kind: 'grid'; rows: string[][] }
  | { kind: 'table'; columns: string[]; rows: string[][] }
  | { kind: 'picture'; width: number; height: number; shapes: Shape[]; text: string };

export interface OwnView extends WorldView {
  kind: 'own-world';
  parts: ViewPart[];
}

/** A view that is not one of the forms. */
export class ViewFormError extends Error {
  override name = 'ViewFormError';
}

const bounds = { parts: 8, lines: 200, side: 60, symbol: 8, columns: 20, rows: 200, cell: 200, shapes: 500 };

function fail(message: string): never {
  throw new ViewFormError(`view(): ${message}`);
}

function list(value: unknown, what: string, longest: number): unknown[] {
  if (!Array.isArray(value)) fail(`${what} must be a list.`);
  if (value.length > longest) fail(`${what} has ${value.length} entries; at most ${longest} are allowed.`);
  return value;
}

function word(value: unknown, what: string, longest: number): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') fail(`${what} must be a text or a number.`);
  if (value.length > longest) fail(`${what} has ${value.length} characters; at most ${longest} are allowed.`);
  return value;
}

function number(value: unknown, what: string, least: number, largest: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= largest))
    fail(`${what} must be a number from ${least} to ${largest}.`);
  return value;
}

const linesOf = (text: string): ViewPart => ({ kind: 'lines', lines: text.split('\n').slice(0, bounds.lines) });

function gridOf(value: unknown): ViewPart {
  const rows = list(value, 'grid', bounds.side).map((row, r) =>
    typeof row === 'string'
      ? Array.from(word(row, `row ${r} of grid`, 4 * bounds.side))
      : list(row, `row ${r} of grid`, bounds.side).map((cell) => word(cell, `a cell of row ${r}`, bounds.symbol)),
  );
  if (rows.some(({ length }) => length > bounds.side)) fail(`a row of grid has more than ${bounds.side} cells.`);
  return { kind: 'grid', rows };
}

function tableOf(value: unknown): ViewPart {
  const { columns, rows } = (value ?? {}) as { columns?: unknown; rows?: unknown };
  return {
    kind: 'table',
    columns: list(columns, 'table.columns', bounds.columns).map((each) => word(each, 'a column', bounds.cell)),
    rows: list(rows, 'table.rows', bounds.rows).map((row, r) =>
      list(row, `row ${r} of table`, bounds.columns).map((cell) => word(cell, `a cell of row ${r}`, bounds.cell)),
    ),
  };
}

function shapeOf(value: unknown, k: number): Shape {
  const { kind, x, y, x2, y2, size = 1, colour = 'black', label = '' } = (value ?? {}) as Record<string, unknown>;
  const at = (n: unknown, name: string) => number(n, `${name} of shape ${k}`, -1000, 1000);
  if (!shapeKinds.includes(kind as never)) fail(`shape ${k} must be one of: ${shapeKinds.join(', ')}.`);
  if (!shapeColours.includes(colour as never))
    fail(`the colour of shape ${k} must be one of: ${shapeColours.join(', ')}.`);
  return {
    kind: kind as Shape['kind'],
    x: at(x, 'x'),
    y: at(y, 'y'),
    x2: at(x2 ?? x, 'x2'),
    y2: at(y2 ?? y, 'y2'),
    size: number(size, `size of shape ${k}`, 0, 1000),
    colour: colour as Shape['colour'],
    label: word(label, `label of shape ${k}`, bounds.cell),
  };
}

function pictureOf(value: unknown): ViewPart {
  const { width, height, shapes, text = '' } = (value ?? {}) as Record<string, unknown>;
  return {
    kind: 'picture',
    width: number(width, 'picture.width', 1, 1000),
    height: number(height, 'picture.height', 1, 1000),
    shapes: list(shapes, 'picture.shapes', bounds.shapes).map(shapeOf),
    text: word(text, 'picture.text', most.text),
  };
}

function partOf(value: unknown): ViewPart {
  if (typeof value === 'string') return linesOf(word(value, 'the text', most.text));
  if (value !== null && typeof value === 'object') {
    if ('lines' in value)
      return {
        kind: 'lines',
        lines: list(value.lines, 'lines', bounds.lines).map((line) => word(line, 'a line', most.text)),
      };
    if ('grid' in value) return gridOf(value.grid);
    if ('table' in value) return tableOf(value.table);
    if ('picture' in value) return pictureOf(value.picture);
  }
  return fail('must return a text, or an object with lines, grid, table or picture.');
}

/** A part as text, for readers who cannot see it. */
function textOf(part: ViewPart): string {
  if (part.kind === 'lines') return part.lines.join('\n');
  if (part.kind === 'grid')
    return part.rows.map((row) => row.join(row.some(({ length }) => length > 1) ? ' ' : '')).join('\n');
  if (part.kind === 'table') return [part.columns, ...part.rows].map((row) => row.join(' | ')).join('\n');
  return part.text || part.shapes.map(({ kind, label, x, y }) => `${label || kind} at ${x}, ${y}`).join('\n');
}

/** Reads what view() returned; `fallback` is shown if it returned nothing. Throws ViewFormError. */
export function readView(value: unknown, fallback: string): OwnView {
  const given = value === null || value === undefined ? [fallback] : Array.isArray(value) ? value : [value];
  const parts = list(given, 'the view', bounds.parts).map(partOf);
  return { kind: 'own-world', text: parts.map(textOf).join('\n\n') || ' ', parts };
}
