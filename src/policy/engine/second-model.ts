/** State of a separate critic's model among the tensors of a policy's state, under its own names. */
import { freshState, keptPrefix } from '../moments.ts';
import type { Learner, PolicyState, TensorMap } from '../policy.ts';

const prefix = `${keptPrefix}critic.`;
const stepName = `${prefix}step`;

export async function saveSecond(second: Pick<Learner, 'save'>, tensors: TensorMap): Promise<void> {
  const state = await second.save();
  for (const [name, tensor] of state.tensors) tensors.set(prefix + name, tensor);
  tensors.set(stepName, { shape: [1], data: Float32Array.of(state.optimizerStep) });
}

/** A state without a critic comes from a policy trained without one: the critic starts as a copy of that policy. */
export async function loadSecond(second: Pick<Learner, 'load'>, { tensors }: PolicyState): Promise<void> {
  const step = tensors.get(stepName);
  if (!step) return second.load(freshState(tensors));
  const own = [...tensors].filter(([name]) => name.startsWith(prefix) && name !== stepName);
  const named = new Map(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
  await second.load({ tensors: named, optimizerStep: step.data[0] });
}
