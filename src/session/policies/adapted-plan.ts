/**
 * Sizes and memory of a run with an adapter on a language model, and the changes to an experiment that would make it
 * fit.
 */

import { readPath, writePath } from '../../experiment/paths.ts';
import type { LoraPolicy } from '../../experiment/policies/adapted.ts';
import { type Bounds, capacityOf, plainBounds, updateSizesOf } from '../../experiment/sizes.ts';
import type { ModelConfig } from '../../policy/config.ts';
import { kvRowWords, sharedPages } from '../../policy/engine/generation/cache-pages.ts';
import { keptBytesWithin, type PlanOptions, planBuffers } from '../../policy/plan/buffers.ts';
import { canCacheBytes } from '../../policy/plan/decoding-buffers.ts';
import { type Change, changeThatFits, misfit } from '../../policy/plan/fit.ts';
import type { PlannedBuffer } from '../../policy/plan/planned-buffer.ts';
import type { Capacity } from '../../policy/policy.ts';
import type { LoraConfig } from '../../policy/weights/adapter.ts';
import { isUnplannable } from '../../policy/weights/base.ts';
import type { TensorFormats } from '../../policy/weights/packed-layout.ts';
import type { ExperimentOf } from './kind.ts';

export type Adapted = ExperimentOf<'lora'>;

export const loraOf = ({ lora: { rank, alpha, targets, layers } }: LoraPolicy): LoraConfig => ({
  rank,
  alpha,
  targets,
  ...(layers && { layers }),
});

/** Maximum bytes of the K/V rows, and of all layers' inputs kept for training, for a language model. */
const CACHE_BYTES = 2 ** 29;
const INPUT_BYTES = 2 ** 29;

/** Limits on rows and tokens processed at once; a larger model has lower limits because each takes more memory. */
function boundsOf({ sampling, policy }: Adapted, config: ModelConfig): Bounds {
  const rowBytes = config.numLayers * kvRowWords(config, policy.kvCache) * 4 * policy.kvShare;
  const tokenBytes = (config.numLayers + 1) * config.hiddenSize * 4;
  const trajectory = sampling.promptTokens + sampling.completionTokens;
  const rows = Math.min(plainBounds.rows, Math.max(1, Math.floor(CACHE_BYTES / (rowBytes * trajectory))));
  const tokens = Math.min(plainBounds.tokens, Math.floor(INPUT_BYTES / tokenBytes / 64) * 64);
  return { rows, evaluated: Math.min(rows, plainBounds.evaluated), tokens };
}

export const adaptedCapacity = (experiment: Adapted, config: ModelConfig): Capacity =>
  sharedPages(capacityOf(experiment, boundsOf(experiment, config)), experiment.policy.kvShare);

/** Maximum bytes of a run with a language model: the memory of a smaller discrete GPU. */
export const LANGUAGE_MODEL_BUDGET = 2 ** 33;

/**
 * Facts of a device, and formats of the model's file, that decide on buffers. Default: a GPU that binds 128 MiB, with
 * `LANGUAGE_MODEL_BUDGET` as `mostBytes`, the largest sum of all buffers.
 */
type PlannedDevice = Partial<Pick<PlanOptions, 'blockBytes' | 'timingBytes' | 'sharesMemory' | 'formats'>> & {
  mostBytes?: number;
};

/** Options of the plan of a run with an adapter. Without `policy.keptMiB`, they keep the layers that fit. */
export function planOptionsFor(
  experiment: Adapted,
  config: ModelConfig,
  capacity: Capacity,
  { blockBytes = 128 * 2 ** 20, mostBytes = LANGUAGE_MODEL_BUDGET, ...device }: PlannedDevice,
): PlanOptions & { keptBytes: number } {
  const { policy } = experiment;
  const { weights: precision, kvCache, keptMiB } = policy;
  const options = {
    ...updateSizesOf(experiment),
    trainable: true,
    reference: false,
    precision,
    kvCache,
    lora: loraOf(policy),
    blockBytes,
    ...device,
  };
  const keptBytes = keptMiB === null ? keptBytesWithin(mostBytes, config, capacity, options) : keptMiB * 2 ** 20;
  return { ...options, keptBytes };
}

