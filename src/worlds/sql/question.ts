/** Draws the question of a task from its template and a made database, and lists the statements that a text allows. */

import { type ReadOnlyDatabase, SqlError, type Value } from '../../corpus/databases/read-only.ts';
import type { Random } from '../../envs/random.ts';
import { literal } from './data/database.ts';
import type { Schema } from './data/schema.ts';
import { sameRows } from './judge.ts';
import type { Ask, Constant, Slot, Template } from './templates/template.ts';

export interface Question {
  text: string;
  gold: string;
  ordered: boolean;
}

/** Constant as the question shows it. */
const shown = (constant: Constant) => (typeof constant === 'string' ? JSON.stringify(constant) : String(constant));

/** Constant as the statement has it: the year of a date stands in quotes already. */
const written = (constant: Constant, { of }: Slot) => (of === 'year' ? String(constant) : literal(constant));

const sqlOf = (ask: Ask, constants: readonly Constant[]) =>
  ask.sql(...constants.map((constant, k) => written(constant, ask.slots[k])));

function uniqueOf({ unique, slots }: Ask, constants: readonly Constant[]): string | null {
  return unique ? unique(...constants.map((constant, k) => written(constant, slots[k]))) : null;
}

function textOf({ text, slots }: Ask, constants: readonly Constant[]): string {
  return text(...constants.map((constant, k) => (/date/.test(slots[k].of) ? String(constant) : shown(constant))));
}

/** Values of a column, each as often as it occurs; null for a column without any. */
function drawConstant(random: Random, slot: Slot, database: ReadOnlyDatabase): Constant | null {
  if (slot.of === 'count') return random.between(slot.least, slot.most);
  const { table, column, of } = slot;
  const { rows } = database.run(`SELECT ${column.name} FROM ${table.name} WHERE ${column.name} IS NOT NULL`);
  if (!rows.length) return null;
  const value = random.pick(rows)[0] as Constant;
  return of === 'year' ? Number(String(value).slice(0, 4)) : value;
}

function drawConstants(random: Random, { slots }: Ask, database: ReadOnlyDatabase): Constant[] | null {
  const drawn = slots.map((slot) => drawConstant(random, slot, database));
  if (drawn.includes(null)) return null;
  const constants = drawn as Constant[];
  const numbers = slots.length === 2 && slots.every(({ of }) => of === 'number');
  if (numbers) constants.sort((a, b) => Number(a) - Number(b));
  return new Set(constants).size === constants.length ? constants : null;
}

const resultIs = (rows: readonly (readonly Value[])[], value: Value) =>
  rows.length === 1 && rows[0].length === 1 && rows[0][0] === value;

/** Maximum number of rows of an answer. */
const mostRows = 200;

/** A task is worth asking: its answer has rows, is not empty or zero, and is unambiguous. */
function isGood(database: ReadOnlyDatabase, gold: string, unique: string | null): boolean {
  try {
    const { rows } = database.run(gold);
    if (!rows.length || rows.length > mostRows || resultIs(rows, 0) || resultIs(rows, null)) return false;
    return unique === null || sameRows(database.run(unique).rows, [[1]], true);
  } catch (error) {
    if (error instanceof SqlError) return false;
    throw error;
  }
}

/** Attempts to find a good question in a database. */
const attempts = 12;

/** A question of a template about a database; null if none was found. */
export function drawQuestion(
  random: Random,
  template: Template,
  schema: Schema,
  database: ReadOnlyDatabase,
): Question | null {
  const asks = template.asks(schema);
  if (!asks.length) return null;
  for (let k = 0; k < attempts; k++) {
    const ask = random.pick(asks);
    const constants = drawConstants(random, ask, database);
    if (!constants) continue;
    const gold = sqlOf(ask, constants);
    if (isGood(database, gold, uniqueOf(ask, constants)))
      return { text: textOf(ask, constants), gold, ordered: template.ordered === true };
  }
  return null;
}

/** Constants that a question shows, by kind. */
function constantsIn(question: string): { [of in Slot['of']]: Constant[] } {
  const text = [...question.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => JSON.parse(quoted) as string);
  const rest = question.replace(/"(?:[^"\\]|\\.)*"/g, ' ');
  const date = rest.match(/\b\d{4}-\d\d-\d\d\b/g) ?? [];
  const number = (rest.replace(/\b\d{4}-\d\d-\d\d\b/g, ' ').match(/(?<![\w.])-?\d+(\.\d+)?(?!\w)/g) ?? []).map(Number);
  const year = number.filter((value) => Number.isInteger(value) && value >= 1000 && value <= 9999);
  return { text, date, number, year, count: number.filter(Number.isInteger) };
}

function fillings(slots: readonly Slot[], constants: ReturnType<typeof constantsIn>): Constant[][] {
  return slots.reduce<Constant[][]>(
    (all, { of }) => all.flatMap((some) => constants[of].map((constant) => [...some, constant])),
    [[]],
  );
}

/** Statements of templates about a schema with the constants that a question shows, each once. */
export function statementsFor(templates: readonly Template[], schema: Schema, question: string): string[] {
  const constants = constantsIn(question);
  const asks = templates.flatMap((template) => template.asks(schema));
  return [...new Set(asks.flatMap((ask) => fillings(ask.slots, constants).map((some) => sqlOf(ask, some))))];
}
