/**
 * Results of one file as school systems read them: Classroom 50's `result.json`
 * (https://github.com/foundation50/classroom50/wiki/Advanced-Autograding) and Gradescope's `results.json`
 * (https://gradescope-autograders.readthedocs.io/en/latest/specs/).
 */
import type { Assignment } from './assignment.ts';
import type { GradedTask, Result } from './grade.ts';

/** Where Classroom 50's runner found the work; from its environment variables. */
export interface Submission {
  classroom: string;
  assignment: string;
  submission: string;
  commit: string;
  release: string;
  review: string;
  /** Instant of handing in, as ISO 8601. */
  datetime: string;
}

const sentence = ({ measured, needed, passed }: GradedTask) =>
  `${passed === null ? 'Open: decided by the teacher' : passed ? 'Passed' : 'Failed'}. ${measured}; needed: ${needed}`;

const tasksOf = (assignment: Assignment, result: Result) =>
  assignment.tasks.map(({ id, text, points }) => ({
    id,
    text: text.en,
    most: points,
    graded: result.status === 'graded' ? result.tasks.find((each) => each.id === id)! : null,
  }));

/** Classroom 50's form. A refused file has no points. */
export function classroom50(assignment: Assignment, result: Result, submission: Submission): string {
  const tests = tasksOf(assignment, result).map(({ id, most, graded }) => ({
    'test-name': id,
    passed: graded?.passed === true,
    score: graded?.points ?? 0,
    'max-score': most,
    message: graded ? sentence(graded) : `Refused: ${(result as { message?: string }).message ?? ''}`,
  }));
  const sum = (name: 'score' | 'max-score') => tests.reduce((total, test) => total + test[name], 0);
  const json = {
    schema: 'classroom50/result/v1',
    ...submission,
    score: sum('score'),
    'max-score': sum('max-score'),
    tests,
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Gradescope's form, with a leaderboard of points. */
export function gradescope(assignment: Assignment, result: Result): string {
  const tests = tasksOf(assignment, result).map(({ id, text, most, graded }) => ({
    name: `${id}: ${text}`,
    score: graded?.points ?? 0,
    max_score: most,
    ...(graded?.passed === null ? {} : { status: graded?.passed ? 'passed' : 'failed' }),
    output: graded ? sentence(graded) : '',
    visibility: 'visible',
  }));
  const points = tests.reduce((sum, { score }) => sum + score, 0);
  const output =
    result.status === 'graded'
      ? `Code ${result.code}. ${result.checked.steps.length} steps were computed again.`
      : `Refused: ${result.message}`;
  const json = {
    score: points,
    output,
    visibility: 'visible',
    tests,
    leaderboard: [{ name: 'Points', value: points }],
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}
