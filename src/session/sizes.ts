/** From an experiment to sizes: the model's configuration, and the capacity that is planned and allocated for a run. */
import type { ModelConfig } from '../policy/config.ts';
import type { Capacity } from '../policy/policy.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { Experiment } from './experiment.ts';

/** Rows decoded at once: more cost memory, fewer cost read-backs. */
const MOST_ROWS = 256;
const EVALUATION_ROWS = 128;
const MOST_BATCH_TOKENS = 8192;
const MOST_SCORED = 4096;

export function modelConfigOf({ policy, sampling }: Experiment, tokenizer: Tokenizer): ModelConfig {
  return {
    modelType: policy.qkNorm ? 'qwen3' : 'llama',
    vocabSize: tokenizer.vocabSize,
    hiddenSize: policy.hidden,
    intermediateSize: policy.intermediate,
    numLayers: policy.layers,
    numHeads: policy.heads,
    numKvHeads: policy.kvHeads,
    headDim: policy.headDim,
    rmsNormEps: 1e-6,
    ropeTheta: policy.ropeTheta,
    ropeScaling: null,
    maxPosition: sampling.promptTokens + sampling.completionTokens,
    tieWordEmbeddings: policy.tieEmbeddings,
    qkvBias: false,
    qkNorm: policy.qkNorm,
    bosToken: tokenizer.id('<bos>'),
    eosTokens: [tokenizer.id('<eot>')],
  };
}

/** A checkpoint stores it and a resume reuses it: the batches of a step follow from it. */
export function capacityOf({ algorithm, sampling, evaluation }: Experiment): Capacity {
  const { groups, groupSize, minibatches } = algorithm;
  const { promptTokens, completionTokens } = sampling;
  const trained = Math.max(groupSize, Math.min(groups * groupSize, MOST_ROWS - (MOST_ROWS % groupSize)));
  const rows = Math.max(trained, Math.min(evaluation.episodes, EVALUATION_ROWS));
  const perMinibatch = Math.ceil(groups / minibatches) * (promptTokens + groupSize * completionTokens);
  const longest = promptTokens + completionTokens;
  const batchTokens = Math.max(longest, Math.min(perMinibatch, MOST_BATCH_TOKENS));
  const batchScored = Math.max(completionTokens, Math.min(batchTokens, MOST_SCORED));
  // An evaluation plays one episode a task: every row has its own prompt.
  return { rows, groups: rows, promptTokens, completionTokens, batchTokens, batchScored };
}
