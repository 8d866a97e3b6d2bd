// The rule for releasing a thread: two slow responses among the last twenty, not one.
import { expect, test } from 'vitest';
import { Interactions } from '../../src/ui/app/interactions.ts';

test('one slow response among twenty is accepted, two are not, and older ones no longer count', () => {
  const interactions = new Interactions();
  const add = (id: number, ms: number) => interactions.add(id, ms);
  expect(add(1, 250)).toBe(false);
  // The events of one interaction count as one response, by the longest.
  expect(add(1, 400)).toBe(false);
  for (let id = 2; id <= 20; id++) expect(add(id, 200)).toBe(false);
  expect(add(21, 201)).toBe(false);
  expect(add(22, 90)).toBe(false);
  expect(add(23, 300)).toBe(true);
  // The count starts over: responses before the release do not count.
  expect(add(24, 300)).toBe(false);
  interactions.forget();
  expect(add(25, 300)).toBe(false);
});
