// Measures of games in evaluations, suites and their reports: those of each finished game, whoever plays it.
import { describe, expect, it } from 'vitest';
import type { World } from '../../src/envs/env.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { ChatPlay, type Replier } from '../../src/rl/episode/chat-episode.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { reportText, suiteReport } from '../../src/rl/evaluation/suite-report.ts';
import { gameMetrics } from '../../src/rl/metrics/game-metrics.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { bargain } from '../../src/worlds/bargain/index.ts';
import { openBargain } from '../../src/worlds/bargain/world.ts';
import { openKuhn } from '../../src/worlds/kuhn/world.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings } from './setup.ts';

const names = ['agreements', 'jointValue', 'nashProduct', 'paretoOptimal'];
const tokenizer = buildTokenizer(bargain.vocabulary!.texts as string[]);
const options = { turns: 4, items: 4 };

async function evaluatorOf(world: World) {
  const sizes = { batchScored: 4096, batchTokens: 16_384, promptTokens: 64, groups: 64 };
  const policy = new FakePolicy(tokenizer.vocabSize, capacity(sizes), 16_384);
  const { name } = world.describe();
  const own = name === 'bargain' ? options : {};
  const { evaluator } = await Trainer.create(
    settings({ worlds: [{ name, weight: 1, options: own }], horizon: [{ steps: 8, turns: 4 }] }),
    { policy, worlds: new Map([[name, world]]), tokenizer },
  );
  return evaluator;
}

const suite = {
  name: 's',
  label: 'Suite',
  sentence: 'A suite.',
  split: 'test' as const,
  turns: 4,
  columns: ['first', 'second'],
  columnOf: ({ strata }: { strata: { [name: string]: unknown } }) => String(strata.seat),
  most: 24,
};

describe('an evaluation', () => {
  it('has the means of its finished games, with intervals', async () => {
    const evaluator = await evaluatorOf(openBargain());
    const { train, test } = await evaluator.evaluate(1);
    for (const { measures, policy, score } of [train, test]) {
      expect(Object.keys(measures!).sort()).toEqual(names);
      const { agreements, jointValue } = measures!;
      expect(agreements.episodes).toBe(policy.episodes);
      expect(agreements.low).toBeLessThan(agreements.mean);
      // A success is an agreement, and both seats together have at least what one of them has.
      expect(agreements.mean).toBeGreaterThanOrEqual(policy.rate);
      expect(jointValue.mean).toBeGreaterThan(score / 2);
    }
  });

  it('has none where no world measures its games', async () => {
    const { test } = await (await evaluatorOf(openKuhn())).evaluate(1);
    expect(test).not.toHaveProperty('measures');
  });
});

describe('a suite', () => {
  it('keeps the measures of each try, and tabulates them by part', async () => {
    const evaluator = await evaluatorOf(openBargain());
    const own = { ...suite, options };
    const items = await evaluator.suite(own, { world: 'bargain', samples: 2, temperature: 1, seed: 1 });
    const tries = items.flatMap((item) => item.tries);
    for (const { score, measures } of tries) expect(measures!.agreements).toBeGreaterThanOrEqual(score > 0 ? 1 : 0);
    const asked = { samples: 2, temperature: 1, greedy: false, masked: true, seed: 1 };
    const report = suiteReport({ suite: own, policy: 'ours', settings: asked, items, turns: [] });
    const all = report.rows.at(-1)!.measures!;
    expect(Object.keys(all).sort()).toEqual(names);
    const mean = tries.reduce((sum, { measures }) => sum + measures!.agreements, 0) / tries.length;
    expect(all.agreements.mean).toBeCloseTo(mean, 12);
    expect(reportText(report, own.columns)).toMatch(
      /Both seats together\n +agreements +jointValue +paretoOptimal +nashProduct\nfirst .*\nsecond .*\nAll .*0\.\d{3}/,
    );
  });
});

describe('a game', () => {
  it('is measured without the actions that its world did not take', async () => {
    const world = openBargain();
    const worlds = new Map([['bargain', world]]);
    const [task] = (await world.tasks(options, 'train')).filter(({ id }) => id % 2 === 1);
    const [start] = await world.reset([0], [task]);
    const offers = start.validActions!.filter((action) => action !== 'accept');
    const actions = [offers[0], 'accept'];
    for (const action of actions) await world.step([0], [action]);
    const turn = (action: string, valid = true) => ({ action, valid });
    const of = (turns: object[]) => gameMetrics(worlds, [{ task, turns, ending: 'done' } as unknown as Trajectory]);
    const whole = await of(actions.map((action) => turn(action)));
    expect(whole.agreements).toBe(1);
    expect(await of([turn('accept', false), ...actions.map((action) => turn(action))])).toEqual(whole);
  });

  it('is measured where a policy behind an API plays it', async () => {
    const world = openBargain();
    const tasks = (await world.tasks(options, 'train')).filter(({ id }) => id % 2 === 1).slice(0, 3);
    const accepts: Replier = async (messages) => (messages.length === 3 ? 'nonsense' : 'accept');
    const request = { tasks, groupSize: 1, limit: 4, endOnInvalid: false, atOnce: 1, contextTurns: 0 };
    const { signal } = new AbortController();
    const episodes = await new ChatPlay(new Map([['bargain', world]]), accepts, request, { signal }).play();
    expect(episodes.map(({ turns, measures }) => [turns, measures!.agreements])).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
  });
});
