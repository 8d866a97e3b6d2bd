/**
 * A template of questions: everything that it can ask about a schema, with the statement that answers it. Statements
 * with constants of a question are made by the same functions, so that a list of statements singles none out.
 */
import type { Column, Role, Schema, Table } from '../data/schema.ts';

type Kind = 'filter' | 'join' | 'group' | 'nested' | 'window';
type Difficulty = 'easy' | 'medium' | 'hard' | 'extra';

/** A constant of a question: a value of a column, the year of a date, or a small number. */
export type Slot =
  | { of: 'text' | 'number' | 'date' | 'year'; table: Table; column: Column }
  | { of: 'count'; least: number; most: number };

export type Constant = string | number;

/** One question of a template about a schema, without its constants. */
export interface Ask {
  slots: readonly Slot[];
  /** The statement; constants are literals of SQL. */
  sql(...constants: string[]): string;
  /** The question; texts are in double quotes. */
  text(...constants: string[]): string;
  /** A statement with the result 1 if the answer is unambiguous. */
  unique?(...constants: string[]): string;
}

export interface Template {
  name: string;
  kind: Kind;
  difficulty: Difficulty;
  /** True if only held-out tasks use it. */
  heldOut?: boolean;
  /** True if the question asks for an order. */
  ordered?: boolean;
  asks(schema: Schema): Ask[];
}

/** Columns of a table with a role. */
export const columns = (table: Table, ...roles: Role[]): Column[] =>
  table.columns.filter(({ role }) => roles.includes(role));

/** The column by which a question names the rows of a table: its label, or else its number. */
export const labelOf = (table: Table): Column => columns(table, 'label')[0] ?? columns(table, 'key')[0];

/** Pairs of different columns, the first of some roles and the second of others. */
export function pairsOf(table: Table, first: readonly Role[], second: readonly Role[]): [Column, Column][] {
  return columns(table, ...first).flatMap((a) =>
    columns(table, ...second)
      .filter((b) => b !== a)
      .map((b): [Column, Column] => [a, b]),
  );
}

/** A reference between two tables of a schema. */
export interface Link {
  child: Table;
  parent: Table;
  reference: Column;
  /** "child JOIN parent ON ..." */
  join: string;
}

/** References of a schema to tables in it. */
export function linksOf({ tables }: Schema): Link[] {
  return tables.flatMap((child) =>
    columns(child, 'reference').flatMap((reference) => {
      const parent = tables.find(({ name }) => name === reference.references);
      if (!parent) return [];
      const join = `${child.name} JOIN ${parent.name} ON ${child.name}.${reference.name} = ${parent.name}.id`;
      return [{ child, parent, reference, join }];
    }),
  );
}

/** Links whose parent has a label. */
export const namedLinks = (schema: Schema): Link[] =>
  linksOf(schema).filter(({ parent }) => columns(parent, 'label').length > 0);

export const at = (table: Table, column: Column) => `${table.name}.${column.name}`;
export const slot = (of: 'text' | 'number' | 'date' | 'year', table: Table, column: Column): Slot => ({
  of,
  table,
  column,
});

/** The plural of a category's phrase. */
export const plural = (phrase: string) =>
  /[^aeiou]y$/.test(phrase) ? `${phrase.slice(0, -1)}ies` : /(s|sh|ch|x)$/.test(phrase) ? `${phrase}es` : `${phrase}s`;
