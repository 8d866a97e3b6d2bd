/**
 * The page's only access to the trainer: calls go through `client.api`, and the trainer's events are delivered in
 * batches. Independent of panels. `app/worker-client.ts` is the only file of `ui/` that handles the trainer's worker.
 */
import type { GpuReport, SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { Gatherer } from './event-gatherer.ts';

export interface Client {
  api: TrainerApi;
  /** Starts the trainer. `onRestart` is called after it was replaced; the new trainer has no open run. */
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
