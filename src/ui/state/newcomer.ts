/**
 * Decides whether the page opens with the screen for newcomers: the address names no run, and none was stored at the
 * last visit.
 */
import { remember } from '../kit/remember.ts';
import { parseLink } from './link.ts';
import { parseHash } from './selection.ts';

/** Preset in the setup at a first visit: a world that is seen, and success past chance within the first minute. */
export const firstPreset = 'Maze, first steps';

/** Index of that preset; the first one if it is not listed. */
export const firstPresetIn = (presets: readonly { name: string }[]): number =>
  Math.max(
    0,
    presets.findIndex(({ name }) => name === firstPreset),
  );

const key = 'tabgym.has-runs';

export const rememberRuns = (some: boolean): void => (some ? remember(key, 'yes') : localStorage.removeItem(key));

/** True if the address names no run and none was stored at the last visit. */
export function isNewcomer(): boolean {
  return !parseHash(location.hash).run && !parseLink(location.hash).shipped && localStorage.getItem(key) === null;
}
