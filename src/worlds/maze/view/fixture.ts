/** Maze in the gallery: the real world, in the page, without a trainer. */
import type { ViewFixture } from '../../../ui/kit/view-fixture.ts';

export const mazeFixture: ViewFixture = {
  world: 'maze',
  options: { size: 5, loops: 20 },
  open: async () => (await import('../world.ts')).Maze.open(),
};
