// When the page gives a thread back: two slow answers among the last twenty, and not one.
import { expect, test } from 'vitest';
import { Interactions } from '../../src/ui/app/interactions.ts';

test('one slow answer among twenty is borne, two are not, and one that is long past is forgotten', () => {
  const interactions = new Interactions();
  const add = (id: number, ms: number) => interactions.add(id, ms);
  expect(add(1, 250)).toBe(false);
  // The events of one interaction are one answer: the longest.
  expect(add(1, 400)).toBe(false);
  for (let id = 2; id <= 20; id++) expect(add(id, 200)).toBe(false);
  expect(add(21, 201)).toBe(false);
  expect(add(22, 90)).toBe(false);
  expect(add(23, 300)).toBe(true);
  // Counting begins anew: what was slow before the thread was given back is not held against the rest.
  expect(add(24, 300)).toBe(false);
  interactions.forget();
  expect(add(25, 300)).toBe(false);
});
