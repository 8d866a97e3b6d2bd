/** Episodes of a step of which some branch off others of their group (`episode/branching.ts`). */
import type { Learner } from '../policy/policy.ts';
import { tokenRows } from './assign-credit.ts';
import { groupBy } from './common/numbers.ts';
import {
  type Beginning,
  type BranchPlace,
  randomBeginnings,
  sumsOfTurns,
  uncertainBeginnings,
} from './episode/branching.ts';
import type { RolloutRequest } from './episode/rollout.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { isPlayed } from './episode/unplayed.ts';
import { scoreRows } from './score-rows.ts';

interface BranchedPlay {
  groupSize: number;
  /** Episodes of each group that branch off the others. */
  branched: number;
  at: BranchPlace;
  temperature: number;
  /** Keys of the random places: the seed and the step. */
  keys: readonly number[];
  policy: Pick<Learner, 'score' | 'capacity'>;
  play(part: Pick<RolloutRequest, 'groupSize' | 'part' | 'beginningOf'>): Promise<Trajectory[]>;
}

/**
 * Plays the whole episodes of each group, and then those that branch off them. Trajectories by group, then member. A
 * group whose whole episodes have no turn to branch from plays all of its episodes from the start.
 */
export async function playBranched({ play, groupSize, branched, ...how }: BranchedPlay): Promise<Trajectory[]> {
  const whole = groupSize - branched;
  const first = await play({ groupSize: whole, part: { first: 0, of: groupSize } });
  const beginnings = await beginningsOf(first.filter(isPlayed), branched, how);
  const rest = await play({
    groupSize: branched,
    part: { first: whole, of: groupSize },
    beginningOf: (group, member) => beginnings.get(group)?.[member - whole] ?? null,
  });
  return [...groupBy([...first, ...rest], ({ group }) => group).values()].flat();
}

async function beginningsOf(
  played: readonly Trajectory[],
  count: number,
  { at, temperature, keys, policy }: Pick<BranchedPlay, 'at' | 'temperature' | 'keys' | 'policy'>,
): Promise<ReadonlyMap<number, readonly Beginning[]>> {
  const groups = groupBy(played, ({ group }) => group);
  if (at === 'random')
    return new Map([...groups].map(([group, own]) => [group, randomBeginnings(own, count, [...keys, group])]));
  const rows = tokenRows(played);
  const { entropy } = await scoreRows(policy, played, rows, { temperature, weights: 'policy' });
  const entropies = new Map(
    played.map((each, b) => [each, sumsOfTurns(each, entropy.subarray(rows.offsets[b], rows.offsets[b + 1]))]),
  );
  return new Map(
    [...groups].map(([group, own]) => [
      group,
      uncertainBeginnings(
        own,
        own.map((each) => entropies.get(each)!),
        count,
      ),
    ]),
  );
}
