/**
 * The only way from the page to the trainer: `client.api` has its methods, and its events are gathered. Knows no panel;
 * no other file of `ui/` but `app/worker-client.ts` knows a worker.
 */
import type { GpuReport, SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { Gatherer } from './event-gatherer.ts';

export interface Client {
  api: TrainerApi;
  /** `onRestart` is called after the trainer was replaced; the new one has nothing open. */
  start(deliver: (events: SessionEvent[]) => void, onRestart: (gpu: GpuReport) => void): Promise<GpuReport>;
}

/** Delivers events at most ten times a second, and none while the page is hidden. */
export const gather = (deliver: (events: SessionEvent[]) => void) => {
  const gatherer = new Gatherer({
    hidden: () => document.hidden,
    later: (callback, ms) => setTimeout(callback, ms),
    deliver,
  });
  document.addEventListener('visibilitychange', () => gatherer.wake());
  return gatherer;
};

/** Client of an API in this thread, for fixtures. */
export const localClient = (api: TrainerApi): Client => ({
  api,
  start(deliver) {
    const gatherer = gather(deliver);
    return api.start((event) => gatherer.add(event));
  },
});
