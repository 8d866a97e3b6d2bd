/**
 * An experiment: one JSON document that describes a run completely. The page, the command line, a shared link and a
 * checkpoint all carry it. `parseExperiment` refuses a field out of range with its path and its bounds.
 */
import * as v from 'valibot';
import { boundedList, choice, field, option, real, text, toggle, whole } from '../fields/fields.ts';
import { problemOf } from '../fields/refusals.ts';
import {
  AlgorithmSchema,
  type AnyAlgorithmSettings,
  algorithmOf,
  criticKind,
  readsDistributions,
  teacherOf,
} from '../rl/algorithms/registry.ts';
import { GoalsSchema } from '../rl/goals/registry.ts';
import { RewardSchema } from '../rl/rewards/registry.ts';
import { worldModule, worldModules, worldNames } from '../worlds/registry.ts';
import { factsOf, PolicySchema, policyProblems } from './policies/registry.ts';
import { SamplingSchema } from './sampling.ts';
import { readServedName } from './served-name.ts';
import { type Problem, SweepSchema, sweepProblems, sweptDocuments, variantsOf } from './sweep.ts';
import { upgraded } from './upgrade.ts';
import { worldProblems } from './world-checks.ts';

/** A turn limit: a number, or the oracle's turns for the task plus some. */
const turns = v.union(
  [whole(1, 200), v.strictObject({ oraclePlus: whole(0, 100) })],
  'must be a number of turns from 1 to 200, or {"oraclePlus": 0 to 100}',
);

const worldEntry = v.strictObject({
  name: field(choice(worldNames), {
    label: 'World',
    sentence: 'World of the agent.',
    level: 'basic',
    change: 'restart',
    choiceLabels: Object.fromEntries(worldModules.map(({ name, title }) => [name, title])),
  }),
  weight: option(real(0, 1000), 1, {
    label: 'Share',
    sentence: 'Relative frequency with which groups are drawn from this world of the mixture.',
    step: 0.1,
  }),
  evaluated: option(toggle(), true, {
    label: 'Evaluated',
    sentence: 'Include the tasks of this entry in evaluations; if off, it is only trained on.',
  }),
  turns: v.optional(
    field(v.nullable(turns), {
      label: 'Turns in this world',
      sentence: 'Maximum number of turns of an episode in this world, in the place of the horizon’s.',
      unit: 'turns',
      kind: 'turns',
      nullMeans: 'the horizon’s',
    }),
  ),
  /** Checked by the world itself. */
  options: v.optional(v.record(v.string(), v.any()), {}),
});

/** A part of the run before its own algorithm, such as imitation before reinforcement. */
const stage = v.strictObject({
  steps: field(whole(1, 1_000_000), {
    label: 'Stage steps',
    sentence: 'Number of steps with this algorithm, before the next stage.',
    unit: 'steps',
    level: 'basic',
  }),
  algorithm: AlgorithmSchema,
  learningRate: option(v.nullable(real(0, 1)), null, {
    label: 'Stage learning rate',
    sentence: 'Learning rate of this stage.',
    level: 'basic',
    step: 0.0001,
    nullMeans: "the optimiser's",
  }),
});

const horizonStage = v.strictObject({
  steps: field(whole(1, 1_000_000), {
    label: 'Stage length',
    sentence: 'Number of steps under this limit, before the next stage of the schedule; the last stage has no end.',
    unit: 'steps',
  }),
  turns: field(turns, {
    label: 'Maximum turns',
    sentence:
      "Maximum number of turns of an episode: a number, or the oracle's turns plus a few. A tight limit keeps chance low.",
    unit: 'turns',
    level: 'basic',
    kind: 'turns',
  }),
  /** Absent in most documents. */
  advanceAt: v.optional(
    field(v.nullable(real(0.01, 1)), {
      label: 'Ends early at',
      sentence:
        'Share of the oracle’s success, over the last five steps of the stage, at which the next stage begins before this one’s steps have passed. In a world without an oracle: success itself.',
      step: 0.05,
      nullMeans: 'never',
    }),
  ),
});

