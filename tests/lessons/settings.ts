/** Browser, language, width and theme for each lesson: two rows each, so that every pair of settings is covered. */
import { lessons } from '../../src/ui/lessons/registry.ts';

export interface Settings {
  lesson: string;
  browser: 'chromium' | 'firefox';
  language: 'en' | 'zh-Hans';
  width: 1440 | 390;
  theme: 'light' | 'dark';
}

const bit = (index: number, k: number) => (index >> k) & 1;

const settingsOf = (lesson: string, index: number, browser: Settings['browser']): Settings => {
  const flip = browser === 'firefox' ? 1 : 0;
  return {
    lesson,
    browser,
    language: bit(index, 0) ^ flip ? 'zh-Hans' : 'en',
    width: bit(index, 1) ^ flip ? 390 : 1440,
    theme: bit(index, 2) ^ flip ? 'dark' : 'light',
  };
};

/** A lesson on a real language model needs its weights: `npm run test:real-model` has them, this suite has not. */
const driven = lessons.filter(({ model }) => model === undefined);

export const matrix: readonly Settings[] = driven.flatMap(({ id }, index) =>
  (['chromium', 'firefox'] as const).map((browser) => settingsOf(id, index, browser)),
);

/** Pairs of values of two settings, as texts. */
export function pairsOf(rows: readonly Settings[]): Set<string> {
  const names = ['browser', 'language', 'width', 'theme'] as const;
  return new Set(
    rows.flatMap((row) => names.flatMap((a, i) => names.slice(i + 1).map((b) => `${a} ${row[a]}, ${b} ${row[b]}`))),
  );
}
