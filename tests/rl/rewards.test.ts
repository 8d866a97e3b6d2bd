// Composed rewards: the parts' values, their combinations, and training on them. Without `reward`, and with progress
// alone, a step is the same to the bit.

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { turnRewards } from '../../src/rl/credit/turns.ts';
import { returnOf, rewardOf } from '../../src/rl/episode/returns.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import { combined } from '../../src/rl/rewards/compose.ts';
import { CountedJudge, JudgeBoundError } from '../../src/rl/rewards/counted-judge.ts';
import { JudgeReplyError, judgePrompt, judgeScore } from '../../src/rl/rewards/parts/judge.ts';
import { partOf, RewardSchema, type RewardSettings } from '../../src/rl/rewards/registry.ts';
import { RewardValueError } from '../../src/rl/rewards/sandboxed.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { inRealm } from '../sandbox/in-realm.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const reward = (parts: object[], more: object = {}): RewardSettings => v.parse(RewardSchema, { ...more, parts });
const services = { runner: inRealm };
const [turn] = trajectory().turns;

const episodes: Trajectory[] = [
  trajectory({ success: true, score: 1, turns: [turn, turn] }),
  trajectory({
    score: 0.25,
    turns: [
      { ...turn, valid: false },
      { ...turn, action: 'inventory' },
    ],
  }),
  trajectory({ score: 0, turns: [] }),
];

const valuesOf = (part: object) => {
  const [parsed] = reward([part]).parts;
  return partOf(parsed).values(episodes, parsed, services);
};

/** Bytes of the weights; comparing arrays number by number takes seconds. */
async function weightsOf(policy: FakePolicy): Promise<string> {
  const { tensors } = await policy.save();
  return [...tensors].map(([name, { data }]) => name + Buffer.from(data.buffer).toString('hex')).join();
}

async function rewardTrainer(composed: RewardSettings | undefined, more = {}) {
  const policy = new FakePolicy(tokenizer.vocabSize, capacity());
  const worlds = new Map([['doors', new DoorWorld()]]);
  const options = settings({ ...(composed && { reward: composed }), ...more });
  const trainer = await Trainer.create(options, { policy, worlds, tokenizer, runner: inRealm });
  return { trainer, policy };
}

describe('the parts of a reward', () => {
  it.each([
    [{ kind: 'success' }, [1, 0, 0]],
    [{ kind: 'progress' }, [1, 0.25, 0]],
    [{ kind: 'turns' }, [-2, -2, 0]],
    [{ kind: 'format' }, [1, 0.5, 0]],
    [{ kind: 'pattern', pattern: '^inv', in: 'actions' }, [0, 1, 0]],
    [{ kind: 'pattern', pattern: 'oak', in: 'observations', counts: 'number' }, [2, 2, 0]],
    [{ kind: 'pattern', pattern: 'oak', counts: 'share' }, [1, 0.5, 0]],
    [
      { kind: 'function', code: 'export function reward({ turns, score }) { return turns.length + score; }' },
      [3, 2.25, 0],
    ],
  ])('%o', async (part, expected) => {
    expect(await valuesOf(part)).toEqual(expected);
  });

  it.each([
    ['thought-action', 'Thought: look\nAction: look', 1],
    ['thought-action', 'Action: look', 0],
    ['thought-action', 'Thought:\nAction: look', 0],
    ['think-tags', '<think>hm</think>look', 1],
    ['think-tags', 'look <think>hm</think>', 0],
    ['json', '{"action": "look"}', 1],
    ['json', '["look"]', 0],
  ])('the form %s of %j is %d', async (form, reply, expected) => {
    const [part] = reward([{ kind: 'format', form }]).parts;
    const one = [trajectory({ turns: [{ ...turn, reply }] })];
    expect(await partOf(part).values(one, part, services)).toEqual([expected]);
  });

  it.each([
    ['returns NaN', 'export function reward() { return 0 / 0; }', /reward\.js: episode 1: reward returned NaN/],
    ['returns a text', 'export function reward() { return "1"; }', /returned string/],
    ['is async', 'export async function reward() { return 1; }', /a promise \(remove async\)/],
    [
      'is too large',
      'export function reward({ success }) { return success ? 0 : 1e9; }',
      /episode 2: the reward is 1000000000/,
    ],
    ['exports nothing', 'function other() {}', /must export a function named reward/],
  ])('a function that %s is refused by name', async (_, code, message) => {
    await expect(valuesOf({ kind: 'function', code })).rejects.toThrow(message);
    await expect(valuesOf({ kind: 'function', code })).rejects.toBeInstanceOf(RewardValueError);
  });

  it('a function gets each episode as a copy of its own', async () => {
    const code =
      'export function reward(e) { const n = e.turns.length; e.turns.length = 0; e.task.strata.depth = 9; return n; }';
    expect(await valuesOf({ kind: 'function', code })).toEqual([2, 2, 0]);
    expect(episodes[0].task.strata.depth).toBe(1);
  });
});

