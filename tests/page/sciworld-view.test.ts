/** Logic of ScienceWorld's view and input line without a browser: completion, the plan's walls, scales, readings. */
import { beforeAll, describe, expect, test } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { choicesOf, commonStem, fittingActions } from '../../src/ui/stage/completion.ts';
import { wallBetween } from '../../src/worlds/sciworld/view/map.ts';
import { onScale, readingsOf } from '../../src/worlds/sciworld/view/readings.ts';
import type { SciWorldThing, SciWorldView } from '../../src/worlds/sciworld/view-data.ts';
import { SciWorld } from '../../src/worlds/sciworld/world.ts';

beforeAll(() => buildWasm());

describe('completion', () => {
  const actions = [
    'open door to hallway',
    'open fridge',
    'look around',
    'move fridge to oven',
    'pick up orange',
    'close Fridge',
  ];
  test.each([
    ['', actions],
    ['open', ['open door to hallway', 'open fridge']],
    ['  OPEN  fr', ['open fridge']],
    ['fri', ['open fridge', 'move fridge to oven', 'close Fridge']],
    ['ov mo', ['move fridge to oven']],
    ['or', ['pick up orange', 'open door to hallway']],
    ['zebra', []],
  ])('%j', (typed, fitting) => expect(fittingActions(actions, typed)).toEqual(fitting));
  test.each([
    ['op', 'open '],
    ['open f', 'open fridge'],
    ['close fri', 'close Fridge'],
    ['', ''],
    ['fri', 'fri'],
  ])('Tab after %j fills in %j', (typed, stem) => expect(commonStem(actions, typed)).toBe(stem));
  test('a question is answered in its own order, and only a question', () => {
    const numbers = ['0', '1', '10', '2'];
    const question = 'Ambiguous request:\n0:\topen door\n1:\topen jar (in kitchen)\n2:\ta\n10:\tb\n';
    expect(choicesOf(question, numbers)).toEqual(['0: open door', '1: open jar (in kitchen)', '2: a', '10: b']);
    expect(choicesOf('nothing asked', numbers)).toBeNull();
    expect(choicesOf(question, actions)).toBeNull();
    expect(choicesOf(question, null)).toBeNull();
  });
});

describe("ScienceWorld's plan and scales", () => {
  test('every door of the world is in a wall', async () => {
    const world = await SciWorld.open();
    await world.reset([0], [{ world: 'sciworld', id: 0, options: {}, strata: {} }]);
    const view = (await world.view(0)) as SciWorldView;
    expect(view.doors).toHaveLength(10);
    const places = view.doors.map(({ from, to }) => wallBetween(from, to));
    expect(places).not.toContain(null);
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(10);
    expect(wallBetween('bathroom', 'foundry')).toBeNull();
  });
  test('a temperature maps to 0 to 1, warmer further right', () => {
    const places = [-273, -100, -10, 0, 37, 100, 1000, 3000, 9999].map(onScale);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect([places[0], places[1], places.at(-1)]).toEqual([0, 0, 1]);
  });
  test('readings: the focused thing, thermometers, then the largest changes', () => {
    const thing = (id: number, change: number, more: Partial<SciWorldThing> = {}): SciWorldThing => ({
      ...{ id, name: `${id}`, kind: '', detail: '', marks: [], temperature: 20, change, contents: [] },
      ...more,
    });
    const pot = thing(1, 0.1, { contents: [thing(2, -5), thing(3, 2)] });
    const view = {
      things: [pot, thing(4, 9, { temperature: null })],
      inventory: [thing(5, 0, { kind: 'thermometer' })],
    };
    expect(readingsOf({ ...view, focus: 1 } as unknown as SciWorldView).map(({ id }) => id)).toEqual([5, 1, 2, 3]);
  });
});
