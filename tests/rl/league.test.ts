// Self-play: the strategy computed from the policy against games that it samples, opponents and ratings of a step, and
// exact resume.
import { describe, expect, it, vi } from 'vitest';
import {
  expectedPayoff,
  exploitability,
  meanStrategy,
  type Strategy,
  seatLines,
  uniformStrategy,
} from '../../src/envs/game.ts';
import { strategyIn } from '../../src/envs/game-world.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { groupBy } from '../../src/rl/common/numbers.ts';
import { contextBefore } from '../../src/rl/episode/window.ts';
import { newGoals } from '../../src/rl/goals/registry.ts';
import { League } from '../../src/rl/league.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { NotRepeatableError, Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { bargain } from '../../src/worlds/bargain/index.ts';
import { openBargain } from '../../src/worlds/bargain/world.ts';
import { kuhn } from '../../src/worlds/kuhn/index.ts';
import { kuhnEquilibrium, kuhnGame } from '../../src/worlds/kuhn/rules.ts';
import { openKuhn } from '../../src/worlds/kuhn/world.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings } from './setup.ts';

const tokenizer = buildTokenizer(kuhn.vocabulary!.texts as string[]);
const bargainWords = buildTokenizer(bargain.vocabulary!.texts as string[]);
const lines = seatLines(kuhnGame);

const options = (change: Partial<TrainerSettings> = {}): TrainerSettings => {
  const base = settings();
  return {
    ...base,
    worlds: [{ name: 'kuhn', weight: 1, options: { leagueEvery: 2, leagueSize: 2, leagueShare: 0.5 } }],
    algorithm: { ...base.algorithm, groups: 12, groupSize: 4, minibatches: 1 },
    horizon: [{ steps: 1, turns: 4 }],
    ...change,
  };
};

/** Two fifths of the groups are against the world's own player. */
const mixed: Partial<TrainerSettings> = {
  worlds: [{ name: 'kuhn', weight: 1, options: { leagueEvery: 2, leagueSize: 2, leagueShare: 0.5, leagueOwn: 0.4 } }],
};

const newPolicy = () =>
  new FakePolicy(tokenizer.vocabSize, capacity({ batchScored: 256, batchTokens: 1024, groups: 16 }), 1024);

async function opened(policy = newPolicy(), change: Partial<TrainerSettings> = {}) {
  const worlds = new Map([['kuhn', openKuhn()]]);
  await policy.freezeReference();
  return { policy, worlds, trainer: await Trainer.create(options(change), { policy, worlds, tokenizer }) };
}

const isSame = (a: Strategy, b: Strategy) => JSON.stringify(a) === JSON.stringify(b);

/** Frequencies of the actions in the policy's own games, by the text of its conversation. */
async function sampled(): Promise<Map<string, number[]>> {
  const { trainer } = await opened(newPolicy(), {
    algorithm: { ...options().algorithm, groups: 120, groupSize: 16 },
    optimizer: { ...options().optimizer, learningRate: 0 },
  });
  const counts = new Map<string, number[]>();
  const { trajectories } = await trainer.step(1);
  for (const { prompt, turns } of trajectories) {
    let information = prompt;
    for (const { action, observation } of turns) {
      const { turn } = lines.find((line) => line.information === information)!;
      const count = counts.get(information) ?? turn.offered.map(() => 0);
      count[turn.offered.indexOf(action)]++;
      counts.set(information, count);
      information += `\n${action}\n${observation}`;
    }
  }
  return counts;
}

/** Tokens of each prompt of a batch, from which its sequences go on. */
const headsOf = ({ tokens, segments }: PackedBatch) =>
  segments.flatMap(({ start, end, parent }) => (parent < 0 ? [tokens.subarray(start, end).join()] : []));