describe('a combination', () => {
  const three = [{ kind: 'success', weight: 2 }, { kind: 'progress', weight: -1 }, { kind: 'turns' }];
  it.each([
    ['sum', {}, [1, 0.5, -4], 2 - 0.5 - 0.04],
    ['maximum', {}, [1, 0.5, -4], 2],
    ['gate', {}, [1, 0.5, -4], -0.54],
    ['gate', { closed: -2 }, [0, 0.5, -4], -2],
    ['gate', { gateAt: 0 }, [0, 0.5, -4], -0.54],
    ['sum', {}, [1, Number.NaN, -4], Number.NaN],
  ])('%s %o of %o is %d', (combine, more, values, expected) => {
    expect(combined(values, reward(three, { combine, ...more }))).toBe(expected);
  });

  it('is refused with two columns of one name, no part, a part unknown, or a pattern that does not compile', () => {
    const refused = (parts: object[]) => expect(() => reward(parts));
    refused([{ kind: 'success' }, { kind: 'success' }]).toThrow(/different column names/);
    refused([]).toThrow(/1 to 8 parts/);
    refused([{ kind: 'luck' }]).toThrow();
    refused([{ kind: 'pattern', pattern: '(' }]).toThrow(/regular expression/);
    refused([{ kind: 'success', name: 'a.b' }]).toThrow(/letters/);
  });
});

describe('the return', () => {
  const rules = { context: -1, invalidAction: { policy: 'continue', penalty: -0.5 }, worldFailure: 'drop' } as const;
  it('is the composed reward with the rules of the endings', () => {
    const composed = trajectory({ score: 1, rewards: { total: 3, parts: { success: 3 } } });
    expect(rewardOf(composed)).toBe(3);
    expect(returnOf(composed, rules)).toBe(3);
    expect(returnOf({ ...composed, turns: [{ ...turn, valid: false }] }, rules)).toBe(2.5);
    expect(returnOf({ ...composed, ending: 'context' }, rules)).toBe(-1);
    expect(returnOf({ ...composed, ending: 'world-failure' }, rules)).toBeNull();
    expect(returnOf({ ...composed, rewards: { total: null, parts: { judge: null } } }, rules)).toBeNull();
  });

  it('comes with the last turn where credit is given to turns', () => {
    const plain = trajectory({ score: 0.75, turns: [turn, { ...turn, reward: 0.75 }] });
    expect(turnRewards(plain, 0)).toEqual([0.5, 0.25]);
    expect(turnRewards({ ...plain, rewards: { total: 3, parts: {} } }, 0)).toEqual([0, 3]);
  });
});

