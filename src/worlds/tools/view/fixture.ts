/**
 * The worlds of tools in the gallery: the real to-do world, in the page, without a trainer. An episode with a wrong call
 * stands for an episode of a run; a person plays another task.
 */
import { type FixtureTurn, oracleTurns, type ViewFixture } from '../../../ui/kit/view-fixture.ts';
import { descriptionOf } from '../facts.ts';
import { todoFacts } from '../todo/facts.ts';

async function open() {
  const [{ ToolWorld }, { family }] = await Promise.all([import('../world.ts'), import('../todo/family.ts')]);
  return new ToolWorld(descriptionOf(todoFacts), todoFacts.options, family);
}

/** Plays a task with several changes, after a call that is refused. */
async function replay(): Promise<FixtureTurn[]> {
  const world = await open();
  const options = { templates: ['complete-priority'], instances: 1 };
  const [task] = await world.tasks(options, 'train');
  const frames = await oracleTurns(world, task, ['get_tasks 1']);
  return frames;
}

export const toolsFixture: ViewFixture = {
  world: 'tools-todo',
  options: { projects: 3, tasks: 3, instances: 5 },
  open,
  replay,
};
