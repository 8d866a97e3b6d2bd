/** Keeps the screen awake while a run is training in a visible tab, where the browser can; quietly does without elsewhere. */

import { isActive } from '../control/events.ts';
import type { Store } from '../state/state.ts';

export function keepAwake(store: Store) {
  let lock: WakeLockSentinel | null = null;
  let asking = false;
  let again = false;

  const settle = async () => {
    const wanted = isActive(store.state.status) && !document.hidden && 'wakeLock' in navigator;
    again = asking;
    if (asking || wanted === (lock !== null && !lock.released)) return;
    asking = true;
    try {
      if (wanted) lock = await navigator.wakeLock.request('screen');
      else await lock?.release();
    } catch {
      // Refused on low battery or by policy: training goes on without it.
    }
    if (!wanted) lock = null;
    asking = false;
    // What was wanted may have changed meanwhile.
    if (again) await settle();
  };

  store.listen((changed) => {
    if (changed.has('status')) void settle();
  });
  document.addEventListener('visibilitychange', () => void settle());
}
