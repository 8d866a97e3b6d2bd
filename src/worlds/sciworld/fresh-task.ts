/** Varies a training task at each draw: the same variation under other names. */
import type { Draw, Task } from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';

/** Share of draws that keep all names, so that training also meets the names of evaluations. */
const ownNames = 0.1;

export function freshTask(task: Task, { key, member }: Draw): Task {
  const naming = uniformAt(key, member, 0) < ownNames ? 0 : 1 + Math.floor(uniformAt(key, member, 1) * 0xfffffffe);
  return { ...task, options: { ...task.options, naming } };
}
