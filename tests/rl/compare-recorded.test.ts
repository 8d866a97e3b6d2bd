// Recorded steps of another tool: read, compared by the modules that train, written and read back.
import { expect, it } from 'vitest';
import { type ComparedObjective, comparedSettings } from '../../src/rl/compare-objectives.ts';
import { compareRecorded, recordedTrajectories } from '../../src/rl/compare-recorded.ts';
import { algorithmNamed, readUnipo, recordedStage } from '../../src/rl/unipo.ts';
import { asRecorded, writeUnipo } from '../../src/rl/unipo-writer.ts';

const rewards = [1, 0, 0.5, 0];
const old = [-0.3, -1.2, -0.7];
const moved = [0.05, -0.4, 0.5];

const response = (reward: number, k: number) => ({
  id: `step4_p0_sample${k}`,
  reward,
  advantage: 0,
  response_text: 'a b c',
  response_length: 3,
  tokens: {
    ids: [7, 8, 9],
    strings: ['a', ' b', ' c'],
    log_probs: old.map((value, t) => value + moved[t] * (k + 1) * 0.5),
    old_log_probs: old,
    ref_log_probs: old.map((value) => value - 0.1),
  },
});
const prompts = [{ prompt: 'Which letters?', responses: rewards.map(response) }];
const header = { algorithm: 'grpo', hparams: { clip_eps: [0.1, 0.3], kl_coef: 0, group_size: 4 } };
const log = JSON.stringify({
  header,
  entries: [
    { step: 3, metrics: {} },
    { step: 4, metrics: { reward: 0.375 }, prompts },
  ],
});

const compare = async (names: readonly string[], weights: 'before' | 'after' = 'after') => {
  const { steps } = readUnipo(log);
  const choices = names.map((name) => ({ name }));
  return compareRecorded(steps[0], recordedStage(steps[0].header), choices, weights);
};
const of = (all: readonly ComparedObjective[], name: string) => all.find((each) => each.name === name)!;

it('reads JSON, JSON lines and a file of one step, and names what is wrong', () => {
  const read = readUnipo(log);
  expect([read.total, read.steps.length, read.steps[0].step]).toEqual([2, 1, 4]);
  const lines = [
    { type: 'header', ...header },
    { type: 'step', step: 4, metrics: {}, prompts },
  ];
  expect(readUnipo(lines.map((each) => JSON.stringify(each)).join('\n')).steps).toHaveLength(1);
  expect(readUnipo(JSON.stringify({ step: 9, prompts })).steps[0].step).toBe(9);
  const short = structuredClone(prompts);
  short[0].responses[1].tokens.log_probs.pop();
  expect(() => readUnipo(JSON.stringify({ step: 9, prompts: short }))).toThrow('2 log_probs for 3 tokens');
  expect(() => readUnipo('nothing')).toThrow('neither JSON nor JSON lines');
  expect(() => readUnipo(JSON.stringify({ header, entries: [{ step: 'x' }] }))).toThrow('entries.0.step');
  expect(algorithmNamed('drgrpo')).toBe('dr-grpo');
});

it('takes clip and coefficients of the header, and those that a person changes', () => {
  const { algorithm } = recordedStage(header);
  expect(algorithm).toMatchObject({ name: 'grpo', clipLow: 0.1, clipHigh: 0.3, kl: { coefficient: 0 } });
  const changed = comparedSettings(algorithm, { name: 'grpo', settings: { 'kl.coefficient': 0.5, clipLow: 0.2 } });
  expect(changed).toMatchObject({ clipLow: 0.2, clipHigh: 0.3, kl: { coefficient: 0.5, estimator: 'k3' } });
  expect(() => comparedSettings(algorithm, { name: 'grpo', settings: { clipLow: 7 } })).toThrow();
});

