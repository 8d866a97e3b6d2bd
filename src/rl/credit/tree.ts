/**
 * A group's episodes as a tree: episodes with the same history share a state, and part where their actions differ. The
 * value of a state, and of a branch from it, is the mean return of the episodes through it; the advantage of a branch
 * is its value above its state's. TreeRL (Hou et al. 2025, https://arxiv.org/abs/2506.11902, section 3.3) takes such
 * values as credit.
 */
import { groupBy, mean } from '../common/numbers.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { hasSignal } from './groups.ts';

type Played = Pick<Trajectory, 'prompt' | 'turns'>;

/** What the episodes of a group have in common up to a turn: the observations and the actions so far. */
export interface TreeState {
  observation: string;
  /** Turns before this state. */
  turn: number;
  /** Episodes through it, as indices into the group. */
  members: readonly number[];
  /** Those of them that ended here. */
  ended: readonly number[];
  /** Mean return of its episodes. */
  value: number;
  /** Actions taken here, in the order of their first episode. */
  branches: readonly TreeBranch[];
}

/** An action taken in a state. */
export interface TreeBranch {
  action: string;
  members: readonly number[];
  /** Mean return of its episodes. */
  value: number;
  /** Its value above the state's; 0 if all returns through the state are equal. */
  advantage: number;
  /** States that follow: one, unless the world answers the same history in different ways. */
  states: readonly TreeState[];
}

/**
 * First states of a group's episodes; several if their first observations differ. `returns`: one for each episode; an
 * episode of NaN was dropped and is in no state.
 */
export function groupTree(episodes: readonly Played[], returns: ArrayLike<number>): TreeState[] {
  const group = { episodes, returns };
  const kept = episodes.flatMap((_, i) => (Number.isNaN(returns[i]) ? [] : [i]));
  const first = statesOf(kept, 0, group);
  // Not by recursion: an episode of an imported run may have thousands of turns.
  const open = [...first];
  for (let state = open.pop(); state; state = open.pop())
    for (const branch of state.branches) {
      branch.states = statesOf(branch.members, state.turn + 1, group);
      open.push(...branch.states);
    }
  return first;
}

interface Group {
  episodes: readonly Played[];
  returns: ArrayLike<number>;
}

const observationAt = ({ prompt, turns }: Played, turn: number): string =>
  turn === 0 ? prompt : turns[turn - 1].observation;

/** A branch whose states are yet to be found. */
type OpenBranch = Omit<TreeBranch, 'states'> & { states: OpenState[] };
type OpenState = Omit<TreeState, 'branches'> & { branches: readonly OpenBranch[] };

function statesOf(members: readonly number[], turn: number, group: Group): OpenState[] {
  const { episodes } = group;
  return [...groupBy(members, (i) => observationAt(episodes[i], turn))].map(([observation, own]) => {
    const ended = own.filter((i) => episodes[i].turns.length <= turn);
    const value = meanOf(own, group);
    return { observation, turn, members: own, ended, value, branches: branchesOf(own, turn, value, group) };
  });
}

function branchesOf(members: readonly number[], turn: number, value: number, group: Group): OpenBranch[] {
  const { episodes, returns } = group;
  const going = members.filter((i) => episodes[i].turns.length > turn);
  const differ = hasSignal(members.map((i) => returns[i]));
  return [...groupBy(going, (i) => episodes[i].turns[turn].action)].map(([action, own]) => {
    const branchValue = meanOf(own, group);
    const advantage = differ ? branchValue - value : 0;
    return { action, members: own, value: branchValue, advantage, states: [] };
  });
}

const meanOf = (members: readonly number[], { returns }: Group): number => mean(members.map((i) => returns[i]));

/** The branches that each episode took, turn by turn; none for a dropped one. */
export function branchPaths(states: readonly TreeState[], episodes: number): TreeBranch[][] {
  const paths = Array.from({ length: episodes }, (): TreeBranch[] => []);
  const open = [...states];
  for (let state = open.pop(); state; state = open.pop())
    for (const branch of state.branches) {
      for (const i of branch.members) paths[i][state.turn] = branch;
      open.push(...branch.states);
    }
  return paths;
}
