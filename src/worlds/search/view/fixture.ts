/**
 * Search for fixtures: the real world, in the page, without a trainer. The reader's way through a question of three hops stands for a
 * run's episode; a person plays questions of two. Never part of the shipped page.
 */

import type { Experiment } from '../../../experiment/experiment.ts';
import { Playing } from '../../../session/play/play.ts';
import type { PlayStart, ReplayFrame } from '../../../session/protocol.ts';
import { Search } from '../world.ts';

const worlds: Experiment['worlds'] = [
  { name: 'search', weight: 1, evaluated: true, options: { hops: [2], documents: 2, universes: 5 } },
];

export const withSearch = (experiment: Experiment): Experiment => ({ ...experiment, worlds });

const playing = new Playing(() => Search.open());

export const searchPlay = {
  reset: (start: PlayStart) => playing.reset(start),
  step: (action: string) => playing.step(action),
};

/** A question of three hops: all of its searches and the answer. */
export async function searchReplay(): Promise<ReplayFrame[]> {
  const world = await Search.open();
  await world.reset([0], [{ world: 'search', id: 2, options: { hops: [3], documents: 2 }, strata: {} }]);
  const [actions] = await world.oracle([0]);
  const frames: ReplayFrame[] = [];
  for (const [turn, action] of actions!.entries()) {
    const [{ observation }] = await world.step([0], [action]);
    frames.push({ turn, action, observation, view: await world.view(0) });
  }
  return frames;
}
