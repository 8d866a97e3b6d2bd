/** SQL in the gallery: the real world, in the page, without a trainer. An episode with an error stands for a run's. */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';

const options = { tables: 4, rows: 100, instances: 5, templates: ['group-join', 'filter-equal'], themes: ['library'] };

async function open() {
  return (await import('../world.ts')).Sql.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const tasks = await world.tasks(options, 'train');
  return oracleTurns(world, tasks.find(({ strata }) => strata.kind === 'group')!, ['query SELECT names FROM members']);
}

export const sqlFixture: ViewFixture = { world: 'sql', options, open, replay };
