// Bounds on the texts between a policy and a world: a longer action does not reach the world, a longer observation is
// cut, and everything else is the world's own.
import { expect, it } from 'vitest';
import type { Feedback, World } from '../../src/envs/env.ts';
import { MOST_ACTION, MOST_OBSERVATION, withTextBounds } from '../../src/envs/text-bounds.ts';
import { MOST_NAME, MOST_TEXT, treeText } from '../../src/webarena/tree-text.ts';

class Echo {
  readonly seen: [slots: readonly number[], actions: readonly string[]][] = [];
  observation = '';
  private readonly greeting = 'hello';
  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    this.seen.push([slots, actions]);
    return actions.map((action) => ({
      observation: this.observation || `did ${action}`,
      reward: 1,
      done: false,
      valid: true,
    }));
  }
  async reset(slots: readonly number[]): Promise<Feedback[]> {
    return slots.map(() => ({ observation: this.observation, reward: 0, done: false, valid: true }));
  }
  describe() {
    return { name: this.greeting };
  }
}

const opened = () => {
  const echo = new Echo();
  return { echo, world: withTextBounds(echo as unknown as World) };
};

it('an action at the bound is taken; a longer one is refused by its length, beside the others', async () => {
  const { echo, world } = opened();
  const [most, more] = ['x'.repeat(MOST_ACTION), ' '.repeat(100_000)];
  const answers = await world.step([4, 7, 9], [most, more, 'look']);
  expect(echo.seen).toEqual([
    [
      [4, 9],
      [most, 'look'],
    ],
  ]);
  expect(answers.map(({ valid, reward }) => [valid, reward])).toEqual([
    [true, 1],
    [false, 0],
    [true, 1],
  ]);
  expect(answers[1].observation).toMatch(/has 100,000 characters, and 10,000 is the most: it was not taken/);
  await world.step([4], [more]);
  expect(echo.seen).toHaveLength(1);
});

it('an observation above the bound is cut and says so', async () => {
  const { echo, world } = opened();
  echo.observation = 'y'.repeat(MOST_OBSERVATION + 5);
  for (const [{ observation }] of [await world.step([0], ['look']), await world.reset([0], [])]) {
    expect(observation.slice(0, MOST_OBSERVATION)).toBe('y'.repeat(MOST_OBSERVATION));
    expect(observation.slice(MOST_OBSERVATION)).toBe(
      '\n[The observation has 1,000,005 characters; it is cut after 1,000,000.]',
    );
  }
  echo.observation = 'y'.repeat(MOST_OBSERVATION);
  expect((await world.reset([0], []))[0].observation).toBe(echo.observation);
});

it('a character beyond the basic plane counts once and is not cut in two', async () => {
  const { echo, world } = opened();
  const [most, more] = ['\u{1F600}'.repeat(MOST_ACTION), '\u{1F600}'.repeat(MOST_ACTION + 1)];
  const [taken, refused] = await world.step([0, 1], [most, more]);
  expect([taken.valid, refused.valid]).toEqual([true, false]);
  expect(refused.observation).toMatch(/has 10,001 characters/);
  echo.observation = `${'y'.repeat(MOST_OBSERVATION - 1)}\u{1F600}z`;
  const [{ observation }] = await world.reset([0], []);
  expect(observation.startsWith(`${'y'.repeat(MOST_OBSERVATION - 1)}\u{1F600}\n[The observation has 1,000,001`)).toBe(
    true,
  );
});

it('an observation of the web has bounded names, titles and properties, and a bounded length', () => {
  const long = 'z'.repeat(2_000_000);
  const names = Array.from({ length: 200 }, () => long);
  const tree = [
    { nodeId: '1', role: { value: 'RootWebArea' }, name: { value: long }, childIds: names.map((_, k) => `${k + 2}`) },
    ...names.map((value, k) => ({
      ...{ nodeId: `${k + 2}`, parentId: '1', role: { value: 'button' }, name: { value }, backendDOMNodeId: k },
      properties: [{ name: 'roledescription', value: { value } }],
    })),
  ];
  const screen = { screenWidth: 100, screenHeight: 100, devicePixelRatio: 1, layoutWidth: 100 };
  const { text } = treeText(tree, () => [0, 0, 10, 10], { titles: [long, 'b'], current: 1 }, screen, false);
  const title = `Tab 0: ${'z'.repeat(MOST_NAME)} [cut: it has 2,000,000 characters] | Tab 1 (current): b\n\n`;
  expect(text.startsWith(title)).toBe(true);
  expect(text.slice(MOST_TEXT)).toMatch(/^ \[cut: it has [\d,]+ characters\]$/);
});

it('other methods are those of the world', () => {
  const { world } = opened();
  expect(world.describe().name).toBe('hello');
  expect(world.advise).toBeUndefined();
});
