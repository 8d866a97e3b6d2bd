/**
 * The one door from the page to the trainer. Hands its methods on as they are (`client.api`) and gathers its events. Knows
 * nothing of panels; nothing else in `ui/` may know of a worker.
 */
import type { GpuReport, SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { Gatherer } from './event-gatherer.ts';

export interface Client {
  api: TrainerApi;
  /** `onRestart`: the trainer had to be replaced, and knows nothing of what was open. */
  start(deliver: (events: SessionEvent[]) => void, onRestart: (gpu: GpuReport) => void): Promise<GpuReport>;
}

/** Events come at most ten times a second, and not while the page is hidden. */
export const gather = (deliver: (events: SessionEvent[]) => void) => {
  const gatherer = new Gatherer({
    hidden: () => document.hidden,
    later: (callback, ms) => setTimeout(callback, ms),
    deliver,
  });
  document.addEventListener('visibilitychange', () => gatherer.wake());
  return gatherer;
};

/** A client of an API in this thread: fixtures use it. */
export const localClient = (api: TrainerApi): Client => ({
  api,
  start(deliver) {
    const gatherer = gather(deliver);
    return api.start((event) => gatherer.add(event));
  },
});
