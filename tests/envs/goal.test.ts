/** Goals read from the first observations of the worlds that are played here. */
import { expect, test } from 'vitest';
import type { WorldOptions } from '../../src/envs/env.ts';
import { goalIn } from '../../src/envs/goal.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { hasWorlds, rowsHere } from '../worlds.ts';

async function opening(name: string, options: WorldOptions = {}): Promise<string> {
  const world = await openWorld(name);
  try {
    const [task] = await world.tasks(options, 'train');
    const [{ observation }] = await world.reset([0], [task]);
    return observation;
  } finally {
    await world.close();
  }
}

test.each(
  rowsHere([
    ['textcraft', 'craft diamond block'],
    ['babyai', 'go to the red ball'],
    ['search', 'By whom is The Crooked Orchard kept?'],
    ['web', 'Open the category Garden'],
  ]),
)('%s: %s', async (name, goal) => {
  expect(goalIn(await opening(name))).toBe(goal);
});

test.skipIf(!hasWorlds('sciworld'))(
  'ScienceWorld’s goal begins after “to”, and keeps its later sentences',
  async () => {
    expect(goalIn(await opening('sciworld'))).toMatch(/^boil water\. For compounds .* state of matter$/);
  },
);

test.each(
  rowsHere([
    ['wordle', /^Guess the hidden word of five letters\. You have 6 tries\.$/],
    ['maze', /^The goal is at position \d+, \d+\. Your current position/],
  ]),
)('a text of %s names no goal and gives its first line', async (name, line) => {
  expect(goalIn(await opening(name))).toMatch(line);
});

test('a text that names no goal gives its first line', () => {
  expect(goalIn('\n  one\ntwo')).toBe('one');
  expect(goalIn('')).toBe('');
});

test('a compact text, another letter case, and a word that only contains “goal”', () => {
  expect(goalIn('goal: PICK UP A BOX\nfront: grey key')).toBe('PICK UP A BOX');
  expect(goalIn('Your task is to: find a lamp.')).toBe('find a lamp');
  expect(goalIn('Goals: 3 to 1\nGoal: score')).toBe('score');
});
