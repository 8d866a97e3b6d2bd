/** Results of a class: table, CSV, leaderboard without names, files that hold the same run, and common mistakes. */
import { csvTable } from '../fields/csv.ts';
import { markdownCell } from '../rl/evaluation/tables.ts';
import type { Assignment } from './assignment.ts';
import type { Graded, Result } from './grade.ts';
import { reasons } from './refused.ts';

/** Files in the order of their names, independent of the language of the machine. */
export const inOrder = <T extends { file: string }>(all: readonly T[]): T[] =>
  [...all].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));

export const isGraded = (result: Result): result is Graded => result.status === 'graded';

/** Other files with the same last weights, by file. The same weights come only from the same run. */
export function duplicates(results: readonly Result[]): Map<string, string[]> {
  const graded = results.filter(isGraded);
  const found = graded.map(
    ({ file, code }) =>
      [file, graded.filter((each) => each.code === code && each.file !== file).map((each) => each.file)] as const,
  );
  return new Map(found.filter(([, others]) => others.length));
}

export interface LeaderboardRow {
  place: number;
  code: string;
  points: number;
  /** Measured value of the first goal. */
  measured: string;
}

/** Best first, by points and then by held-out success; equal runs are listed once. */
export function leaderboard(results: readonly Result[]): LeaderboardRow[] {
  const seen = new Set<string>();
  const goal = ({ tasks }: Graded) => tasks.find(({ rate }) => rate !== undefined);
  const rate = (graded: Graded) => goal(graded)?.rate ?? 0;
  return results
    .filter(isGraded)
    .sort((a, b) => b.points - a.points || rate(b) - rate(a) || (a.code < b.code ? -1 : 1))
    .filter(({ code }) => !seen.has(code) && seen.add(code))
    .map((graded, k) => ({
      place: k + 1,
      code: graded.code,
      points: graded.points,
      measured: goal(graded)?.measured ?? '',
    }));
}

/** A task that several pupils did not pass, with their most common results. */
export interface Mistake {
  task: string;
  failed: number;
  of: number;
  answers: { measured: string; count: number }[];
}

/** Tasks by the number of files that failed them, most first. */
export function mistakes(assignment: Assignment, results: readonly Result[]): Mistake[] {
  const graded = results.filter(isGraded);
  const found = assignment.tasks.map(({ id, kind }): Mistake => {
    const failed = graded.flatMap(({ tasks }) => tasks.filter((each) => each.id === id && each.passed === false));
    const counts = new Map<string, number>();
    // Measured numbers differ from file to file; chosen answers do not.
    if (kind === 'choice') for (const { measured } of failed) counts.set(measured, (counts.get(measured) ?? 0) + 1);
    const answers = [...counts].map(([measured, count]) => ({ measured, count })).sort((a, b) => b.count - a.count);
    return { task: id, failed: failed.length, of: graded.length, answers: answers.slice(0, 3) };
  });
  return found.filter(({ failed }) => failed > 0).sort((a, b) => b.failed - a.failed);
}

/** One row a file. */
export function classCsv(assignment: Assignment, results: readonly Result[]): string {
  const same = duplicates(results);
  const head = ['file', 'name', 'status', 'points', 'most', 'open', 'code', 'same run as'];
  const tasks = assignment.tasks.flatMap(({ id }) => [`${id}: points`, `${id}: measured`]);
  const rows = inOrder(results).map((each) => {
    if (!isGraded(each)) return [each.file, each.pupil, `refused: ${each.reason}`, 0, each.most, 0, '', ''];
    const cells = each.tasks.flatMap(({ points, measured }) => [points, measured]);
    const { file, pupil, points, most, open, code } = each;
    return [file, pupil, 'graded', points, most, open, code, (same.get(file) ?? []).join(' '), ...cells];
  });
  return csvTable({ head: [...head, ...tasks], rows });
}

/** Text of a cell: pupils' names, answers and names of files, which divide no row and begin no element, link or image. */
const escaped = (text: string) => markdownCell(text.slice(0, 300));

/** Table of a class as Markdown. */
export function classMarkdown(assignment: Assignment, results: readonly Result[]): string {
  const same = duplicates(results);
  const rows = inOrder(results).map((each) => {
    const who = escaped(each.pupil);
    if (!isGraded(each))
      return `| ${escaped(each.file)} | ${who} | refused: ${reasons[each.reason]} | 0 of ${each.most} | ${escaped(each.message)} |`;
    const { points, most, open, checked, tasks, file } = each;
    const copies = same.has(file) ? ` The same run as ${escaped(same.get(file)!.join(', '))}.` : '';
    const words = tasks.map(
      ({ id, measured, passed }) => `${id}: ${passed === null ? 'open' : passed ? 'passed' : 'failed'} (${measured})`,
    );
    const how = checked.exact ? 'equal to the bit' : `within the tolerance (trained on ${checked.devices.run})`;
    return `| ${escaped(file)} | ${who} | graded | ${points} of ${most}${open ? `, ${open} open` : ''} | ${escaped(words.join('; '))}. ${checked.steps.length} steps computed again, ${how}.${copies} |`;
  });
  const board = leaderboard(results).map(
    ({ place, code, points, measured }) => `| ${place} | ${code} | ${points} | ${escaped(measured)} |`,
  );
  const wrong = mistakes(assignment, results).map(({ task, failed, of, answers }) => {
    const chosen = answers.map(({ measured, count }) => `"${escaped(measured)}" ${count}`).join(', ');
    return `- ${task}: ${failed} of ${of} failed${chosen ? ` (${chosen})` : ''}`;
  });
  return [
    `# ${assignment.title.en}`,
    ['| file | name | result | points | details |', '|---|---|---|---|---|', ...rows].join('\n'),
    '## Leaderboard',
    ['| place | code | points | held-out success |', '|---|---|---|---|', ...board].join('\n'),
    '## Common mistakes',
    wrong.length ? wrong.join('\n') : 'No task was failed.',
    'Not seen by grading: who trained the run or typed the answers, help, and runs that were not handed in.',
    '',
  ].join('\n\n');
}
