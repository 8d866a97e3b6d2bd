/** Sizes of an experiment: the capacity that is planned and allocated for a run. */
import type { Capacity, CriticKind } from '../policy/policy.ts';
import { type AnyAlgorithmSettings, algorithmOf, criticKind, readsDistributions } from '../rl/algorithms/registry.ts';
import { distilAlgorithm } from '../rl/distil-algorithm.ts';
import type { Experiment } from './experiment.ts';

/** Upper bounds: rows decoded at once, rows of an evaluation, tokens of a batch. */
export interface Bounds {
  rows: number;
  evaluated: number;
  tokens: number;
}

/** More rows need more memory; fewer rows need more read-backs. */
export const plainBounds: Bounds = { rows: 256, evaluated: 128, tokens: 8192 };
const MOST_SCORED = 4096;
/** Limit if tokens may be chosen freely: each scored row then has an entry for every token of the vocabulary. */
const MOST_SCORED_FREE = 1024;

/** Tokens of a batch of windows, if two of the longest have fewer: enough to keep a device busy, in little memory. */
const WINDOW_TOKENS = 1024;

/** Capacity of a run. A checkpoint stores it and a resume reuses it, because the batches of a step depend on it. */
export function capacityOf(experiment: Experiment, most: Bounds = plainBounds): Capacity {
  const { algorithm, sampling, evaluation } = experiment;
  const { groups, groupSize, minibatches } = algorithm;
  const { promptTokens, completionTokens } = sampling;
  const isTaught = algorithmsOf(experiment).some(readsDistributions);
  const freeTokens = sampling.maskActions ? sampling.thoughts > 0 : isTaught;
  const trained = Math.max(groupSize, Math.min(groups * groupSize, most.rows - (most.rows % groupSize)));
  const rows = Math.max(trained, Math.min(evaluation.episodes, most.evaluated));
  const perMinibatch = Math.ceil(groups / minibatches) * (promptTokens + groupSize * completionTokens);
  const longest = promptTokens + completionTokens;
  const tokens = sampling.context === 'all' ? most.tokens : Math.min(most.tokens, Math.max(WINDOW_TOKENS, 2 * longest));
  const batchTokens = Math.max(longest, Math.min(perMinibatch, tokens));
  const batchScored = Math.max(completionTokens, Math.min(batchTokens, freeTokens ? MOST_SCORED_FREE : MOST_SCORED));
  // An evaluation plays one episode for each task, so every row has its own prompt.
  const sizes = { rows, groups: rows, promptTokens, completionTokens, batchTokens, batchScored };
  return freeTokens ? { ...sizes, freeTokens } : sizes;
}

/** Algorithms of a run in order: those of its stages, its own, and the one that distils kept successes. */
export const algorithmsOf = ({ algorithm, stages = [], goals }: Pick<Experiment, 'algorithm' | 'stages' | 'goals'>) => [
  ...stages.map((stage) => stage.algorithm),
  algorithm,
  ...[distilAlgorithm(goals) ?? []].flat(),
];

/** Longest horizon that a task may have if it follows from the oracle's turns. */
const MOST_TURNS = 200;

/** Upper bound on the trained tokens of an episode. Without windows every token after the prompt counts as trained. */
function trainedTokens({ sampling, horizon }: Experiment): number {
  const { context, completionTokens, maxTokensPerTurn, thoughts, summaryTokens } = sampling;
  if (context === 'all') return completionTokens;
  const turns = Math.max(...horizon.map((stage) => (typeof stage.turns === 'number' ? stage.turns : MOST_TURNS)));
  const summary = context === 'summary' ? summaryTokens + 1 : 0;
  return Math.max(completionTokens, turns * (maxTokensPerTurn + thoughts + 2 + summary));
}

/** True if the loss of a row may depend on other rows of its episode: the objective has no form for single rows. */
const isCoupled = (settings: AnyAlgorithmSettings) =>
  settings.objectiveCode !== undefined || algorithmOf(settings).objective(settings).spec.wgsl === undefined;

/** Upper bound on the rows of an update that sums over all its rows at once; 0: it does not. */
function batchRows(experiment: Experiment, settings: AnyAlgorithmSettings): number {
  const { batch = false, sequencesPerEpisode = 1 } = algorithmOf(settings).needs(settings);
  const { groups, groupSize, minibatches } = settings;
  // The windows of an episode may lie in several micro-batches (Updater.objectiveFor).
  const sums = batch || (experiment.sampling.context !== 'all' && isCoupled(settings));
  return sums ? Math.ceil(groups / minibatches) * groupSize * sequencesPerEpisode * trainedTokens(experiment) : 0;
}

/** Upper bound on the trained tokens of a step whose update reads a teacher's distributions; 0: it does not. */
const taughtRows = (experiment: Experiment, settings: AnyAlgorithmSettings) =>
  readsDistributions(settings) ? settings.groups * settings.groupSize * trainedTokens(experiment) : 0;

/**
 * Parts that the engine plans for in addition to a forward and a backward pass: the critic, the rows of an update that
 * sums over all its rows at once, and the rows of a step with a teacher's distributions.
 */
export function updateSizesOf(experiment: Experiment): {
  critic: CriticKind | null;
  updateRows: number;
  taughtRows: number;
} {
  const all = algorithmsOf(experiment);
  // A kept success may join each group.
  const more = (experiment.goals?.keptShare ?? 0) > 0 ? 1 : 0;
  const withKept = (settings: AnyAlgorithmSettings) => ({ ...settings, groupSize: settings.groupSize + more });
  return {
    critic: all.map(criticKind).find((kind) => kind !== null) ?? null,
    updateRows: Math.max(...all.map((settings) => batchRows(experiment, withKept(settings)))),
    taughtRows: Math.max(...all.map((settings) => taughtRows(experiment, withKept(settings)))),
  };
}
