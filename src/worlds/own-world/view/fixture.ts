/** A typed world in the gallery: the real world, in the page, without a trainer. */
import type { ViewFixture } from '../../../ui/kit/view-fixture.ts';

export const ownFixture: ViewFixture = {
  world: 'own-world',
  options: {},
  open: async () => (await import('../world.ts')).OwnWorld.open(),
};
