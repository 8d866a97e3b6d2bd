/** The trainer's worker as a client: started here, called through comlink, its crash turned into a sentence. */
import * as Comlink from 'comlink';
import type { SessionEvent, TrainerApi } from '../session/protocol.ts';
import { type Client, gather } from './client.ts';

const startWorker = () =>
  new Worker(new URL('../workers/trainer-worker.ts', import.meta.url), { type: 'module', name: 'trainer' });

/** A rejected call of a crashed worker never settles: this promise rejects when the worker itself fails. */
const crashOf = (worker: Worker) =>
  new Promise<never>((_, reject) => {
    worker.addEventListener('error', (event) =>
      reject(
        new Error(
          `The trainer stopped: ${event.message || 'its script could not be loaded'}. Reload the page; the run goes on from its last step.`,
        ),
      ),
    );
  });

export function workerClient(): Client {
  const worker = startWorker();
  const crash = crashOf(worker);
  crash.catch(() => {});
  const remote = Comlink.wrap<TrainerApi>(worker) as unknown as TrainerApi;
  const start = (deliver: (events: SessionEvent[]) => void) => {
    const gatherer = gather(deliver);
    crash.catch((error: Error) => gatherer.add({ type: 'notice', level: 'error', message: error.message }));
    return Promise.race([remote.start(Comlink.proxy((event: SessionEvent) => gatherer.add(event))), crash]);
  };
  return { api: remote, start };
}
