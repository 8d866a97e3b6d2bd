/**
 * Every panel while it loads and when that fails: a trainer whose run opens, and whose answers to what a panel asks never come (`?mock=waiting`) or
 * are refused (`?mock=failing`). Never part of the shipped page.
 */
import type { TrainerApi } from '../../session/protocol.ts';

/** What a panel asks for when it is opened. */
const asked = [
  'plan',
  'stepDetail',
  'replay',
  'storage',
  'keptModels',
  'gpuReport',
  'evaluations',
  'playReset',
] as const;

export const refusal = 'This fixture refuses to answer. Try again.';

const answers: { readonly [state: string]: () => Promise<never> } = {
  waiting: () => new Promise<never>(() => {}),
  failing: () => Promise.reject(new Error(refusal)),
};

/** The trainer of a state, which answers panels as the state says. */
export function withPanelState(state: string, trainer: TrainerApi): TrainerApi {
  const answer = answers[state];
  return answer ? Object.assign(trainer, Object.fromEntries(asked.map((name) => [name, answer]))) : trainer;
}