const optimizer = v.strictObject({
  learningRate: field(real(0, 1), {
    label: 'Learning rate',
    sentence: 'Step size of the updates: too small learns slowly, too large forgets what was learnt.',
    level: 'basic',
    step: 0.0001,
  }),
  warmupSteps: option(whole(0, 100_000), 0, {
    label: 'Warm-up',
    sentence: 'Steps over which the learning rate grows from zero.',
    unit: 'steps',
  }),
  finalFraction: option(real(0, 1), 1, {
    label: 'Final fraction',
    sentence: 'Final learning rate as a fraction of the initial one, with a linear decrease; 1 keeps it constant.',
    step: 0.05,
  }),
  // At 1 AdamW divides 0 by 0. The bounds are below 1 in f32 as well.
  beta1: option(real(0, 0.9999999), 0.9, {
    label: 'Beta 1',
    sentence: "Memory of AdamW's average of gradients.",
    step: 0.01,
  }),
  beta2: option(real(0, 0.9999999), 0.999, {
    label: 'Beta 2',
    sentence: "Memory of AdamW's average of squared gradients.",
    step: 0.001,
  }),
  // At 0 a weight without gradients divides 0 by 0. The least is a normal f32.
  epsilon: option(real(1e-30, 1), 1e-8, {
    label: 'Epsilon',
    sentence: "Floor of AdamW's division.",
    step: 1e-9,
  }),
  weightDecay: field(real(0, 1), {
    label: 'Weight decay',
    sentence: 'Rate at which weights shrink in each update.',
    step: 0.01,
  }),
  maxGradNorm: field(v.nullable(real(1e-6, 1e6)), {
    label: 'Gradient clip',
    sentence: 'Greatest norm of a gradient; larger gradients are scaled down to it.',
    step: 0.1,
    nullMeans: 'no clip',
  }),
});

const evaluation = v.strictObject({
  every: field(whole(0, 100_000), {
    label: 'Evaluate every',
    sentence: 'Steps between evaluations; 0 evaluates only after the last step.',
    unit: 'steps',
    level: 'basic',
  }),
  episodes: field(whole(1, 5000), {
    label: 'Evaluation episodes',
    sentence: 'Episodes per split in an evaluation: more episodes narrow the interval and take longer.',
    unit: 'episodes',
    step: 10,
  }),
  signalEvery: option(whole(0, 100_000), 0, {
    label: 'Measure signal every',
    sentence:
      'Steps between measurements of the gradient’s signal, each of which takes as long as one pass over the step’s episodes; 0 never measures it.',
    unit: 'steps',
  }),
  overflow: option(choice(['left-out', 'failure']), 'left-out', {
    label: 'Out of tokens',
    sentence:
      'Whether an evaluation leaves out an episode that ran out of tokens, or counts it as a failure, as for a policy that must come to an end by itself.',
    choiceLabels: { 'left-out': 'Leave out', failure: 'Failure' },
  }),
});

export const ExperimentSchema = v.strictObject({
  format: v.literal('tabgym-experiment-1'),
  name: field(text(1, 120), {
    label: 'Name',
    sentence: 'Name of the experiment in lists and files.',
    level: 'basic',
    change: 'free',
  }),
  description: option(text(0, 2000), '', {
    label: 'Description',
    sentence: 'Purpose of the experiment.',
    change: 'free',
  }),
  seed: field(whole(0, 0xffffffff), {
    label: 'Seed',
    sentence: 'Seed of all random numbers: the same seed on the same adapter gives the same run.',
    level: 'basic',
  }),
  steps: field(whole(1, 1_000_000), {
    label: 'Steps',
    sentence: 'Number of steps, each with an update of the policy.',
    unit: 'steps',
    level: 'basic',
  }),
  policy: PolicySchema,
  /** Mixture: each group of a step draws its world by weight. */
  worlds: boundedList('worlds', worldEntry, 1, 8),
  algorithm: AlgorithmSchema,
  /** Absent: an episode's reward is the world's score. */
  reward: v.optional(RewardSchema),
  /** Absent: tasks come in shuffled epochs. */
  goals: v.optional(GoalsSchema),
  /** Stages before `algorithm`, in order. */
  stages: v.optional(boundedList('stages', stage, 0, 16)),
  /** ScalingInter-RL: stages of (steps, most turns). A fixed horizon is one stage. */
  horizon: boundedList('stages', horizonStage, 1, 32),
  sampling: SamplingSchema,
  optimizer,
  /** Uses the training temperature and the horizon of the step. */
  evaluation,
  /** Seeds and variants: the document then describes several runs, each without a sweep of its own. */
  sweep: v.optional(SweepSchema),
});

export type Experiment = v.InferOutput<typeof ExperimentSchema>;
export type TurnLimit = Experiment['horizon'][number]['turns'];

