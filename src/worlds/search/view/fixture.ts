/**
 * Search in the gallery: the real world, in the page, without a trainer. An episode of a question with three hops,
 * played by the reader, stands for an episode of a run; a person plays questions of two hops.
 */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';

const open = async () => (await import('../world.ts')).Search.open();

/** Plays a question of three hops: all of its searches and the answer. */
async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const frames = await oracleTurns(world, { world: 'search', id: 2, options: { hops: [3], documents: 2 }, strata: {} });
  return frames;
}

export const searchFixture: ViewFixture = {
  world: 'search',
  options: { hops: [2], documents: 2, universes: 5 },
  open,
  replay,
};
