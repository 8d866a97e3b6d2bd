/** Questions about groups of rows. */
import type { Schema } from '../data/schema.ts';
import { type Ask, at, columns, type Link, labelOf, linksOf, namedLinks, pairsOf, type Template } from './template.ts';

const group = (name: string, asks: (schema: Schema) => Ask[], more: Partial<Template> = {}): Template => ({
  name,
  kind: 'group',
  difficulty: 'medium',
  asks,
  ...more,
});

const counted = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    columns(table, 'category').map((category) => ({
      slots: [],
      sql: () => `SELECT ${category.name}, COUNT(*) FROM ${table.name} GROUP BY ${category.name}`,
      text: () => `List each ${category.phrase} of ${table.many} with the number of ${table.many}.`,
    })),
  );

const averaged = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    pairsOf(table, ['category'], ['number']).map(([category, number]) => ({
      slots: [],
      sql: () => `SELECT ${category.name}, ROUND(AVG(${number.name}), 2) FROM ${table.name} GROUP BY ${category.name}`,
      text: () =>
        `List each ${category.phrase} of ${table.many} with their average ${number.phrase}, rounded to 2 decimals.`,
    })),
  );

const frequent = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    columns(table, 'category').map((category) => ({
      slots: [{ of: 'count', least: 3, most: Math.max(4, Math.floor(table.rows / 4)) }],
      sql: (least) =>
        `SELECT ${category.name} FROM ${table.name} GROUP BY ${category.name} HAVING COUNT(*) >= ${least}`,
      text: (least) => `List each ${category.phrase} that at least ${least} ${table.many} have.`,
    })),
  );

const yearly = ({ tables }: Schema): Ask[] =>
  tables.flatMap((table) =>
    columns(table, 'date')
      .filter(({ nullable }) => !nullable)
      .map((date) => ({
        slots: [],
        sql: () =>
          `SELECT strftime('%Y', ${date.name}), COUNT(*) FROM ${table.name} GROUP BY strftime('%Y', ${date.name}) ORDER BY strftime('%Y', ${date.name})`,
        text: () => `List each year of ${date.phrase} with its number of ${table.many}, earliest year first.`,
      })),
  );

const busy = ({ child, parent, join }: Link): Ask[] => [
  {
    slots: [{ of: 'count', least: 2, most: Math.max(3, Math.ceil((2 * child.rows) / parent.rows)) }],
    sql: (least) =>
      `SELECT ${at(parent, labelOf(parent))}, COUNT(*) FROM ${join} GROUP BY ${parent.name}.id HAVING COUNT(*) >= ${least}`,
    text: (least) =>
      `List the ${labelOf(parent).phrase} of all ${parent.many} with at least ${least} ${child.many}, with the number of ${child.many}.`,
  },
];

const busiest = ({ child, parent, join }: Link): Ask[] => {
  const groups = `FROM ${join} GROUP BY ${parent.name}.id ORDER BY COUNT(*) DESC`;
  return [
    {
      slots: [],
      sql: () => `SELECT ${at(parent, labelOf(parent))} ${groups} LIMIT 1`,
      text: () => `Name the ${parent.one} with the most ${child.many}.`,
      unique: () => `SELECT COUNT(*) = COUNT(DISTINCT value) FROM (SELECT COUNT(*) AS value ${groups} LIMIT 2)`,
    },
  ];
};

const totals = ({ child, parent, join }: Link): Ask[] =>
  columns(parent, 'category').flatMap((category) =>
    columns(child, 'number').map((number) => ({
      slots: [],
      sql: () =>
        `SELECT ${at(parent, category)}, ROUND(SUM(${at(child, number)}), 2) FROM ${join} GROUP BY ${at(parent, category)}`,
      text: () =>
        `List each ${category.phrase} of ${parent.many} with the total ${number.phrase} of their ${child.many}, rounded to 2 decimals.`,
    })),
  );

export const groupTemplates: readonly Template[] = [
  group('group-count', counted),
  group('group-average', averaged),
  group('group-having', frequent),
  group('group-year', yearly, { ordered: true }),
  group('group-join', (schema) => namedLinks(schema).flatMap(busy), { difficulty: 'hard' }),
  group('group-most', (schema) => namedLinks(schema).flatMap(busiest), { difficulty: 'hard' }),
  group('group-total', (schema) => linksOf(schema).flatMap(totals), { difficulty: 'hard', heldOut: true }),
];
