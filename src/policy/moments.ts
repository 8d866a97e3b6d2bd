/**
 * AdamW's moments among the tensors of a checkpoint: for each parameter the running averages of its gradient and of its
 * squared gradient, under PyTorch's names.
 */
import type { PolicyState, TensorMap } from './policy.ts';

/** Prefixes of a parameter's name for the average of its gradient and of its squared gradient. */
export const firstMoment = 'exp_avg.';
export const secondMoment = 'exp_avg_sq.';

/** Prefix of values that training keeps beside the policy: a value head, an adaptive KL coefficient. */
export const keptPrefix = 'kept.';

const isMoment = (name: string) => [firstMoment, secondMoment, keptPrefix].some((prefix) => name.startsWith(prefix));

export const hasMoments = (tensors: TensorMap): boolean =>
  [...tensors.keys()].some((name) => name.startsWith(firstMoment));

/** Parameters alone, without moments and other training state. */
export const parametersOf = (tensors: TensorMap): TensorMap =>
  new Map([...tensors].filter(([name]) => !isMoment(name)));

/** Initial training state of these parameters: zero optimiser steps. */
export const freshState = (tensors: TensorMap): PolicyState => ({ tensors: parametersOf(tensors), optimizerStep: 0 });
