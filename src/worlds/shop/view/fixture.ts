/** The shop in the gallery: the real world, in the page, without a trainer. A refused action stands for a run's. */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';

const options = { products: 200, instances: 20, testInstances: 5, attributes: [2], choices: [2], perPage: 4 };

async function open() {
  return (await import('../world.ts')).Shop.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const [task] = await world.tasks(options, 'train');
  const frames = await oracleTurns(world, task, ['click[dance]']);
  return frames;
}

export const shopFixture: ViewFixture = { world: 'shop', options, open, replay };
