/** Questions about the place of a row among others. */
import type { Schema } from '../data/schema.ts';
import { type Ask, at, columns, type Link, labelOf, namedLinks, pairsOf, slot, type Template } from './template.ts';

const window = (name: string, asks: (schema: Schema) => Ask[], more: Partial<Template> = {}): Template => ({
  name,
  kind: 'window',
  difficulty: 'extra',
  asks,
  ...more,
});

const rankOf = (partition: string, order: string) => `RANK() OVER (PARTITION BY ${partition} ORDER BY ${order} DESC)`;

const bestOfEach = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    pairsOf(table, ['category'], ['number'])
      .filter(([category]) => !category.nullable)
      .map(([category, number]) => {
        const shown = labelOf(table);
        return {
          slots: [],
          sql: () =>
            `SELECT ${category.name}, ${shown.name} FROM (SELECT *, ${rankOf(category.name, number.name)} AS place FROM ${table.name} WHERE ${number.name} IS NOT NULL) WHERE place = 1`,
          text: () =>
            `List each ${category.phrase} of ${table.many} with the ${shown.phrase} of those whose ${number.phrase} is the highest.`,
        };
      }),
  );

const latestOfEach = ({ child, parent, join }: Link): Ask[] =>
  columns(child, 'date')
    .filter(({ nullable }) => !nullable)
    .map((date) => {
      const label = labelOf(parent);
      const ranked = `SELECT ${at(parent, label)} AS label, ${at(child, date)} AS day, ${rankOf(`${parent.name}.id`, at(child, date))} AS place FROM ${join}`;
      return {
        slots: [],
        sql: () => `SELECT label, day FROM (${ranked}) WHERE place = 1`,
        text: () =>
          `List the ${label.phrase} of all ${parent.many} with any ${child.one}, with the latest ${date.phrase} of their ${child.many}.`,
      };
    });

/** Running totals of the rows of one parent, in the order of a date. */
const running = ({ child, parent, join }: Link): Ask[] =>
  pairsOf(child, ['date'], ['number'])
    .filter(([date, number]) => !date.nullable && !number.nullable)
    .map(([date, number]) => {
      const label = labelOf(parent);
      const where = (value: string) => `FROM ${join} WHERE ${at(parent, label)} = ${value}`;
      return {
        slots: [slot('text', parent, label)],
        sql: (value: string) =>
          `SELECT ${at(child, date)}, ROUND(SUM(${at(child, number)}) OVER (ORDER BY ${at(child, date)}), 2) ${where(value)} ORDER BY ${at(child, date)}`,
        text: (value: string) =>
          `For the ${child.many} of the ${parent.one} ${value}, list each ${date.phrase} with the total ${number.phrase} up to it, rounded to 2 decimals, earliest first.`,
        unique: (value: string) => `SELECT COUNT(*) = COUNT(DISTINCT ${at(child, date)}) ${where(value)}`,
      };
    });

/** Days since the row before, of one parent. */
const gaps = ({ child, parent, join }: Link): Ask[] =>
  columns(child, 'date')
    .filter(({ nullable }) => !nullable)
    .map((date) => {
      const [label, day] = [labelOf(parent), at(child, date)];
      const where = (value: string) => `FROM ${join} WHERE ${at(parent, label)} = ${value}`;
      return {
        slots: [slot('text', parent, label)],
        sql: (value) =>
          `SELECT ${day}, CAST(julianday(${day}) - julianday(LAG(${day}) OVER (ORDER BY ${day})) AS INTEGER) ${where(value)} ORDER BY ${day}`,
        text: (value) =>
          `For the ${child.many} of the ${parent.one} ${value}, list each ${date.phrase} with the number of days since the one before (null for the first), earliest first.`,
        unique: (value) => `SELECT COUNT(*) = COUNT(DISTINCT ${day}) ${where(value)}`,
      };
    });

export const windowTemplates: readonly Template[] = [
  window('best-of-each', bestOfEach),
  window('latest-of-each', (schema) => namedLinks(schema).flatMap(latestOfEach)),
  window('running-total', (schema) => namedLinks(schema).flatMap(running)),
  window('days-between', (schema) => namedLinks(schema).flatMap(gaps), { heldOut: true }),
];
