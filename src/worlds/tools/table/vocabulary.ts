/** Words of the table family's texts, for a tiny policy. Goals and answers are collected by playing. */
import { headers, words } from './data.ts';

const letters = ['A', 'B', 'C', 'D', 'E', 'F'];

export const tableTexts = (): string[] => [
  ...Object.values(words).flat(),
  ...headers,
  ...letters.flatMap((letter) => Array.from({ length: 14 }, (_, row) => `${letter}${row + 1}`)),
  ...Array.from({ length: 200 }, (_, n) => String(n)),
  'Sheet1 Sheet2 is open done none refused',
];
