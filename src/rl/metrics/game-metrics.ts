/** Metrics of games in which the seats divide something: how well they did together, by the rules of the world. */
import type { World } from '../../envs/env.ts';
import { measured } from '../common/measured.ts';
import { mean } from '../common/numbers.ts';
import { measuresOfAll } from '../episode/game-measures.ts';
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

/** Means over the games that were played to their end, of the worlds that measure them; none without such a world. */
export async function gameMetrics(
  worlds: ReadonlyMap<string, World>,
  played: readonly Trajectory[],
): Promise<{ [metric: string]: number }> {
  const values = Object.entries(measured(await measuresOfAll(worlds, played)));
  return Object.fromEntries(values.map(([name, each]) => [name, mean(each)]));
}
