/** Words of the to-do family's texts, for a tiny policy. Goals and answers are collected by playing. */
import { words } from './data.ts';

/** Years of the made dates and of dates after them. */
const years = [2031, 2032, 2033, 2034, 2035];

export const todoTexts = (): string[] => [
  ...Object.values(words).flat(),
  ...years.map(String),
  ...Array.from({ length: 100 }, (_, n) => String(n)),
  ...Array.from({ length: 10 }, (_, n) => `0${n}`),
  ...Array.from({ length: 130 }, (_, n) => `${15 * n}(minute)`),
  'place contact due priority none refused open completed deleted update complete delete',
];