describe('training on a composed reward', () => {
  it('with progress alone gives the weights and records of a run without one, to the bit', async () => {
    const [plain, composed] = [await trainerWith(settings()), await rewardTrainer(reward([{ kind: 'progress' }]))];
    for (let k = 1; k <= 4; k++) {
      const [a, b] = [await plain.trainer.step(k), await composed.trainer.step(k)];
      const { reward: total, 'reward.progress': part, ...rest } = withoutTimes(b.record).metrics;
      expect(rest).toEqual(withoutTimes(a.record).metrics);
      expect([total, part]).toEqual([a.record.metrics.score, a.record.metrics.score]);
      expect(a.trajectories.every(({ rewards }) => rewards === undefined)).toBe(true);
    }
    expect((await weightsOf(composed.policy)) === (await weightsOf(plain.policy))).toBe(true);
  });

  it('teaches what it rewards, and evaluation keeps the success of the world', async () => {
    const keys = reward([{ kind: 'pattern', name: 'red keys', pattern: '^get red', in: 'actions', counts: 'share' }]);
    const optimizer = { ...settings().optimizer, learningRate: 0.1, warmupSteps: 0 };
    const { trainer } = await rewardTrainer(keys, { optimizer });
    const { record: first } = await trainer.step(1);
    for (let k = 2; k <= 40; k++) await trainer.step(k);
    const { record: last, trajectories } = await trainer.step(41);
    expect(last.metrics['reward.red keys']).toBeGreaterThan(first.metrics['reward.red keys'] + 0.2);
    expect(last.metrics.reward).toBe(last.metrics['reward.red keys']);
    for (const name of Object.keys(last.metrics)) expect(metricNamed(name), name).toBeDefined();
    expect(trajectories.every(({ rewards }) => rewards && 'red keys' in rewards.parts)).toBe(true);
    const { test } = await trainer.evaluator.evaluate(41);
    expect(test.policy.rate).toBeLessThan(0.3);
  });

  it('stops before the update if the code throws, and leaves the weights', async () => {
    const { trainer, policy } = await rewardTrainer(
      reward([{ kind: 'function', code: 'export function reward() { throw new Error("no"); }' }]),
    );
    const before = await weightsOf(policy);
    await expect(trainer.step(1)).rejects.toThrow(/no/);
    expect((await weightsOf(policy)) === before).toBe(true);
  });

  it('is refused without a sandbox or a judge', async () => {
    const parts = {
      policy: new FakePolicy(tokenizer.vocabSize, capacity()),
      worlds: new Map([['doors', new DoorWorld()]]),
      tokenizer,
    };
    const create = (part: object) => Trainer.create(settings({ reward: reward([part]) }), parts);
    await expect((await create({ kind: 'pattern', pattern: 'x' })).step(1)).rejects.toThrow(/cannot run code/);
    await expect((await create({ kind: 'judge', model: 'm' })).step(1)).rejects.toThrow(/cannot reach one/);
  });
});

describe('a judge', () => {
  const [part] = reward([{ kind: 'judge', model: 'm', mostRequests: 4 }]).parts;
  const ask = (reply: (content: string) => string) => {
    const asked: string[] = [];
    const desk = new CountedJudge(async ({ content }) => {
      asked.push(content);
      return reply(content);
    });
    return { desk, asked };
  };

  it.each([
    ['It crafts.\nScore: 7', 0.7],
    ['**Score: 10**', 1],
    ['Score: 2 … no, Score: 4.5/10', 0.45],
    ['8', 0.8],
    ['Score: 11', Number.NaN],
    ['good', Number.NaN],
    ['', Number.NaN],
  ])('reads %j as %d', (reply, expected) => {
    expect(judgeScore(reply)).toBe(expected);
  });

  it('gets rubric and episode, is asked once for equal episodes, and is counted', async () => {
    const { desk, asked } = ask((content) => (content.includes('inventory') ? 'Score: 2' : 'Score: 9'));
    const both = [...episodes, episodes[0]];
    expect(await partOf(part).values(both, part, { judge: desk })).toEqual([0.9, 0.2, 0.9, 0.9]);
    expect([asked.length, desk.requests, desk.known, desk.unread]).toEqual([3, 3, 1, 0]);
    expect(judgePrompt(episodes[1], 'Be kind.')).toContain('Rubric: Be kind.');
    await partOf(part).values(both, part, { judge: desk });
    expect(asked).toHaveLength(3);
  });

  it('is bounded over the run, with the requests of an earlier session', async () => {
    const desk = new CountedJudge(
      async () => 'Score: 1',
      () => 3,
    );
    await expect(partOf(part).values(episodes, part, { judge: desk })).rejects.toBeInstanceOf(JudgeBoundError);
  });

  it('keeps the end alone of a reply of megabytes', async () => {
    const { desk } = ask(() => `${'x'.repeat(1 << 20)}\nScore: 7`);
    const [reply] = await desk.all([{ address: 'http://a', model: 'm', content: 'c', maxTokens: 9 }], 10);
    expect(reply).toHaveLength(10_000);
    expect(judgeScore(reply)).toBe(0.7);
  });

  it('leaves out an episode without a score, and fails by name if no reply has one', async () => {
    const some = ask((content) => (content.includes('inventory') ? 'fine' : 'Score: 5')).desk;
    expect(await partOf(part).values(episodes, part, { judge: some })).toEqual([0.5, Number.NaN, 0.5]);
    expect(some.unread).toBe(1);
    const none = ask(() => 'fine').desk;
    await expect(partOf(part).values(episodes, part, { judge: none })).rejects.toBeInstanceOf(JudgeReplyError);
  });
});
