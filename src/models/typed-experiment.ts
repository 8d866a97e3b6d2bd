/**
 * Experiment that trains a tiny policy in a typed world, fitted to its check-up: imitation of the oracle first if the
 * world has one, a horizon that the world allows, and room for its texts.
 */
import type { CheckUp } from '../envs/check-up.ts';
import { WorldError, type WorldOptions } from '../envs/env.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { buildTokenizer } from '../policy/text/tokenizer.ts';
import { typedWorld } from '../worlds/registry.ts';

/** Tokens that a tiny policy's vocabulary makes of a world's texts. */
export interface WorldTokens {
  /** Size of the vocabulary. */
  vocabulary: number;
  /** Numbers of tokens of the longest first text, the longest episode after it, and the longest action. */
  opening: number;
  episode: number;
  action: number;
  /** True if the texts fit into the largest room that an experiment may give them. */
  fits: boolean;
}

export function worldTokens({ texts, openings, episodes }: CheckUp): WorldTokens {
  const tokenizer = buildTokenizer(texts);
  const count = (text: string) => tokenizer.encode(text).length;
  const longest = (values: readonly number[]) => values.reduce((most, each) => Math.max(most, each), 0);
  const tokens = {
    opening: longest(openings.map(count)),
    episode: longest(
      episodes.map(({ texts, actions }) => [...texts, ...actions].reduce((sum, text) => sum + count(text), 0)),
    ),
    action: longest(episodes.flatMap(({ actions }) => actions.map(count))),
  };
  const needed = roomFor(tokens, turnsOf(episodes));
  const fits = (Object.keys(mostRoom) as (keyof Room)[]).every((name) => needed[name] <= mostRoom[name]);
  return { vocabulary: tokenizer.vocabSize, ...tokens, fits };
}

/** True if the check-up found no problem, and a tiny policy has room for the world's texts. */
export const isLearnable = ({ findings }: Pick<CheckUp, 'findings'>, { fits }: Pick<WorldTokens, 'fits'>): boolean =>
  fits && findings.every(({ note }) => note);

/** Tokens beside the texts of a turn: marks of observation, action and end. */
const marks = 3;
const roomStep = 16;
const rounded = (tokens: number) => Math.ceil(tokens / roomStep) * roomStep;

type Room = Pick<Experiment['sampling'], 'promptTokens' | 'completionTokens' | 'maxTokensPerTurn'>;
/** Largest values of an experiment. */
const mostRoom: Room = { promptTokens: 8192, completionTokens: 8192, maxTokensPerTurn: 1024 };

/** Room for texts of these sizes, a quarter more than was seen, since the check-up has not seen every text. */
const roomFor = ({ opening, episode, action }: Omit<WorldTokens, 'vocabulary' | 'fits'>, turns: number): Room => ({
  promptTokens: rounded(1.25 * (opening + marks)),
  completionTokens: rounded(1.25 * (episode + marks * (turns + 1))),
  maxTokensPerTurn: action + marks,
});

const turnsOf = (episodes: CheckUp['episodes']) =>
  episodes.reduce((most, { actions }) => Math.max(most, actions.length), 0);

/** Maximum number of turns of a horizon without an oracle. */
const mostTurns = 30;

/** Maximum number of turns without an oracle: few enough that the random player seldom succeeds. */
const turnsWithout = ({ chance: { quickTurns, turns } }: CheckUp) =>
  Math.min(mostTurns, Math.ceil(quickTurns ?? turns));

function samplingFor({ sampling }: Experiment, report: CheckUp): Experiment['sampling'] {
  const needed = roomFor(worldTokens(report), turnsOf(report.episodes));
  return {
    ...sampling,
    maskActions: report.findings.every(({ kind }) => kind !== 'no-actions'),
    promptTokens: Math.min(mostRoom.promptTokens, needed.promptTokens),
    completionTokens: Math.min(mostRoom.completionTokens, needed.completionTokens),
    maxTokensPerTurn: Math.min(mostRoom.maxTokensPerTurn, Math.max(sampling.maxTokensPerTurn, needed.maxTokensPerTurn)),
  };
}

/** Preset of the typed world. */
export function typedPreset<Preset>(presets: readonly Preset[]): Preset {
  const name = typedWorld().name;
  const found = presets.find((each) => (each as { worlds?: { name: string }[] }).worlds?.[0].name === name);
  if (!found) throw new WorldError(`No preset trains in the world ${name}.`);
  return found;
}

/** `first`: the experiment for typed worlds, whose other settings are kept. Throws ExperimentError. */
export function typedExperiment(first: unknown, name: string, options: WorldOptions, report: CheckUp): Experiment {
  const base = parseExperiment(first);
  const { stages, horizon, ...rest } = base;
  const plans = report.oracle !== null && report.oracle.success > 0;
  return parseExperiment({
    ...rest,
    name,
    worlds: [{ name: typedWorld().name, weight: 1, evaluated: true, options }],
    ...(plans ? { stages, horizon } : { horizon: [{ steps: base.steps, turns: turnsWithout(report) }] }),
    sampling: samplingFor(base, report),
  });
}
