// On-policy distillation: the oracle's distribution over tokens against a list of all actions, the credit against finite
// differences of the reverse KL, and learning on the stand-in world.
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import type { CreditInput } from '../../src/rl/algorithms/algorithm.ts';
import { distillation } from '../../src/rl/algorithms/distillation.ts';
import { AlgorithmSchema } from '../../src/rl/algorithms/registry.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { oracleLabels, tokenLogprobs } from '../../src/rl/episode/oracle-teacher.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const end = 9;
/** Actions as tokens; the second one is listed twice, and the third and fourth share two tokens. */
const actions = [
  [1, 2, end],
  [3, end],
  [4, 5, 6, end],
  [4, 5, 7, end],
  [4, 8, end],
  [3, end],
];
const smoothing = 0.3;

/** Probability of an action by the definition. */
const probability = (tokens: readonly number[], advised: number) =>
  smoothing / 5 + (tokens.join() === actions[advised].join() ? 1 - smoothing : 0);

describe('the oracle as a teacher', () => {
  it.each([0, 2, 5])('conditions on the tokens before, as a sum over all actions does (advised: %i)', (advised) => {
    const distinct = actions.slice(0, 5);
    for (const tokens of distinct) {
      const steps = tokenLogprobs(buildTrie(actions), advised, smoothing, tokens);
      for (const { allowed } of steps)
        expect(allowed.reduce((sum, logprob) => sum + Math.exp(logprob), 0)).toBeCloseTo(1, 12);
      const found = steps.map(({ allowed, chosen }) => allowed[chosen]);
      found.forEach((logprob, i) => {
        const startsWith = (length: number) => (other: readonly number[]) =>
          other.slice(0, length).join() === tokens.slice(0, length).join();
        const mass = (length: number) =>
          distinct.filter(startsWith(length)).reduce((sum, other) => sum + probability(other, advised), 0);
        expect(logprob).toBeCloseTo(Math.log(mass(i + 1) / mass(i)), 12);
      });
      const whole = found.reduce((sum, logprob) => sum + logprob, 0);
      expect(whole).toBeCloseTo(Math.log(probability(tokens, advised)), 12);
    }
  });

  it('advises from wherever the policy has led', async () => {
    const { trainer, world } = await trainerWith(settings());
    const { trajectories } = await trainer.step(1);
    const labels = await oracleLabels(trainer.evaluator, trajectories, smoothing);
    for (const [b, trajectory] of trajectories.entries()) {
      const [feedback] = await world.reset([0], [trajectory.task]);
      let offered = feedback.validActions!;
      const perTurn = trajectory.turns.map(() => 0);
      trajectory.choices!.position.forEach((position, k) => {
        perTurn[trajectory.turnOf[position]] += labels[b].logprobs[k];
      });
      for (const [t, { action }] of trajectory.turns.entries()) {
        const advised = (await world.oracle([0]))[0]![0];
        const q = smoothing / new Set(offered).size + (action === advised ? 1 - smoothing : 0);
        // A turn with one valid action has no choice, and a probability of 1.
        if (offered.length > 1) expect(perTurn[t]).toBeCloseTo(Math.log(q), 5);
        const [answer] = await world.step([0], [action]);
        offered = answer.validActions ?? offered;
      }
    }
  });
});

/** Sequences of two tokens out of three, with a policy of softmaxes: logits [first, second after each first]. */
const sequences = Array.from({ length: 9 }, (_, i) => [Math.floor(i / 3), i % 3]);
const logits = Array.from({ length: 12 }, (_, i) => 2 * (uniform(11, i) - 0.5));
const teacherLogits = Array.from({ length: 12 }, (_, i) => 3 * (uniform(12, i) - 0.5));

function conditionals(of: readonly number[]): number[] {
  return Array.from({ length: 4 }, (_, row) => of.slice(3 * row, 3 * row + 3)).flatMap((row) => {
    const whole = row.reduce((sum, z) => sum + Math.exp(z), 0);
    return row.map((z) => z - Math.log(whole));
  });
}
const tokenIndices = ([a, b]: readonly number[]) => [a, 3 + 3 * a + b];