/** Maximum number of problems that a message lists, and maximum length of one. */
const [mostListed, longestProblem] = [20, 300];

function listed(problems: readonly { path: string; message: string }[]): string[] {
  const lines = problems.slice(0, mostListed).map(({ path, message }) => `  ${path}: ${message}`);
  const cut = lines.map((line) => (line.length > longestProblem ? `${line.slice(0, longestProblem)}…` : line));
  const more = problems.length - cut.length;
  return more > 0 ? [...cut, `  and ${more} more`] : cut;
}

/** A refused experiment: one line for each problem, with path, bound and value. */
export class ExperimentError extends Error {
  override name = 'ExperimentError';
  constructor(readonly problems: readonly { path: string; message: string }[]) {
    super(`This experiment cannot be run:\n${listed(problems).join('\n')}`);
  }
}

/** Each algorithm of a run, with its path. */
export const algorithmsWithPaths = ({ algorithm, stages = [] }: Pick<Experiment, 'algorithm' | 'stages'>) => [
  { at: 'algorithm', each: algorithm },
  ...stages.map((stage, i) => ({ at: `stages.${i}.algorithm`, each: stage.algorithm })),
];

/**
 * Problems of critics: a run has one critic, and a separate critic needs a policy whose weights are all the run's own.
 */
function criticProblems(experiment: Experiment): { path: string; message: string }[] {
  const critics = algorithmsWithPaths(experiment)
    .map(({ at, each }) => ({ path: `${at}.critic`, kind: criticKind(each) }))
    .filter(({ kind }) => kind !== null);
  const own = factsOf(experiment.policy).ownWeights;
  return critics.flatMap(({ path, kind }) => [
    ...(kind === 'separate' && !own
      ? [
          {
            path,
            message:
              'a separate critic is a second policy with all weights trained, which needs a tiny policy: choose head or shared',
          },
        ]
      : []),
    ...(kind === critics[0].kind
      ? []
      : [{ path, message: `it is ${kind}, and ${critics[0].path} is ${critics[0].kind}: a run has one critic` }]),
  ]);
}

/** Problems of the algorithms of all stages, and of the number of steps in the stages. */
function algorithmProblems(experiment: Experiment): { path: string; message: string }[] {
  const { stages = [], steps } = experiment;
  const all = algorithmsWithPaths(experiment);
  const problems = all
    .filter(({ each }) => each.minibatches > each.groups)
    .map(({ at, each }) => ({
      path: `${at}.minibatches`,
      message: `${each.minibatches} is more than the ${each.groups} groups of a step, which a minibatch never cuts`,
    }));
  for (const { at, each } of all)
    for (const { field, message } of algorithmOf(each).problems?.(each) ?? [])
      problems.push({ path: `${at}.${field}`, message });
  const staged = stages.reduce((sum, stage) => sum + stage.steps, 0);
  if (staged > steps)
    problems.push({ path: 'stages', message: `they have ${staged} steps together, more than the run's ${steps}` });
  return [...problems, ...criticProblems(experiment)];
}

/** Problems of a policy as the teacher: it is loaded beside a policy whose weights are all its own, or behind an API. */
function policyTeacherProblems(experiment: Experiment): { path: string; message: string }[] {
  const all = algorithmsWithPaths(experiment).filter(({ each }) => teacherOf(each) !== null);
  const isServed = ({ each }: (typeof all)[number]) => readServedName(teacherOf(each) ?? '') !== null;
  const served = all.filter(isServed).flatMap(({ at, each }) => servedTeacherProblems(experiment, at, each));
  if (factsOf(experiment.policy).ownWeights) return served;
  const loaded = all
    .filter((each) => !isServed(each))
    .map(({ at }) => ({
      path: `${at}.teacher`,
      message: `a policy teaches a tiny policy, and policy.kind is "${experiment.policy.kind}": set it to null, so that the oracle teaches, or to MODEL@ADDRESS of a model behind an API`,
    }));
  return [...served, ...loaded];
}

/** Problems of a teacher behind an API, which gives log-probabilities of chosen tokens among all tokens. */
function servedTeacherProblems({ sampling }: Experiment, at: string, settings: AnyAlgorithmSettings) {
  const { model, address } = readServedName(teacherOf(settings) ?? '')!;
  const problems: { path: string; message: string }[] = [];
  if (!model || !URL.canParse(address))
    problems.push({ path: `${at}.teacher`, message: 'a model behind an API is written MODEL@ADDRESS' });
  if (readsDistributions(settings))
    problems.push({
      path: `${at}.divergence`,
      message: 'a teacher behind an API gives the chosen tokens alone: set it to "sampled"',
    });
  if (sampling.maskActions)
    problems.push({
      path: 'sampling.maskActions',
      message: `the teacher of ${at} chooses among all tokens, and the policy among valid actions: set it to false`,
    });
  return problems;
}

