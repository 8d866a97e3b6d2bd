/**
 * Assigns the credit of a step: calls the algorithm on the trained tokens and writes the advantages into the
 * trajectories.
 */
import type { Algorithm, AlgorithmSettings, Credit, CreditInput, Memory } from './algorithms/algorithm.ts';
import { mean } from './common/numbers.ts';
import type { TokenRows } from './common/token-rows.ts';
import type { GroupSummary } from './credit/groups.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import { returnsOf } from './episode/returns.ts';
import type { Trajectory } from './episode/trajectory.ts';

/** Inputs of an update beside the trajectory: `columns` have one number per trained token, `marks` one per sequence. */
interface Extras {
  columns: { readonly [name: string]: Float32Array };
  marks: { readonly [name: string]: number };
}

/** Trajectories that a step trains on, with their credit. */
export interface TrainingSet extends GroupSummary {
  trajectories: readonly Trajectory[];
  extras: ReadonlyMap<Trajectory, Extras>;
  metrics: { [metric: string]: number };
  memory?: Memory;
  /** Trajectories that the averages of the loss do not count: their weights say for how many samples they stand. */
  uncounted?: ReadonlySet<Trajectory>;
}

/** Rows of the trained tokens of trajectories, in their order. */
export function tokenRows(trajectories: readonly Trajectory[]): TokenRows {
  const positions = trajectories.map(chosenPositions);
  const offsets = new Int32Array(trajectories.length + 1);
  positions.forEach(({ length }, b) => {
    offsets[b + 1] = offsets[b] + length;
  });
  const turn = new Int32Array(offsets[trajectories.length]);
  trajectories.forEach(({ turnOf }, b) => {
    positions[b].forEach((position, k) => {
      turn[offsets[b] + k] = turnOf[position];
    });
  });
  return { offsets, turn, group: Int32Array.from(trajectories, ({ group }) => group) };
}

/** Writes each trajectory's advantages. A dropped episode gets no gradient and does not count in the average. */
export function assignCredit<S extends AlgorithmSettings>(
  trajectories: readonly Trajectory[],
  algorithm: Pick<Algorithm<S>, 'credit'>,
  settings: S,
  more: Partial<CreditInput> = {},
): TrainingSet {
  const rows = more.rows ?? tokenRows(trajectories);
  const returns = more.returns ?? returnsOf(trajectories, settings.endings);
  const credit = algorithm.credit({ ...more, rows, returns, trajectories }, settings);
  const { advantages, episode, groups, withoutSignal, metrics = {}, memory } = credit;
  trajectories.forEach((trajectory, b) => {
    trajectory.advantages = Float32Array.from(advantages.subarray(rows.offsets[b], rows.offsets[b + 1]));
    trajectory.advantage = episode ? episode[b] : mean(trajectory.advantages);
  });
  const train = credit.train ?? trajectories.filter((_, b) => !Number.isNaN(returns[b]));
  const extras = extrasOf(trajectories, rows, credit);
  return { groups, withoutSignal, returns, trajectories: train, extras, metrics, memory };
}

function extrasOf(
  trajectories: readonly Trajectory[],
  { offsets }: TokenRows,
  { columns = {}, marks }: Credit,
): ReadonlyMap<Trajectory, Extras> {
  const extras = new Map<Trajectory, Extras>();
  trajectories.forEach((trajectory, b) => {
    const own = Object.entries(columns).map(([name, values]) => [
      name,
      Float32Array.from({ length: offsets[b + 1] - offsets[b] }, (_, k) => values[offsets[b] + k]),
    ]);
    extras.set(trajectory, { columns: Object.fromEntries(own), marks: marks?.get(trajectory) ?? {} });
  });
  // Trajectories that the algorithm made itself have marks only.
  for (const [trajectory, own] of marks ?? [])
    if (!extras.has(trajectory)) extras.set(trajectory, { columns: {}, marks: own });
  return extras;
}
