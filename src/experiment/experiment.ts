/**
 * An experiment: one JSON document that describes a run completely. The page, the command line, a shared link and a
 * checkpoint all carry it. `parseExperiment` refuses a field out of range with its path and its bounds.
 */
import * as v from 'valibot';
import { boundedList, real, whole } from '../fields/fields.ts';
import { problemOf } from '../fields/refusals.ts';
import { AlgorithmSchema, criticKind } from '../rl/algorithms/registry.ts';
import { worldModule, worldNames } from '../worlds/registry.ts';
import { factsOf, PolicySchema, policyProblems } from './policies/registry.ts';
import { type Problem, SweepSchema, sweepProblems, sweptDocuments, variantsOf } from './sweep.ts';
import { upgraded } from './upgrade.ts';
import { worldProblems } from './world-checks.ts';

const seed = whole(0, 0xffffffff);

/** A turn limit: a number, or the oracle's turns for the task plus some. */
const turns = v.union([whole(1, 200), v.strictObject({ oraclePlus: whole(0, 100) })]);

export const ExperimentSchema = v.strictObject({
  format: v.literal('tabgym-experiment-1'),
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(120)),
  description: v.optional(v.pipe(v.string(), v.maxLength(2000)), ''),
  seed,
  steps: whole(1, 1_000_000),
  policy: PolicySchema,
  /** Mixture: each group of a step draws its world by weight. */
  worlds: boundedList(
    'worlds',
    v.strictObject({
      name: v.picklist(worldNames),
      weight: v.optional(real(0, 1000), 1),
      /** Whether evaluations ask its tasks too; false: only trained on. */
      evaluated: v.optional(v.boolean(), true),
      options: v.optional(v.record(v.string(), v.any()), {}),
    }),
    1,
    8,
  ),
  algorithm: AlgorithmSchema,
  /** Parts of the run that come before `algorithm`, each for its steps: imitation, then reinforcement. */
  stages: v.optional(
    boundedList(
      'stages',
      v.strictObject({
        steps: whole(1, 1_000_000),
        algorithm: AlgorithmSchema,
        /** null: the optimiser's. */
        learningRate: v.optional(v.nullable(real(0, 1)), null),
      }),
      0,
      16,
    ),
  ),
  /** ScalingInter-RL: stages of (steps, most turns); the last one stays. A fixed horizon is one stage. */
  horizon: boundedList('stages', v.strictObject({ steps: whole(1, 1_000_000), turns }), 1, 32),
  sampling: v.strictObject({
    temperature: real(0.01, 10),
    /** Constrain decoding to the actions the world's text offers. */
    maskActions: v.boolean(),
    maxTokensPerTurn: whole(1, 1024),
    /** Most tokens that may be thought before each action; 0: none. */
    thoughts: v.optional(whole(0, 1024), 0),
    promptTokens: whole(16, 8192),
    completionTokens: whole(16, 8192),
  }),
  optimizer: v.strictObject({
    learningRate: real(0, 1),
    warmupSteps: v.optional(whole(0, 100_000), 0),
    /** Learning rate at the last step as a fraction of the first (linear); 1: constant. */
    finalFraction: v.optional(real(0, 1), 1),
    beta1: v.optional(real(0, 1), 0.9),
    beta2: v.optional(real(0, 1), 0.999),
    epsilon: v.optional(real(0, 1), 1e-8),
    weightDecay: real(0, 1),
    maxGradNorm: v.nullable(real(1e-6, 1e6)),
  }),
  /** Sampled at the training temperature, under the horizon of the step. every 0: only before the first step and after the last. */
  evaluation: v.strictObject({ every: whole(0, 100_000), episodes: whole(1, 5000) }),
  /** Seeds and variants: the document stands for several runs, none of which has a sweep itself. */
  sweep: v.optional(SweepSchema),
});

export type Experiment = v.InferOutput<typeof ExperimentSchema>;
export type TurnLimit = Experiment['horizon'][number]['turns'];

/** An experiment that was refused: one line a problem, each with its path, its value and the bound. */
export class ExperimentError extends Error {
  override name = 'ExperimentError';
  constructor(readonly problems: readonly { path: string; message: string }[]) {
    super(`This experiment cannot be run:\n${problems.map((p) => `  ${p.path}: ${p.message}`).join('\n')}`);
  }
}

