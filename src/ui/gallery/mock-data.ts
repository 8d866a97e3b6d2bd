/**
 * Made-up data for fixtures that satisfies the real types and rules: an experiment, step records, trajectories, views.
 * Never part of the shipped page.
 */
import type { Task, WorldView } from '../../envs/env.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { chosenPositions } from '../../rl/episode/micro-batch.ts';
import { TokenSource, type Trajectory, type Turn } from '../../rl/episode/trajectory.ts';
import type { Evaluation, Rate, ReplayFrame, RunSummary, SplitEvaluation, StepRecord } from '../../session/protocol.ts';
import * as fixtures from '../../worlds/fixtures.ts';
import type { ViewFixture } from '../kit/view-fixture.ts';
import { metricNames as m } from '../state/series.ts';

export const mockExperiment = (name: string, steps = 200): Experiment =>
  parseExperiment({
    format: 'tabgym-experiment-1',
    name,
    description: 'One craft away from the goal, three recipes that do not help, no demonstrations.',
    seed: 1,
    steps,
    policy: { kind: 'tiny', layers: 2, hidden: 64, heads: 4, kvHeads: 2, headDim: 16, intermediate: 192 },
    worlds: [{ name: 'textcraft', options: { depths: [1], distractors: 3, listSeed: 42 } }],
    algorithm: {
      name: 'grpo',
      groups: 8,
      groupSize: 8,
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: 3,
      kl: { estimator: 'k3', coefficient: 0 },
      entropy: 0.003,
      aggregation: 'token-mean',
      minibatches: 1,
      innerEpochs: 1,
    },
    horizon: [{ steps, turns: { oraclePlus: 1 } }],
    sampling: { temperature: 1, maskActions: true, maxTokensPerTurn: 24, promptTokens: 256, completionTokens: 256 },
    optimizer: { learningRate: 0.002, weightDecay: 0, maxGradNorm: 1 },
    evaluation: { every: 20, episodes: 200 },
  });

