/**
 * Effect of one step on each of its trained tokens: probability before and after the step's updates, and the weight in
 * the gradient. Nothing is trained: stored trajectories are scored under both sets of weights, and the update's
 * objective is evaluated on them.
 */
import { evaluateObjective, joinRows, type PlainRows } from '../policy/objective-rows.ts';
import type { Learner, ObjectiveResult, Scores } from '../policy/policy.ts';
import type { TrainingSet } from './assign-credit.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { Flag } from './objective/clipped.ts';
import type { Minibatch, PreparedBatch, Updater } from './updater.ts';

/** Results of one episode, (K) each, in the order of `chosenPositions`. */
export interface ExaminedEpisode {
  group: number;
  member: number;
  /** Log-probability under the weights before the step, at the sampling temperature and under the mask. */
  before: Float32Array;
  /** Log-probability under the weights after the step. */
  after: Float32Array;
  /** dloss / dlogprob at the start of the step: a negative value raises the token's probability. */
  weight: Float32Array;
  /** dloss / dlogprob at the end of the step: the weight that one more pass would have. */
  weightAfter: Float32Array;
  /** Clip that would apply in one more pass: -1 low, 1 high, 0 none. */
  clipped: Int8Array;
  advantage: Float32Array;
  /** Columns of the algorithm's credit beside the advantage. */
  columns: { [name: string]: Float32Array };
}

export interface ExaminedStep {
  episodes: ExaminedEpisode[];
  /** Sum of |weight| over all trained tokens of the step. */
  totalWeight: number;
}

interface Examining {
  policy: Pick<Learner, 'score'>;
  updater: Updater;
  temperature: number;
  values: boolean;
  /** Loads the weights from after the step into the policy, which holds those from before it. */
  loadAfter(): Promise<void>;
}

const blank = (trajectory: Trajectory, columns: ExaminedEpisode['columns']): ExaminedEpisode => {
  const floats = () => new Float32Array(trajectory.advantages.length);
  const { group, member, advantages } = trajectory;
  const clipped = new Int8Array(advantages.length);
  const logprobs = { before: floats(), after: floats() };
  return {
    group,
    member,
    ...logprobs,
    weight: floats(),
    weightAfter: floats(),
    clipped,
    advantage: advantages,
    columns,
  };
};

export async function examine(training: TrainingSet, parts: Examining): Promise<ExaminedStep> {
  const { updater } = parts;
  const minibatches = await updater.minibatches(training);
  const before = await scored(minibatches, parts);
  await parts.loadAfter();
  const after = await scored(minibatches, parts);
  const out = new Map(
    training.trajectories.map((each) => [each, blank(each, training.extras.get(each)?.columns ?? {})]),
  );
  for (const [m, minibatch] of minibatches.entries()) {
    const start = await evaluated(minibatch, before[m], updater);
    const end = await evaluated(minibatch, after[m], updater);
    write(minibatch, out, { start, end, before: before[m], after: after[m] });
  }
  const episodes = [...out.values()];
  const totalWeight = episodes.reduce((sum, { weight }) => sum + weight.reduce((own, w) => own + Math.abs(w), 0), 0);
  return { episodes, totalWeight };
}

/** Scores of every batch under the loaded weights. */
export async function scored(
  minibatches: readonly Minibatch[],
  { policy, temperature, values }: Pick<Examining, 'policy' | 'temperature' | 'values'>,
): Promise<Scores[][]> {
  const out: Scores[][] = [];
  for (const { batches } of minibatches) {
    const own: Scores[] = [];
    for (const { micro } of batches)
      own.push(await policy.score(micro.batch, { temperature, weights: 'policy', values }));
    out.push(own);
  }
  return out;
}

const rowsOf = ({ columns, ids }: PreparedBatch, scores: Scores): PlainRows => ({ ...scores, columns, ids });

/** The objective's result on a minibatch. */
export async function evaluated(
  { batches }: Minibatch,
  scores: readonly Scores[],
  { objective }: Updater,
): Promise<ObjectiveResult> {
  const rows = joinRows(batches.map((batch, b) => rowsOf(batch, scores[b])));
  const { spec, scalars } = objective;
  return evaluateObjective<ObjectiveResult | Promise<ObjectiveResult>>(spec, rows, scalars);
}

interface Evaluated {
  start: ObjectiveResult;
  end: ObjectiveResult;
  before: readonly Scores[];
  after: readonly Scores[];
}

function write(
  { batches, trajectories }: Minibatch,
  out: ReadonlyMap<Trajectory, ExaminedEpisode>,
  { start, end, before, after }: Evaluated,
): void {
  let at = 0;
  batches.forEach(({ micro }, b) => {
    for (let row = 0; row < micro.trajectory.length; row++, at++) {
      const episode = out.get(trajectories[micro.trajectory[row]])!;
      const k = micro.choice[row];
      episode.before[k] = before[b].logprob[row];
      episode.after[k] = after[b].logprob[row];
      episode.weight[k] = start.weight[at];
      episode.weightAfter[k] = end.weight[at];
      episode.clipped[k] = clippedBy(end.aux.flags?.[at] ?? 0);
    }
  });
}

export const clippedBy = (flags: number) =>
  flags & Flag.clippedLow ? -1 : flags & (Flag.clippedHigh | Flag.dualClipped) ? 1 : 0;