/** Every algorithm of a run with its path. */
const algorithmsWithPaths = ({ algorithm, stages = [] }: Experiment) => [
  { at: 'algorithm', each: algorithm },
  ...stages.map((stage, i) => ({ at: `stages.${i}.algorithm`, each: stage.algorithm })),
];

/** A run has one critic, and a policy whose weights are not its own has no second model. */
function criticProblems(experiment: Experiment): { path: string; message: string }[] {
  const critics = algorithmsWithPaths(experiment)
    .map(({ at, each }) => ({ path: `${at}.critic`, kind: criticKind(each) }))
    .filter(({ kind }) => kind !== null);
  const own = factsOf(experiment.policy).ownWeights;
  return critics.flatMap(({ path, kind }) => [
    ...(kind === 'separate' && !own
      ? [{ path, message: 'a critic of its own is a second policy, trained whole: choose head or shared' }]
      : []),
    ...(kind === critics[0].kind
      ? []
      : [{ path, message: `it is ${kind}, and ${critics[0].path} is ${critics[0].kind}: a run has one critic` }]),
  ]);
}

/** Of every stage's algorithm, and of the stages beside the run. */
function algorithmProblems(experiment: Experiment): { path: string; message: string }[] {
  const { stages = [], steps } = experiment;
  const all = algorithmsWithPaths(experiment);
  const problems = all
    .filter(({ each }) => each.minibatches > each.groups)
    .map(({ at, each }) => ({
      path: `${at}.minibatches`,
      message: `${each.minibatches} is more than the ${each.groups} groups of a step, which a minibatch never cuts`,
    }));
  const staged = stages.reduce((sum, stage) => sum + stage.steps, 0);
  if (staged > steps)
    problems.push({ path: 'stages', message: `they have ${staged} steps together, more than the run's ${steps}` });
  return [...problems, ...criticProblems(experiment)];
}

/** What no single field can say. */
function crossChecks(experiment: Experiment): { path: string; message: string }[] {
  const { policy, worlds } = experiment;
  const problems = policyProblems(policy);
  problems.push(...algorithmProblems(experiment));
  if (!worlds.some((world) => world.weight > 0))
    problems.push({ path: 'worlds', message: 'every weight is 0: at least one must be above it' });
  if (!worlds.some((world) => world.evaluated))
    problems.push({ path: 'worlds', message: 'none is evaluated: at least one must be, to tell what was learnt' });
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
  // Variants of what is refused itself would repeat its problems.
  if (!problems.length) problems.push(...sweepProblems(result.output, problemsOf));
  return problems.length ? { problems } : { experiment: result.output };
}

function problemsOf(document: unknown): readonly Problem[] {
  const checked = check(document);
  return isRefused(checked) ? checked.problems : [];
}

/**
 * Validates a document (already parsed from JSON), of this form or an older one, and fills in defaults. Throws ExperimentError.
 */
export function parseExperiment(document: unknown): Experiment {
  const checked = check(document);
  if (isRefused(checked)) throw new ExperimentError(checked.problems);
  return checked.experiment;
}

/** A run of a sweep: its variant's number and name, its seed, and its own document, checked. */
export interface SweptRun {
  variant: number;
  name: string;
  seed: number;
  experiment: Experiment;
}

/** Every run that a document stands for, seed by seed; one where it is no sweep. */
export const sweptRuns = (experiment: Experiment): SweptRun[] =>
  sweptDocuments(experiment).map(({ variant, seed, document }) => ({
    variant,
    name: variantsOf(experiment)[variant].name,
    seed,
    experiment: parseExperiment(document),
  }));

/** A document that is to be one run. Throws where it stands for several. */
export function parseRun(document: unknown): Experiment {
  const experiment = parseExperiment(document);
  if (!experiment.sweep) return experiment;
  const runs = sweptDocuments(experiment).length;
  throw new ExperimentError([{ path: 'sweep', message: `this document is a sweep of ${runs} runs: run it as one` }]);
}
