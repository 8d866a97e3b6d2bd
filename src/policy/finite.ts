/** Search for numbers that are not finite in a policy's tensors. */
import type { TensorMap } from './policy.ts';

/** The first tensor with such a number, as "NAME contains NaN"; null if all numbers are finite. */
export function notFinite(tensors: TensorMap): string | null {
  for (const [name, { data }] of tensors)
    for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return `${name} contains ${data[i]}`;
  return null;
}

/** Largest weight to compute with: the products and squares of larger ones, summed, overflow single precision. */
const largestWeight = 1e15;

/** The first tensor with a number too large to compute with, as "NAME contains 1e+38"; null if there is none. */
export function tooLarge(tensors: TensorMap): string | null {
  for (const [name, { data }] of tensors) {
    const value = data.find((each) => !(Math.abs(each) <= largestWeight));
    if (value !== undefined) return `${name} contains ${value}`;
  }
  return null;
}
