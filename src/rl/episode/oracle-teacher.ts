/**
 * The world's oracle as a teacher of episodes that the policy played. Each episode's actions are played again in its
 * world, and before every turn the oracle names its action. The teacher's distribution gives that action all but a
 * share of the probability, and spreads the share evenly over all valid actions. A token's probability is the mass of
 * the actions below it in the trie of valid actions, over the mass of those below its prefix.
 */
import { adviceOf, type Task, validActionsAfter, type World } from '../../envs/env.ts';
import { log } from '../../policy/elementary.ts';
import type { ActionTrie } from '../../policy/text/trie.ts';
import { trieOf } from './action-list.ts';
import { perWorld } from './by-world.ts';
import { distributionRows, type TeacherLabels } from './choice-rows.ts';
import type { Conversation } from './conversation.ts';
import { chosenPositions } from './micro-batch.ts';
import { episodesAtOnce } from './players.ts';
import type { Trajectory } from './trajectory.ts';

/** The oracle's action at a turn, or null if it has none, and the actions that the turn could take. */
interface AdvisedTurn {
  offered: readonly string[];
  advised: string | null;
}

interface Replayed {
  task: Task;
  slot: number;
  trajectory: Trajectory;
  offered: readonly string[] | null;
  advised: AdvisedTurn[];
}

/**
 * Each trained token under the oracle's distribution, in the order of `chosenPositions`: its log-probability, and those
 * of all its valid alternatives. NaN and no distribution: the oracle says nothing about the token (a thought, a turn
 * without advice, an episode whose world failed).
 */
export async function oracleLabels(
  { worlds, conversation }: { worlds: ReadonlyMap<string, World>; conversation: Conversation },
  trajectories: readonly Trajectory[],
  smoothing: number,
): Promise<TeacherLabels[]> {
  const out: TeacherLabels[] = [];
  for (let first = 0; first < trajectories.length; first += episodesAtOnce) {
    const rows = trajectories
      .slice(first, first + episodesAtOnce)
      .map((trajectory, slot): Replayed => ({ task: trajectory.task, slot, trajectory, offered: null, advised: [] }));
    const played = rows.filter(({ trajectory }) => trajectory.ending !== 'world-failure');
    await perWorld(worlds, played, replay);
    out.push(...rows.map(({ trajectory, advised }) => labelsOf(trajectory, advised, conversation, smoothing)));
  }
  return out;
}

/** Plays the rows' actions again and requests the oracle's action before each. */
async function replay(world: World, rows: readonly Replayed[]): Promise<void> {
  const slotsOf = (some: readonly Replayed[]) => some.map(({ slot }) => slot);
  const feedback = await world.reset(
    slotsOf(rows),
    rows.map(({ task }) => task),
  );
  rows.forEach((row, i) => {
    row.offered = validActionsAfter(null, feedback[i]);
  });
  for (let turn = 0; ; turn++) {
    const playing = rows.filter(({ trajectory }) => turn < trajectory.turns.length);
    if (playing.length === 0) return;
    const advice = await adviceOf(world, slotsOf(playing));
    playing.forEach((row, i) => {
      row.advised.push({ offered: row.offered ?? [], advised: advice[i]?.action ?? null });
    });
    // Nothing reads the answer to a last action.
    const going = playing.filter(({ trajectory }) => turn + 1 < trajectory.turns.length);
    if (going.length === 0) return;
    const actions = going.map(({ trajectory }) => trajectory.turns[turn].action);
    const answers = await world.step(slotsOf(going), actions);
    going.forEach((row, i) => {
      row.offered = validActionsAfter(row.offered, answers[i]);
    });
  }
}

function labelsOf(
  trajectory: Trajectory,
  advised: readonly AdvisedTurn[],
  conversation: Conversation,
  smoothing: number,
): TeacherLabels {
  const positions = chosenPositions(trajectory);
  const logprobs = new Float32Array(positions.length).fill(Number.NaN);
  const rows: (readonly number[])[] = Array.from(positions, () => []);
  const choiceAt = new Map(Array.from(positions, (position, k) => [position, k]));
  trajectory.turns.forEach((turn, t) => {
    const { offered = [], advised: action = null } = advised[t] ?? {};
    const leaf = action === null ? -1 : offered.indexOf(action);
    if (leaf < 0) return;
    const path = trajectory.tokens.subarray(turn.thoughtEnd ?? turn.actionStart, turn.actionEnd);
    tokenLogprobs(trieOf(offered, conversation), leaf, smoothing, path).forEach(({ allowed, chosen }, i) => {
      const k = choiceAt.get((turn.thoughtEnd ?? turn.actionStart) + i);
      if (k === undefined) return;
      logprobs[k] = allowed[chosen];
      rows[k] = allowed;
    });
  });
  return { logprobs, distributions: distributionRows(rows) };
}

/**
 * Log-probabilities of the allowed tokens at each step of a path through the trie, by ascending token, and the index of
 * the path's own, if the sequence `advised` has probability 1 - smoothing and the rest is spread evenly over all
 * sequences. Ends at the first leaf: the tokens after it are forced.
 */
export function tokenLogprobs(
  actions: ActionTrie,
  advised: number,
  smoothing: number,
  path: ArrayLike<number>,
): { allowed: number[]; chosen: number }[] {
  const { trie } = actions;
  const mass = massOfNodes(actions, advised, smoothing);
  const out: { allowed: number[]; chosen: number }[] = [];
  let node = 0;
  for (let i = 0; trie.leaf[node] < 0; i++) {
    const [first, end] = [trie.edgeStart[node], trie.edgeStart[node + 1]];
    const chosen = trie.edgeToken.subarray(first, end).indexOf(path[i]);
    if (chosen < 0) return out;
    const whole = mass[node];
    out.push({ allowed: Array.from(trie.edgeNode.subarray(first, end), (next) => log(mass[next] / whole)), chosen });
    node = trie.edgeNode[first + chosen];
  }
  return out;
}

/** Probability of the sequences below each node. A node's children have greater numbers than the node. */
function massOfNodes({ trie, isSame }: ActionTrie, advised: number, smoothing: number): Float64Array {
  const { leaf, edgeStart, edgeNode } = trie;
  const leaves = leaf.reduce((count, index) => count + (index >= 0 ? 1 : 0), 0);
  const mass = new Float64Array(leaf.length);
  for (let node = leaf.length - 1; node >= 0; node--) {
    // Equal sequences of the list have one leaf, under the first of their indices.
    if (leaf[node] >= 0) mass[node] = smoothing / leaves + (isSame(leaf[node], advised) ? 1 - smoothing : 0);
    else for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge++) mass[node] += mass[edgeNode[edge]];
  }
  return mass;
}
