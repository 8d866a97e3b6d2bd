/** Words of the papers family's texts, for a tiny policy. Goals and answers are collected by playing. */
import { words } from './data.ts';

export const paperTexts = (): string[] => [
  ...Object.values(words).flat(),
  ...Array.from({ length: 256 }, (_, n) => String(n)),
  ...Array.from({ length: 35 }, (_, n) => String(1990 + n)),
  'year venue citations type authors keywords none refused weight',
];
