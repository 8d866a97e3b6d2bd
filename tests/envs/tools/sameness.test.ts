// The same seed gives the same episodes on Node; tests/browser and tests/page check the same bytes in Chromium and Firefox.
import { expect, it } from 'vitest';
import { expectedEpisodes, hashesOfEpisodes } from './sameness.ts';

it('plays the same episodes, to the byte', async () => {
  expect(await hashesOfEpisodes()).toEqual(expectedEpisodes);
}, 240_000);
