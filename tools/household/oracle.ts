/** Both oracles in made houses: every plan is played, must be possible throughout, and must end the task. */
import type { Task, WorldOptions } from '../../src/envs/env.ts';
import { taskKinds } from '../../src/worlds/household/made/task-kinds.ts';
import { Household } from '../../src/worlds/household/world.ts';

interface Count {
  houses: number;
  solved: number;
  turns: number;
  longest: number;
}

async function solve(world: Household, task: Task): Promise<number | null> {
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  if (!plan) return null;
  for (const [turn, action] of plan.entries()) {
    const [{ valid, done }] = await world.step([0], [action]);
    if (!valid || done !== (turn === plan.length - 1)) return null;
  }
  return plan.length;
}

/** Sizes of houses, in turn. */
const shapes: readonly WorldOptions[] = [
  {},
  { receptacles: 8, clutter: 0 },
  { receptacles: 8, clutter: 20, sharedPlaces: 30 },
  { receptacles: 20, clutter: 40, sharedPlaces: 10 },
  { receptacles: 24, clutter: 80 },
];

/** Number of houses that an oracle does not solve. */
export async function solveHouses(houses: number): Promise<number> {
  const world = await Household.open();
  let unsolved = 0;
  for (const oracle of ['sees', 'explores']) {
    const counts = new Map<string, Count>();
    const each = Math.ceil(houses / (2 * taskKinds.length * shapes.length));
    for (const shape of shapes) {
      const options = { ...shape, oracle, tasks: [...taskKinds], houses: each, testHouses: each };
      for (const split of ['train', 'test'] as const)
        for (const task of await world.tasks(options, split)) {
          const kind = String(task.strata.task);
          const count = counts.get(kind) ?? { houses: 0, solved: 0, turns: 0, longest: 0 };
          counts.set(kind, count);
          const turns = await solve(world, task);
          count.houses++;
          if (turns === null) {
            unsolved++;
            console.log(`${oracle}: task ${task.id} of ${JSON.stringify(shape)} is not solved`);
            continue;
          }
          count.solved++;
          count.turns += turns;
          count.longest = Math.max(count.longest, turns);
        }
    }
    const all = [...counts.values()].reduce((sum, count) => sum + count.houses, 0);
    console.log(`${oracle}: ${all} houses, ${unsolved} not solved so far`);
    for (const [kind, { houses: n, solved, turns, longest }] of counts)
      console.log(`  ${kind}: ${solved} of ${n}, ${(turns / solved).toFixed(1)} turns, at most ${longest}`);
  }
  return unsolved;
}
