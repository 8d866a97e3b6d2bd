/**
 * ScienceWorld for the gallery: the real world, in the page, without a trainer. The oracle's episode of boiling stands
 * in for a run's episode; a person plays `find-non-living-thing`.
 */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';
import { idOf } from '../tasks.ts';

const shownTurns = 3;

const open = async () => (await import('../world.ts')).SciWorld.open();

/** Last turns of the oracle's episode of boiling: the furnace is on and the temperatures change. */
async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const frames = await oracleTurns(world, {
    world: 'sciworld',
    id: idOf('boil', 3),
    options: { validActions: false },
    strata: {},
  });
  return frames.slice(-shownTurns).map((frame, turn) => ({ ...frame, turn }));
}

export const sciworldFixture: ViewFixture = {
  world: 'sciworld',
  options: { tasks: ['find-non-living-thing'], simplifications: ['easy'] },
  open,
  replay,
};
