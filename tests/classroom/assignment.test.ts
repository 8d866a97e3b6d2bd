import { describe, expect, it } from 'vitest';
import {
  AssignmentError,
  assignmentHash,
  forPupils,
  newAssignment,
  parseAssignment,
  readAssignment,
  writeAssignment,
} from '../../src/classroom/assignment.ts';
import { refusedChanges } from '../../src/classroom/changes.ts';
import { classPage, englishTexts } from '../../src/classroom/class-page.ts';
import { classMarkdown, leaderboard } from '../../src/classroom/class-report.ts';
import type { Result } from '../../src/classroom/grade.ts';
import { brokenAt, logOf } from '../../src/classroom/log.ts';
import { segmentsOf } from '../../src/classroom/replay.ts';
import { kindOf } from '../../src/classroom/tasks/registry.ts';
import type { CommonTask, Given } from '../../src/classroom/tasks/task.ts';
import { Random } from '../../src/envs/random.ts';
import { rateOf } from '../../src/rl/evaluation/evaluation.ts';
import { isLocked } from '../../src/ui/state/assignment.ts';
import { formatLink, noLink, packExperiment, parseLink, unpackExperiment } from '../../src/ui/state/link.ts';
import { noSelection } from '../../src/ui/state/selection.ts';
import { classAssignment, pupilExperiment } from '../../tools/classroom/class-files.ts';
import { trajectory } from '../session/fakes.ts';

const assignment = classAssignment();

