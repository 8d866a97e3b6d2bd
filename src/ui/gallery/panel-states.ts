/**
 * Loading and failing panels: a trainer whose run opens, but whose methods for panels never answer (`?mock=waiting`) or
 * are rejected (`?mock=failing`). Never part of the shipped page.
 */
import type { TrainerApi } from '../../session/protocol.ts';

/** Methods that panels call when they open. */
const panelMethods = [
  'plan',
  'stepDetail',
  'replay',
  'storage',
  'keptModels',
  'gpuReport',
  'evaluations',
  'playReset',
] as const;

const refusal = 'This fixture refuses to answer. Try again.';

const answers: { readonly [state: string]: () => Promise<never> } = {
  waiting: () => new Promise<never>(() => {}),
  failing: () => Promise.reject(new Error(refusal)),
};

/** Replaces those methods of a trainer if the state is "waiting" or "failing". */
export function withPanelState(state: string, trainer: TrainerApi): TrainerApi {
  const answer = answers[state];
  return answer ? Object.assign(trainer, Object.fromEntries(panelMethods.map((name) => [name, answer]))) : trainer;
}
