/**
 * Branching of episodes: some of a group begin in the middle of another one, whose turns they repeat word by word, and
 * go on by themselves. Branches at uncertain places: TreeRL's search (https://arxiv.org/abs/2506.11902, section 3.1) with
 * turns in the place of tokens, and ARPO (https://arxiv.org/abs/2507.19849); at random ones: Tree-GRPO
 * (https://arxiv.org/abs/2509.21240).
 */
import { below } from '../common/random.ts';
import { chosenPositions } from './micro-batch.ts';
import type { Trajectory } from './trajectory.ts';

/** Beginning of an episode: the first turns of another one, whose tokens it repeats. */
export interface Beginning {
  from: Trajectory;
  turns: number;
}

/** Places at which branches begin: the turns of greatest entropy, or turns drawn at random. */
export const branchPlaces = ['entropy', 'random'] as const;
export type BranchPlace = (typeof branchPlaces)[number];

/** Turns of an episode in which the policy chose among several tokens. */
const choosingTurns = (trajectory: Trajectory): number[] =>
  [...new Set(Array.from(chosenPositions(trajectory), (position) => trajectory.turnOf[position]))].filter(
    (turn) => turn < trajectory.turns.length,
  );

/**
 * `count` beginnings for a group, at the turns of its episodes whose entropy is greatest, each once before any twice.
 * `entropies`: (turns) nats for each episode. Ties: the earlier episode, then the earlier turn. Empty if no turn was chosen.
 */
export function uncertainBeginnings(
  episodes: readonly Trajectory[],
  entropies: readonly ArrayLike<number>[],
  count: number,
): Beginning[] {
  const places = episodes.flatMap((from, i) =>
    choosingTurns(from).map((turns) => ({ from, turns, by: entropies[i][turns] })),
  );
  places.sort((a, b) => b.by - a.by);
  return cycled(places, count).map(({ from, turns }) => ({ from, turns }));
}

/** `count` beginnings for a group, at turns drawn with equal chances. `keys` of the random numbers. */
export function randomBeginnings(episodes: readonly Trajectory[], count: number, keys: readonly number[]): Beginning[] {
  const places = episodes.flatMap((from) => choosingTurns(from).map((turns) => ({ from, turns })));
  if (places.length === 0) return [];
  return Array.from({ length: count }, (_, k) => places[below(places.length, ...keys, k)]);
}

const cycled = <T>(list: readonly T[], count: number): T[] =>
  list.length === 0 ? [] : Array.from({ length: count }, (_, k) => list[k % list.length]);

/** Sum of `values`, one for each trained token, over the tokens of each turn. */
export function sumsOfTurns(trajectory: Trajectory, values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(trajectory.turns.length);
  chosenPositions(trajectory).forEach((position, k) => {
    sums[trajectory.turnOf[position]] += values[k];
  });
  return sums;
}
