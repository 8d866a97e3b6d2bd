/** Questions about one table. */
import { type Ask, columns, labelOf, pairsOf, plural, slot, type Template } from './template.ts';

const shownRoles = ['label', 'number', 'date', 'category'] as const;

/** A filter by one condition: the shown column, then the column of the condition. */
const filter = (
  name: string,
  role: 'category' | 'number' | 'date',
  sqlOf: (column: string, value: string) => string,
  textOf: (phrase: string, value: string) => string,
  more: Partial<Template> = {},
): Template => ({
  name,
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      pairsOf(table, shownRoles, [role]).map(
        ([shown, column]): Ask => ({
          slots: [slot(role === 'category' ? 'text' : role, table, column)],
          sql: (value) => `SELECT ${shown.name} FROM ${table.name} WHERE ${sqlOf(column.name, value)}`,
          text: (value) => `List the ${shown.phrase} of all ${table.many} whose ${textOf(column.phrase, value)}.`,
        }),
      ),
    ),
  ...more,
});

const filterTwo: Template = {
  name: 'filter-two',
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      pairsOf(table, ['category'], ['number']).map(([category, number]): Ask => {
        const shown = labelOf(table);
        return {
          slots: [slot('text', table, category), slot('number', table, number)],
          sql: (value, most) =>
            `SELECT ${shown.name} FROM ${table.name} WHERE ${category.name} = ${value} AND ${number.name} < ${most}`,
          text: (value, most) =>
            `List the ${shown.phrase} of all ${table.many} whose ${category.phrase} is ${value} and whose ${number.phrase} is less than ${most}.`,
        };
      }),
    ),
};

const filterBetween: Template = {
  name: 'filter-between',
  kind: 'filter',
  difficulty: 'easy',
  heldOut: true,
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      columns(table, 'number').map((number): Ask => {
        const shown = labelOf(table);
        const slots = [slot('number', table, number), slot('number', table, number)];
        return {
          slots,
          sql: (least, most) =>
            `SELECT ${shown.name} FROM ${table.name} WHERE ${number.name} BETWEEN ${least} AND ${most}`,
          text: (least, most) =>
            `List the ${shown.phrase} of all ${table.many} whose ${number.phrase} is from ${least} to ${most}.`,
        };
      }),
    ),
};

const filterNull: Template = {
  name: 'filter-null',
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      table.columns
        .filter(({ nullable }) => nullable)
        .map((column): Ask => {
          const shown = labelOf(table);
          return {
            slots: [],
            sql: () => `SELECT ${shown.name} FROM ${table.name} WHERE ${column.name} IS NULL`,
            text: () => `List the ${shown.phrase} of all ${table.many} without a recorded ${column.phrase}.`,
          };
        }),
    ),
};

const countEqual: Template = {
  name: 'count-equal',
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      columns(table, 'category').map(
        (column): Ask => ({
          slots: [slot('text', table, column)],
          sql: (value) => `SELECT COUNT(*) FROM ${table.name} WHERE ${column.name} = ${value}`,
          text: (value) => `Count the ${table.many} whose ${column.phrase} is ${value}.`,
        }),
      ),
    ),
};

const distinct: Template = {
  name: 'distinct',
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      pairsOf(table, ['category'], ['number']).map(
        ([category, number]): Ask => ({
          slots: [slot('number', table, number)],
          sql: (least) => `SELECT DISTINCT ${category.name} FROM ${table.name} WHERE ${number.name} > ${least}`,
          text: (least) =>
            `List, without repetition, the ${plural(category.phrase)} of ${table.many} whose ${number.phrase} is more than ${least}.`,
        }),
      ),
    ),
};

/** The first rows by a number, in its order. */
const first = (name: string, direction: 'DESC' | 'ASC', word: string, more: Partial<Template> = {}): Template => ({
  name,
  kind: 'filter',
  difficulty: 'medium',
  ordered: true,
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      columns(table, 'number').map((number): Ask => {
        const shown = labelOf(table);
        const sorted = `FROM ${table.name} WHERE ${number.name} IS NOT NULL ORDER BY ${number.name} ${direction}`;
        return {
          slots: [{ of: 'count', least: 2, most: 5 }],
          sql: (count) => `SELECT ${shown.name} ${sorted} LIMIT ${count}`,
          text: (count) =>
            `List the ${shown.phrase} of the ${count} ${table.many} with the ${word} ${number.phrase}, ${word} first.`,
          unique: (count) =>
            `SELECT COUNT(*) = COUNT(DISTINCT value) FROM (SELECT ${number.name} AS value ${sorted} LIMIT ${count} + 1)`,
        };
      }),
    ),
  ...more,
});

const sumWhere: Template = {
  name: 'sum-where',
  kind: 'filter',
  difficulty: 'easy',
  asks: ({ tables }) =>
    tables.flatMap((table) =>
      pairsOf(table, ['number'], ['category']).map(
        ([number, category]): Ask => ({
          slots: [slot('text', table, category)],
          sql: (value) => `SELECT ROUND(SUM(${number.name}), 2) FROM ${table.name} WHERE ${category.name} = ${value}`,
          text: (value) =>
            `Add up the ${number.phrase} of all ${table.many} whose ${category.phrase} is ${value}, rounded to 2 decimals.`,
        }),
      ),
    ),
};

export const filterTemplates: readonly Template[] = [
  filter(
    'filter-equal',
    'category',
    (column, value) => `${column} = ${value}`,
    (phrase, value) => `${phrase} is ${value}`,
  ),
  filter(
    'filter-more',
    'number',
    (column, value) => `${column} > ${value}`,
    (phrase, value) => `${phrase} is more than ${value}`,
  ),
  filter(
    'filter-since',
    'date',
    (column, value) => `${column} >= ${value}`,
    (phrase, value) => `${phrase} is ${value} or later`,
  ),
  filterTwo,
  filterNull,
  countEqual,
  distinct,
  sumWhere,
  first('highest', 'DESC', 'highest'),
  first('lowest', 'ASC', 'lowest', { heldOut: true }),
  filterBetween,
];
