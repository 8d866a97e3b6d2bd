/** Starts the worker that plays episodes for the training of a class. */
import * as Comlink from 'comlink';
import type { ContributionApi } from '../../classroom/together/contribute.ts';
import type { Contributor } from '../control/lazy-parts.ts';

export function openContributor(): Contributor {
  const worker = new Worker(new URL('../../workers/contribution-worker.ts', import.meta.url), {
    type: 'module',
    name: 'contribution',
  });
  const api = Comlink.wrap<ContributionApi>(worker);
  return {
    play: (where, onContribution) => api.play(where, Comlink.proxy(onContribution)),
    close: () => worker.terminate(),
  };
}