/** Reverse KL between the two distributions over whole sequences. */
function reverseKl(own: readonly number[]): number {
  const [p, q] = [conditionals(own), conditionals(teacherLogits)];
  const logOf = (all: readonly number[], tokens: readonly number[]) =>
    tokenIndices(tokens).reduce((sum, i) => sum + all[i], 0);
  return sequences.reduce((sum, each) => sum + Math.exp(logOf(p, each)) * (logOf(p, each) - logOf(q, each)), 0);
}

function creditOf(change: object, input: Partial<CreditInput> = {}) {
  const [p, q] = [conditionals(logits), conditionals(teacherLogits)];
  const rows = {
    offsets: Int32Array.from({ length: 10 }, (_, b) => 2 * b),
    turn: new Int32Array(18),
    group: new Int32Array(9),
  };
  const own = v.parse(AlgorithmSchema, { name: 'distillation', ...change }) as never;
  return distillation.credit(
    {
      rows,
      returns: sequences.map((_, b) => (b === 0 ? 1 : 0)),
      trajectories: sequences.map(() => aTrajectory(1)),
      rollout: sequences.flatMap((each) => tokenIndices(each).map((i) => p[i])),
      teacher: sequences.flatMap((each) => tokenIndices(each).map((i) => q[i])),
      ...input,
    },
    own,
  );
}

/** Expected gradient of credit times log-probability over all sequences, with respect to the logits. */
function expectedGradient(advantages: ArrayLike<number>): number[] {
  const p = conditionals(logits);
  const gradient = logits.map(() => 0);
  sequences.forEach((each, b) => {
    const indices = tokenIndices(each);
    const weight = Math.exp(indices.reduce((sum, i) => sum + p[i], 0));
    indices.forEach((chosen, t) => {
      const first = 3 * Math.floor(chosen / 3);
      for (let i = first; i < first + 3; i++)
        gradient[i] += weight * advantages[2 * b + t] * ((i === chosen ? 1 : 0) - Math.exp(p[i]));
    });
  });
  return gradient;
}

const differences = (kl: (own: readonly number[]) => number) =>
  logits.map((_, i) => {
    const moved = (by: number) => kl(logits.map((z, j) => (i === j ? z + by : z)));
    return (moved(1e-5) - moved(-1e-5)) / 2e-5;
  });

