/**
 * ScienceWorld for fixtures: the real world, in the page, without a trainer. A rehearsed episode of boiling stands for a run's; a person
 * plays `find-non-living-thing`. Never part of the shipped page.
 */

import type { Experiment } from '../../../experiment/experiment.ts';
import { Playing } from '../../../session/play/play.ts';
import type { PlayStart, ReplayFrame } from '../../../session/protocol.ts';
import { idOf } from '../tasks.ts';
import { SciWorld } from '../world.ts';

const worlds: Experiment['worlds'] = [
  {
    name: 'sciworld',
    weight: 1,
    evaluated: true,
    options: { tasks: ['find-non-living-thing'], simplifications: ['easy'] },
  },
];

export const withSciWorld = (experiment: Experiment): Experiment => ({ ...experiment, worlds });

const playing = new Playing(() => SciWorld.open());

export const sciworldPlay = {
  reset: (start: PlayStart) => playing.reset(start),
  step: (action: string) => playing.step(action),
};

/** The last turns of the oracle's way to boil something: the furnace is on and the thermometers move. */
export async function sciworldReplay(turns: number): Promise<ReplayFrame[]> {
  const world = await SciWorld.open();
  await world.reset([0], [{ world: 'sciworld', id: idOf('boil', 3), options: { validActions: false }, strata: {} }]);
  const [actions] = await world.oracle([0]);
  const frames: ReplayFrame[] = [];
  for (const [turn, action] of actions!.entries()) {
    const [{ observation }] = await world.step([0], [action]);
    frames.push({ turn, action, observation, view: await world.view(0) });
  }
  return frames.slice(-turns).map((frame, turn) => ({ ...frame, turn }));
}
