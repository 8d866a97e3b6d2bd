/** Wordle in the gallery: the real world, in the page, without a trainer. */
import type { ViewFixture } from '../../../ui/kit/view-fixture.ts';

export const wordleFixture: ViewFixture = {
  world: 'wordle',
  options: { words: 100 },
  open: async () => (await import('../world.ts')).Wordle.open(),
};
