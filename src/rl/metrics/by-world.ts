/** Success by world, of a step that plays several. */
import { groupBy, mean } from '../common/numbers.ts';
import type { Trajectory } from '../episode/trajectory.ts';

const worldPrefix = 'success.';
/** Sentence of these metrics. */
export const worldSentence = 'Success of the step’s episodes in this world, where a step plays several.';

/** Name of the metric of success in a world. */
export const worldMetric = (world: string): string => `${worldPrefix}${world}`;

/** World of a metric of success in a world; null: another metric. */
export const worldOfMetric = (name: string): string | null =>
  name.startsWith(worldPrefix) ? name.slice(worldPrefix.length) : null;

/** Success by world; none if all episodes are of one. */
export function worldMetrics(played: readonly Trajectory[]): { [metric: string]: number } {
  const byWorld = groupBy(played, ({ task }) => task.world);
  if (byWorld.size < 2) return {};
  return Object.fromEntries(
    [...byWorld].map(([world, own]) => [worldMetric(world), mean(own.map(({ success }) => (success ? 1 : 0)))]),
  );
}
