// A schema made of fields gives its settings and its refusals, each with the same bounds.
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { boundedList, choice, field, listOf, option, real, text, toggle, whole } from '../../src/fields/fields.ts';
import { fieldsOf, fieldsOfVariants } from '../../src/fields/reader.ts';
import { problemOf } from '../../src/fields/refusals.ts';

const facts = (label: string) => ({ label, sentence: `${label}.` });

const schema = v.strictObject({
  coins: field(v.pipe(whole(2, 6), v.multipleOf(2, 'must be a multiple of 2')), { ...facts('Coins'), unit: 'coins' }),
  bias: option(v.nullable(real(0, 1)), null, { ...facts('Bias'), step: 0.1, nullMeans: 'fair' }),
  sides: option(listOf('sides', choice(['heads', 'tails'])), ['heads'], facts('Sides')),
  rounds: boundedList('rounds', v.strictObject({ length: field(whole(1, 9), facts('Length')) }), 1, 3),
  note: option(text(0, 5), '', { ...facts('Note'), level: 'basic', change: 'free' }),
  plain: v.optional(toggle(), false),
});

it('a schema gives its fields, in order, with their bounds', () => {
  const common = { unit: '', level: 'advanced', change: 'fork' };
  expect(fieldsOf(schema)).toEqual([
    {
      ...common,
      path: 'coins',
      ...facts('Coins'),
      kind: 'integer',
      min: 2,
      max: 6,
      multipleOf: 2,
      step: 1,
      unit: 'coins',
    },
    {
      ...common,
      path: 'bias',
      ...facts('Bias'),
      kind: 'real',
      min: 0,
      max: 1,
      step: 0.1,
      nullMeans: 'fair',
      fallback: null,
    },
    { ...common, path: 'sides', ...facts('Sides'), kind: 'choices', choices: ['heads', 'tails'], fallback: ['heads'] },
    { ...common, path: 'rounds.*.length', ...facts('Length'), kind: 'integer', min: 1, max: 9, step: 1 },
    {
      ...common,
      path: 'note',
      ...facts('Note'),
      kind: 'text',
      longest: 5,
      level: 'basic',
      change: 'free',
      fallback: '',
    },
  ]);
});

it('a field of several variants is listed once, with the names of all', () => {
  const other = v.strictObject({ note: schema.entries.note });
  const found = fieldsOfVariants(
    [
      { name: 'a', schema },
      { name: 'b', schema: other },
    ],
    'game',
  );
  expect(found.map(({ field: { path }, names }) => [path, names.join()])).toEqual([
    ['game.coins', 'a'],
    ['game.bias', 'a'],
    ['game.sides', 'a'],
    ['game.rounds.*.length', 'a'],
    ['game.note', 'a,b'],
  ]);
});

const valid = { coins: 2, rounds: [{ length: 1 }] };

it.each([
  [{ rounds: [{ length: 2.5 }] }, 'rounds.0.length', 'must be a whole number from 1 to 9 (it is 2.5)'],
  [{ coins: 8 }, 'coins', 'must be at most 6 (it is 8)'],
  [{ coins: 3 }, 'coins', 'must be a multiple of 2 (it is 3)'],
  [{ coins: undefined }, 'coins', 'is missing'],
  [{ bias: 'much' }, 'bias', 'must be a number from 0 to 1 (it is "much")'],
  [{ sides: ['edge'] }, 'sides.0', 'must be "heads" or "tails" (it is "edge")'],
  [{ sides: ['heads', 'heads'] }, 'sides', 'must not repeat one of the sides (it is ["heads","heads"])'],
  [{ rounds: [] }, 'rounds', 'must have 1 to 3 rounds (it is [])'],
  [{ note: 'longer' }, 'note', 'must have at most 5 characters (it is "longer")'],
  [{ plain: 1 }, 'plain', 'must be true or false (it is 1)'],
  [{ coin: 2 }, 'coin', 'there is no such field'],
])('%j is refused by path, bound and value', (change, path, message) => {
  const result = v.safeParse(schema, { ...valid, ...change });
  expect(result.issues?.map((issue) => problemOf(issue))).toEqual([{ path, message }]);
});
