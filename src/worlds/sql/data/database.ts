/** A made database: schema and rows of a seed, as statements that build it. */
import { Random } from '../../../envs/random.ts';
import { fillTables } from './rows.ts';
import { createStatement, drawSchema, type Schema } from './schema.ts';
import { themes } from './themes.ts';

export interface DatabasePlan {
  seed: number;
  /** Number of tables, and of rows of all of them together. */
  tables: number;
  rows: number;
  /** Names of the themes to choose from. */
  themes: readonly string[];
  /** True for the names and themes of evaluations. */
  heldOut: boolean;
}

/** Rows of an INSERT statement. */
const rowsEach = 100;

/** A value as a literal of SQL. */
export const literal = (value: string | number | null): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

export interface MadeDatabase {
  schema: Schema;
  statements: string[];
}

/** Draws a database. The same plan gives the same statements. */
export function makeDatabase(plan: DatabasePlan): MadeDatabase {
  const random = new Random(plan.seed);
  const theme = random.pick(themes.filter(({ name }) => plan.themes.includes(name)));
  const schema = drawSchema(random, theme, plan.tables, plan.rows);
  const statements = fillTables(random, schema, plan.heldOut).flatMap(({ table, rows }) => [
    createStatement(table),
    ...Array.from({ length: Math.ceil(rows.length / rowsEach) }, (_, k) => {
      const some = rows.slice(k * rowsEach, (k + 1) * rowsEach);
      return `INSERT INTO ${table.name} VALUES ${some.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`;
    }),
  ]);
  return { schema, statements };
}
