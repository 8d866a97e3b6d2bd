/** The survey in the gallery: the real world, in the page, without a trainer. The last turns of a survey stand for a run's. */
import type { FixtureTurn, ViewFixture } from '../../../../ui/kit/view-fixture.ts';

const options = { criteria: [2], articles: 30, distractors: 0, universes: 5, testUniverses: 5 };

async function open() {
  return (await import('../../survey/world.ts')).SurveyWorld.open();
}

async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const [task] = await world.tasks(options, 'train');
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  const last = plan!.splice(-3);
  for (const action of plan!) await world.step([0], [action]);
  const frames: FixtureTurn[] = [];
  for (const [turn, action] of last.entries()) {
    const [{ observation }] = await world.step([0], [action]);
    frames.push({ turn, action, observation, view: await world.view(0) });
  }
  return frames;
}

export const surveyFixture: ViewFixture = { world: 'search-survey', options, open, replay };
