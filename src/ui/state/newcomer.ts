/** Whether a page that opens will show a run: one of its address, or one that this browser kept at the last visit. */
import { parseLink } from './link.ts';
import { parseHash } from './selection.ts';

const key = 'tabgym.has-runs';

export const rememberRuns = (some: boolean): void =>
  some ? localStorage.setItem(key, 'yes') : localStorage.removeItem(key);

/** No run is known of, so that the first screen is the one for newcomers. */
export function isNewcomer(): boolean {
  return !parseHash(location.hash).run && !parseLink(location.hash).shipped && localStorage.getItem(key) === null;
}
