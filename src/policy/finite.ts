/** Search for numbers that are not finite in a policy's tensors. */
import type { TensorMap } from './policy.ts';

/** The first tensor with such a number, as "NAME contains NaN"; null if all numbers are finite. */
export function notFinite(tensors: TensorMap): string | null {
  for (const [name, { data }] of tensors)
    for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return `${name} contains ${data[i]}`;
  return null;
}