/** Problems of an oracle as the teacher, which rates valid actions: the worlds must list these and have an oracle. */
function teacherProblems(experiment: Experiment): { path: string; message: string }[] {
  const taught = algorithmsWithPaths(experiment).find(
    ({ each }) => algorithmOf(each).needs(each).teacher?.policy === null,
  );
  if (!taught) return [];
  const without = experiment.worlds
    .map(({ name }) => worldModule(name))
    .find(({ hasOracle, hasValidActions }) => !hasOracle || !hasValidActions);
  return [
    ...(experiment.sampling.maskActions
      ? []
      : [
          {
            path: 'sampling.maskActions',
            message: `the teacher of ${taught.at} compares valid actions alone: set it to true`,
          },
        ]),
    ...(without
      ? [
          {
            path: `${taught.at}.name`,
            message: `${without.title} has no oracle that lists valid actions, so it has no teacher: choose another algorithm or world`,
          },
        ]
      : []),
  ];
}

/** Problems that involve several fields. */
function crossChecks(experiment: Experiment): { path: string; message: string }[] {
  const { policy, worlds, optimizer } = experiment;
  const problems = policyProblems(policy);
  if ('frozenEmbeddings' in policy && policy.frozenEmbeddings && optimizer.weightDecay > 0)
    problems.push({
      path: 'policy.frozenEmbeddings',
      message: `needs optimizer.weightDecay 0 (it is ${optimizer.weightDecay}), which would shrink them`,
    });
  problems.push(...algorithmProblems(experiment), ...teacherProblems(experiment), ...policyTeacherProblems(experiment));
  if (!worlds.some((world) => world.weight > 0))
    problems.push({ path: 'worlds', message: 'every weight is 0: at least one must be above 0' });
  if (!worlds.some((world) => world.evaluated))
    problems.push({ path: 'worlds', message: 'no world is evaluated: at least one must be, to measure success' });
  return [...problems, ...worldProblems(experiment, worldModule)];
}

const isRefused = (result: Checked): result is { problems: Problem[] } => 'problems' in result;
type Checked = { experiment: Experiment } | { problems: Problem[] };

function check(document: unknown): Checked {
  const result = v.safeParse(ExperimentSchema, upgraded(document));
  if (!result.success) {
    const { issues } = result;
    return {
      problems: issues.map((issue) => problemOf(issue)).map((each) => ({ ...each, path: each.path || '(document)' })),
    };
  }
  const problems = crossChecks(result.output);
  // The variants of a refused document would repeat its problems.
  if (!problems.length) problems.push(...sweepProblems(result.output, problemsOf));
  return problems.length ? { problems } : { experiment: result.output };
}

function problemsOf(document: unknown): readonly Problem[] {
  const checked = check(document);
  return isRefused(checked) ? checked.problems : [];
}

/** Validates a document (parsed from JSON) of this or an older form and fills in defaults. Throws ExperimentError. */
export function parseExperiment(document: unknown): Experiment {
  const checked = check(document);
  if (isRefused(checked)) throw new ExperimentError(checked.problems);
  return checked.experiment;
}

/** A run of a sweep: number and name of its variant, its seed, and its own checked document. */
export interface SweptRun {
  variant: number;
  name: string;
  seed: number;
  experiment: Experiment;
}

/** All runs of a document, seed by seed; a document without a sweep has one. */
export const sweptRuns = (experiment: Experiment): SweptRun[] =>
  sweptDocuments(experiment).map(({ variant, seed, document }) => ({
    variant,
    name: variantsOf(experiment)[variant].name,
    seed,
    experiment: parseExperiment(document),
  }));

/** Validates a document of a single run. Throws ExperimentError if it is a sweep. */
export function parseRun(document: unknown): Experiment {
  const experiment = parseExperiment(document);
  if (!experiment.sweep) return experiment;
  const runs = sweptDocuments(experiment).length;
  throw new ExperimentError([{ path: 'sweep', message: `this document is a sweep of ${runs} runs: run it as one` }]);
}
