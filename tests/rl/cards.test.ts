/**
 * Cards of the algorithms: every algorithm has cards for the parts of a step, in order, and every symbol names an
 * existing source with an explanation.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { findKnob } from '../../src/experiment/knobs.ts';
import { readPath } from '../../src/experiment/paths.ts';
import { algorithms, cardsOf } from '../../src/rl/algorithms/registry.ts';
import { cardParts, type Source, symbolsOf, symbolWords } from '../../src/rl/common/formula.ts';
import { goalCard } from '../../src/rl/goals/card.ts';
import { goalRules, newGoals } from '../../src/rl/goals/registry.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';

const settingsOf = (each: (typeof algorithms)[number]) =>
  ({
    ...v.getDefaults(each.schema as never as v.StrictObjectSchema<v.ObjectEntries, undefined>),
    name: each.name,
  }) as never;

const known = (of: Source, explanation: string | undefined): boolean => {
  const [kind, ...rest] = of.split('.');
  const name = rest.join('.');
  if (explanation || symbolWords[of]) return true;
  if (kind === 'metric') return metricNamed(name) !== undefined;
  return findKnob(kind === 'setting' ? `algorithm.${name}` : name) !== undefined;
};

test.each(algorithms.map((each) => [each.name, each] as const))('%s', (_, algorithm) => {
  expect(algorithm.cards, 'cards of its own').toBeDefined();
  const cards = cardsOf(settingsOf(algorithm));
  const order = cards.map(({ part }) => cardParts.indexOf(part));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  for (const part of ['observe', 'act', 'reward', 'advantage', 'objective', 'update'])
    expect(
      cards.filter((card) => card.part === part),
      part,
    ).toHaveLength(1);
  for (const { formula } of cards)
    for (const { of, words } of symbolsOf(formula)) expect(known(of!, words), of).toBe(true);
});

test.each(goalRules.map(({ rule }) => rule))('the card of the rule %s reads settings that the rule has', (rule) => {
  const settings = newGoals(rule);
  const { part, formula } = goalCard(settings);
  expect(cardParts.indexOf(part)).toBe(0);
  for (const { of, words } of symbolsOf(formula)) {
    expect(known(of!, words), of).toBe(true);
    expect(readPath({ goals: settings }, of!.replace('experiment.', '')), of).toBeTypeOf('number');
  }
});

test('a card with the same id has the same text everywhere', () => {
  const sentences = new Map<string, string>();
  for (const algorithm of algorithms)
    for (const { id, sentence } of cardsOf(settingsOf(algorithm))) {
      expect(sentences.get(id) ?? sentence).toBe(sentence);
      sentences.set(id, sentence);
    }
});
