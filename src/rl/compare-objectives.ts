/**
 * One batch under several algorithms: each one's credit, token weights, clips and gradient on the same trajectories and
 * the loaded weights, computed by the modules that train. Nothing is trained.
 */
import type { Learner } from '../policy/policy.ts';
import type { CreditInput, Needs } from './algorithms/algorithm.ts';
import { algorithmOf, readsReference } from './algorithms/registry.ts';
import { withAlgorithm } from './algorithms/replace-algorithm.ts';
import { assignCredit } from './assign-credit.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { clippedBy, evaluated, scored } from './examine.ts';
import { productsOf } from './metrics/signal.ts';
import type { StageSettings } from './settings.ts';
import { Updater } from './updater.ts';

/** Share of an episode in a batch. */
interface ComparedEpisode {
  group: number;
  member: number;
  advantage: number;
  /** Sum of |dloss/dlogprob| over its tokens. */
  weight: number;
}

/** One algorithm on the batch. */
export interface ComparedObjective {
  name: string;
  label: string;
  /** Reason why it has no numbers here; empty: it has. */
  without: string;
  episodes: ComparedEpisode[];
  tokens: number;
  /** Mean probability ratio to the sampling policy, and the share of tokens whose ratio is clipped. */
  ratio: number;
  clipped: number;
  /** Norm of the gradient, and its cosine with the gradient of each algorithm of the list; null: not comparable. */
  norm: number | null;
  cosines: (number | null)[];
}

interface Comparing {
  policy: Learner;
  /** Settings of the step, with the run's own algorithm. */
  stage: StageSettings;
  creditInput(trajectories: readonly Trajectory[], needs: Needs): Promise<Partial<CreditInput>>;
}

const blank = (name: string, label: string, without: string): ComparedObjective => ({
  name,
  label,
  without,
  episodes: [],
  tokens: 0,
  ratio: 1,
  clipped: 0,
  norm: null,
  cosines: [],
});

/** Reason why an algorithm cannot be computed on played trajectories with the opened policy; empty: it can. */
function reasonAgainst(name: string, own: StageSettings['algorithm']): string {
  const settings = withAlgorithm(own, name);
  const algorithm = algorithmOf(settings);
  const needs = algorithm.needs(settings);
  if (needs.values && !algorithmOf(own).needs(own).values)
    return 'it needs the values of a critic that this run has not';
  if (readsReference(settings) && !readsReference(own)) return 'it needs reference weights that this run has not';
  if (algorithm.collect && name !== own.name) return 'it trains on trajectories that it collects itself';
  return '';
}

async function oneObjective(
  name: string,
  trajectories: readonly Trajectory[],
  { policy, stage, creditInput }: Comparing,
): Promise<{ compared: ComparedObjective; gradient: Float32Array | null }> {
  const chosen = name === stage.algorithm.name ? stage.algorithm : withAlgorithm(stage.algorithm, name);
  const settings = { ...stage, algorithm: { ...chosen, minibatches: 1 } } as StageSettings;
  const algorithm = algorithmOf(settings.algorithm);
  const needs = algorithm.needs(settings.algorithm);
  const copies = trajectories.map((each) => ({ ...each }));
  const training = assignCredit(copies, algorithm, settings.algorithm, await creditInput(copies, needs));
  const updater = new Updater(policy, settings);
  const [minibatch] = await updater.minibatches(training);
  const compared = blank(name, algorithm.label, '');
  if (!minibatch)
    return { compared: { ...compared, without: 'no episode of this batch is trained on' }, gradient: null };
  const parts = { policy, temperature: settings.sampling.temperature, values: needs.values ?? false };
  const [scores] = await scored([minibatch], parts);
  const { weight, aux } = await evaluated(minibatch, scores, updater);
  const sums = new Map<Trajectory, number>(copies.map((each) => [each, 0]));
  let [at, ratios, clipped] = [0, 0, 0];
  minibatch.batches.forEach(({ micro, old }, b) => {
    for (let row = 0; row < micro.trajectory.length; row++, at++) {
      const owner = minibatch.trajectories[micro.trajectory[row]];
      sums.set(owner, (sums.get(owner) ?? 0) + Math.abs(weight[at]));
      ratios += Math.exp(scores[b].logprob[row] - old[row]);
      clipped += clippedBy(aux.flags?.[at] ?? 0) === 0 ? 0 : 1;
    }
  });
  const gradient = await updater.gradientOf(minibatch);
  const episodes = [...sums].map(([{ group, member, advantage }, sum]) => ({ group, member, advantage, weight: sum }));
  return {
    compared: {
      ...compared,
      episodes,
      tokens: at,
      ratio: ratios / Math.max(1, at),
      clipped: clipped / Math.max(1, at),
    },
    gradient,
  };
}

/** Compares algorithms by their names on one batch. */
export async function compareObjectives(
  names: readonly string[],
  trajectories: readonly Trajectory[],
  parts: Comparing,
): Promise<ComparedObjective[]> {
  const all: { compared: ComparedObjective; gradient: Float32Array | null }[] = [];
  for (const name of names) {
    const without = reasonAgainst(name, parts.stage.algorithm);
    if (without) all.push({ compared: blank(name, algorithmOf({ name }).label, without), gradient: null });
    else all.push(await oneObjective(name, trajectories, parts));
  }
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
