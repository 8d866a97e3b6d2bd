/** Sums and groups shared by all of `rl/`. */

export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

export const mean = (values: ArrayLike<number>): number => (values.length === 0 ? 0 : sum(values) / values.length);

/** Standard deviation with Bessel's correction, as torch.std; 0 for fewer than two values. */
export function unbiasedStd(values: ArrayLike<number>): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - center) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/** Members by key, keys and members in order of first appearance. */
export function groupBy<T, K>(list: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const members = groups.get(key);
    if (members) members.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Indices of each group's members. */
export const groupIndices = (groupOf: ArrayLike<number>): number[][] => [
  ...groupBy(
    Array.from({ length: groupOf.length }, (_, i) => i),
    (i) => groupOf[i],
  ).values(),
];

/** Arrays of numbers, one after another. */
export function joinFloats(parts: readonly ArrayLike<number>[]): Float64Array {
  const out = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Members for which `holds` is true, and the others. */
export function partition<T>(list: readonly T[], holds: (item: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of list) (holds(item) ? yes : no).push(item);
  return [yes, no];
}
