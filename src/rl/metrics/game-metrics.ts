/** Metrics of games in which the seats divide something: how well they did together, by the rules of the world. */
import type { World } from '../../envs/env.ts';
import type { PlayedGame } from '../../envs/game.ts';
import { groupBy, mean } from '../common/numbers.ts';
import { worldNamed } from '../episode/by-world.ts';
import type { Trajectory } from '../episode/trajectory.ts';

export const agreementMetrics = [
  {
    name: 'agreements',
    unit: 'fraction',
    group: 'task',
    sentence: 'Share of the games that ended with an agreement of both seats.',
  },
  {
    name: 'jointValue',
    unit: 'fraction',
    group: 'task',
    sentence:
      'Value that both seats got together, as a share of the greatest that the same pool could have given them; 0 without an agreement.',
  },
  {
    name: 'paretoOptimal',
    unit: 'fraction',
    group: 'task',
    sentence:
      'Share of the games after which no other division would have been better for one seat and no worse for the other.',
  },
  {
    name: 'nashProduct',
    unit: 'fraction',
    group: 'task',
    sentence:
      'Mean product of what the two seats got, each as a share of the value of the whole pool; 0 without an agreement.',
  },
] as const;

const gameOf = ({ task, turns }: Trajectory): PlayedGame => ({
  task,
  actions: turns.filter(({ valid }) => valid).map(({ action }) => action),
});

/** Means over the games that were played to their end, of the worlds that measure them; none without such a world. */
export async function gameMetrics(
  worlds: ReadonlyMap<string, World>,
  played: readonly Trajectory[],
): Promise<{ [metric: string]: number }> {
  const finished = played.filter(({ ending }) => ending === 'success' || ending === 'done');
  const measured = await Promise.all(
    [...groupBy(finished, ({ task }) => task.world)].map(async ([name, own]) => {
      const measure = await worldNamed(worlds, name).describe().seats?.measures?.();
      return measure ? own.map((one) => measure(gameOf(one))) : [];
    }),
  );
  const games = measured.flat();
  if (games.length === 0) return {};
  return Object.fromEntries(Object.keys(games[0]).map((name) => [name, mean(games.map((game) => game[name]))]));
}
