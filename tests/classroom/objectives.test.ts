// One batch under several algorithms: numbers of the run's own algorithm, and laws between algorithms.
import { beforeAll, expect, it } from 'vitest';
import { nodeEngines } from '../../src/library/node/engines.ts';
import type { ComparedObjective } from '../../src/rl/compare-objectives.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import type { ExaminedStep } from '../../src/rl/examine.ts';
import { decodeState, REFERENCE } from '../../src/session/checkpoint.ts';
import { decodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { classAssignment, classSteps, handedIn, pupilExperiment } from '../../tools/classroom/class-files.ts';

const names = ['grpo', 'dr-grpo', 'rloo', 'ppo', 'dapo', 'dpo', 'sft', 'rejection', 'kto'];
const settings = { seed: 101, learningRate: 2e-3 };
let compared: ComparedObjective[];
let examined: ExaminedStep;
let trajectories: Trajectory[];

beforeAll(async () => {
  const assignment = classAssignment();
  const engines = nodeEngines({ device: 'wasm', threads: 1 });
  const run = readRunFile(await handedIn(assignment, engines, settings, ''), 'a');
  const step = classSteps;
  trajectories = decodeTrajectories(run.trajectories!.get(step)!);
  const stateOf = (at: number) => {
    const { bytes, meta } = run.checkpoints!.find((each) => each.meta.step === at)!;
    return decodeState(bytes, meta.optimizerStep);
  };
  const experiment = pupilExperiment(assignment, settings);
  const { signal } = new AbortController();
  const opening = { assets: run.assets!, choices: null, signal, onProgress: () => {} };
  const engine = await engines.open(experiment, opening);
  await engine.load(decodeState(run.assets![REFERENCE], 0), { reference: true });
  await engine.load(stateOf(step - 1));
  const weights = { now: stateOf(step - 1), reference: decodeState(run.assets![REFERENCE], 0) };
  compared = await engine.training!.compare!(
    step,
    trajectories,
    names.map((name) => ({ name })),
    weights,
  );
  const loadAfter = () => engine.load(stateOf(step));
  examined = await engine.training!.examine!(step, decodeTrajectories(run.trajectories!.get(step)!), loadAfter);
  await engine.close();
}, 120_000);

const of = (name: string) => compared.find((each) => each.name === name)!;

it("gives the run's own algorithm the advantages with which it trained, and leaves the trajectories alone", () => {
  const own = of('grpo').episodes;
  expect(own).toHaveLength(trajectories.length);
  for (const { group, member, advantage } of trajectories)
    expect(own.find((each) => each.group === group && each.member === member)!.advantage).toBe(advantage);
});

it('weighs the tokens of each group as the examination of the step does, which has two minibatches', () => {
  // Mean over tokens: a minibatch of half the batch has other denominators, so shares within a group are compared.
  const sharesOf = (all: readonly { group: number; member: number; weight: number }[]) =>
    [0, 1].flatMap((group) => {
      const members = all.filter((each) => each.group === group).sort((a, b) => a.member - b.member);
      const total = members.reduce((sum, { weight }) => sum + weight, 0);
      return members.map(({ weight }) => (total ? weight / total : 0));
    });
  const other = examined.episodes.map(({ group, member, weight }) => ({
    group,
    member,
    weight: weight.reduce((sum, each) => sum + Math.abs(each), 0),
  }));
  const [a, b] = [sharesOf(of('grpo').episodes), sharesOf(other)];
  expect(a).toHaveLength(8);
  expect(Math.max(...a)).toBeGreaterThan(0);
  a.forEach((share, k) => expect(share).toBeCloseTo(b[k], 5));
});

it('has ratios of 1 under the weights that sampled, and cosines that are symmetric', () => {
  for (const { without, ratio, clipped } of compared)
    if (!without) {
      expect(ratio).toBeCloseTo(1, 4);
      expect(clipped).toBe(0);
    }
  compared.forEach(({ cosines, norm }, k) => {
    if (norm) expect(cosines[k]).toBeCloseTo(1, 5);
    cosines.forEach((value, other) => expect(value).toBe(compared[other].cosines[k]));
  });
});

it('scales advantages from the mean as leave-one-out does: n / (n - 1) apart', () => {
  const [mean, leave] = [of('dr-grpo'), of('rloo')];
  mean.episodes.forEach(({ advantage }, k) => expect(leave.episodes[k].advantage).toBeCloseTo((4 / 3) * advantage, 5));
});

it('uses the batch as each method would, and says how', () => {
  expect(of('ppo').notes).toEqual(['fitted-critic']);
  expect(of('sft').notes).toEqual(['successes']);
  expect(of('dpo').notes).toEqual(['pairs']);
  expect(of('dapo').notes).toEqual(['signal']);
  expect(of('grpo').notes).toEqual([]);
  const successes = trajectories.filter(({ success }) => success).length;
  expect(of('sft').episodes).toHaveLength(successes);
  // Imitation of the successes and rejection sampling of this world's returns are the same objective.
  expect(of('sft').norm).toBeCloseTo(of('rejection').norm!, 6);
  // A fitted value a turn is the mean of its tokens, so advantages of PPO sum to zero before whitening, and after it.
  const ppo = of('ppo').episodes.flatMap(({ tokens }) => [...tokens.advantage]);
  expect(ppo.length).toBe(of('ppo').tokens);
  expect(ppo.reduce((sum, value) => sum + value, 0) / ppo.length).toBeCloseTo(0, 5);
});

it('scores under the first weights where the run holds no reference, and has its own weights again after', () => {
  const dpo = of('dpo');
  expect(dpo.without).toBe('');
  const old = dpo.episodes.flatMap(({ tokens }) => [...tokens.old]);
  dpo.episodes.flatMap(({ tokens }) => [...tokens.logprob]).forEach((value, k) => expect(value).toBeCloseTo(old[k], 4));
  expect(dpo.norm).toBeGreaterThan(0);
});
