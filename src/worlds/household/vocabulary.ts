/** Words of the household's texts that playing may not show: every kind of thing, and every number of one. */

import { objectBits } from './house.ts';
import { bitsOfKind, contents, lampPlaces } from './made/kinds.ts';

/** Largest number of a thing in a made house. */
const mostNumber = 13;
const phrases = [
  'put some on in',
  'put a clean hot cool and in',
  'clean heat cool some and put it in',
  'find two and put them in',
  'look at under the',
  'examine the with the',
  'slice with',
  'use',
  'sliced',
  'close',
];

export function householdTexts(): string[] {
  const kinds = [...new Set([...Object.keys(contents), ...Object.values(contents).flat(), ...Object.keys(lampPlaces)])];
  const numbers = Array.from({ length: mostNumber }, (_, k) => String(k + 1)).join(' ');
  const sliceable = kinds.filter((kind) => bitsOfKind(kind) & objectBits.sliceable);
  return [...kinds, ...sliceable.map((kind) => `slice ${kind} 1 with knife 1`), numbers, ...phrases];
}
