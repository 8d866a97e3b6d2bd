// Tables of a suite report on the page: the measures of games, where a world has them.
import { nothing } from 'lit';
import { expect, it } from 'vitest';
import type { SuiteReport } from '../../src/rl/evaluation/suite-report.ts';
import { measuresTable } from '../../src/ui/stage/evaluation-tables.ts';

/** Texts and values of a template, in order. */
const words = (part: unknown): string =>
  Array.isArray(part)
    ? part.map(words).join(' ')
    : part && typeof part === 'object' && 'strings' in part
      ? (part as { strings: string[] }).strings
          .map((text, i) => `${text} ${words((part as unknown as { values: unknown[] }).values[i])}`)
          .join(' ')
      : String(part ?? '');

const estimate = (mean: number) => ({ mean, low: mean - 0.1, high: mean + 0.1, items: 9 });
const row = (label: string, measures?: SuiteReport['rows'][number]['measures']) =>
  ({ label, ...(measures && { measures }) }) as SuiteReport['rows'][number];
const reportOf = (rows: SuiteReport['rows']) => ({ rows }) as SuiteReport;

it('has a column for each measure, and a dash where a part has none', () => {
  const measures = { agreements: estimate(0.75), jointValue: estimate(0.6) };
  const text = words(measuresTable(reportOf([row('first'), row('All', measures)])));
  expect(text).toMatch(/Part.*Agreements.*Joint value.*first.*–.*–.*75\.0.*\[ *65\.0.*60\.0/s);
  expect(text).not.toContain('Nash product');
});

it('is absent where no world measures its games', () => {
  expect(measuresTable(reportOf([row('All')]))).toBe(nothing);
});