describe('the table of a class', () => {
  const graded = (code: string, rate: number, measured: string) =>
    ({
      ...{ file: `${code}.tabgym`, pupil: 'a\\|b', status: 'graded', code, points: 5, most: 5, open: 0 },
      tasks: [{ id: 'goal', kind: 'success', points: 5, most: 5, passed: true, measured, needed: '', rate }],
      checked: { steps: [1], exact: true, devices: { run: '', here: '' } },
      ...{ changes: [], curve: [], runs: 1, answers: {} },
    }) as unknown as Result;

  it('orders equal points by the measured rate, whatever the sentence about it says', () => {
    const all = [graded('aa', 0.09, '9.0% of 100'), graded('bb', 0.5, 'half of 100')];
    expect(leaderboard(all).map(({ code, measured }) => [code, measured])).toEqual([
      ['bb', 'half of 100'],
      ['aa', '9.0% of 100'],
    ]);
  });

  it('keeps a name with a backslash and a bar in its cell', () => {
    const row = classMarkdown(assignment, [graded('aa', 0.5, 'x')]).split('\n')[4];
    expect(row).toContain('| a\\\\\\|b |');
    // Cells are divided by bars with an even number of backslashes before them.
    expect(row.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(6);
  });

  it('lets no name, answer or name of a file begin an element, a link or an image', () => {
    const hostile = '<img src=x onerror=alert(1)> ![a](http://evil.example/seen) [b](javascript:alert(1))';
    const one = (file: string) => ({ ...graded('aa', 0.5, hostile), file, pupil: hostile });
    const refused = { file: hostile, pupil: hostile, status: 'refused', reason: 'curve', message: hostile, most: 5 };
    const table = classMarkdown(assignment, [one(`a${hostile}`), one(`b${hostile}`), refused] as unknown as Result[]);
    expect(table).toContain('The same run as');
    expect(table).not.toMatch(/<|\]\(/);
  });
});

describe('in the page', () => {
  const open = { document: assignment, hash: '', pupil: '', answers: {}, hasAnswers: true };

  it('only the settings that may change have a field', () => {
    const locked = ['seed', 'name', 'optimizer.learningRate', 'optimizer', 'steps', 'reward', 'worlds'].map((path) => [
      path,
      isLocked(open, path),
    ]);
    expect(Object.fromEntries(locked)).toEqual({
      seed: false,
      name: false,
      'optimizer.learningRate': false,
      optimizer: false,
      steps: true,
      reward: true,
      worlds: true,
    });
    expect(isLocked(null, 'steps')).toBe(false);
  });

  it('a link opens the same assignment', async () => {
    const packed = await packExperiment(forPupils(assignment));
    const { assignment: taken } = parseLink(formatLink({ ...noLink, assignment: packed }, noSelection));
    expect(assignmentHash(parseAssignment(await unpackExperiment(taken!)))).toBe(assignmentHash(assignment));
  });

  it('what a pupil typed is escaped on the printed page', () => {
    const refused = { file: '<a>.tabgym', pupil: '<img src=x>', status: 'refused', most: 1 } as const;
    const page = classPage(assignment, [{ ...refused, reason: 'damaged', message: '<b>' }], englishTexts);
    expect(page).not.toMatch(/<img|<b>|<a>/);
    expect(page).toContain('&lt;img src=x&gt;');
  });
});

describe('an assignment', () => {
  it('is read back as it was written', () => {
    expect(readAssignment(writeAssignment(assignment))).toEqual(assignment);
    const made = newAssignment(assignment.experiment, 0.3);
    expect(readAssignment(writeAssignment(made))).toEqual(made);
  });

  const problemsOf = (change: object) => {
    try {
      parseAssignment({ ...assignment, ...change });
      return [];
    } catch (error) {
      return (error as AssignmentError).problems.map(({ path }) => path);
    }
  };

  it('is refused with the path of what is wrong', () => {
    expect(problemsOf({ tasks: [] })).toEqual(['tasks']);
    expect(problemsOf({ tasks: [assignment.tasks[0], assignment.tasks[0]] })).toEqual(['tasks.1.id']);
    expect(problemsOf({ experiment: { ...assignment.experiment, steps: 0 } })).toEqual(['experiment.steps']);
    expect(problemsOf({ mayChange: [{ path: 'format' }] })).toEqual(['mayChange.0.path']);
    expect(problemsOf({ unknown: 1 })).toEqual(['unknown']);
    expect(() => readAssignment('{')).toThrow(AssignmentError);
  });
});

describe('changes', () => {
  const refused = (settings: Parameters<typeof pupilExperiment>[1]) =>
    refusedChanges(assignment, pupilExperiment(assignment, settings)).map(({ path, reason }) => `${path} ${reason}`);

  it('are allowed within their bounds', () => {
    expect(refused({ seed: 5, learningRate: 0.01 })).toEqual([]);
    expect(refused({ seed: 5, learningRate: 0.02 })).toEqual(['optimizer.learningRate must be at most 0.01']);
    expect(refused({ seed: 5, learningRate: 0.001, steps: 9 })).toEqual([
      'steps is fixed in this assignment',
      'horizon.0.steps is fixed in this assignment',
    ]);
  });

  it('of a whole part are refused if only a part of it may change', () => {
    const wide = { ...assignment, mayChange: [{ path: 'reward.parts' }] };
    const experiment = { ...assignment.experiment, reward: { join: 'sum', parts: [] } } as never;
    expect(refusedChanges(wide, experiment)[0].reason).toMatch(/fixed as a whole/);
  });
});

it('finds the first entry of a log that was changed', () => {
  const entry = (run: string) => ({ run, changes: [{ path: 'a', from: 1, to: undefined }], steps: 3, success: 0.5 });
  const log = logOf('ab'.repeat(32), ['x', 'y', 'z'].map(entry));
  const read = JSON.parse(JSON.stringify(log));
  expect(brokenAt('ab'.repeat(32), read)).toBe(0);
  expect(brokenAt('cd'.repeat(32), read)).toBe(1);
  read[1].steps = 4;
  expect(brokenAt('ab'.repeat(32), read)).toBe(2);
  expect(brokenAt('ab'.repeat(32), [read[0], read[2]])).toBe(2);
});

describe('segments', () => {
  it('are the last and the first, then others, within the number of steps', () => {
    expect(segmentsOf([0, 4, 7, 8], 40, new Random(1))).toEqual([
      { from: 0, to: 4, ends: true },
      { from: 4, to: 7, ends: true },
      { from: 7, to: 8, ends: true },
    ]);
    expect(segmentsOf([0, 10, 20, 29, 30], 5, new Random(1))).toEqual([
      { from: 0, to: 4, ends: false },
      { from: 29, to: 30, ends: true },
    ]);
    expect(segmentsOf([0, 10, 20, 29, 30], 1, new Random(1))).toEqual([
      { from: 0, to: 1, ends: false },
      { from: 29, to: 30, ends: true },
    ]);
    expect(segmentsOf([0], 5, new Random(1))).toEqual([]);
  });
});

describe('tasks', () => {
  const given = (over: Partial<Given>): Given => ({
    answer: undefined,
    records: [],
    parameters: 1000,
    trajectories: () => [trajectory({ group: 1, member: 2, ending: 'horizon' })],
    suite: async () => rateOf(6, 10),
    ...over,
  });
  const check = async (task: object, over: Partial<Given> = {}) =>
    (await kindOf(task as CommonTask).check(task as CommonTask, given(over))).passed;

  it('compare the lower bound of success, or its rate', async () => {
    const task = { kind: 'success', suite: 'own', items: null };
    expect(await check({ ...task, atLeast: 0.5, of: 'rate' })).toBe(true);
    expect(await check({ ...task, atLeast: 0.5, of: 'low' })).toBe(false);
    expect(await check({ ...task, atLeast: 0.3, of: 'low' })).toBe(true);
    expect(await check({ ...task, atLeast: 0.3, of: 'low' }, { suite: async () => null })).toBe(null);
  });

  it('bound what a run needs', async () => {
    const records = [1e9, 2e9].map((flops, step) => ({ step, stage: 1, metrics: { flops } }));
    expect(await check({ kind: 'bound', of: 'operations', atMost: 3e9 }, { records })).toBe(true);
    expect(await check({ kind: 'bound', of: 'operations', atMost: 2.9e9 }, { records })).toBe(false);
    expect(await check({ kind: 'bound', of: 'parameters', atMost: 999 })).toBe(false);
    expect(await check({ kind: 'bound', of: 'steps', atMost: 1 }, { records })).toBe(true);
  });

  it('find an episode by its properties', async () => {
    const answer = { step: 1, group: 1, member: 2 };
    const task = (where: object) => ({ kind: 'episode', where });
    expect(await check(task({ ending: 'horizon', action: 'get 1' }), { answer })).toBe(true);
    expect(await check(task({ success: true }), { answer })).toBe(false);
    expect(await check(task({ fewestTurns: 2 }), { answer })).toBe(false);
    expect(await check(task({ repeats: false }), { answer })).toBe(true);
    expect(await check(task({}), { answer: { ...answer, member: 3 } })).toBe(false);
  });

  it('leave words to the teacher, and count no answer as wrong', async () => {
    expect(await check({ kind: 'text' }, { answer: 'It learned.' })).toBe(null);
    expect(await check({ kind: 'text' }, { answer: ' ' })).toBe(false);
    const choices = [{ en: 'a' }, { en: 'b' }];
    expect(await check({ kind: 'choice', choices, answer: 1 }, { answer: 1 })).toBe(true);
    expect(await check({ kind: 'choice', choices, answer: 1 })).toBe(false);
    expect(await check({ kind: 'choice', choices }, { answer: 1 })).toBe(null);
    expect(await check({ kind: 'collapse', by: 0.1 }, { answer: 'kl' })).toBe(false);
  });
});
