/** From an experiment to sizes: the capacity that is planned and allocated for a run. */
import type { Capacity, CriticKind } from '../policy/policy.ts';
import type { AlgorithmSettings } from '../rl/algorithms/algorithm.ts';
import { algorithmOf, criticKind } from '../rl/algorithms/registry.ts';
import type { Experiment } from './experiment.ts';

/** The most rows decoded at once, of them in an evaluation, and tokens of a batch. */
export interface Bounds {
  rows: number;
  evaluated: number;
  tokens: number;
}

/** More rows cost memory, fewer cost read-backs. */
export const plainBounds: Bounds = { rows: 256, evaluated: 128, tokens: 8192 };
const MOST_SCORED = 4096;
/** Where rows may be free, each takes as many entries as the vocabulary has tokens. */
const MOST_SCORED_FREE = 1024;

/** A checkpoint stores it and a resume reuses it: the batches of a step follow from it. */
export function capacityOf(experiment: Experiment, most: Bounds = plainBounds): Capacity {
  const { algorithm, sampling, evaluation } = experiment;
  const { groups, groupSize, minibatches } = algorithm;
  const { promptTokens, completionTokens } = sampling;
  const freeTokens = sampling.maskActions && sampling.thoughts > 0;
  const trained = Math.max(groupSize, Math.min(groups * groupSize, most.rows - (most.rows % groupSize)));
  const rows = Math.max(trained, Math.min(evaluation.episodes, most.evaluated));
  const perMinibatch = Math.ceil(groups / minibatches) * (promptTokens + groupSize * completionTokens);
  const longest = promptTokens + completionTokens;
  const batchTokens = Math.max(longest, Math.min(perMinibatch, most.tokens));
  const batchScored = Math.max(completionTokens, Math.min(batchTokens, freeTokens ? MOST_SCORED_FREE : MOST_SCORED));
  // An evaluation plays one episode a task: every row has its own prompt.
  const sizes = { rows, groups: rows, promptTokens, completionTokens, batchTokens, batchScored };
  return freeTokens ? { ...sizes, freeTokens } : sizes;
}

/** The run's algorithm after those of its stages. */
export const algorithmsOf = ({ algorithm, stages = [] }: Pick<Experiment, 'algorithm' | 'stages'>) => [
  ...stages.map((stage) => stage.algorithm),
  algorithm,
];

/** Most rows of an update that is summed over all at once, by an upper bound: every token of an episode is trained on. */
function batchRows(settings: AlgorithmSettings, completionTokens: number): number {
  const { batch = false, sequencesPerEpisode = 1 } = algorithmOf(settings).needs(settings);
  const { groups, groupSize, minibatches } = settings;
  return batch ? Math.ceil(groups / minibatches) * groupSize * sequencesPerEpisode * completionTokens : 0;
}

/** What the algorithms of a run ask the engine to plan for beside a forward and a backward. */
export function updateSizesOf(experiment: Experiment): { critic: CriticKind | null; updateRows: number } {
  const all = algorithmsOf(experiment);
  const { completionTokens } = experiment.sampling;
  return {
    critic: all.map(criticKind).find((kind) => kind !== null) ?? null,
    updateRows: Math.max(...all.map((settings) => batchRows(settings, completionTokens))),
  };
}
