/** Counts with their nouns: singular and plural in one module, and no text outside it puts a noun behind a number. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/machine.mjs';
import * as counts from '../../src/ui/kit/counts.ts';
import { approximately, duration } from '../../src/ui/kit/format.ts';
import { plainProgressText, progressText } from '../../src/ui/state/work-progress.ts';

/** A value followed by a noun in the plural, inside a text of the page. */
const countedNoun =
  /\$\{(?!\w+Count\()[^}]*\} (turns|steps|episodes|runs|tokens|files|tries|lines|actions|items|goals|threads|kernels|documents|questions)\b/;

/** Numbers that are never 1. */
const always: readonly string[] = ['cardRun.episodes', 'mostRows'];

test('no text of the page makes its own plural', () => {
  const files = ['src/ui', 'src/worlds'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files
    .filter((file) => !file.endsWith('kit/counts.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => countedNoun.test(line) && /msg\(|str`/.test(line))
        .filter((line) => !always.some((each) => line.includes(each)))
        .map((line) => `${file}: ${line.trim()}: use a function of src/ui/kit/counts.ts`),
    );
  expect(found).toEqual([]);
});

test.each(Object.entries(counts))('%s has a singular', (_, count) => {
  expect(count(1)).not.toMatch(/\d.*s$/);
  expect(count(2)).toMatch(/^2 .*s$/);
  expect(count(0)).toMatch(/^0 .*s$/);
});

test('an estimate below a minute is a phrase of its own', () => {
  expect(approximately(20_000)).toBe('less than a minute');
  expect(approximately(59_999)).toBe('less than a minute');
  expect(approximately(60_000)).toBe('about 1 min');
  expect(duration(59_999)).toBe('< 1 min');
});

test('progress counts in words', () => {
  const progress = { what: 'episodes', done: 1, total: 1, unit: 'episodes', turns: 1, tokens: 2 } as const;
  expect(progressText(progress as never)).toBe('Playing: 1 of 1 episode, 1 turn, 2 tokens');
  expect(plainProgressText({ ...progress, done: 3, total: 8 } as never)).toBe('Playing: 3 of 8 tries');
  expect(plainProgressText({ what: 'updates', done: 0, total: 2, unit: 'slices' } as never)).toBe('Updating');
});
