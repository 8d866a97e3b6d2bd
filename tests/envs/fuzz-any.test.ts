/** The fuzzer of every world: it plays small worlds without a problem, and finds the faults that are planted in one. */
import { describe, expect, it } from 'vitest';
import type { Feedback, World } from '../../src/envs/env.ts';
import { OptionsError } from '../../src/envs/options.ts';
import { Random } from '../../src/envs/random.ts';
import { openWorld, worldModule, worldModules } from '../../src/worlds/registry.ts';
import { drawOptions } from '../../tools/fuzz/drawn-options.ts';
import { fuzzAnyWorld, isFuzzable } from '../../tools/fuzz/play-any.ts';

/** Worlds that take a fraction of a second for thousands of actions; a world may have been removed. */
const small = ['bargain', 'kuhn', 'proposer', 'tictactoe', 'twenty-questions', 'textcraft'].filter((name) =>
  worldModules.some((module) => module.name === name),
);

it.each(small)('plays %s', { timeout: 120_000 }, async (name) => {
  const report = await fuzzAnyWorld(worldModule(name), await openWorld(name), 2000, 5);
  expect(report.problems).toEqual([]);
  expect(report.actions).toBeGreaterThanOrEqual(2000);
  expect(report.valid).toBeGreaterThan(0);
});

it('draws options that each world accepts, and not only its defaults', () => {
  for (const module of worldModules.filter(isFuzzable)) {
    const random = new Random(3);
    const drawn = Array.from({ length: 20 }, () => drawOptions(module, random));
    for (const options of drawn) expect(() => module.options(options), module.name).not.toThrow(OptionsError);
    // A typed world has no options beside its code.
    if (!module.codeOptions)
      expect(new Set(drawn.map((each) => JSON.stringify(each))).size, module.name).toBeGreaterThan(2);
  }
});

/** TextCraft whose every 20th answer is changed. */
async function faulty(change: (answer: Feedback, count: number) => Partial<Feedback>): Promise<World> {
  const world = await openWorld('textcraft');
  let count = 0;
  const step: World['step'] = async (...call) =>
    (await world.step(...call)).map((answer) => (++count % 20 ? answer : { ...answer, ...change(answer, count) }));
  return Object.create(world, { step: { value: step } });
}

describe('planted faults', () => {
  const faults: [string, RegExp, (answer: Feedback, count: number) => Partial<Feedback>][] = [
    ['a failure', /failure trap/, () => ({ failure: 'trap' })],
    ['a reward without a bound', /reward 1e\+30/, () => ({ reward: 1e30 })],
    ['a reward that is not a number', /reward NaN/, () => ({ reward: Number.NaN })],
    ['a success before the end', /before the end/, () => ({ reward: 2, done: false })],
    ['half a character', /half a character/, () => ({ observation: 'a\ud800' })],
    ['an observation without a bound', /too long/, () => ({ observation: 'x'.repeat(2_000_000) })],
    ['no observation', /no text/, () => ({ observation: undefined as never })],
    ['chance that no seed decides', /a replay differs/, (_, count) => ({ observation: `card ${count}` })],
    ['empty valid actions', /another form/, () => ({ validActions: [''] })],
  ];
  it.each(faults)('%s', { timeout: 60_000 }, async (_, found, change) => {
    const { problems } = await fuzzAnyWorld(worldModule('textcraft'), await faulty(change), 20_000, 1);
    expect(problems.join('\n')).toMatch(found);
  });
});
