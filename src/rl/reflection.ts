/**
 * Subgoals after a step's play: failed tasks are divided into the parts that their worlds name, and failed episodes are
 * relabelled as successes at a part, where the world's judge accepts them.
 */
import type { Task, World } from '../envs/env.ts';
import { groupBy } from './common/numbers.ts';
import { worldNamed } from './episode/by-world.ts';
import type { Conversation } from './episode/conversation.ts';
import { episodesAtOnce } from './episode/players.ts';
import { type Attempt, type RelabelOptions, relabel } from './episode/relabel.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { Goals } from './goals/goals.ts';

/** Parts of each task, in the order in which they are reached; none where the world names none. */
async function partsOf(
  worlds: ReadonlyMap<string, World>,
  tasks: readonly Task[],
): Promise<Map<Task, readonly Task[]>> {
  const found = new Map<Task, readonly Task[]>();
  for (const [name, own] of groupBy(tasks, ({ world }) => world)) {
    const parts = (await worldNamed(worlds, name).subgoals?.(own)) ?? [];
    for (const [i, task] of own.entries()) found.set(task, parts[i] ?? []);
  }
  return found;
}

/** Divides and relabels after the play of a step, before its experience is committed. */
export async function reflect(
  goals: Goals,
  played: readonly Trajectory[],
  parts: { worlds: ReadonlyMap<string, World>; conversation: Conversation },
  options: RelabelOptions,
): Promise<void> {
  const failed = goals.failedGroups(played);
  if (failed.length === 0) return;
  const found = await partsOf(
    parts.worlds,
    failed.map(({ task }) => task),
  );
  for (const { task, draw } of failed) if (draw) goals.divide(draw, found.get(task)!);
  // The part that is reached last comes first: each episode becomes a success at one part at most.
  const attempts = failed.flatMap(({ task, members }) =>
    [...found.get(task)!]
      .reverse()
      .flatMap((part) => members.map((trajectory): Attempt => ({ trajectory, task: part }))),
  );
  const tried = attempts.slice(0, Math.min(goals.relabelsAtMost, episodesAtOnce));
  const relabelled = await relabel(parts, tried, options);
  const used = new Set<Trajectory>();
  relabelled.forEach((success, i) => {
    if (!success || used.has(tried[i].trajectory)) return;
    used.add(tried[i].trajectory);
    goals.keepRelabelled(success);
  });
}
