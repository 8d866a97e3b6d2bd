/**
 * Converts an experiment for a language model. All conversions use this file: a picked model, another kind of policy in
 * the setup, an imported adapter. With a tiny policy's settings, a language model would run out of context in every
 * episode, be restricted to lists of actions, and need an hour for one evaluation.
 */

import { type Experiment, parseExperiment, type TurnLimit } from '../experiment/experiment.ts';
import { adapterOf } from '../experiment/policies/adapted.ts';
import { onnxPolicy } from '../experiment/policies/onnx.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import type { Precision } from '../policy/weights/linear.ts';
import { worldModule } from '../worlds/registry.ts';

const leastCompletion = 512;
/** Upper bound of the automatic setting, because the memory of a batch grows with it. A person may choose more. */
const mostCompletion = 4096;
/** Room for a short thought and an action. */
const leastTurn = 64;
/** Tokens of the chat template around a reply and an observation. */
const templateTokens = 12;

/** Adapters are trained with a tenth to a hundredth of a tiny policy's learning rate. */
const mostLearningRate = 1e-4;
const mostGroups = 2;
/**
 * Episodes of one evaluation, for each split. A tiny policy's hundreds would take a language model more than an hour.
 */
const mostEvaluationEpisodes = 32;

const turnsOf = (limit: TurnLimit, oracleTurns: number) =>
  typeof limit === 'number' ? limit : oracleTurns + limit.oraclePlus;

/** Number of tokens after the prompt in an episode that uses all its turns. */
function completionOf({ horizon, worlds }: Experiment, turnTokens: number): number {
  const needs = worlds.flatMap(({ name, options }) => {
    const { observationTokens, oracleTurns } = worldModule(name).budget.language(options);
    return horizon.map(({ turns }) => turnsOf(turns, oracleTurns) * (turnTokens + observationTokens + templateTokens));
  });
  return Math.min(mostCompletion, Math.max(leastCompletion, Math.ceil(Math.max(...needs) / 64) * 64));
}

/** Sampling settings with free replies, and with room for replies and prompts in a chat template. */
function samplingFor(experiment: Experiment): Experiment['sampling'] {
  const { sampling, worlds } = experiment;
  const openings = worlds.map(({ name, options }) => worldModule(name).budget.language(options).promptTokens);
  const maxTokensPerTurn = Math.max(sampling.maxTokensPerTurn, leastTurn);
  return {
    ...sampling,
    maskActions: false,
    maxTokensPerTurn,
    promptTokens: Math.max(sampling.promptTokens, ...openings),
    completionTokens: Math.max(sampling.completionTokens, completionOf(experiment, maxTokensPerTurn)),
  };
}

/** True if the settings were chosen for a trained language model, rather than left over from another kind of policy. */
function isFitted({ policy, sampling }: Experiment): boolean {
  const { languageModel, trains } = factsOf(policy);
  return languageModel && trains && !sampling.maskActions;
}

/** Policy of a language model. Missing settings get the document's defaults. */
type LanguagePolicy = { kind: Experiment['policy']['kind']; model: string; [setting: string]: unknown };

/**
 * The experiment with this policy. Settings that do not suit a language model are replaced, and a description, which is
 * of a tiny policy with random weights, is removed.
 */
export function forLanguageModel(experiment: Experiment, policy: LanguagePolicy): Experiment {
  if (isFitted(experiment)) return parseExperiment({ ...experiment, policy });
  const { algorithm, optimizer, evaluation } = experiment;
  return parseExperiment({
    ...experiment,
    ...(factsOf(experiment.policy).languageModel ? {} : { description: '' }),
    policy,
    // An entropy bonus over 150,000 tokens rewards noise.
    algorithm: {
      ...algorithm,
      groups: Math.min(algorithm.groups, mostGroups),
      minibatches: 1,
      ...('entropy' in algorithm ? { entropy: 0 } : {}),
    },
    sampling: samplingFor(experiment),
    // Weight decay would pull the adapter, and so what it has learnt, towards zero.
    optimizer: { ...optimizer, learningRate: Math.min(optimizer.learningRate, mostLearningRate), weightDecay: 0 },
    evaluation: { ...evaluation, episodes: Math.min(evaluation.episodes, mostEvaluationEpisodes) },
  });
}

/** The draft with a low-rank adapter beside the model with this key. An existing adapter's settings are kept. */
export function withLanguageModel(draft: Experiment, model: string, weights: Precision): Experiment {
  return forLanguageModel(draft, adapterOf(draft.policy, model, weights));
}

/** The draft with an ONNX language model, which plays without training. */
export function withOnnxModel(draft: Experiment, model: string, file: string): Experiment {
  return forLanguageModel(draft, onnxPolicy(draft.policy, model, file));
}

/**
 * Replaces turn limits relative to an oracle by numbers if one of the worlds has no oracle, using an estimate of its
 * turns.
 */
function withAbsoluteTurns(draft: Experiment): Experiment {
  const without = draft.worlds.map(({ name }) => worldModule(name)).find(({ hasOracle }) => !hasOracle);
  if (!without) return draft;
  const { oracleTurns } = without.budget.language({});
  return { ...draft, horizon: draft.horizon.map((stage) => ({ ...stage, turns: turnsOf(stage.turns, oracleTurns) })) };
}

/** The draft with another world at one place of its mixture, with default options and room for its episodes. */
export function withWorld(draft: Experiment, index: number, name: string): Experiment {
  const worlds = draft.worlds.map((entry, i) => (i === index ? { ...entry, name, options: {} } : entry));
  const next = withAbsoluteTurns({ ...draft, worlds });
  const { budget } = worldModule(name);
  const { sampling } = draft;
  const needed = factsOf(draft.policy).languageModel
    ? {
        promptTokens: budget.language({}).promptTokens,
        completionTokens: completionOf(next, sampling.maxTokensPerTurn),
        maxTokensPerTurn: leastTurn,
      }
    : budget.tiny;
  const sizes = (['promptTokens', 'completionTokens', 'maxTokensPerTurn'] as const).map((key) => [
    key,
    Math.max(sampling[key], needed[key]),
  ]);
  return { ...next, sampling: { ...sampling, ...Object.fromEntries(sizes) } };
}

/**
 * The draft with another kind of policy: a language model with its settings, or a tiny policy with the settings of
 * `preset` if it has one.
 */
export function withPolicyKind(draft: Experiment, policy: Experiment['policy'], preset?: Experiment): Experiment {
  if (factsOf(policy).languageModel) return forLanguageModel(draft, policy as LanguagePolicy);
  if (draft.policy.kind === policy.kind || preset?.policy.kind !== policy.kind) return { ...draft, policy };
  const { algorithm, sampling, optimizer, evaluation } = preset;
  const description = draft.description || preset.description;
  return { ...draft, description, policy: preset.policy, algorithm, sampling, optimizer, evaluation };
}
