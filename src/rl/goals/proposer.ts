/**
 * Proposer of new goals: the worlds' own generators (another depth, another level) make families of tasks that the
 * experiment does not ask for. A family is proposed by the uncertainty of the policy on it, 1 - 2 |p - 1/2| (Agent0,
 * arXiv 2511.16043), with a bonus for what was tried little; only tasks that the world's oracle solves are proposed.
 */
import type { Task, World, WorldOptions } from '../../envs/env.ts';
import { uniform } from '../common/random.ts';
import { Epochs } from '../schedule/tasks.ts';
import type { FamilyTasks } from './families.ts';
import type { Family } from './rule.ts';

/** Maximum number of new families, and tasks of each. */
const mostFamilies = 16;
const mostTasks = 64;

const STREAM_ORDER = 0x676f7072;
const STREAM_PROPOSE = 0x676f7071;

/** Tasks that the oracle has a plan for; all where the world has no oracle. */
async function solvable(world: World, tasks: readonly Task[]): Promise<Task[]> {
  if (!world.describe().hasOracle || tasks.length === 0) return [...tasks];
  const slots = [...tasks.keys()];
  const begun = await world.reset(slots, tasks);
  const alive = slots.filter((slot) => begun[slot].failure === undefined);
  const plans = await world.oracle(alive);
  return alive.filter((_, i) => plans[i]?.length).map((slot) => tasks[slot]);
}

/** Evenly spaced tasks of a list, at most `mostTasks`. */
const some = (tasks: readonly Task[]): Task[] => {
  const count = Math.min(mostTasks, tasks.length);
  return Array.from({ length: count }, (_, i) => tasks[Math.floor((i * tasks.length) / count)]);
};

/** Families of tasks that the worlds can make beside those of the experiment; none has a share in a rule. */
export async function proposable(
  worlds: ReadonlyMap<string, World>,
  used: readonly { name: string; options: WorldOptions }[],
  seed: number,
): Promise<FamilyTasks[]> {
  const found: FamilyTasks[] = [];
  for (const { name: world, options } of used) {
    const open = worlds.get(world);
    for (const { name, options: other } of open?.describe().others?.(options) ?? []) {
      const full = `${world}, ${name} (new)`;
      if (!open || found.length >= mostFamilies || found.some((each) => each.name === full)) continue;
      const tasks = await solvable(open, some(await open.tasks(other, 'train')));
      if (tasks.length === 0) continue;
      const epochs = new Epochs(tasks, seed, STREAM_ORDER, found.length);
      const task = (before: number, siblings: number, member: number) => epochs.task(before * siblings + member);
      found.push({ name: full, weight: 0, tasks, isDrawn: false, task });
    }
  }
  return found;
}

/** Preference for a new family: the policy's uncertainty on it, and a bonus that shrinks with its episodes. */
export function uncertainty({ tries, successes }: Pick<Family, 'tries' | 'successes'>): number {
  const rate = (1 + successes) / (2 + tries);
  return 1 - 2 * Math.abs(rate - 0.5) + 1 / Math.sqrt(1 + tries);
}

/** Families of `count` proposals, as indices of `families`, at random by their preferences. */
export function proposals(families: readonly Family[], count: number, keys: readonly number[]): number[] {
  const preferences = families.map(uncertainty);
  const total = preferences.reduce((sum, each) => sum + each, 0);
  return Array.from({ length: families.length ? count : 0 }, (_, i) => {
    let rest = uniform(...keys, STREAM_PROPOSE, i) * total;
    const found = preferences.findIndex((each) => {
      rest -= each;
      return rest < 0;
    });
    return found < 0 ? families.length - 1 : found;
  });
}
