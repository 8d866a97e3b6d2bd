// Grading on the processor: honest files are graded twice to the same bytes, forged ones refused by name.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { assignmentHash, forPupils } from '../../src/classroom/assignment.ts';
import { classCsv, duplicates, leaderboard } from '../../src/classroom/class-report.ts';
import { type Graded, type GradeOptions, grade } from '../../src/classroom/grade.ts';
import { openHandIn } from '../../src/classroom/hand-in.ts';
import { classroom50, gradescope } from '../../src/classroom/school-formats.ts';
import { gradeAll, resultFiles, submissionOf } from '../../src/cli/grading.ts';
import { writeFolder } from '../../src/cli/whole-files.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { classAssignment, classSteps, handedIn } from '../../tools/classroom/class-files.ts';
import { forgeries, partsOf, type Sources, withNewHashes, withOldHashes } from '../../tools/classroom/forgeries.ts';
import { mutated, verdictOn } from '../../tools/classroom/mutations.ts';

const assignment = classAssignment();
const engines = nodeEngines({ device: 'wasm', threads: 1 });
const options: GradeOptions = {
  engines,
  seed: 11,
  steps: 40,
  allowCode: false,
};
const graded = (bytes: Uint8Array, file = 'a.tabgym') => grade(assignment, { file, bytes }, options);
let honest: Uint8Array<ArrayBuffer>;
let sources: Sources;

beforeAll(async () => {
  const first = { seed: 100, learningRate: 1e-3 };
  honest = await handedIn(assignment, engines, first, 'Ada');
  sources = {
    own: partsOf(honest),
    other: partsOf(await handedIn(assignment, engines, { seed: 101, learningRate: 2e-3 }, 'Emmy')),
    longer: partsOf(await handedIn(assignment, engines, { ...first, steps: 2 * classSteps }, '')),
    disallowed: partsOf(await handedIn(assignment, engines, { ...first, learningRate: 0.05 }, '')),
  };
}, 120_000);

describe('an honest file', () => {
  it('is graded twice to the same result, with every step equal to the bit', async () => {
    const result = (await graded(honest)) as Graded;
    expect(result).toMatchObject({ status: 'graded', pupil: 'Ada', most: 12, open: 2 });
    expect(result.checked).toMatchObject({ exact: true, steps: [1, 2, 3, 4, 5, 6, 7, 8] });
    expect(result.tasks.find(({ id }) => id === 'why')).toMatchObject({ passed: true, points: 2 });
    expect(result.tasks.find(({ id }) => id === 'steps')).toMatchObject({ measured: '8 steps' });
    expect(result.changes.map(({ path }) => path).sort()).toEqual(['optimizer.learningRate', 'seed']);
    const files = [...resultFiles(assignment, [result], 11)];
    expect([...resultFiles(assignment, [await graded(honest)], 11)]).toEqual(files);
  }, 60_000);

  it('has no name, time or note beside what the pupil typed', () => {
    const index = JSON.parse(new TextDecoder().decode(sources.own['tabgym.json']));
    expect(index.run).toMatchObject({ createdAt: 0, updatedAt: 0 });
    expect(index.run).not.toHaveProperty('notes');
  });

  it('is the same run as its copy, and listed once without a name', async () => {
    const results = [await graded(honest, 'a.tabgym'), await graded(honest, 'b.tabgym')];
    expect(Object.fromEntries(duplicates(results))).toEqual({ 'a.tabgym': ['b.tabgym'], 'b.tabgym': ['a.tabgym'] });
    expect(leaderboard(results)).toHaveLength(1);
    expect(JSON.stringify(leaderboard(results))).not.toContain('Ada');
    expect(classCsv(assignment, results).split('\n')[1]).toMatch(/^a\.tabgym,Ada,graded,/);
  }, 60_000);

  it('is written in the forms of Classroom 50 and Gradescope', async () => {
    const result = await graded(honest);
    const own = JSON.parse(classroom50(assignment, result, submissionOf('a.tabgym', assignment, { CLASSROOM: 'c' })));
    expect(own).toMatchObject({ schema: 'classroom50/result/v1', classroom: 'c', 'max-score': 12 });
    expect(own.tests.reduce((sum: number, test: { score: number }) => sum + test.score, 0)).toBe(own.score);
    const scope = JSON.parse(gradescope(assignment, result));
    expect(scope.score).toBe(own.score);
    expect(scope.tests.map(({ max_score: most }: { max_score: number }) => most)).toEqual([4, 1, 1, 2, 2, 2]);
  }, 60_000);
});