describe('the league', () => {
  it('computes the strategy that the policy samples', async () => {
    const { policy, worlds, trainer } = await opened();
    const { conversation } = trainer.evaluator;
    const league = League.of(options(), { policy, worlds, conversation })!;
    await league.begin(1);
    const [task] = league.oppose(await worlds.get('kuhn')!.tasks({}, 'train'));
    const strategy = strategyIn(task)!;
    expect(Object.keys(strategy).sort()).toEqual(Object.keys(uniformStrategy(lines)).sort());
    let tested = 0;
    for (const [information, counts] of await sampled()) {
      const total = counts[0] + counts[1];
      if (total < 50) continue;
      tested++;
      const deviation = Math.sqrt((strategy[information][0] * strategy[information][1]) / total);
      expect(Math.abs(counts[0] / total - strategy[information][0])).toBeLessThan(4.5 * deviation + 1e-6);
    }
    expect(tested).toBeGreaterThan(9);
  });

  it('keeps the latest selves, plays the share of its games against them, and rates them by results', async () => {
    const { trainer, policy } = await opened();
    const metrics = [];
    for (let k = 1; k <= 6; k++) metrics.push((await trainer.step(k)).record.metrics);
    expect(metrics.map(({ leagueSelves }) => leagueSelves)).toEqual([1, 1, 2, 2, 2, 2]);
    expect(metrics.every(({ exploitability }) => exploitability > 0)).toBe(true);
    const { selves, rating } = JSON.parse(policy.texts.get('league')!);
    expect(selves.map(({ step }: { step: number }) => step)).toEqual([2, 4]);
    expect(metrics.at(-1)!.leagueRating).toBe(rating);
    expect(rating).not.toBe(1000);
  });

  it('keeps the mean of its strategies, as a player who draws one before each game', async () => {
    const { policy, worlds, trainer } = await opened();
    const { conversation } = trainer.evaluator;
    const strategies: Strategy[] = [];
    let last = 0;
    for (let k = 1; k <= 4; k++) {
      const league = League.of(options(), { policy, worlds, conversation })!;
      await league.begin(k);
      const own = league.oppose(await worlds.get('kuhn')!.tasks({}, 'train')).filter((_, i) => i < 40);
      strategies.push(strategyIn(own.find((task) => !strategies.some((each) => isSame(each, strategyIn(task)!)))!)!);
      last = (await trainer.step(k)).record.metrics.exploitabilityOfMean;
    }
    const mean = meanStrategy(JSON.parse(policy.texts.get('league')!).average);
    // The payoff against any opponent is the weighted mean of the payoffs of the strategies.
    for (const opponent of [uniformStrategy(lines), kuhnEquilibrium(), kuhnEquilibrium(0)]) {
      const first = strategies.map((each, i) => (i + 1) * expectedPayoff(kuhnGame, each, opponent));
      const second = strategies.map((each, i) => (i + 1) * expectedPayoff(kuhnGame, opponent, each));
      const total = (parts: number[]) => parts.reduce((sum, part) => sum + part, 0) / 10;
      expect(expectedPayoff(kuhnGame, mean, opponent)).toBeCloseTo(total(first), 10);
      expect(expectedPayoff(kuhnGame, opponent, mean)).toBeCloseTo(total(second), 10);
    }
    expect(last).toBeCloseTo(exploitability(kuhnGame, mean), 10);
  });

  it('plays a share of its groups against the world’s own player, and rates it by name', async () => {
    const { policy, worlds, trainer } = await opened(newPolicy(), mixed);
    const { conversation } = trainer.evaluator;
    const metrics = [];
    for (let k = 1; k <= 5; k++) {
      const { record, trajectories } = await trainer.step(k);
      metrics.push(record.metrics);
      for (const members of groupBy(trajectories, ({ group }) => group).values())
        expect(new Set(members.map(({ task }) => JSON.stringify(task.options))).size).toBe(1);
    }
    const { own, selves } = JSON.parse(policy.texts.get('league')!);
    expect(own).toEqual({ name: 'equilibrium', rating: metrics.at(-1)!.leagueOwnRating });
    expect(own.rating).not.toBe(1000);
    const league = League.of(options(mixed), { policy, worlds, conversation })!;
    await league.begin(6);
    const tasks = await worlds.get('kuhn')!.tasks({}, 'train');
    const played = league.oppose(tasks).map((task) => strategyIn(task));
    const share = (isOne: (strategy: Strategy | undefined) => boolean) => played.filter(isOne).length / tasks.length;
    const isSelf = (each: Strategy | undefined) =>
      each !== undefined && selves.some((self: { strategy: Strategy }) => isSame(self.strategy, each));
    // 12,000 tasks: three standard deviations are below 0.014.
    expect(Math.abs(share((each) => each === undefined) - 0.4)).toBeLessThan(0.014);
    expect(Math.abs(share(isSelf) - 0.6 * 0.5)).toBeLessThan(0.014);
  });

  it.each([
    ['selves', {}],
    ['selves and the world’s own player', mixed],
  ])('continues exactly from a saved state: %s', async (_, change) => {
    const play = async (cut: number | null) => {
      let { trainer, policy } = await opened(newPolicy(), change);
      const records = [];
      for (let k = 1; k <= 5; k++) {
        records.push(withoutTimes((await trainer.step(k)).record).metrics);
        if (k !== cut) continue;
        const [state, reference] = [await policy.save(), await policy.save({ reference: true })];
        const next = newPolicy();
        ({ trainer, policy } = await opened(next, change));
        await next.load(reference, { reference: true });
        await next.load(state);
      }
      return records;
    };
    expect(await play(3)).toEqual(await play(null));
  });

  it('refuses goals, and steps repeated from their trajectories', async () => {
    await expect(opened(newPolicy(), { goals: newGoals('frontier') })).rejects.toThrow(
      'Goals cannot be chosen in self-play',
    );
    const { trainer } = await opened();
    const { trajectories } = await trainer.step(1);
    await expect(trainer.repeat(1, trajectories)).rejects.toThrow(NotRepeatableError);
  });

  it('computes the strategy of a game without a known exploitability only when a self is kept', async () => {
    const policy = new FakePolicy(bargainWords.vocabSize, capacity({ batchScored: 4096, batchTokens: 16_384 }), 16_384);
    await policy.freezeReference();
    const worlds = new Map([['bargain', openBargain()]]);
    const own = { opponent: 'self', turns: 2, items: 4, deals: 2, leagueEvery: 3 };
    const changed = options({ worlds: [{ name: 'bargain', weight: 1, options: own }] });
    const trainer = await Trainer.create(changed, { policy, worlds, tokenizer: bargainWords });
    const { conversation } = trainer.evaluator;
    const league = League.of(changed, { policy, worlds, conversation })!;
    const tasks = await worlds.get('bargain')!.tasks(own, 'train');
    const scored: number[] = [];
    for (let k = 1; k <= 4; k++) {
      const score = vi.spyOn(policy, 'score');
      await league.begin(k);
      scored.push(score.mock.calls.length);
      score.mockRestore();
      const strategy = strategyIn(league.oppose(tasks)[0])!;
      // The second seat of a deal answers each of the first seat's offers.
      for (const chances of Object.values(strategy)) expect(chances.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
      expect(Object.keys(strategy).length).toBeGreaterThanOrEqual(12);
      league.commit();
      expect(Object.keys(league.metrics()).sort()).toEqual(['leagueFirstRating', 'leagueRating', 'leagueSelves']);
    }
    expect(scored.map((calls) => calls > 0)).toEqual([true, false, false, true]);
  });

  it('reads at every turn of a game without memory what the policy read in training', async () => {
    const sizes = { batchScored: 4096, batchTokens: 16_384, promptTokens: 64, groups: 64 };
    const policy = new FakePolicy(bargainWords.vocabSize, capacity(sizes), 16_384);
    await policy.freezeReference();
    const own = { opponent: 'self', turns: 4, items: 4, deals: 2, leagueEvery: 1 };
    const base = options({ worlds: [{ name: 'bargain', weight: 1, options: own }] });
    const changed = { ...base, sampling: { ...base.sampling, context: 'latest' as const } };
    const worlds = new Map([['bargain', openBargain()]]);
    const trainer = await Trainer.create(changed, { policy, worlds, tokenizer: bargainWords });
    const score = vi.spyOn(policy, 'score');
    const { trajectories, record } = await trainer.step(1);
    const agreed = trajectories.filter(({ turns }) => turns.at(-1)!.observation.startsWith('agreed'));
    expect(record.metrics.agreements).toBeCloseTo(agreed.length / trajectories.length, 10);
    expect(record.metrics.jointValue).toBeLessThanOrEqual(record.metrics.agreements);
    const selfReads = new Set(score.mock.calls.flatMap(([batch]) => headsOf(batch)));
    const met = new Set<string>();
    for (const trajectory of trajectories)
      for (const [k, { actionStart }] of trajectory.turns.entries()) {
        expect(selfReads).toContain(contextBefore(trajectory, actionStart).join());
        met.add(`${trajectory.task.strata.seat} ${k}`);
      }
    expect([...met].sort()).toEqual(['first 0', 'first 1', 'second 0', 'second 1']);
  });

  it('is absent where the world’s own opponent plays', async () => {
    const { policy, worlds, trainer } = await opened();
    const { conversation } = trainer.evaluator;
    const fixed = options({ worlds: [{ name: 'kuhn', weight: 1, options: { opponent: 'equilibrium' } }] });
    expect(League.of(fixed, { policy, worlds, conversation })).toBeUndefined();
  });
});
