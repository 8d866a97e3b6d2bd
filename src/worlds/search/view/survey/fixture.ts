/** The survey in the gallery: the real world, in the page, without a trainer. The last turns of a survey stand for a run's. */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../../ui/kit/view-fixture.ts';

const options = { criteria: [2], articles: 30, distractors: 0, universes: 5, testUniverses: 5 };

async function open() {
  return (await import('../../survey/world.ts')).SurveyWorld.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const [task] = await world.tasks(options, 'train');
  const turns = await oracleTurns(world, task);
  return turns.slice(-3).map((each, turn) => ({ ...each, turn }));
}

export const surveyFixture: ViewFixture = { world: 'search-survey', options, open, replay };
