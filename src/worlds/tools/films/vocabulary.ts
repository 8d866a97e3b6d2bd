/** Words of the films family's texts, for a tiny policy. Goals and answers are collected by playing. */
import { words } from './words.ts';

const yearsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, k) => String(first + k));

export const filmTexts = (): string[] => [
  ...Object.values(words).flat(),
  ...yearsFrom(1930, 2023),
  ...Array.from({ length: 100 }, (_, n) => String(n)),
  ...Array.from({ length: 10 }, (_, n) => `0${n}`),
  'release vote budget revenue genres born in none refused',
];
