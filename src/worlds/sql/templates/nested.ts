/** Questions that need a statement within a statement. */
import type { Schema } from '../data/schema.ts';
import { type Ask, at, columns, type Link, labelOf, namedLinks, pairsOf, slot, type Template } from './template.ts';

const nested = (name: string, asks: (schema: Schema) => Ask[], more: Partial<Template> = {}): Template => ({
  name,
  kind: 'nested',
  difficulty: 'hard',
  asks,
  ...more,
});

const aboveAverage = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    columns(table, 'number').map((number) => {
      const shown = labelOf(table);
      return {
        slots: [],
        sql: () =>
          `SELECT ${shown.name} FROM ${table.name} WHERE ${number.name} > (SELECT AVG(${number.name}) FROM ${table.name})`,
        text: () => `List the ${shown.phrase} of all ${table.many} whose ${number.phrase} is above the average.`,
      };
    }),
  );

const mostOf = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    pairsOf(table, ['number'], ['category']).map(([number, category]) => {
      const shown = labelOf(table);
      return {
        slots: [slot('text', table, category)],
        sql: (value: string) =>
          `SELECT ${shown.name} FROM ${table.name} WHERE ${category.name} = ${value} AND ${number.name} = (SELECT MAX(${number.name}) FROM ${table.name} WHERE ${category.name} = ${value})`,
        text: (value: string) =>
          `List the ${shown.phrase} of all ${table.many} whose ${category.phrase} is ${value} and whose ${number.phrase} is the highest among these.`,
      };
    }),
  );

const childrenWith = ({ child, reference }: Link, category: string, value: string) =>
  `SELECT ${at(child, reference)} FROM ${child.name} WHERE ${child.name}.${category} = ${value}`;

const never = (link: Link): Ask[] =>
  columns(link.child, 'category').map((category) => {
    const { child, parent } = link;
    const label = labelOf(parent);
    return {
      slots: [slot('text', child, category)],
      sql: (value) =>
        `SELECT ${label.name} FROM ${parent.name} WHERE id NOT IN (${childrenWith(link, category.name, value)})`,
      text: (value) =>
        `List the ${label.phrase} of all ${parent.many} without a ${child.one} whose ${category.phrase} is ${value}.`,
    };
  });

const both = (link: Link): Ask[] =>
  columns(link.child, 'category').map((category) => {
    const { child, parent } = link;
    const label = labelOf(parent);
    return {
      slots: [slot('text', child, category), slot('text', child, category)],
      sql: (one, other) =>
        `SELECT ${label.name} FROM ${parent.name} WHERE id IN (${childrenWith(link, category.name, one)}) AND id IN (${childrenWith(link, category.name, other)})`,
      text: (one, other) =>
        `List the ${label.phrase} of all ${parent.many} with both a ${child.one} whose ${category.phrase} is ${one} and a ${child.one} whose ${category.phrase} is ${other}.`,
    };
  });

const share = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    columns(table, 'category').map((category) => ({
      slots: [slot('text', table, category)],
      sql: (value) =>
        `SELECT ROUND(100.0 * COUNT(*) / (SELECT COUNT(*) FROM ${table.name}), 1) FROM ${table.name} WHERE ${category.name} = ${value}`,
      text: (value) =>
        `Give the percentage of ${table.many} whose ${category.phrase} is ${value}, rounded to 1 decimal.`,
    })),
  );

export const nestedTemplates: readonly Template[] = [
  nested('above-average', aboveAverage),
  nested('highest-of', mostOf),
  nested('never', (schema) => namedLinks(schema).flatMap(never)),
  nested('both', (schema) => namedLinks(schema).flatMap(both), { heldOut: true }),
  nested('share', share),
];
