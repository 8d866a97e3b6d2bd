/** Common parts of the algorithms that raise or lower the probability of given sequences. */
import { choice, option } from '../../fields/fields.ts';
import { type AggregationMode, type AggregationOptions, aggregationModes } from '../common/aggregation.ts';
import { groupBy, sum } from '../common/numbers.ts';
import { rowsOf } from '../common/token-rows.ts';
import { chosenPositions } from '../episode/micro-batch.ts';
import { TokenSource, type Trajectory } from '../episode/trajectory.ts';
import { likelihoodObjective } from '../objective/likelihood.ts';
import type { CollectedPlay, Collector, Credit, CreditInput, ObjectiveCall, ShownOptions } from './algorithm.ts';
import { aggregationLabels } from './choice-labels.ts';
import { withoutSignal } from './kl-reward.ts';

export const likelihoodAggregation = {
  aggregation: option(choice(aggregationModes), 'token-mean', {
    label: 'Aggregation',
    sentence: 'Average of the token losses: every token counts the same, or every episode does.',
    choiceLabels: aggregationLabels,
  }),
};

export const likelihood = (): ObjectiveCall => ({ spec: likelihoodObjective, scalars: [] });

export const aggregationOf = ({ aggregation }: { aggregation: AggregationMode }): AggregationOptions => ({
  mode: aggregation,
});

/** Oracle demonstrations of this step's tasks, without play by the policy. */
export async function demonstrations(
  collecting: Collector,
  count: number,
  { wave = 0, ...shown }: { wave?: number } & ShownOptions = {},
): Promise<CollectedPlay> {
  const tasks = collecting.tasks(count, wave, shown.siblings ?? 1);
  const { trajectories, skipped } = await collecting.demonstrate(tasks, shown);
  return {
    trajectories,
    played: [],
    tasks: [],
    metrics: { demonstrations: trajectories.length, demonstrationsSkipped: skipped },
  };
}

/** Trajectories of a file, without play by the policy. */
export async function recorded(collecting: Collector, file: string, count: number): Promise<CollectedPlay> {
  const trajectories = await collecting.recorded(file, count);
  return {
    trajectories,
    played: [],
    tasks: [],
    metrics: { demonstrations: trajectories.length, demonstrationsSkipped: 0 },
  };
}

/** Credit for training on some of the sequences, each with a weight. */
export function weightedCredit(input: CreditInput, weights: ReadonlyMap<Trajectory, number>): Credit {
  const { rows, trajectories } = input;
  const advantages = new Float64Array(rowsOf(rows));
  trajectories.forEach((trajectory, b) => {
    advantages.fill(weights.get(trajectory) ?? 0, rows.offsets[b], rows.offsets[b + 1]);
  });
  const train = trajectories.filter((trajectory) => (weights.get(trajectory) ?? 0) !== 0);
  const marks = new Map(train.map((trajectory) => [trajectory, { weight: weights.get(trajectory)! }]));
  return { advantages, train, marks, ...withoutSignal(input), metrics: { trainedEpisodes: train.length } };
}

/** (N) weight of each row, 1 on average: the world's tokens weigh `listening` times as much as the policy's own. */
export function listeningWeights({ rows, trajectories }: CreditInput, listening: number): Float64Array {
  const weights = new Float64Array(rowsOf(rows));
  trajectories.forEach((trajectory, b) => {
    chosenPositions(trajectory).forEach((position, k) => {
      weights[rows.offsets[b] + k] = trajectory.source[position] === TokenSource.world ? listening : 1;
    });
  });
  const mean = sum(weights) / Math.max(1, weights.length);
  return mean > 0 ? weights.map((weight) => weight / mean) : weights;
}

/** Members of each group with their returns. */
export const byGroup = ({ trajectories, returns }: CreditInput) => [
  ...groupBy(
    trajectories
      .map((trajectory, b) => ({ trajectory, value: returns[b] }))
      .filter(({ value }) => !Number.isNaN(value)),
    ({ trajectory }) => trajectory.group,
  ).values(),
];
