/**
 * One batch under several algorithms: each one's credit, token weights, clips and gradient on the same trajectories and
 * the loaded weights, computed by the modules that train. Nothing is trained.
 */
import * as v from 'valibot';
import { writePath } from '../fields/paths.ts';
import type { Learner } from '../policy/policy.ts';
import type { BatchNote, CreditInput, Needs } from './algorithms/algorithm.ts';
import { policyScalars } from './algorithms/group-relative.ts';
import { type AnyAlgorithmSettings, algorithmOf } from './algorithms/registry.ts';
import { withAlgorithm } from './algorithms/replace-algorithm.ts';
import { assignCredit, tokenRows } from './assign-credit.ts';
import type { CodeRunner } from './common/code-runner.ts';
import { valuesByTurn } from './credit/fitted-values.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { clippedBy, evaluated, scored } from './examine.ts';
import { productsOf } from './metrics/signal.ts';
import { policySpec } from './objective/surrogate.ts';
import { type Minibatch, Updater, type UpdateSettings } from './updater.ts';

/** An algorithm with some of its settings, by path (`kl.coefficient`); the others have their defaults. */
export interface ComparedChoice {
  name: string;
  settings?: { readonly [path: string]: unknown };
}

/** Reason why an algorithm has no numbers on a batch. */
export type Absence = 'reference' | 'collects' | 'teacher' | 'completions' | 'nothing';

export const absences: { readonly [reason in Absence]: string } = {
  reference: 'it needs reference weights, which are not at hand',
  collects: 'it trains on trajectories that it collects itself',
  teacher: 'it needs a teacher, which recorded steps have not',
  completions: 'it scores each completion beside other tasks too, which recorded steps have not',
  nothing: 'no episode of this batch is trained on',
};

export const batchNotes: { readonly [note in BatchNote]: string } = {
  successes: 'imitates the successes of this batch in place of demonstrations',
  signal: 'drops the groups of this batch without a signal; other tasks in their place are not played',
  'no-demonstrations': 'learns from this batch alone, without original demonstrations',
  pairs: 'forms its pairs within the groups of this batch',
  'fitted-critic': 'its critic is fitted on this batch: one value a turn, by least squares',
};

/** Numbers of an episode's trained tokens, (K) each, in their order. Empty: the episode is not trained on. */
interface ComparedTokens {
  turn: Int16Array;
  advantage: Float32Array;
  /** Log-probability under the loaded weights, and when sampled. */
  logprob: Float32Array;
  old: Float32Array;
  /** The same under the reference; null: the method does not read it. */
  reference: Float32Array | null;
  /** dloss / dlogprob: a negative value raises the token's probability. */
  weight: Float32Array;
  /** -1 low, 1 high, 0 none. */
  clipped: Int8Array;
}

/** Share of an episode in a batch. */
export interface ComparedEpisode {
  group: number;
  member: number;
  advantage: number;
  /** Sum of |dloss/dlogprob| over its tokens. */
  weight: number;
  tokens: ComparedTokens;
}

/** One algorithm on the batch. */
export interface ComparedObjective {
  name: string;
  label: string;
  /** Settings that the numbers were computed with. */
  settings: AnyAlgorithmSettings;
  /** Reason why it has no numbers here; empty: it has. */
  without: Absence | '';
  notes: BatchNote[];
  episodes: ComparedEpisode[];
  tokens: number;
  /** Mean probability ratio to the sampling policy, and the share of tokens whose ratio is clipped. */
  ratio: number;
  clipped: number;
  /** Norm of the gradient, and its cosine with the gradient of each algorithm of the list; null: not comparable. */
  norm: number | null;
  cosines: (number | null)[];
}

/** Loads the weights that the run began with, as a reference, and the compared ones again. */
export interface ReferenceWeights {
  first(): Promise<void>;
  now(): Promise<void>;
}

export type ComparedPolicy = Pick<Learner, 'capacity' | 'score' | 'gradient' | 'update' | 'notes'>;

export interface Comparing {
  policy: ComparedPolicy;
  /** Settings of the step, with the run's own algorithm. */
  stage: UpdateSettings;
  creditInput(trajectories: readonly Trajectory[], needs: Needs, policy: ComparedPolicy): Promise<Partial<CreditInput>>;
  runner?: CodeRunner;
  /** Absent: the policy scores under its reference by itself, or `hasReference` is false. */
  reference?: ReferenceWeights;
  hasReference: boolean;
  /** What the batch lacks for credit: recorded steps have no teacher and no other completions. */
  lacks?: readonly Absence[];
  /** True if the values of a critic come with the batch or with the policy. */
  hasValues: boolean;
}

