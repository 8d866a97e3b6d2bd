/** Decides whether the page opens with the screen for newcomers: neither the address nor the last visit named a run. */
import { parseLink } from './link.ts';
import { parseHash } from './selection.ts';

const key = 'tabgym.has-runs';

export const rememberRuns = (some: boolean): void =>
  some ? localStorage.setItem(key, 'yes') : localStorage.removeItem(key);

/** True if the page knows of no run. */
export function isNewcomer(): boolean {
  return !parseHash(location.hash).run && !parseLink(location.hash).shipped && localStorage.getItem(key) === null;
}
