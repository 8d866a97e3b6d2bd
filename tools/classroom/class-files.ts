/** A made class: an assignment over a run of seconds, honest handed-in files, and the parts that forgeries are made of. */
import { readFileSync } from 'node:fs';
import { type Assignment, parseAssignment } from '../../src/classroom/assignment.ts';
import { changesOf } from '../../src/classroom/changes.ts';
import { handIn } from '../../src/classroom/hand-in.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import type { EngineFactory } from '../../src/session/engine.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RunStore } from '../../src/store/run-store.ts';

/** Steps of a run of the class. */
export const classSteps = 8;

/** Assignment with a task of each kind. */
export function classAssignment(): Assignment {
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const experiment = { ...micro, steps: classSteps, horizon: [{ steps: classSteps, turns: 3 }] };
  return parseAssignment({
    format: 'tabgym-assignment-1',
    title: { en: 'Craft it', zh: '动手合成' },
    deadline: 'Friday',
    experiment,
    mayChange: [
      { path: 'seed' },
      { path: 'optimizer.learningRate', least: 1e-4, most: 0.01 },
      { path: 'algorithm.clipHigh' },
    ],
    tasks: [
      { kind: 'success', id: 'success', text: { en: 'Succeed.' }, items: 24, atLeast: 0.02, points: 4 },
      { kind: 'bound', id: 'steps', text: { en: 'In eight steps.' }, of: 'steps', atMost: classSteps, points: 1 },
      { kind: 'bound', id: 'small', text: { en: 'A small policy.' }, of: 'parameters', atMost: 1e6, points: 1 },
      {
        kind: 'choice',
        id: 'why',
        text: { en: 'What does the group do?' },
        choices: [{ en: 'It compares episodes of a task.' }, { en: 'It averages the weights.' }],
        answer: 0,
        points: 2,
      },
      { kind: 'text', id: 'words', text: { en: 'What did you see?' }, points: 2 },
      {
        kind: 'episode',
        id: 'find',
        text: { en: 'Find an episode that ran out of turns.' },
        where: { ending: 'horizon' },
        points: 2,
      },
    ],
  });
}

/** Steps of the run that learns. */
export const goalSteps = 20;

/**
 * A run of seconds that learns: depth-1 TextCraft from reward alone, with a last horizon of 3 turns, so that its own
 * held-out tasks can be a goal.
 */
export function goalExperiment(): Experiment {
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const { algorithm, policy, sampling, optimizer } = micro;
  return parseExperiment({
    ...micro,
    name: 'Craft one thing',
    description: 'Learns depth-1 TextCraft from reward alone, in twenty steps.',
    steps: goalSteps,
    policy: {
      ...policy,
      layers: 2,
      kvHeads: 2,
      qkvBias: true,
      embeddingStd: 0.25,
      copyScale: 0.5,
      previousTokenHeads: 2,
    },
    algorithm: {
      ...algorithm,
      ...{ groups: 8, groupSize: 8, minibatches: 1, innerEpochs: 1 },
      kl: { ...algorithm.kl, coefficient: 0 },
    },
    horizon: [{ steps: goalSteps, turns: 3 }],
    sampling: { ...sampling, promptTokens: 160 },
    optimizer: { ...optimizer, learningRate: 0.005 },
    evaluation: { every: goalSteps / 2, episodes: 100 },
  });
}

/** A pupil's settings. */
export interface PupilSettings {
  seed: number;
  learningRate: number;
  steps?: number;
}

export const pupilExperiment = (
  { experiment }: Assignment,
  { seed, learningRate, steps = experiment.steps }: PupilSettings,
): Experiment =>
  parseExperiment({
    ...experiment,
    seed,
    steps,
    horizon: [{ ...experiment.horizon[0], steps }],
    optimizer: { ...experiment.optimizer, learningRate },
  });

/** Trains a run and hands it in, whether the assignment allows its settings or not. */
export async function handedIn(
  assignment: Assignment,
  engines: EngineFactory,
  settings: PupilSettings,
  pupil: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const store = new RunStore(new MemoryStore());
  const experiment = pupilExperiment(assignment, settings);
  const { id } = await store.create({ name: experiment.name, experiment, origin: { kind: 'new' } });
  const session = new Session(id, experiment, { store, engines, emit: () => {} });
  await session.train();
  await session.close();
  const records = await store.records<StepRecord>(id);
  const success = records.findLast(({ evaluation }) => evaluation)?.evaluation?.test.policy.rate ?? null;
  const entry = {
    run: 'first',
    changes: changesOf(assignment.experiment, experiment),
    steps: assignment.experiment.steps,
    success,
  };
  // Only the answers to the assignment's own tasks are kept.
  const answers = {
    why: settings.seed % 3 === 0 ? 1 : 0,
    words: 'It learned.',
    find: { step: 1, group: 0, member: 0 },
  };
  return handIn(store, id, { assignment, pupil, answers, log: [entry] });
}