/** Settings of a compared algorithm. Throws valibot's error if a value is outside its bounds. */
export function comparedSettings(own: AnyAlgorithmSettings, { name, settings = {} }: ComparedChoice) {
  const whole = name === own.name ? own : withAlgorithm(own, name);
  const changed = Object.entries(settings).reduce<object>(
    (document, [path, value]) => writePath(document, path, value),
    { ...whole, minibatches: 1 },
  );
  return v.parse(algorithmOf({ name }).schema, changed) as AnyAlgorithmSettings;
}

/** Reason why an algorithm cannot be computed on a batch; empty: it can. */
function absenceOf(name: string, needs: Needs, { stage, hasReference, lacks = [] }: Comparing): Absence | '' {
  const algorithm = algorithmOf({ name });
  if ((needs.reference || needs.referenceInCredit) && !hasReference) return 'reference';
  if (needs.teacher && lacks.includes('teacher')) return 'teacher';
  if ((needs.sequencesPerEpisode ?? 1) > 1 && lacks.includes('completions')) return 'completions';
  if (algorithm.collect && !algorithm.onBatch && name !== stage.algorithm.name) return 'collects';
  return '';
}

/** The policy, which loads the first weights before it scores under the reference, and its own ones after. */
function withReference(policy: ComparedPolicy, { first, now }: ReferenceWeights): ComparedPolicy {
  let isFirst = false;
  const turnTo = async (reference: boolean) => {
    if (isFirst !== reference) await (reference ? first() : now());
    isFirst = reference;
  };
  const score: Learner['score'] = async (batch, options) => {
    await turnTo(options.weights === 'reference');
    return policy.score(batch, { ...options, weights: 'policy' });
  };
  const gradient: Learner['gradient'] = async (...request) => {
    await turnTo(false);
    return policy.gradient!(...request);
  };
  const { capacity, notes } = policy;
  const update: Learner['update'] = (...request) => policy.update(...request);
  return { capacity, notes, update, score, ...(policy.gradient && { gradient }) };
}

interface Computed {
  compared: ComparedObjective;
  gradient: Float32Array | null;
}

const blankTokens = (count: number, hasReference = false): ComparedTokens => ({
  reference: hasReference ? new Float32Array(count) : null,
  turn: new Int16Array(count),
  advantage: new Float32Array(count),
  logprob: new Float32Array(count),
  old: new Float32Array(count),
  weight: new Float32Array(count),
  clipped: new Int8Array(count),
});

/** Numbers of each episode's tokens, from the rows of the batch. */
async function episodesOf(
  all: readonly Trajectory[],
  minibatch: Minibatch,
  updater: Updater,
  parts: { policy: ComparedPolicy; temperature: number; values: boolean; reference: boolean },
): Promise<ComparedEpisode[]> {
  const [scores] = await scored([minibatch], parts);
  const { weight, aux } = await evaluated(minibatch, scores, updater);
  const tokens = new Map<Trajectory, ComparedTokens>();
  for (const each of minibatch.trajectories) {
    const own = blankTokens(each.advantages.length, parts.reference);
    own.advantage.set(each.advantages);
    own.turn.set(Int16Array.from(chosenPositions(each), (position) => each.turnOf[position]));
    tokens.set(each, own);
  }
  let at = 0;
  const column = updater.objective.spec.columns.indexOf('refLogprob');
  minibatch.batches.forEach(({ micro, old, columns }, b) => {
    for (let row = 0; row < micro.trajectory.length; row++, at++) {
      const own = tokens.get(minibatch.trajectories[micro.trajectory[row]])!;
      const k = micro.choice[row];
      own.logprob[k] = scores[b].logprob[row];
      own.old[k] = old[row];
      if (own.reference) own.reference[k] = columns[column][row];
      own.weight[k] = weight[at];
      own.clipped[k] = clippedBy(aux.flags?.[at] ?? 0);
    }
  });
  // An algorithm may train on sequences of its own beside the batch: these are not episodes.
  return all.map((each) => {
    const own = tokens.get(each) ?? blankTokens(0);
    const sum = own.weight.reduce((total, value) => total + Math.abs(value), 0);
    return { group: each.group, member: each.member, advantage: each.advantage, weight: sum, tokens: own };
  });
}