it('results of files with any name stay in the folder, and replace no file of the class', async () => {
  const names = ['a.tabgym', '.tabgym', '..tabgym', '...tabgym', 'grades.csv.tabgym', 'seed.txt.tabgym'];
  const results = await Promise.all(names.map((name) => graded(new Uint8Array(8), name)));
  const out = join(mkdtempSync(join(tmpdir(), 'tabgym-grades-')), 'class');
  try {
    const files = resultFiles(assignment, results, 11);
    writeFolder(out, files);
    expect(readdirSync(dirname(out))).toEqual(['class']);
    const folders = readdirSync(out, { withFileTypes: true }).filter((each) => each.isDirectory());
    expect(folders.map(({ name }) => readdirSync(join(out, name)))).toEqual(
      names.map(() => ['result.json', 'results.json']),
    );
  } finally {
    rmSync(dirname(out), { recursive: true, force: true });
  }
});

it('grades the other files where one cannot be read', async () => {
  const files = [
    { file: 'a.tabgym', bytes: () => new Uint8Array(readFileSync(tmpdir())) },
    { file: 'b.tabgym', bytes: () => honest },
  ];
  const results = await gradeAll(assignment, files, engines, { ...options, print: () => {} });
  expect(results.map(({ file, status }) => [file, status])).toEqual([
    ['a.tabgym', 'refused'],
    ['b.tabgym', 'graded'],
  ]);
  expect(results[0]).toMatchObject({
    reason: 'damaged',
    message: expect.stringContaining('it is a folder, not a file'),
  });
}, 60_000);

it('leaves a task over an unknown suite to the teacher, and grades the others', async () => {
  const wrong = classAssignment();
  wrong.tasks = wrong.tasks.map((task) => (task.kind === 'success' ? { ...task, suite: 'no-such-suite' } : task));
  const bytes = await handedIn(wrong, engines, { seed: 100, learningRate: 1e-3 }, 'Ada');
  const result = (await grade(wrong, { file: 'a.tabgym', bytes }, options)) as Graded;
  const goal = result.tasks.find(({ kind }) => kind === 'success')!;
  expect(goal.passed).toBeNull();
  expect(goal.measured).toMatch(/^not played: There is no suite "no-such-suite"/);
  expect(result.tasks.find(({ id }) => id === 'why')).toMatchObject({ passed: true });
}, 60_000);

describe('a forged file', () => {
  for (const { name, reasons, make } of forgeries)
    it(`${name} is refused by name`, async () => {
      expect(await graded(withOldHashes(make(sources)))).toMatchObject({ status: 'refused', reason: 'damaged' });
      const anew = await graded(withNewHashes(make(sources)));
      expect(anew.status).toBe('refused');
      expect(reasons).toContain(anew.status === 'refused' && anew.reason);
    }, 60_000);

  it('of another assignment is refused', async () => {
    const other = { ...assignment, title: { en: 'Another' } };
    expect(await grade(other, { file: 'a', bytes: honest }, options)).toMatchObject({ reason: 'other-assignment' });
  });
});

it('grades no mutation otherwise than its original', { tags: 'slow', timeout: 120_000 }, async () => {
  const original = { opened: openHandIn(honest, 'a', assignment), result: await graded(honest, 'a') };
  for (let n = 0; n < 60; n++) {
    const bytes = mutated(honest, 3, n);
    if (!bytes) continue;
    const { verdict, words } = await verdictOn(bytes, original, assignment, options);
    expect(['refused', 'same'], `mutation ${n}: ${words}`).toContain(verdict);
  }
});

it("leaves answers out of the pupils' copy, which has the same identity", () => {
  const copy = forPupils(assignment);
  expect(JSON.stringify(copy)).not.toContain('"answer"');
  expect(assignmentHash(copy)).toBe(assignmentHash(assignment));
  expect(assignmentHash({ ...assignment, deadline: 'Monday' })).not.toBe(assignmentHash(assignment));
});
