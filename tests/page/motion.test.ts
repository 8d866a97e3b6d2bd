/** Pure parts of slow motion and of TextCraft's tiles. */
import { describe, expect, test } from 'vitest';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import type { StepInspection } from '../../src/session/protocol.ts';
import { meanProbability } from '../../src/ui/learn/update-motion.ts';
import { atTemperature } from '../../src/ui/state/temperature.ts';
import { NameExchange } from '../../src/worlds/textcraft/name-exchange.ts';
import { textcraftFixture } from '../../src/worlds/textcraft/view/fixture.ts';
import { colorOf, shapeOf } from '../../src/worlds/textcraft/view/tile.ts';
import type { TextCraftView } from '../../src/worlds/textcraft/view-data.ts';

describe('a temperature', () => {
  const logits = [2, 0.5, -1];
  const softmax = (t: number) => {
    const powers = logits.map((z) => Math.exp(z / t));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((each) => each / sum);
  };

  test('gives the softmax of the same scores at that temperature', () => {
    for (const [from, to] of [
      [1, 0.5],
      [0.7, 2],
      [1, 1],
    ])
      atTemperature(softmax(from), from, to).forEach((p, k) => expect(p).toBeCloseTo(softmax(to)[k], 10));
  });

  test('near zero leaves the likeliest token', () => {
    expect(atTemperature([0.6, 0.3, 0.1], 1, 0.02)[0]).toBeCloseTo(1, 6);
  });
});

test('the mean probability of an episode is that of its trained tokens', () => {
  const logs = (...values: number[]) => Float32Array.from(values, Math.log);
  const episodes = [{ group: 0, member: 1, before: logs(0.25, 0.75), after: logs(0.5, 1) }];
  const inspection = { step: 1, episodes } as unknown as StepInspection;
  const found = meanProbability(inspection, { group: 0, member: 1 } as Trajectory)!;
  expect(found.before).toBeCloseTo(0.5, 6);
  expect(found.after).toBeCloseTo(0.75, 6);
  expect(meanProbability(inspection, { group: 0, member: 0 } as Trajectory)).toBeNull();
});

describe('a tile', () => {
  test('has a shape by the kind and a colour by the material', () => {
    expect(shapeOf('oak planks')).toBe(shapeOf('birch planks'));
    const kinds = [
      'oak planks',
      'stick',
      'oak door',
      'oak trapdoor',
      'iron ingot',
      'iron sword',
      'iron pickaxe',
      'apple',
    ];
    expect(new Set(kinds.map(shapeOf)).size).toBe(kinds.length);
    expect(shapeOf('diamond')).not.toBe(shapeOf('diamond sword'));
    expect(new Set(['oak', 'dark oak', 'birch', 'spruce'].map((wood) => colorOf(`${wood} planks`))).size).toBe(4);
    expect(colorOf('red sandstone slab')).not.toBe(colorOf('sandstone slab'));
  });

  test('of an unknown material has a colour that depends on the name alone', () => {
    expect(colorOf('zzz')).toBe(colorOf('zzz'));
    expect(colorOf('zzz')).toMatch(/^hsl\(/);
  });
});

test('a view with exchanged names is marked as such', () => {
  const view = textcraftFixture.view!(1) as TextCraftView;
  expect(view.renamed).toBeUndefined();
  expect(new NameExchange(['stick', 'lever', 'cobblestone'], 1).view(view).renamed).toBe(true);
});
