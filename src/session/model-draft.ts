/** An experiment turned to a language model: the adapter's settings, and what of the sampling must differ from a tiny policy's. */
import type { Precision } from '../policy/linear.ts';
import { type Experiment, parseExperiment } from './experiment.ts';

/** Room that a language model's prompts and replies need, where the experiment has less. */
const leastPrompt = 1024;
const leastCompletion = 512;
const leastTurn = 64;
/** Adapters are trained with a tenth to a hundredth of a tiny policy's step. */
const mostLearningRate = 1e-4;

/**
 * The draft with a low-rank adapter beside the model of this key. An adapter that the draft has already is kept. Replies are
 * free: a language model is not held to the listed actions.
 */
export function withLanguageModel(draft: Experiment, model: string, weights: Precision): Experiment {
  const { sampling, optimizer, algorithm } = draft;
  if (draft.policy.kind === 'lora') return parseExperiment({ ...draft, policy: { ...draft.policy, model, weights } });
  return parseExperiment({
    ...draft,
    policy: { kind: 'lora', model, weights },
    algorithm: { ...algorithm, groups: Math.min(algorithm.groups, 2), minibatches: 1 },
    sampling: {
      ...sampling,
      maskActions: false,
      promptTokens: Math.max(sampling.promptTokens, leastPrompt),
      completionTokens: Math.max(sampling.completionTokens, leastCompletion),
      maxTokensPerTurn: Math.max(sampling.maxTokensPerTurn, leastTurn),
    },
    optimizer: { ...optimizer, learningRate: Math.min(optimizer.learningRate, mostLearningRate) },
  });
}