/** Repeatable pseudo-random numbers in [0, 1). */
export function mockRandom(seed: number): () => number {
  let state = Math.imul(seed ^ (seed >>> 7), 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}

function wilson(successes: number, episodes: number): Rate {
  const z = 1.96;
  const rate = successes / episodes;
  const centre = (rate + (z * z) / (2 * episodes)) / (1 + (z * z) / episodes);
  const half =
    (z / (1 + (z * z) / episodes)) * Math.sqrt((rate * (1 - rate)) / episodes + (z * z) / (4 * episodes * episodes));
  return { successes, episodes, rate, low: centre - half, high: centre + half };
}

const split = (rate: number, chance: number): SplitEvaluation => ({
  policy: wilson(Math.round(200 * rate), 200),
  chance: wilson(Math.round(200 * chance), 200),
  oracle: wilson(200, 200),
  score: rate,
  strata: { 'depth 1': { policy: wilson(Math.round(200 * rate), 200), chance: wilson(Math.round(200 * chance), 200) } },
});

const curve = (step: number) => 0.22 + 0.55 * (1 - Math.exp(-step / 45));

const evaluation = (step: number): Evaluation => ({
  train: split(curve(step), 0.22),
  test: split(0.18 + (curve(step) - 0.22) * 0.6, 0.26),
});

export function mockRecord(step: number): StepRecord {
  const random = mockRandom(step * 7919 + 1);
  const noise = (size: number) => (random() - 0.5) * 2 * size;
  const success = Math.min(1, Math.max(0, curve(step) + noise(0.09)));
  const metrics = {
    [m.success]: success,
    [m.chance]: 0.22,
    [m.oracle]: 1,
    [m.score]: success,
    [m.turns]: 3.1 - success * 0.7 + noise(0.1),
    [m.entropy]: 0.9 * Math.exp(-step / 90) + 0.12 + noise(0.03),
    [m.kl]: 0.4 * (1 - Math.exp(-step / 80)) + noise(0.02),
    [m.noSignal]: Math.min(1, Math.max(0, 0.15 + step / 400 + noise(0.1))),
    [m.gradNorm]: 0.5 + noise(0.2),
    [m.clipLow]: 0.01 + random() * 0.01,
    [m.clipHigh]: 0.02 + random() * 0.02,
    [m.validActions]: 1,
    [m.endingHorizon]: 1 - success,
    [m.endingFailure]: 0,
    [m.logprobGap]: 1e-6 * random(),
    [m.rolloutSpeed]: 2400 + noise(300),
    [m.trainSpeed]: 5200 + noise(400),
    [m.stepMs]: 640 + noise(60),
  };
  return { step, stage: 1, metrics, ...(step % 20 === 0 ? { evaluation: evaluation(step) } : {}) };
}

export const mockRecords = (steps: number): StepRecord[] => [
  { step: 0, stage: 1, metrics: {}, evaluation: evaluation(0) },
  ...Array.from({ length: steps }, (_, index) => mockRecord(index + 1)),
];

export const mockSummary = (id: string, name: string, step: number, extra: Partial<RunSummary> = {}): RunSummary => ({
  id,
  name,
  createdAt: Date.UTC(2026, 10, 1, 9, 0),
  updatedAt: Date.UTC(2026, 10, 1, 10, 0) + step * 1000,
  experiment: mockExperiment(name),
  step,
  origin: { kind: 'new' },
  success: step ? curve(step) : null,
  deletedUntil: null,
  bytes: 2_400_000 + step * 12_000,
  ...extra,
});

// -- episodes ------------------------------------------------------------------------------------------------------

const { opening: observation = '', view: viewAfter } = Object.values<ViewFixture>(fixtures).find(
  ({ world }) => world === 'textcraft',
)!;

export const mockView = (turn: number): WorldView => viewAfter!(turn);

const winning = ['get 1 cobblestone', 'get 1 stick', 'craft 1 lever using 1 cobblestone, 1 stick'];
const losing = ['get 2 oak planks', 'get 1 stick', 'craft 4 stick using 2 oak planks'];

export const mockTexts: string[] = ['[PAD]', '\n', ':', '.', ','];
const ids = new Map(mockTexts.map((text, index) => [text, index]));

/** Token ids of a text, one for each word; new words are added to `mockTexts`. */
function encode(text: string): number[] {
  const words = text.match(/\n|[\w]+|[^\w\s]/g) ?? [];
  return words.map((word) => {
    if (!ids.has(word)) ids.set(word, mockTexts.push(word) - 1);
    return ids.get(word)!;
  });
}

interface Draft {
  tokens: number[];
  source: number[];
  turnOf: number[];
  logprob: number[];
}

function append(draft: Draft, text: string, source: number, turn: number, logprob: () => number): [number, number] {
  const start = draft.tokens.length;
  for (const id of encode(text)) {
    draft.tokens.push(id);
    draft.source.push(source);
    draft.turnOf.push(turn);
    draft.logprob.push(source === TokenSource.policy ? logprob() : 0);
  }
  return [start, draft.tokens.length];
}

const answer = (action: string, valid: boolean) =>
  valid
    ? action.replace(/^get/, 'Got').replace(/^craft (.*) using.*/, 'Crafted $1')
    : 'Could not find enough items to craft it';

function mockTurns(draft: Draft, actions: readonly string[], success: boolean, random: () => number): Turn[] {
  return actions.map((action, turn) => {
    const [actionStart, actionEnd] = append(draft, `${action}\n`, TokenSource.policy, turn, () =>
      random() < 0.55 ? 0 : Math.log(0.05 + 0.95 * random()),
    );
    const valid = random() > 0.1;
    const last = turn === actions.length - 1;
    const text = answer(action, valid);
    const [observationStart, observationEnd] = append(draft, last ? '' : text, TokenSource.world, turn, () => 0);
    return {
      action,
      observation: text,
      reward: last && success ? 1 : 0,
      valid,
      actionStart,
      actionEnd,
      observationStart,
      observationEnd,
    };
  });
}

function choicesOf(draft: Draft): Trajectory['choices'] {
  const position = draft.tokens.flatMap((_, index) =>
    draft.source[index] === TokenSource.policy && draft.logprob[index] !== 0 ? [index] : [],
  );
  const rows = position.map((index) => [...new Set([draft.tokens[index], 5, 6, 7])].sort((a, b) => a - b));
  const offsets = [0];
  for (const row of rows) offsets.push(offsets.at(-1)! + row.length);
  return {
    position: Int32Array.from(position),
    offsets: Int32Array.from(offsets),
    tokens: Int32Array.from(rows.flat()),
  };
}

function mockTrajectory(step: number, group: number, member: number, repeat = 1): Trajectory {
  const random = mockRandom(step * 1009 + group * 31 + member + 1);
  const success = group !== 5 && random() < curve(step);
  const draft: Draft = { tokens: [], source: [], turnOf: [], logprob: [] };
  append(draft, `${observation}\n`, TokenSource.world, -1, () => 0);
  const promptLength = draft.tokens.length;
  const actions = Array.from({ length: repeat }, () => (success ? winning : losing)).flat();
  const turns = mockTurns(draft, actions, success, random);
  const task: Task = { world: 'textcraft', id: 31 + group, options: {}, strata: { depth: 1 } };
  return {
    task,
    group,
    member,
    prompt: observation,
    promptLength,
    tokens: Int32Array.from(draft.tokens),
    source: Uint8Array.from(draft.source),
    turnOf: Int16Array.from(draft.turnOf),
    logprob: Float32Array.from(draft.logprob),
    choices: choicesOf(draft),
    turns,
    score: success ? 1 : 0,
    success,
    ending: success ? 'success' : 'horizon',
    horizon: actions.length + 1,
    oracleTurns: 3,
    advantage: 0,
    advantages: new Float32Array(0),
  };
}

/** An episode of given turns whose score is 1 if it succeeds; its advantage is that of a group with a mean of a half. */
export function mockEpisode(
  { group, member }: Pick<Trajectory, 'group' | 'member'>,
  played: readonly Pick<Turn, 'action' | 'observation'>[],
  { ending, branch }: Pick<Trajectory, 'ending' | 'branch'>,
): Trajectory {
  const random = mockRandom(group * 31 + member + 1);
  const success = ending === 'success';
  const draft: Draft = { tokens: [], source: [], turnOf: [], logprob: [] };
  const [, promptLength] = append(draft, `${observation}\n`, TokenSource.world, -1, () => 0);
  const turns = played.map(({ action, observation: text }, turn): Turn => {
    const chance = () => Math.log(0.05 + 0.95 * random());
    const [actionStart, actionEnd] = append(draft, `${action}\n`, TokenSource.policy, turn, chance);
    const answered = turn < played.length - 1 ? text : '';
    const [observationStart, observationEnd] = append(draft, answered, TokenSource.world, turn, () => 0);
    const ends = { actionStart, actionEnd, observationStart, observationEnd };
    return { action, observation: text, reward: turn === played.length - 1 && success ? 1 : 0, valid: true, ...ends };
  });
  const advantage = ending === 'world-failure' ? 0 : success ? 0.5 : -0.5;
  const episode = {
    ...mockTrajectory(1, group, member),
    ...{ promptLength, turns, score: success ? 1 : 0, success, ending, horizon: turns.length + 1, advantage },
    ...{ tokens: Int32Array.from(draft.tokens), source: Uint8Array.from(draft.source) },
    ...{ turnOf: Int16Array.from(draft.turnOf), logprob: Float32Array.from(draft.logprob), choices: choicesOf(draft) },
    ...(branch && { branch }),
  };
  return { ...episode, advantages: new Float32Array(chosenPositions(episode).length).fill(advantage) };
}

/** All episodes of a step, with advantages computed from their returns. */
export function mockStep(step: number, repeat = 1): Trajectory[] {
  return Array.from({ length: 8 }, (_, group) => {
    const members = Array.from({ length: 8 }, (_, member) => mockTrajectory(step, group, member, repeat));
    const mean = members.reduce((sum, each) => sum + each.score, 0) / members.length;
    const std = Math.sqrt(members.reduce((sum, each) => sum + (each.score - mean) ** 2, 0) / (members.length - 1));
    return members.map((each) => {
      const advantage = (each.score - mean) / (std + 1e-6);
      return { ...each, advantage, advantages: new Float32Array(chosenPositions(each).length).fill(advantage) };
    });
  }).flat();
}

export const mockReplay = (trajectory: Trajectory): ReplayFrame[] =>
  trajectory.turns.map((turn, index) => ({
    turn: index,
    action: turn.action,
    observation: turn.observation,
    view: mockView((index % 3) + 1),
  }));
