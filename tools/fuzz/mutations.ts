/** Repeatable mutations of bytes and of JSON values. */

/** Random whole numbers below a bound, by a seed. */
export function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Values in place of a JSON value. */
const replacements = [
  ...[null, 5, -1, 1e300, 0.5, 2_147_483_647, -0, '', 'x', [], {}, true, [[1]], { step: 1 }],
  'a'.repeat(300),
  '<b>&"\'',
];

/** A JSON value with one value in it replaced. */
export function changedValue(value: unknown, random: (below: number) => number): unknown {
  const keys = value !== null && typeof value === 'object' ? Object.keys(value) : [];
  if (keys.length === 0 || random(6) === 0) return replacements[random(replacements.length)];
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [key: string]: unknown };
  const key = keys[random(keys.length)];
  if (random(6) === 0) delete copy[key];
  else copy[key] = changedValue(copy[key], random);
  return copy;
}

/** Bytes with a few of them changed, moved or cut off. */
export function withBytesChanged(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const copy = file.slice();
  const at = random(copy.length);
  const kind = random(5);
  if (kind === 0) return copy.slice(0, at);
  if (kind === 1) copy[at] ^= 1 << random(8);
  else if (kind === 2) copy[at] = random(256);
  else if (kind === 3) copy.copyWithin(at, random(copy.length), random(copy.length));
  else copy.fill(random(2) * 255, at, at + random(8));
  return copy;
}
