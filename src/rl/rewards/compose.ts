/** Composes the reward of a step's episodes from its parts. The values stay with each trajectory. */
import { groupBy, mean } from '../common/numbers.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { isPlayed } from '../episode/unplayed.ts';
import { partMetric } from '../metrics/metrics.ts';
import type { CountedJudge } from './counted-judge.ts';
import { columnOf, type PartServices } from './part.ts';
import { partOf, type RewardSettings } from './registry.ts';

type Combination = Pick<RewardSettings, 'combine' | 'gateAt' | 'closed'> & {
  parts: readonly { weight: number }[];
};

/** Reward of one episode from the values of its parts, in their order; NaN if a part has none. */
export function combined(values: readonly number[], { combine, gateAt, closed, parts }: Combination): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  const weighted = values.map((value, i) => parts[i].weight * value);
  if (combine === 'maximum') return Math.max(...weighted);
  const counted = combine === 'gate' ? weighted.slice(1) : weighted;
  if (combine === 'gate' && values[0] < gateAt) return closed;
  return counted.reduce((sum, value) => sum + value, 0);
}

/** JSON has no NaN. */
const stored = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Writes the reward of every played episode; one whose world failed gets none. */
export async function composeRewards(
  trajectories: readonly Trajectory[],
  settings: RewardSettings,
  services: PartServices,
): Promise<void> {
  const played = trajectories.filter(({ ending }) => ending !== 'world-failure');
  const columns: (readonly number[])[] = [];
  // One after another: the sandbox runs one call at a time, and a judge is asked only if the code has not failed.
  for (const part of settings.parts) columns.push(await partOf(part).values(played, part, services));
  played.forEach((trajectory, b) => {
    const values = columns.map((column) => column[b]);
    const parts = Object.fromEntries(settings.parts.map((part, i) => [columnOf(part), stored(values[i])]));
    trajectory.rewards = { total: stored(combined(values, settings)), parts };
  });
}

type Values = { [metric: string]: number };

/** Mean reward and mean value of each part, over the episodes that have one. */
export function rewardMetrics(trajectories: readonly Trajectory[]): Values {
  const composed = trajectories.filter(isPlayed).flatMap(({ rewards }) => rewards ?? []);
  if (!composed.length) return {};
  const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const parts = composed.flatMap((each) => Object.entries(each.parts));
  const columns = [...groupBy(parts, ([name]) => name)].map(
    ([name, values]) => [partMetric(name), mean(known(values.map(([, value]) => value)))] as const,
  );
  return { reward: mean(known(composed.map(({ total }) => total))), ...Object.fromEntries(columns) };
}

/** Counts of a step's judge. */
export const judgeMetrics = ({
  requests,
  known,
  unread,
}: Pick<CountedJudge, 'requests' | 'known' | 'unread'>): Values => ({
  judgeRequests: requests,
  judgeKnown: known,
  judgeUnread: unread,
});
