/** The schema of a made database: connected tables of a theme, with some of their columns. */
import type { Random } from '../../../envs/random.ts';
import type { ColumnRule, TableRule, Theme } from './grammar.ts';

/** Part that a column can take in a question. */
export type Role = 'key' | 'label' | 'category' | 'number' | 'date' | 'reference';

export interface Column {
  name: string;
  phrase: string;
  role: Role;
  /** Declared type. */
  type: 'INTEGER' | 'REAL' | 'TEXT' | 'DATE';
  nullable: boolean;
  /** The table that a reference names. */
  references: string | null;
  rule: ColumnRule | null;
}

export interface Table {
  name: string;
  one: string;
  many: string;
  columns: readonly Column[];
  rows: number;
}

export interface Schema {
  theme: string;
  tables: readonly Table[];
}

const roles = {
  person: 'label',
  title: 'label',
  place: 'label',
  category: 'category',
  whole: 'number',
  decimal: 'number',
  date: 'date',
  later: 'date',
  reference: 'reference',
} as const;

const types = { label: 'TEXT', category: 'TEXT', date: 'DATE', reference: 'INTEGER' } as const;

const typeOf = (rule: ColumnRule, role: Role): Column['type'] =>
  role === 'number' ? (rule.draw.of === 'decimal' ? 'REAL' : 'INTEGER') : types[role as keyof typeof types];

const key: Column = {
  name: 'id',
  phrase: 'id',
  role: 'key',
  type: 'INTEGER',
  nullable: false,
  references: null,
  rule: null,
};

function columnOf(rule: ColumnRule): Column {
  const role = roles[rule.draw.of];
  const { name, phrase, nulls } = rule;
  const references = rule.draw.of === 'reference' ? rule.draw.table : null;
  return { name, phrase, role, type: typeOf(rule, role), nullable: nulls > 0, references, rule };
}

const referencesOf = ({ columns }: TableRule): string[] =>
  columns.flatMap(({ draw }) => (draw.of === 'reference' ? [draw.table] : []));

/** Tables of a theme that are connected by references, in the theme's order. */
function connected(random: Random, { tables }: Theme, count: number): TableRule[] {
  const linked = (a: TableRule, b: TableRule) => referencesOf(a).includes(b.name) || referencesOf(b).includes(a.name);
  const chosen = new Set([random.pick(tables.filter((each) => referencesOf(each).length > 1))]);
  while (chosen.size < count) {
    const near = tables.filter((each) => !chosen.has(each) && [...chosen].some((other) => linked(each, other)));
    chosen.add(random.pick(near));
  }
  return tables.filter((each) => chosen.has(each));
}

/** One in this many optional columns is left out. */
const leftOutPercent = 20;

function columnsOf(random: Random, { columns }: TableRule, has: (table: string) => boolean): Column[] {
  const kept = columns.filter(({ always }) => always || !random.chance(leftOutPercent));
  const names = new Set(kept.map(({ name }) => name));
  const possible = kept.filter(
    ({ draw }) => (draw.of !== 'reference' || has(draw.table)) && (draw.of !== 'later' || names.has(draw.than)),
  );
  return [key, ...possible.map(columnOf)];
}

/** Minimum number of rows of a table. */
const fewestRows = 6;

/** Draws a schema. `count`: number of tables; `rows`: number of rows of all tables together. */
export function drawSchema(random: Random, theme: Theme, count: number, rows: number): Schema {
  const chosen = connected(random, theme, count);
  const has = (table: string) => chosen.some(({ name }) => name === table);
  const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);
  const spare = rows - fewestRows * chosen.length;
  const tables = chosen.map((rule): Table => {
    const { name, one, many, weight } = rule;
    const own = fewestRows + Math.max(0, Math.floor((spare * weight) / weights));
    return { name, one, many, columns: columnsOf(random, rule, has), rows: own };
  });
  const missing = rows - tables.reduce((sum, each) => sum + each.rows, 0);
  const largest = tables.reduce((a, b) => (b.rows > a.rows ? b : a));
  largest.rows += Math.max(0, missing);
  return { theme: theme.name, tables };
}

/** The table's CREATE statement. */
export function createStatement({ name, columns }: Table): string {
  const own = columns.map((column) => {
    const constraint = column.role === 'key' ? ' PRIMARY KEY' : column.nullable ? '' : ' NOT NULL';
    return `${column.name} ${column.type}${constraint}${column.references ? ` REFERENCES ${column.references}(id)` : ''}`;
  });
  return `CREATE TABLE ${name} (${own.join(', ')})`;
}
