/** Household in the gallery: the real world, in the page, without a trainer. An oracle's episode stands for a run's. */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';

const options = { tasks: ['heat'], receptacles: 9, clutter: 8, houses: 5 };

async function open() {
  return (await import('../world.ts')).Household.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const [task] = await world.tasks(options, 'train');
  const frames = await oracleTurns(world, task);
  return frames;
}

export const householdFixture: ViewFixture = { world: 'household', options, open, replay };
