/** Questions about two or three tables. */
import type { Schema } from '../data/schema.ts';
import { type Ask, at, columns, type Link, labelOf, linksOf, namedLinks, slot, type Template } from './template.ts';

const join = (name: string, asks: (schema: Schema) => Ask[], more: Partial<Template> = {}): Template => ({
  name,
  kind: 'join',
  difficulty: 'medium',
  asks,
  ...more,
});

const ofNamed = ({ child, parent, join: joined }: Link): Ask[] =>
  columns(child, 'number', 'date', 'category', 'label').map((shown) => ({
    slots: [slot('text', parent, labelOf(parent))],
    sql: (value) => `SELECT ${at(child, shown)} FROM ${joined} WHERE ${at(parent, labelOf(parent))} = ${value}`,
    text: (value) => `List the ${shown.phrase} of all ${child.many} of the ${parent.one} ${value}.`,
  }));

const parentsWith = ({ child, parent, join: joined }: Link): Ask[] =>
  columns(child, 'category').map((category) => ({
    slots: [slot('text', child, category)],
    sql: (value) =>
      `SELECT DISTINCT ${at(parent, labelOf(parent))} FROM ${joined} WHERE ${at(child, category)} = ${value}`,
    text: (value) =>
      `List, without repetition, the ${labelOf(parent).phrase} of all ${parent.many} with a ${child.one} whose ${category.phrase} is ${value}.`,
  }));

const childrenOf = ({ child, parent, join: joined }: Link): Ask[] =>
  columns(parent, 'category').map((category) => ({
    slots: [slot('text', parent, category)],
    sql: (value) => `SELECT COUNT(*) FROM ${joined} WHERE ${at(parent, category)} = ${value}`,
    text: (value) => `Count the ${child.many} of ${parent.many} whose ${category.phrase} is ${value}.`,
  }));

const totalOf = ({ child, parent, join: joined }: Link): Ask[] =>
  columns(child, 'number').flatMap((number) =>
    columns(parent, 'category').map((category) => ({
      slots: [slot('text', parent, category)],
      sql: (value: string) =>
        `SELECT ROUND(AVG(${at(child, number)}), 2) FROM ${joined} WHERE ${at(parent, category)} = ${value}`,
      text: (value: string) =>
        `Give the average ${number.phrase} of all ${child.many} of ${parent.many} whose ${category.phrase} is ${value}, rounded to 2 decimals.`,
    })),
  );

const inYear = ({ child, parent, join: joined }: Link): Ask[] =>
  columns(child, 'date').map((date) => ({
    slots: [slot('year', child, date)],
    sql: (year) =>
      `SELECT DISTINCT ${at(parent, labelOf(parent))} FROM ${joined} WHERE strftime('%Y', ${at(child, date)}) = '${year}'`,
    text: (year) =>
      `List, without repetition, the ${labelOf(parent).phrase} of all ${parent.many} with a ${child.one} whose ${date.phrase} is in the year ${year}.`,
  }));

const without = ({ child, parent, reference }: Link): Ask[] => [
  {
    slots: [],
    sql: () =>
      `SELECT ${at(parent, labelOf(parent))} FROM ${parent.name} LEFT JOIN ${child.name} ON ${at(child, reference)} = ${parent.name}.id WHERE ${child.name}.id IS NULL`,
    text: () => `List the ${labelOf(parent).phrase} of all ${parent.many} without any ${child.one}.`,
  },
];

/** Questions over a table with two parents: a column of one is shown, and a row of the other is named. */
function acrossTwo(schema: Schema): Ask[] {
  const links = namedLinks(schema);
  return links.flatMap((shown) =>
    links
      .filter(({ child, parent }) => child === shown.child && parent !== shown.parent)
      .map((named): Ask => {
        const [label, key] = [labelOf(shown.parent), labelOf(named.parent)];
        return {
          slots: [slot('text', named.parent, key)],
          sql: (value) =>
            `SELECT DISTINCT ${at(shown.parent, label)} FROM ${shown.join} JOIN ${named.parent.name} ON ${at(shown.child, named.reference)} = ${named.parent.name}.id WHERE ${at(named.parent, key)} = ${value}`,
          text: (value) =>
            `List, without repetition, the ${label.phrase} of all ${shown.parent.many} with a ${shown.child.one} of the ${named.parent.one} ${value}.`,
        };
      }),
  );
}

export const joinTemplates: readonly Template[] = [
  join('join-named', (schema) => namedLinks(schema).flatMap(ofNamed)),
  join('join-parents', (schema) => namedLinks(schema).flatMap(parentsWith)),
  join('join-count', (schema) => linksOf(schema).flatMap(childrenOf)),
  join('join-average', (schema) => linksOf(schema).flatMap(totalOf), { heldOut: true }),
  join('join-year', (schema) => namedLinks(schema).flatMap(inYear)),
  join('join-without', (schema) => namedLinks(schema).flatMap(without)),
  join('join-three', acrossTwo, { difficulty: 'hard' }),
];