it('computes advantage, ratio, clip and weight of each token as the formulas say', async () => {
  const [grpo] = await compare(['grpo']);
  const mean = rewards.reduce((sum, value) => sum + value, 0) / 4;
  const std = Math.sqrt(rewards.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
  grpo.episodes.forEach(({ member, advantage, tokens }) => {
    expect(advantage).toBeCloseTo((rewards[member] - mean) / (std + 1e-6), 5);
    tokens.weight.forEach((weight, t) => {
      const ratio = Math.exp(moved[t] * (member + 1) * 0.5);
      const flat = advantage > 0 ? ratio > 1.3 : ratio < 0.9;
      expect(weight).toBeCloseTo(flat ? 0 : (-advantage * ratio) / 12, 5);
      expect(tokens.clipped[t]).toBe(flat ? (advantage > 0 ? 1 : -1) : 0);
    });
  });
  expect(grpo.clipped).toBeGreaterThan(0);
});

it('agrees with finite differences of the loss in the recorded log-probabilities', async () => {
  const stage = recordedStage({ ...header, hparams: { ...header.hparams, kl_coef: 0.3 } });
  const { steps } = readUnipo(log);
  const [base] = await compareRecorded(steps[0], stage, [{ name: 'grpo' }], 'after');
  const { clipLow, clipHigh, kl, aggregation } = base.settings as unknown as {
    clipLow: number;
    clipHigh: number;
    kl: { coefficient: number };
    aggregation: string;
  };
  expect([aggregation, kl.coefficient]).toEqual(['token-mean', 0.3]);
  const loss = (logprob: number, k: number, t: number) => {
    const { advantage } = base.episodes[k];
    const ratio = Math.exp(logprob - old[t]);
    const clipped = Math.min(1 + clipHigh, Math.max(1 - clipLow, ratio));
    const d = old[t] - 0.1 - logprob;
    return (Math.max(-advantage * ratio, -advantage * clipped) + kl.coefficient * (Math.exp(d) - d - 1)) / 12;
  };
  base.episodes.forEach(({ tokens }, k) => {
    tokens.weight.forEach((weight, t) => {
      const at = tokens.logprob[t];
      expect(weight).toBeCloseTo((loss(at + 1e-5, k, t) - loss(at - 1e-5, k, t)) / 2e-5, 4);
    });
  });
});

it('has ratios of 1 under the log-probabilities of sampling, and norms of the tokens’ weights', async () => {
  const [grpo, dr] = await compare(['grpo', 'dr-grpo'], 'before');
  expect(grpo.ratio).toBeCloseTo(1, 6);
  const weights = grpo.episodes.flatMap(({ tokens }) => [...tokens.weight]);
  expect(grpo.norm).toBeCloseTo(Math.hypot(...weights), 6);
  // Without the spread all advantages of one group are scaled alike: the direction is the same.
  expect(grpo.cosines[1]).toBeCloseTo(1, 5);
  expect(dr.norm).not.toBeCloseTo(grpo.norm!, 3);
});

it('names what a record has not', async () => {
  const all = await compare(['kto', 'distillation', 'ppo', 'dpo']);
  expect(of(all, 'kto').without).toBe('completions');
  expect(of(all, 'distillation').without).toBe('teacher');
  expect(of(all, 'ppo').notes).toEqual(['fitted-critic']);
  expect(of(all, 'dpo').norm).toBeGreaterThan(0);
  const bare = structuredClone(prompts) as { responses: { tokens: { ref_log_probs?: number[] } }[] }[];
  for (const { tokens } of bare[0].responses) delete tokens.ref_log_probs;
  const [step] = readUnipo(JSON.stringify({ step: 1, prompts: bare })).steps;
  const named = ['dpo', 'rloo', 'ppo', 'reinforce-pp'].map((name) => ({ name }));
  const [dpo, ...others] = await compareRecorded(step, recordedStage(step.header), named, 'after');
  expect(dpo.without).toBe('reference');
  for (const { norm, episodes } of others) {
    expect(norm).toBeGreaterThan(0);
    expect(Math.max(...episodes.map(({ advantage }) => advantage))).toBeGreaterThan(0);
  }
});

it('writes a log that is read back with the same numbers', async () => {
  const { steps } = readUnipo(log);
  const stage = recordedStage(header);
  const withKl = { name: 'grpo', settings: { 'kl.coefficient': 0.1 } };
  const [own] = await compareRecorded(steps[0], stage, [withKl], 'after');
  const { trajectories } = recordedTrajectories(steps[0]);
  const texts = ['', ...Array.from({ length: 12 }, (_, k) => `t${k}`)];
  const run = { task: 'letters', model: 'none', reward: 'score', totalSteps: 4, learningRate: 0.1 };
  const text = writeUnipo(run, [{ step: 4, metrics: { policyLoss: 0.2 }, trajectories, own, texts }]);
  const back = readUnipo(text);
  const written = JSON.parse(text).entries[0];
  expect(written.metrics).toMatchObject({ policy_objective: -0.2, reward: 0.375 });
  expect(back.steps[0].prompts).toEqual(asRecorded(header, { step: 4, trajectories, own, texts }).prompts);
  const [again] = await compareRecorded(back.steps[0], recordedStage(back.header), [{ name: 'grpo' }], 'after');
  expect(again.settings).toMatchObject({ clipLow: 0.1, clipHigh: 0.3 });
  expect(back.header.hparams.kl_coef).toBe(0.1);
  again.episodes.forEach(({ tokens, advantage }, k) => {
    expect([...tokens.reference!]).toEqual([...own.episodes[k].tokens.reference!]);
    expect(advantage).toBeCloseTo(own.episodes[k].advantage, 6);
    tokens.weight.forEach((weight, t) => expect(weight).toBeCloseTo(own.episodes[k].tokens.weight[t], 6));
  });
});