/** All buffers of a run with an adapter. */
export const planAdapted = (
  experiment: Adapted,
  config: ModelConfig,
  capacity = adaptedCapacity(experiment, config),
  device: PlannedDevice = {},
): PlannedBuffer[] => planBuffers(config, capacity, planOptionsFor(experiment, config, capacity, device));

/** Halves a number of the experiment, down to the smallest useful value. Leaves a number that is not set. */
const halving = (path: string, least: number): Change<Adapted> => ({
  apply: (experiment) => {
    const value = readPath(experiment, path) as number | null;
    return value !== null && value > least ? writePath(experiment, path, Math.max(least, value >> 1)) : null;
  },
  describe: (experiment) => [`${path} ${readPath(experiment, path)}`],
});

const packing: Change<Adapted> = {
  apply: (experiment) => {
    const { weights } = experiment.policy;
    if (weights === 'int4') return null;
    return writePath(experiment, 'policy.weights', weights === 'f32' ? 'int8' : 'int4');
  },
  describe: (experiment) => [`policy.weights ${experiment.policy.weights}`],
};

const cachedAs = (kvCache: LoraPolicy['kvCache']): Change<Adapted> => ({
  apply: (experiment) =>
    experiment.policy.kvCache === kvCache ? null : writePath(experiment, 'policy.kvCache', kvCache),
  describe: () => [`policy.kvCache ${kvCache}`],
});

/** In order of their cost to the run, smallest first. */
const changesFor = (config: ModelConfig) => [
  halving('policy.keptMiB', 0),
  packing,
  cachedAs(canCacheBytes(config) ? 'int8' : 'f32'),
  halving('algorithm.groupSize', 2),
  halving('sampling.completionTokens', 64),
  halving('sampling.promptTokens', 64),
  halving('policy.lora.rank', 1),
];

/** Thrown when episodes may be longer than the model's context. */
export class ContextLengthError extends Error {
  override name = 'ContextLengthError';
}

const longest = ({ sampling }: Adapted) => sampling.promptTokens + sampling.completionTokens;

/** Reason why the longest episode exceeds the model's context; empty: it fits. */
export function contextProblem(experiment: Adapted, { maxPosition }: ModelConfig): string {
  const { promptTokens, completionTokens } = experiment.sampling;
  if (longest(experiment) <= maxPosition) return '';
  return (
    `${experiment.policy.model} reads at most ${maxPosition} tokens, and an episode may have ${longest(experiment)} ` +
    `(sampling.promptTokens ${promptTokens} and sampling.completionTokens ${completionTokens})`
  );
}

/**
 * Describes the change to the experiment that makes it fit into `totalBytes`; null: none does. `formats`: those of the
 * model's file at the experiment's precision.
 */
export function changeOf(
  experiment: Adapted,
  config: ModelConfig,
  bindingBytes: number,
  { formats, totalBytes = LANGUAGE_MODEL_BUDGET }: { formats?: TensorFormats | undefined; totalBytes?: number } = {},
): string | null {
  const room = { bindingBytes, totalBytes };
  const fits = (candidate: Adapted) => {
    try {
      if (longest(candidate) > config.maxPosition) return false;
      const known = candidate.policy.weights === experiment.policy.weights ? formats : undefined;
      const buffers = planAdapted(candidate, config, undefined, {
        blockBytes: bindingBytes,
        formats: known,
        mostBytes: totalBytes,
      });
      return misfit(buffers, room) === null;
    } catch (error) {
      if (isUnplannable(error)) return false;
      throw error;
    }
  };
  return changeThatFits(experiment, changesFor(config), fits);
}
