/** Another instance of a variation at each draw: the same under other names. */
import type { Draw, Task } from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';

/** So many draws keep all names: those of evaluations are met as well. */
const ownNames = 0.1;

export function drawnTask(task: Task, { key, member }: Draw): Task {
  const naming = uniformAt(key, member, 0) < ownNames ? 0 : 1 + Math.floor(uniformAt(key, member, 1) * 0xfffffffe);
  return { ...task, options: { ...task.options, naming } };
}
