/**
 * Report of a suite: tables as plain text, Markdown and CSV, the whole as JSON, and two plots as SVG. The same results
 * give the same bytes. Rates are in percent, as in the published tables.
 */

import type { Suite } from '../../envs/suite.ts';
import { csvTable } from '../../fields/csv.ts';
import { measured } from '../common/measured.ts';
import type { Comparison, Estimate } from './statistics.ts';
import {
  comparisons,
  countedItems,
  type ItemResult,
  isCounted,
  passCurve,
  rowsOf,
  type SuiteRow,
  turnCurve,
} from './suite-results.ts';
import { estimateSvg } from './svg-chart.ts';
import { interval, markdownCell, markdownTable, percent, plain, type Table, textTable } from './tables.ts';

export interface SuiteReport {
  suite: Pick<Suite, 'name' | 'label' | 'sentence' | 'standIn' | 'turns'>;
  /** Name of the policy, for the table's row. */
  policy: string;
  settings: { samples: number; temperature: number; greedy: boolean; masked: boolean; seed: number };
  rows: SuiteRow[];
  passAtK: { k: number; estimate: Estimate }[];
  againstTurns: { turns: number; estimate: Estimate }[];
  published: Suite['published'] | null;
  comparison: { with: string; rows: { label: string; comparison: Comparison }[] } | null;
  items: readonly ItemResult[];
  /** Notes on the requests to the policy, such as a setting that its server refused. Absent: none. */
  notes?: readonly string[];
}

export interface ReportParts {
  suite: Suite;
  policy: string;
  settings: SuiteReport['settings'];
  items: readonly ItemResult[];
  turns: readonly number[];
  notes?: readonly string[];
  other?: { policy: string; items: readonly ItemResult[] };
}

/** No try of an evaluation shows anything about its policy, so there is no table. */
class NothingPlayedError extends Error {
  override name = 'NothingPlayedError';
}

function requireCounted(policy: string, items: readonly ItemResult[]): void {
  if (items.length === 0 || countedItems(items).length > 0) return;
  throw new NothingPlayedError(`No item was played with ${policy}. ${endingWords(items).join(' ')}`);
}

export function suiteReport({ suite, policy, settings, items, turns, notes = [], other }: ReportParts): SuiteReport {
  requireCounted(policy, items);
  if (other) requireCounted(other.policy, other.items);
  const { name, label, sentence, standIn, columns, published } = suite;
  return {
    suite: { name, label, sentence, standIn, turns: suite.turns },
    policy,
    settings,
    rows: rowsOf(items, columns),
    passAtK: passCurve(items),
    againstTurns: turnCurve(items, turns),
    published: published ?? null,
    comparison: other ? { with: other.policy, rows: comparisons(items, other.items, columns) } : null,
    items,
    ...(notes.length > 0 && { notes }),
  };
}

/**
 * One row per column of the published table, beside chance, the oracle and, if the suite has one, the guessing oracle.
 */
export function successTable(rows: readonly SuiteRow[]): Table {
  const guessing = rows.some(({ guess }) => guess);
  return {
    head: ['', 'items', 'success %', 'score', 'chance %', 'oracle %', ...(guessing ? ['guessing oracle %'] : [])],
    rows: rows.map(({ label, items, success, score, chance, oracle, guess }) => [
      label,
      String(items),
      interval(success),
      plain(score),
      chance.items > 0 ? percent(chance.mean) : '-',
      oracle ? percent(oracle.mean) : '-',
      ...(guess ? [percent(guess.mean)] : []),
    ]),
  };
}

/** Measures of games, by part of the suite; null: its worlds have none. */
function measuresTable({ rows }: SuiteReport): Table | null {
  const names = Object.keys(rows.at(-1)?.measures ?? {});
  if (names.length === 0) return null;
  const of = ({ measures }: SuiteRow, name: string) => (measures?.[name] ? plain(measures[name]) : '-');
  return { head: ['', ...names], rows: rows.map((row) => [row.label, ...names.map((name) => of(row, name))]) };
}

/** Published rows with ours above them, one line per model. A column that was not played is a dash. */
function publishedTable({ rows, published, policy }: SuiteReport, columns: readonly string[]): Table | null {
  if (!published) return null;
  const ours = (label: string) => {
    const row = rows.find((each) => each.label === label);
    return row ? percent(row.success.mean) : '-';
  };
  return {
    head: ['', ...columns, 'All'],
    rows: [
      [policy, ...columns.map(ours), ours('All')],
      ...published.rows.map(([model, ...numbers]) => [`${model} (published)`, ...numbers.map((n) => n.toFixed(2))]),
    ],
  };
}

const passTable = ({ passAtK }: SuiteReport): Table => ({
  head: ['k', 'pass@k %'],
  rows: passAtK.map(({ k, estimate }) => [String(k), interval(estimate)]),
});

const turnTable = ({ againstTurns }: SuiteReport): Table => ({
  head: ['turns', 'success within %'],
  rows: againstTurns.map(({ turns, estimate }) => [String(turns), interval(estimate)]),
});

function comparisonTable({ comparison }: SuiteReport): Table | null {
  if (!comparison) return null;
  return {
    head: ['', 'difference in points', 'p', 'test'],
    rows: comparison.rows.map(({ label, comparison: { difference, p, test } }) => [
      label,
      interval(difference),
      p.toPrecision(3),
      test,
    ]),
  };
}

