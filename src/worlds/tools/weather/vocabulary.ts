/** Words of the weather family's texts, for a tiny policy. Goals and answers are collected by playing. */
import { words } from './data.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

export const weatherTexts = (): string[] => [
  ...Object.values(words).flat(),
  ...numbers(256),
  ...Array.from({ length: 91 }, (_, n) => String(10 * n)),
  ...Array.from({ length: 10 }, (_, n) => `0${n}`),
  ...Array.from({ length: 6 }, (_, n) => String(2030 + n)),
  'max min mean none refused good fair moderate poor very extremely',
];
