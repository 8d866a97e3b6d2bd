/** Keeps the screen awake while a run trains in a visible tab. Does nothing where the browser has no wake lock. */

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
      // Refused because of low battery or a policy: training continues without the lock.
    }
    if (!wanted) lock = null;
    asking = false;
    // Status or visibility may have changed during the request.
    if (again) await settle();
  };

  store.listen((changed) => {
    if (changed.has('status')) void settle();
  });
  document.addEventListener('visibilitychange', () => void settle());
}
