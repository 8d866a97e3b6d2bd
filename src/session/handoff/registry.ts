/**
 * The trainers that a run can be handed to. To add one, write a module like these and add a line here; `rl/algorithms/`
 * lists each trainer's names of the algorithms.
 */
import { agentGymRl } from './agentgym-rl.ts';
import { HandoffError, type HandoffTarget } from './target.ts';
import { trl } from './trl.ts';
import { trlTools } from './trl-tools.ts';
import { verl } from './verl.ts';

export const handoffTargets: readonly HandoffTarget[] = [verl, agentGymRl, trl, trlTools];

export const handoffNames: readonly string[] = handoffTargets.map(({ name }) => name);

export function handoffTarget(name: string): HandoffTarget {
  const found = handoffTargets.find((each) => each.name === name);
  if (!found) throw new HandoffError(`There is no trainer "${name}" to hand to: choose ${handoffNames.join(', ')}.`);
  return found;
}
