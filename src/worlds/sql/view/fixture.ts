/** SQL in the gallery: the real world, in the page, without a trainer. An episode with an error stands for a run's. */
import type { FixtureTurn, ViewFixture } from '../../../ui/kit/view-fixture.ts';

const options = { tables: 4, rows: 100, instances: 5, templates: ['group-join', 'filter-equal'], themes: ['library'] };

async function open() {
  return (await import('../world.ts')).Sql.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const tasks = await world.tasks(options, 'train');
  await world.reset([0], [tasks.find(({ strata }) => strata.kind === 'group')!]);
  const [plan] = await world.oracle([0]);
  const frames: FixtureTurn[] = [];
  for (const [turn, action] of ['query SELECT names FROM members', ...plan!].entries()) {
    const [{ observation }] = await world.step([0], [action]);
    frames.push({ turn, action, observation, view: await world.view(0) });
  }
  return frames;
}

export const sqlFixture: ViewFixture = { world: 'sql', options, open, replay };
