/** Starts the worker that plays episodes for the training of a class. */
import * as Comlink from 'comlink';
import type { ContributionApi } from '../../classroom/together/contribute.ts';
import { ClassSilent } from '../../classroom/together/silence.ts';
import type { Contributor } from '../control/lazy-parts.ts';

export function openContributor(): Contributor {
  const worker = new Worker(new URL('../../workers/contribution-worker.ts', import.meta.url), {
    type: 'module',
    name: 'contribution',
  });
  const api = Comlink.wrap<ContributionApi>(worker);
  // An event without a message: the script could not be loaded, as with `fetch`.
  const failed = new Promise<never>((_, reject) => {
    worker.onerror = ({ message }) =>
      reject(message ? new Error(message) : new ClassSilent('The worker was not loaded.'));
  });
  return {
    play: (where, onContribution) => Promise.race([api.play(where, Comlink.proxy(onContribution)), failed]),
    close: () => worker.terminate(),
  };
}
