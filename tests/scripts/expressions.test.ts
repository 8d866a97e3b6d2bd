// Every regular expression was checked for its time on hostile text; a new one is added by `npm run expressions -- --write`.
import { expect, test } from 'vitest';
import { allExpressions, expressionsIn, problemsOf, reviewedList } from '../../scripts/expressions.mjs';

test('the list has every expression of the sources, and a note for each that is not linear', {
  timeout: 120_000,
}, () => {
  expect(problemsOf(allExpressions(), reviewedList())).toEqual([]);
});

test('literals and composed expressions are found, by their text', () => {
  const source =
    "const a = /x+y/gu; const b = (c: string) => new RegExp(c + 'd', 'u'); const e = RegExp('f'); g = 1 / 2 / 3;";
  expect(expressionsIn('a.ts', source).map(({ text }) => text)).toEqual([
    '/x+y/gu',
    "new RegExp(c + 'd', 'u')",
    "RegExp('f')",
  ]);
});

test('an expression that is new, exponential or without a note is a problem', () => {
  const found = new Map([
    ['/a/', {}],
    ['/b/', {}],
    ['/c/', {}],
    ['/d/', {}],
  ]);
  const list = {
    '/a/': 'linear',
    '/b/': 'exponential: fine',
    '/c/': 'polynomial of degree 2',
    '/e/': 'undecided: short',
  };
  expect(problemsOf(found, list)).toEqual([
    'not checked: /d/',
    'exponential: fine, without a note: /b/',
    'polynomial of degree 2, without a note: /c/',
  ]);
});
