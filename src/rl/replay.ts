/**
 * Kept successes in an update. A step's group estimates the gradient of one task from the policy's own samples. If a
 * success B of the task was kept before, its term pi(B) A(B) grad log pi(B) is known exactly: it takes the place of
 * those samples of the group that are equal to B, and the estimate stays unbiased (Liang et al., Memory Augmented Policy
 * Optimization, arXiv 1807.02322, section 3.1, with one trajectory in the buffer). A lower bound on the weight of B, the
 * paper's clipping of the memory's weight, gives up the unbiasedness for a faster start.
 */
import type { Learner } from '../policy/policy.ts';
import type { Algorithm, CreditInput } from './algorithms/algorithm.ts';
import { assignCredit, type TrainingSet, tokenRows } from './assign-credit.ts';
import { groupBy, sum } from './common/numbers.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { scoreRows } from './score-rows.ts';
import type { TrainerSettings } from './settings.ts';

/** Weights of the samples of a group, relative to 1 without a kept success, and of the kept success beside them. */
export interface MixedWeights {
  samples: number[];
  kept: number;
}

/**
 * Weights for a group of which `isKept` marks the samples equal to the kept success, whose probability is `probability`.
 * `least`: lower bound of the kept success's share.
 */
export function mixedWeights(isKept: readonly boolean[], probability: number, least: number): MixedWeights {
  const share = Math.max(probability, least);
  // Samples other than the kept success stand for the rest of the probability.
  const others = share > probability ? (1 - share) / (1 - probability) : 1;
  return { samples: isKept.map((same) => (same ? 0 : others)), kept: isKept.length * share };
}

/** True if the policy chooses among advantages in this objective, so that a kept success can join its update. */
export const mixesSuccesses = (algorithm: Algorithm, settings: TrainerSettings['algorithm']): boolean =>
  algorithm.objective(settings).spec.columns.includes('advantage');

export const sameTokens = (a: Trajectory, b: Trajectory): boolean =>
  a.tokens.length === b.tokens.length && a.tokens.every((id, i) => id === b.tokens[i]);

/** True if both begin with the same shared prompt, so that they can be packed as one group. */
const samePrompt = (a: Trajectory, b: Trajectory): boolean =>
  a.promptLength === b.promptLength && a.tokens.subarray(0, a.promptLength).every((id, i) => id === b.tokens[i]);

/** Kept successes as members of their groups, with the policy's present log-probabilities, and their probabilities. */
async function present(
  policy: Learner,
  replays: ReadonlyMap<number, Trajectory>,
  { groupSize, temperature }: { groupSize: number; temperature: number },
): Promise<{ trajectory: Trajectory; probability: number }[]> {
  const members = [...replays].map(([group, kept]): Trajectory => ({ ...kept, group, member: groupSize }));
  const rows = tokenRows(members);
  const { logprob } = await scoreRows(policy, members, rows, { temperature, weights: 'policy', values: false });
  return members.map((member, i) => {
    const own = logprob.subarray(rows.offsets[i], rows.offsets[i + 1]);
    const scored = new Float32Array(member.tokens.length);
    chosenPositions(member).forEach((position, choice) => {
      scored[position] = own[choice];
    });
    return { trajectory: { ...member, logprob: scored }, probability: Math.min(1, Math.exp(sum(own))) };
  });
}

export interface ReplayParts {
  policy: Learner;
  algorithm: Algorithm;
  settings: TrainerSettings;
  /** Lower bound of a kept success's share. */
  least: number;
  /** Inputs of credit that need the policy before the update. */
  creditInput(trajectories: readonly Trajectory[]): Promise<Partial<CreditInput>>;
}

/** Adds kept successes, by the number of their group, to a step's training set, and weights the groups they join. */
export async function withSuccesses(
  training: TrainingSet,
  replays: ReadonlyMap<number, Trajectory>,
  { policy, algorithm, settings, least, creditInput }: ReplayParts,
): Promise<TrainingSet> {
  const groups = groupBy(training.trajectories, ({ group }) => group);
  const joined = new Map(
    [...replays].filter(([group, kept]) => groups.get(group)?.every((each) => samePrompt(each, kept))),
  );
  if (joined.size === 0) return training;
  const { groupSize } = settings.algorithm;
  const kept = await present(policy, joined, { groupSize, temperature: settings.sampling.temperature });
  // The advantage of a further member: the comparison with the whole group, which does not depend on its samples.
  const together = kept.flatMap(({ trajectory }) => [
    ...groups.get(trajectory.group)!.map((each) => ({ ...each })),
    trajectory,
  ]);
  const credited = assignCredit(together, algorithm, settings.algorithm, await creditInput(together));
  const extras = new Map(training.extras);
  const weigh = (trajectory: Trajectory, from: TrainingSet, weight: number) =>
    extras.set(trajectory, timesWeight(from, trajectory, weight));
  for (const { trajectory, probability } of kept) {
    const members = groups.get(trajectory.group)!;
    const weights = mixedWeights(
      members.map((each) => sameTokens(each, trajectory)),
      probability,
      least,
    );
    for (const [i, member] of members.entries()) weigh(member, training, weights.samples[i]);
    weigh(trajectory, credited, weights.kept);
  }
  const added = new Map(kept.map(({ trajectory }) => [trajectory.group, trajectory]));
  const trajectories = [...groups].flatMap(([group, members]) => {
    const more = added.get(group);
    return more ? [...members, more] : members;
  });
  return {
    ...training,
    trajectories,
    extras,
    uncounted: new Set(added.values()),
    metrics: {
      ...training.metrics,
      goalsReplayed: kept.length,
      goalsReplayWeight: sum(kept.map(({ probability }) => Math.max(probability, least))) / kept.length,
    },
  };
}

/** Extras of a trajectory with its weight multiplied. */
function timesWeight({ extras }: Pick<TrainingSet, 'extras'>, trajectory: Trajectory, weight: number) {
  const { columns, marks } = extras.get(trajectory) ?? { columns: {}, marks: {} };
  return { columns, marks: { ...marks, weight: (marks.weight ?? 1) * weight } };
}

/** Multiplies the weights of the trajectories; null: leaves them. */
export function weighted(training: TrainingSet, weights: readonly number[] | null): TrainingSet {
  if (!weights) return training;
  const extras = new Map(training.extras);
  for (const [i, trajectory] of training.trajectories.entries()) {
    extras.set(trajectory, timesWeight(training, trajectory, weights[i]));
  }
  return { ...training, extras };
}
