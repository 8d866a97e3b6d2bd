/**
 * Grammar of made databases: themes with tables, their columns, and how a column's values are drawn. A database takes
 * some connected tables of one theme and some of their columns.
 */

/** Distribution of the values of a column. */
export type Draw =
  | { of: 'person' | 'title' | 'place' }
  | { of: 'category'; values: readonly string[] }
  | { of: 'whole'; least: number; most: number }
  /** Hundredths or tenths between the bounds. */
  | { of: 'decimal'; least: number; most: number; places: 1 | 2 }
  | { of: 'date'; first: number; last: number }
  /** A date some days after another column's. */
  | { of: 'later'; than: string; days: number }
  | { of: 'reference'; table: string };

export interface ColumnRule {
  name: string;
  /** The column in a question: "joining date". */
  phrase: string;
  draw: Draw;
  /** Percentage of nulls. */
  nulls: number;
  /** True if every database with this table has the column. */
  always: boolean;
}

export interface TableRule {
  name: string;
  /** Singular and plural in a question. */
  one: string;
  many: string;
  /** Number of rows relative to other tables. */
  weight: number;
  columns: readonly ColumnRule[];
}

export interface Theme {
  name: string;
  /** True if only held-out databases use it. */
  heldOut: boolean;
  tables: readonly TableRule[];
}

const rule = (name: string, phrase: string, draw: Draw, always = false): ColumnRule => ({
  name,
  phrase,
  draw,
  nulls: 0,
  always,
});

/** A label of the rows of a table. */
export const label = (of: 'person' | 'title' | 'place', name = 'name') => rule(name, name, { of }, true);
export const category = (name: string, values: string, phrase = spoken(name)) =>
  rule(name, phrase, { of: 'category', values: values.split(', ') }, true);
export const whole = (name: string, least: number, most: number, phrase = spoken(name)) =>
  rule(name, phrase, { of: 'whole', least, most });
export const money = (name: string, least: number, most: number, phrase = spoken(name)) =>
  rule(name, phrase, { of: 'decimal', least, most, places: 2 });
export const tenths = (name: string, least: number, most: number, phrase = spoken(name)) =>
  rule(name, phrase, { of: 'decimal', least, most, places: 1 });
export const date = (name: string, phrase: string, first: number, last: number) =>
  rule(name, phrase, { of: 'date', first, last });
export const later = (name: string, phrase: string, than: string, days: number) =>
  rule(name, phrase, { of: 'later', than, days });
export const reference = (table: string) => rule(`${table}_id`, spoken(table), { of: 'reference', table }, true);

/** The column with nulls. */
export const withNulls = (column: ColumnRule, nulls = 15): ColumnRule => ({ ...column, nulls });

/** A table; `names` are its name, its plural and, if it differs from the name, its singular in a question. */
export function table(names: string, weight: number, ...columns: ColumnRule[]): TableRule {
  const [name, many, one = spoken(name)] = names.split(', ');
  return { name, one, many, weight, columns };
}

const spoken = (name: string) => name.replaceAll('_', ' ');
