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

/** Most second words of a verb that are told apart: directions of a move, but not the objects or colours of a world. */
const mostSeconds = 4;

const words = /^([\p{L}\p{N}_-]+)(?:\s+(\p{L}+))?/u;

/** First word of an action, which is the verb of a command or the name of a tool, and its second, if it is one of letters. */
function wordsOf(action: string): { first: string; second: string | undefined } {
  const [, first = 'other', second] = words.exec(action.trim().toLowerCase()) ?? [];
  return { first, second };
}

/** Kinds of action: each first word, and each first and second word where a first word has few second ones. */
function kindsOf(actions: readonly string[]): { verbs: string[]; pairs: string[] } {
  const all = actions.map(wordsOf);
  const pairs = [...groupBy(all, ({ first }) => first)].flatMap(([verb, members]) => {
    const seconds = new Set(members.map(({ second }) => second));
    const few = seconds.size > 1 && seconds.size <= mostSeconds && !seconds.has(undefined);
    return few ? members.map(({ second }) => `${verb} ${second}`) : [];
  });
  return { verbs: all.map(({ first }) => first), pairs };
}

/** Share of the turns with each of the most frequent kinds of action. */
export function actionShares(trajectories: readonly Trajectory[]): Map<string, number> {
  const actions = trajectories.flatMap(({ turns }) => turns.map(({ action }) => action));
  const { verbs, pairs } = kindsOf(actions);
  return new Map([...frequent(verbs, actions.length), ...frequent(pairs, actions.length)]);
}

/** Shares of the most frequent kinds, the largest first. */
const frequent = (kinds: readonly string[], turns: number): (readonly [string, number])[] =>
  [...groupBy(kinds, (kind) => kind)]
    .map(([kind, { length }]) => [kind, length / turns] as const)
    .filter(([, share]) => share >= leastShare)
    .sort((a, b) => b[1] - a[1])
    .slice(0, mostKinds);
