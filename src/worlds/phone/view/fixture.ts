/** The phone in the gallery: the real world, in the page, without a trainer. A refused action stands for a run's. */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';

const options = { templates: ['send-message'], instances: 20, testInstances: 5, popups: 0, slow: 0, largeFont: 0 };

async function open() {
  return (await import('../world.ts')).PhoneWorld.open();
}

async function replay(member: number): Promise<FixtureTurn[]> {
  const world = await open();
  const [task] = await world.tasks(options, 'train');
  const frames = await oracleTurns(world, task, [`long_press(${120 + 70 * member},${150 + 40 * member})`]);
  return frames;
}

export const phoneFixture: ViewFixture = { world: 'phone', options, open, replay };
