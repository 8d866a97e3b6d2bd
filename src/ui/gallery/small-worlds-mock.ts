/** Wordle and Maze for fixtures: the real worlds, in the page, without a trainer. Never part of the shipped page. */

import type { World, WorldOptions } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { Playing } from '../../session/play/play.ts';

const fixture = (name: string, options: WorldOptions, open: () => Promise<World>) => ({
  play: new Playing(open),
  with: (experiment: Experiment): Experiment => ({
    ...experiment,
    worlds: [{ name, weight: 1, evaluated: true, options }],
  }),
});

/** By the name of the state. */
export const smallWorlds: { [state: string]: ReturnType<typeof fixture> | undefined } = {
  wordle: fixture('wordle', { words: 100 }, async () => (await import('../../worlds/wordle/world.ts')).Wordle.open()),
  maze: fixture('maze', { size: 5, loops: 20 }, async () => (await import('../../worlds/maze/world.ts')).Maze.open()),
};