/** Sentences on tries whose world failed or that ran out of room. */
function endingWords(items: readonly ItemResult[]): string[] {
  const tries = items.flatMap((item) => item.tries);
  const failed = tries.filter(({ failure }) => failure !== undefined);
  const roomless = tries.filter((one) => one.failure === undefined && !isCounted(one));
  const endless = tries.filter(({ overflowFails }) => overflowFails);
  const failures =
    `The world failed in ${failed.length} of ${tries.length} tries, which are not counted. ${failed[0]?.failure ?? ''}`.trim();
  const solved = tries.filter(({ success }) => success).length / (tries.length - failed.length);
  const overflows = `${roomless.length} of ${tries.length} tries ended for lack of room for their tokens and are not counted: give them more. Counted as failures, they make the success ${(100 * solved).toFixed(1)}% of tries.`;
  const fails = `${endless.length} of ${tries.length} tries ended for lack of room for their tokens and count as failures.`;
  return [
    ...(failed.length ? [failures] : []),
    ...(roomless.length ? [overflows] : []),
    ...(endless.length ? [fails] : []),
  ];
}

function settingsWords({ suite, settings, policy, items, notes = [] }: SuiteReport): string[] {
  const { samples, temperature, greedy, masked, seed } = settings;
  const decoding = greedy ? 'greedy' : `${samples} samples at temperature ${temperature}, seed ${seed}`;
  return [
    `${suite.label}: ${policy}`,
    suite.sentence,
    ...(suite.standIn ? [`A stand-in: ${suite.standIn}`] : []),
    `${decoding}; ${suite.turns === null ? 'turns by the task, as in training' : `at most ${suite.turns} turns`}; ${masked ? 'actions chosen among those the world lists' : 'actions written freely'}. Intervals are 95%, over items.`,
    ...endingWords(items),
    ...notes,
  ];
}

/** Tables of a report with their headings, in order. */
function sections(report: SuiteReport, columns: readonly string[]): { title: string; table: Table; note?: string }[] {
  const published = publishedTable(report, columns);
  const compared = comparisonTable(report);
  const measures = measuresTable(report);
  return [
    { title: 'Success and score', table: successTable(report.rows) },
    ...(measures ? [{ title: 'Both seats together', table: measures }] : []),
    ...(report.passAtK.length > 1 ? [{ title: 'At least one of k tries', table: passTable(report) }] : []),
    ...(report.againstTurns.length ? [{ title: 'Against turns', table: turnTable(report) }] : []),
    ...(compared ? [{ title: `Against ${report.comparison!.with}`, table: compared }] : []),
    ...(published
      ? [
          {
            title: 'Beside published numbers (success %)',
            table: published,
            note: `${report.published!.source}. ${report.published!.differs}`,
          },
        ]
      : []),
  ];
}

export function reportText(report: SuiteReport, columns: readonly string[]): string {
  const parts = sections(report, columns).map(
    ({ title, table, note }) => `${title}\n${textTable(table)}${note ? `\n${note}` : ''}`,
  );
  return `${settingsWords(report).join('\n')}\n\n${parts.join('\n\n')}\n`;
}

export function reportMarkdown(report: SuiteReport, columns: readonly string[]): string {
  const [title, ...words] = settingsWords(report).map(markdownCell);
  const parts = sections(report, columns).map(
    ({ title: heading, table, note }) =>
      `## ${markdownCell(heading)}\n\n${markdownTable(table)}${note ? `\n\n${note}` : ''}`,
  );
  return `# ${title}\n\n${words.join('\n\n')}\n\n${parts.join('\n\n')}\n`;
}

/**
 * One line per item: its column, rates over the counted tries, chance, oracle, the number of other tries, and means of
 * the measures of games.
 */
export function reportCsv({ items }: SuiteReport): string {
  const measures = Object.keys(measured(items.flatMap(({ tries }) => tries.map((one) => one.measures))));
  const head = [
    'item',
    'column',
    'tries',
    'successes',
    'mean score',
    'mean turns',
    'chance',
    'oracle',
    'guess',
    'not counted',
    ...measures,
  ];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
  const rows = items.map(({ key, column, tries: all, chance, oracle, guess }) => {
    const tries = all.filter(isCounted);
    const values = measured(tries.map((one) => one.measures));
    return [
      key,
      column,
      tries.length,
      tries.filter(({ success }) => success).length,
      mean(tries.map(({ score }) => score)),
      mean(tries.map(({ turns }) => turns)),
      mean(chance.map(({ success }) => Number(success))),
      oracle ? Number(oracle.success) : '',
      guess ? Number(guess.success) : '',
      all.length - tries.length,
      ...measures.map((name) => (values[name] ? mean(values[name]) : '')),
    ];
  });
  return csvTable({ head, rows });
}

export const reportJson = (report: SuiteReport): string => `${JSON.stringify(report, null, 1)}\n`;

/** pass@k against k, and success against turns. A plot of a single point is left out. */
export function reportPlots(report: SuiteReport): { [name: string]: string } {
  const line = (points: { x: number; estimate: Estimate }[]) => [{ label: report.policy, points }];
  const pass = report.passAtK.map(({ k, estimate }) => ({ x: k, estimate }));
  const turns = report.againstTurns.map((point) => ({ x: point.turns, estimate: point.estimate }));
  const title = report.suite.label;
  return {
    ...(pass.length > 1
      ? { 'pass-at-k': estimateSvg({ title, x: 'tries k', y: 'pass@k, %', lines: line(pass), logarithmic: true }) }
      : {}),
    ...(turns.length > 1
      ? { 'against-turns': estimateSvg({ title, x: 'turns', y: 'success within, %', lines: line(turns) }) }
      : {}),
  };
}