describe('the credit', () => {
  it('is the gradient of the reverse KL of whole sequences with a discount of 1', () => {
    const { advantages } = creditOf({ teacherDiscount: 1 });
    const slopes = differences(reverseKl);
    expectedGradient(advantages).forEach((value, i) => void expect(value).toBeCloseTo(-slopes[i], 7));
  });

  it('is that of each token’s KL, with its prefixes held, with a discount of 0', () => {
    const held = conditionals(logits);
    const q = conditionals(teacherLogits);
    const tokenKl = (own: readonly number[]) => {
      const p = conditionals(own);
      const rowKl = (row: number) =>
        [0, 1, 2].reduce((sum, i) => sum + Math.exp(p[3 * row + i]) * (p[3 * row + i] - q[3 * row + i]), 0);
      return rowKl(0) + [0, 1, 2].reduce((sum, a) => sum + Math.exp(held[a]) * rowKl(1 + a), 0);
    };
    const slopes = differences(tokenKl);
    expectedGradient(creditOf({}).advantages).forEach((value, i) => void expect(value).toBeCloseTo(-slopes[i], 7));
  });

  it('mixes in the comparison of returns, centres, and leaves tokens without a teacher out', () => {
    const plain = creditOf({}).advantages;
    const mixed = creditOf({ rewardWeight: 2, teacherWeight: 0.5 }).advantages;
    const [mean, std] = [1 / 9, 1 / 3];
    const grpo = (b: number) => ((b === 0 ? 1 : 0) - mean) / (std + 1e-6);
    mixed.forEach((value, i) => void expect(value).toBeCloseTo(0.5 * plain[i] + 2 * grpo(Math.floor(i / 2)), 9));
    const total = creditOf({ centered: true }).advantages.reduce((sum, value) => sum + value, 0);
    expect(total).toBeCloseTo(0, 9);
    const teacher = Float64Array.from({ length: 18 }, (_, i) => (i < 4 ? Number.NaN : -1));
    const partly = creditOf({ centered: true }, { teacher });
    expect([...partly.advantages.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
    expect(Number.isFinite(partly.metrics!.teacherKl)).toBe(true);
  });
});

describe('a run', () => {
  it.each(['sampled', 'reverse'])(
    'learns the doors from the oracle alone, and comes nearer to it: %s',
    async (divergence) => {
      const shape = { groups: 4, groupSize: 4, minibatches: 1, innerEpochs: 1 };
      const algorithm = v.parse(AlgorithmSchema, { name: 'distillation', divergence, ...shape });
      const base = settings({ steps: 40, algorithm, horizon: [{ steps: 1, turns: 3 }] });
      const options = { ...base, optimizer: { ...base.optimizer, learningRate: 0.2, warmupSteps: 0 } };
      const policy = new FakePolicy(tokenizer.vocabSize, capacity({ batchScored: 128, batchTokens: 512 }), 1024);
      const { trainer } = await trainerWith(options, policy);
      const before = (await trainer.evaluator.evaluate(1)).train.policy.rate;
      const kls: number[] = [];
      const metric = divergence === 'sampled' ? 'teacherKl' : 'teacherDivergence';
      for (let k = 1; k <= 40; k++) kls.push((await trainer.step(k)).record.metrics[metric]);
      const after = (await trainer.evaluator.evaluate(1)).train.policy.rate;
      expect(after, `${before} at first`).toBeGreaterThan(before + 0.25);
      expect(kls.at(-1)).toBeLessThan(0.5 * kls[0]);
    },
  );

  it('holds the credit of the chosen token out of a whole divergence, and the return in', () => {
    const returns = creditOf({ teacherWeight: 0, rewardWeight: 2 }).advantages;
    expect(creditOf({ divergence: 'forward' }).advantages.every((each) => each === 0)).toBe(true);
    expect(creditOf({ divergence: 'forward', rewardWeight: 2 }).advantages).toEqual(returns);
    const call = (change: object) =>
      distillation.objective(v.parse(AlgorithmSchema, { name: 'distillation', ...change }) as never).divergence;
    expect(call({})).toBeUndefined();
    expect(call({ divergence: 'reverse', teacherWeight: 3 })).toEqual({ beta: 1, weight: 3 });
    expect(call({ divergence: 'forward' })).toEqual({ beta: 0, weight: 1 });
    expect(call({ divergence: 'jensen-shannon', mixture: 0.2 })).toEqual({ beta: 0.2, weight: 1 });
  });

  it.each([
    [{ centered: true }, /algorithm\.centered: belongs to the credit of the chosen token alone/],
    [{ teacherDiscount: 0.5 }, /algorithm\.teacherDiscount: belongs to the credit .* "reverse": set it to 0/],
  ])('refuses settings of the credit beside a whole divergence, by name: %o', (change, message) => {
    const { sweep: _, ...document } = JSON.parse(readFileSync('experiments/distil-maze.json', 'utf8'));
    const algorithm = { ...document.algorithm, ...change };
    expect(() => parseExperiment({ ...document, algorithm })).not.toThrow();
    expect(() => parseExperiment({ ...document, algorithm: { ...algorithm, divergence: 'reverse' } })).toThrow(message);
  });

  it('is refused where no action is listed', () => {
    const document = {
      format: 'tabgym-experiment-1',
      name: 'unlisted',
      seed: 1,
      steps: 1,
      policy: { kind: 'tiny', layers: 1, hidden: 32, heads: 2, kvHeads: 1, headDim: 16, intermediate: 64 },
      worlds: [{ name: 'textcraft' }],
      algorithm: { name: 'distillation' },
      horizon: [{ steps: 1, turns: 4 }],
      sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 4, promptTokens: 24, completionTokens: 64 },
      optimizer: { learningRate: 0.001, weightDecay: 0, maxGradNorm: 1 },
      evaluation: { every: 0, episodes: 4 },
    };
    expect(() => parseExperiment(document)).toThrow(/sampling\.maskActions: the teacher of algorithm/);
  });
});

describe('a policy as the teacher', () => {
  const document = (change: object) => ({
    ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')),
    algorithm: { name: 'distillation', teacher: 'textcraft-first' },
    ...change,
  });

  it('needs neither a mask nor an oracle', () => {
    const { sampling } = document({});
    expect(() => parseExperiment(document({ sampling: { ...sampling, maskActions: false } }))).not.toThrow();
    expect(() => parseExperiment(document({ worlds: [{ name: 'own' }] }))).not.toThrow(/teacher/);
  });

  it('teaches a tiny policy alone', () => {
    const policy = { kind: 'lora', model: 'smollm2-135m', weights: 'int8' };
    expect(() => parseExperiment(document({ policy }))).toThrow(/algorithm\.teacher: a policy teaches a tiny policy/);
  });

  it('is refused by name in a step whose trainer does not have it', async () => {
    const algorithm = v.parse(AlgorithmSchema, { name: 'distillation', teacher: 'absent', groups: 2, groupSize: 2 });
    const { trainer } = await trainerWith(settings({ algorithm }));
    await expect(trainer.step(1)).rejects.toThrow(/learns from the policy absent and does not contain it/);
  });

  it.each(['sampled', 'reverse'])(
    'gives the doors to a policy that has not learnt them, and comes nearer: %s',
    async (divergence) => {
      const shape = { groups: 4, groupSize: 4, minibatches: 1, innerEpochs: 1 };
      const oracle = v.parse(AlgorithmSchema, { name: 'distillation', ...shape });
      const base = settings({ steps: 40, algorithm: oracle, horizon: [{ steps: 1, turns: 3 }] });
      const options = { ...base, optimizer: { ...base.optimizer, learningRate: 0.2, warmupSteps: 0 } };
      const sizes = capacity({ batchScored: 128, batchTokens: 512 });
      const make = (seed: number) => new FakePolicy(tokenizer.vocabSize, sizes, 1024, 64, seed);
      const teacher = make(1);
      const first = (await trainerWith(options, teacher)).trainer;
      for (let k = 1; k <= 40; k++) await first.step(k);
      const taught = {
        ...options,
        algorithm: v.parse(AlgorithmSchema, { name: 'distillation', teacher: 'first', divergence, ...shape }),
      };
      const student = make(2);
      const score = (batch: PackedBatch, { temperature }: { temperature: number }) =>
        teacher.score(batch, { temperature, weights: 'policy' });
      const distributions = async (batch: PackedBatch, { temperature }: { temperature: number }) =>
        teacher.distributions(batch, temperature);
      const teachers = new Map([['first', { capacity: sizes, score, distributions }]]);
      const worlds = new Map([['doors', new DoorWorld()]]);
      const trainer = await Trainer.create(taught, { policy: student, worlds, tokenizer, teachers });
      const before = (await trainer.evaluator.evaluate(1)).train.policy.rate;
      const kls: number[] = [];
      for (let k = 1; k <= 40; k++) kls.push((await trainer.step(k)).record.metrics.teacherKl);
      const after = (await trainer.evaluator.evaluate(1)).train.policy.rate;
      expect(after, `${before} at first`).toBeGreaterThan(before + 0.2);
      expect(kls.at(-1)).toBeLessThan(0.5 * kls[0]);
    },
  );
});
