/**
 * An experiment turned to a language model. Every way in goes through here: a model that was picked, another kind of policy in the
 * setup, an adapter that is brought in. A tiny policy's settings would end a language model's every episode for want of room, hold
 * it to lists of actions, and spend an hour on one evaluation.
 */

import { type Experiment, parseExperiment, type TurnLimit } from '../experiment/experiment.ts';
import { besideModel } from '../experiment/policies/adapted.ts';
import { playing } from '../experiment/policies/onnx.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import type { Precision } from '../policy/weights/linear.ts';
import { worldModule } from '../worlds/registry.ts';

const leastCompletion = 512;
/** More is left to the person: the memory of a batch grows with it. */
const mostCompletion = 4096;
/** A short thought and an action. */
const leastTurn = 64;
/** Around a reply and an observation. */
const templateTokens = 12;

/** Adapters are trained with a tenth to a hundredth of a tiny policy's step. */
const mostLearningRate = 1e-4;
const mostGroups = 2;
/** Of one evaluation, for each split: a tiny policy's hundreds take a language model an hour and more. */
const mostEvaluated = 32;

const turnsOf = (limit: TurnLimit, oracleTurns: number) =>
  typeof limit === 'number' ? limit : oracleTurns + limit.oraclePlus;

/** Tokens after the prompt of an episode that uses all its turns. */
function completionOf({ horizon, worlds }: Experiment, turnTokens: number): number {
  const needs = worlds.flatMap(({ name, options }) => {
    const { observationTokens, oracleTurns } = worldModule(name).budget.language(options);
    return horizon.map(({ turns }) => turnsOf(turns, oracleTurns) * (turnTokens + observationTokens + templateTokens));
  });
  return Math.min(mostCompletion, Math.max(leastCompletion, Math.ceil(Math.max(...needs) / 64) * 64));
}

/** Free replies, and room for them and for prompts through a chat template. */
function roomFor(experiment: Experiment): Experiment['sampling'] {
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

/** A language model's settings that somebody may have chosen: not a tiny policy's under another policy's name. */
function isFitted({ policy, sampling }: Experiment): boolean {
  const { languageModel, trains } = factsOf(policy);
  return languageModel && trains && !sampling.maskActions;
}

/** A language model, its settings filled in by the document's defaults. */
type LanguagePolicy = { kind: Experiment['policy']['kind']; model: string; [setting: string]: unknown };

/** The experiment with this policy, and what of its other settings a language model cannot play or be trained with set right. */
export function adapted(experiment: Experiment, policy: LanguagePolicy): Experiment {
  if (isFitted(experiment)) return parseExperiment({ ...experiment, policy });
  const { algorithm, optimizer, evaluation } = experiment;
  return parseExperiment({
    ...experiment,
    policy,
    // A bonus for the entropy of 150,000 tokens rewards noise.
    algorithm: {
      ...algorithm,
      groups: Math.min(algorithm.groups, mostGroups),
      minibatches: 1,
      ...('entropy' in algorithm ? { entropy: 0 } : {}),
    },
    sampling: roomFor(experiment),
    // Decay would draw the adapter, and with it what was learnt, back to nothing.
    optimizer: { ...optimizer, learningRate: Math.min(optimizer.learningRate, mostLearningRate), weightDecay: 0 },
    evaluation: { ...evaluation, episodes: Math.min(evaluation.episodes, mostEvaluated) },
  });
}

/** The draft with a low-rank adapter beside the model of this key. An adapter that the draft has already is kept. */
export function withLanguageModel(draft: Experiment, model: string, weights: Precision): Experiment {
  return adapted(draft, besideModel(draft.policy, model, weights));
}

/** The draft with a language model in ONNX, which plays. */
export function withOnnxModel(draft: Experiment, model: string, file: string): Experiment {
  return adapted(draft, playing(draft.policy, model, file));
}

/** Turns that are counted from an oracle's, as numbers where one of the worlds has no oracle: as many as its oracle would take. */
function countable(draft: Experiment): Experiment {
  const without = draft.worlds.map(({ name }) => worldModule(name)).find(({ hasOracle }) => !hasOracle);
  if (!without) return draft;
  const { oracleTurns } = without.budget.language({});
  return { ...draft, horizon: draft.horizon.map((stage) => ({ ...stage, turns: turnsOf(stage.turns, oracleTurns) })) };
}

/** The draft with another world at one place of its mixture: none of the other's options, and room for its episodes. */
export function withWorld(draft: Experiment, index: number, name: string): Experiment {
  const worlds = draft.worlds.map((entry, i) => (i === index ? { ...entry, name, options: {} } : entry));
  const next = countable({ ...draft, worlds });
  const { budget } = worldModule(name);
  const { sampling } = draft;
  const needed = factsOf(draft.policy).languageModel
    ? {
        promptTokens: budget.language({}).promptTokens,
        completionTokens: completionOf(next, sampling.maxTokensPerTurn),
        maxTokensPerTurn: leastTurn,
      }
    : budget.tiny;
  const room = (['promptTokens', 'completionTokens', 'maxTokensPerTurn'] as const).map((key) => [
    key,
    Math.max(sampling[key], needed[key]),
  ]);
  return { ...next, sampling: { ...sampling, ...Object.fromEntries(room) } };
}

/**
 * The draft with another kind of policy: a language model with its settings, or a tiny policy with those of the preset, where
 * that has one.
 */
export function withPolicyKind(draft: Experiment, policy: Experiment['policy'], preset?: Experiment): Experiment {
  if (factsOf(policy).languageModel) return adapted(draft, policy as LanguagePolicy);
  if (draft.policy.kind === policy.kind || preset?.policy.kind !== policy.kind) return { ...draft, policy };
  const { algorithm, sampling, optimizer, evaluation } = preset;
  return { ...draft, policy: preset.policy, algorithm, sampling, optimizer, evaluation };
}