/** Credit of a batch; without a critic, its values are fitted on the batch. */
async function creditOf(
  copies: Trajectory[],
  settings: AnyAlgorithmSettings,
  needs: Needs,
  { creditInput, policy }: Pick<Comparing, 'creditInput' | 'policy'>,
  isFitted: boolean,
) {
  const input = await creditInput(copies, isFitted ? { ...needs, values: false } : needs, policy);
  if (isFitted) input.values = valuesByTurn(copies, tokenRows(copies), settings.endings);
  return assignCredit(copies, algorithmOf(settings), settings, input);
}

/** Of an objective with a critic's loss, the policy's part alone. */
const policyPart = (settings: AnyAlgorithmSettings): Updater['objective'] => ({
  spec: policySpec('token', 'clip'),
  scalars: policyScalars(settings as Parameters<typeof policyScalars>[0]),
});

async function oneObjective(
  choice: ComparedChoice,
  trajectories: readonly Trajectory[],
  parts: Comparing,
): Promise<Computed> {
  const { stage, runner, hasValues, reference } = parts;
  const settings = comparedSettings(stage.algorithm, choice);
  const algorithm = algorithmOf(settings);
  const needs = algorithm.needs(settings);
  const { name, label } = algorithm;
  const blank = { name, label, settings, notes: [], episodes: [], tokens: 0, ratio: 1, clipped: 0 };
  const missing = (without: Absence): Computed => ({
    compared: { ...blank, without, norm: null, cosines: [] },
    gradient: null,
  });
  const absence = absenceOf(name, needs, parts);
  if (absence) return missing(absence);
  const isFitted = (needs.values ?? false) && !hasValues;
  const notes: BatchNote[] = [
    ...(algorithm.onBatch && name !== stage.algorithm.name ? [algorithm.onBatch.note] : []),
    ...(isFitted ? (['fitted-critic'] as const) : []),
  ];
  const taken = (name !== stage.algorithm.name && algorithm.onBatch?.take?.(trajectories, settings)) || trajectories;
  const copies = taken.map((each) => ({ ...each }));
  const policy = reference ? withReference(parts.policy, reference) : parts.policy;
  const training = await creditOf(copies, settings, needs, { ...parts, policy }, isFitted);
  const hasCritic = needs.values ?? false;
  const updater = new Updater(
    policy,
    { ...stage, algorithm: settings },
    runner,
    hasCritic ? policyPart(settings) : undefined,
  );
  const [minibatch] = await updater.minibatches(training);
  if (!minibatch) return missing('nothing');
  const { temperature } = stage.sampling;
  const episodes = await episodesOf(copies, minibatch, updater, {
    policy,
    temperature,
    values: false,
    reference: (needs.reference ?? false) && updater.objective.spec.columns.includes('refLogprob'),
  });
  const gradient = await updater.gradientOf(minibatch);
  await reference?.now();
  return {
    compared: { ...blank, notes, episodes, without: '', ...totals(episodes), norm: null, cosines: [] },
    gradient,
  };
}

/** Tokens, mean ratio and share of clipped tokens of all episodes. */
function totals(episodes: readonly ComparedEpisode[]) {
  let [count, ratios, clipped] = [0, 0, 0];
  for (const { tokens } of episodes)
    tokens.logprob.forEach((value, k) => {
      count += 1;
      ratios += Math.exp(value - tokens.old[k]);
      clipped += tokens.clipped[k] === 0 ? 0 : 1;
    });
  return { tokens: count, ratio: ratios / Math.max(1, count), clipped: clipped / Math.max(1, count) };
}

/** Compares algorithms on one batch. */
export async function compareObjectives(
  choices: readonly ComparedChoice[],
  trajectories: readonly Trajectory[],
  parts: Comparing,
): Promise<ComparedObjective[]> {
  const all: Computed[] = [];
  for (const choice of choices) all.push(await oneObjective(choice, trajectories, parts));
  // An algorithm without a gradient has an empty one here, whose norm is 0.
  const products = productsOf(all.map(({ gradient }) => gradient ?? []));
  const norms = products.map((row, i) => Math.sqrt(row[i]));
  return all.map(({ compared, gradient }, i) => ({
    ...compared,
    norm: gradient && norms[i],
    cosines: all.map(({ gradient: other }, j) =>
      gradient?.length === other?.length && norms[i] && norms[j] ? products[i][j] / (norms[i] * norms[j]) : null,
    ),
  }));
}
