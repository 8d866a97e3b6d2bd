/** Writes the selected place and the fixed settings to the address. */
import { formatLink } from '../state/link.ts';
import { formatHash } from '../state/selection.ts';
import type { Store } from '../state/state.ts';

/** `push`: as a new entry of the history, to which Back returns. */
export function writeHash({ state }: Store, push = false): void {
  const { link, selection, arrangement } = state;
  // The lab needs no name: every address that names a place opens it.
  const view = arrangement === 'simple' && formatHash(selection) ? 'simple' : null;
  const whole = location.pathname + location.search; // not a kind: the address's query
  const address = formatLink({ ...link, view }, selection) || whole;
  if (push) history.pushState(history.state, '', address);
  else history.replaceState(history.state, '', address);
}
