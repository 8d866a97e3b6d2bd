/**
 * Metrics of the policy's actions: whether they depend on the task, and which kinds of action are in use.
 *
 * A policy can collapse to a template: its actions still vary, and no longer follow from the task, while its entropy is
 * steady (RAGEN-2, https://arxiv.org/abs/2604.06268). The sign is the mutual information between task and reply; here
 * it is estimated from counts of the first action of each episode.
 */
import { log } from '../../policy/elementary.ts';
import { groupBy, sum } from '../common/numbers.ts';
import type { Trajectory } from '../episode/trajectory.ts';

const sizesOf = (values: readonly string[]): number[] =>
  [...groupBy(values, (value) => value).values()].map(({ length }) => length);

/** Entropy of counts in nats, with Miller and Madow's correction of its bias (1955): (kinds - 1) / 2n. */
function entropyOf(counts: readonly number[]): number {
  const n = sum(counts);
  return counts.reduce((total, count) => total - (count / n) * log(count / n), (counts.length - 1) / (2 * n));
}

/**
 * Mutual information in nats between the group of an episode and its first action, at least 0; NaN for fewer than two
 * groups.
 */
export function taskInformation(trajectories: readonly Trajectory[]): number {
  const played = trajectories.filter(({ turns }) => turns.length > 0);
  const groups = played.map(({ group }) => String(group));
  if (new Set(groups).size < 2) return Number.NaN;
  const actions = played.map(({ turns }) => turns[0].action);
  const both = actions.map((action, i) => `${groups[i]} ${action}`);
  return Math.max(0, entropyOf(sizesOf(groups)) + entropyOf(sizesOf(actions)) - entropyOf(sizesOf(both)));
}

/** Maximum number of kinds of action with a metric of their own. */
const mostKinds = 12;
/** Share below which a kind has no metric. */
const leastShare = 0.005;

/** Kind of an action: its first word, which is the verb of a command or the name of a tool. */
const kindOf = (action: string): string => /^[\p{L}\p{N}_-]+/u.exec(action.trim())?.[0].toLowerCase() ?? 'other';

/** Share of the turns with each of the most frequent kinds of action. */
export function actionShares(trajectories: readonly Trajectory[]): Map<string, number> {
  const kinds = trajectories.flatMap(({ turns }) => turns.map(({ action }) => kindOf(action)));
  const shares = [...groupBy(kinds, (kind) => kind)].map(
    ([kind, members]) => [kind, members.length / kinds.length] as const,
  );
  return new Map(
    shares
      .filter(([, share]) => share >= leastShare)
      .sort((a, b) => b[1] - a[1])
      .slice(0, mostKinds),
  );
}
