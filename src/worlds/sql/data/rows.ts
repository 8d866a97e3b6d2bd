/** Rows of a made database, drawn from a seed. Whole numbers alone are drawn, so that every engine draws the same. */
import type { Random } from '../../../envs/random.ts';
import type { Draw } from './grammar.ts';
import type { Column, Schema, Table } from './schema.ts';
import { drawName } from './words.ts';

type Cell = string | number | null;

const dayMs = 86_400_000;
const isoDay = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
const dayOf = (year: number) => Date.UTC(year, 0, 1) / dayMs;
const dayAt = (date: string) => Date.parse(`${date}T00:00:00Z`) / dayMs;

interface Context {
  random: Random;
  heldOut: boolean;
  /** Number of rows of each table. */
  sizes: ReadonlyMap<string, number>;
}

function drawn(draw: Draw, { random, heldOut, sizes }: Context, row: { [column: string]: Cell }): Cell {
  switch (draw.of) {
    case 'category':
      return random.pick(draw.values);
    case 'whole':
      return random.between(draw.least, draw.most);
    case 'decimal': {
      const unit = 10 ** draw.places;
      return random.between(draw.least * unit, draw.most * unit) / unit;
    }
    case 'date':
      return isoDay(random.between(dayOf(draw.first), dayOf(draw.last + 1) - 1));
    case 'later':
      return isoDay(dayAt(String(row[draw.than])) + random.between(1, draw.days));
    case 'reference':
      return random.between(1, sizes.get(draw.table)!);
    default:
      return drawName(random, draw.of, heldOut);
  }
}

function cellOf({ rule, nullable, role }: Column, id: number, context: Context, row: { [column: string]: Cell }): Cell {
  if (role === 'key') return id;
  // Drawn even if it is then null: the other values do not depend on it.
  const value = drawn(rule!.draw, context, row);
  return nullable && context.random.chance(rule!.nulls) ? null : value;
}

export interface Filled {
  table: Table;
  rows: Cell[][];
}

/** Rows of all tables. References to a table are to rows that exist. */
export function fillTables(random: Random, { tables }: Schema, heldOut: boolean): Filled[] {
  const sizes = new Map(tables.map(({ name, rows }) => [name, rows]));
  const context = { random, heldOut, sizes };
  return tables.map((table) => ({
    table,
    rows: Array.from({ length: table.rows }, (_, k) => {
      const row: { [column: string]: Cell } = {};
      for (const column of table.columns) row[column.name] = cellOf(column, k + 1, context, row);
      return Object.values(row);
    }),
  }));
}
