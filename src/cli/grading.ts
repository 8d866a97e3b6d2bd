/** Grades a folder of handed-in files and writes the class's results. */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Assignment, readAssignment } from '../classroom/assignment.ts';
import { classPage, englishTexts } from '../classroom/class-page.ts';
import { classCsv, classMarkdown, duplicates, inOrder, leaderboard } from '../classroom/class-report.ts';
import { grade, type Result, refusedFile } from '../classroom/grade.ts';
import { RefusedError } from '../classroom/refused.ts';
import { classroom50, gradescope, type Submission } from '../classroom/school-formats.ts';
import { isShadowFile } from '../corpus/shadow-files.ts';
import type { EngineFactory } from '../session/engine.ts';
import { CommandError } from './command-error.ts';
import { openEngines } from './engines.ts';
import type { DeviceOptions } from './node-device.ts';
import { type Content, describeFileError, writeFolder } from './whole-files.ts';

export interface GradingOptions extends DeviceOptions {
  assignment: string;
  /** Folder of handed-in files, or one file. */
  folder: string;
  out: string;
  /** Default: the one in the results' folder, or a new one. */
  seed?: number;
  steps: number;
  allowCode: boolean;
  print(line: string): void;
}

const seedFile = 'seed.txt';
const largestSeed = 2 ** 31;

/** Seed of an earlier grading into the same folder, or a new one. */
function seedFor(out: string): number {
  const file = join(out, seedFile);
  if (!existsSync(file)) return randomInt(1, largestSeed);
  const seed = Number(readFileSync(file, 'utf8'));
  if (Number.isSafeInteger(seed) && seed > 0) return seed;
  throw new CommandError(`${file} has no seed: delete it, or give --seed.`);
}

function assignmentOf(file: string): Assignment {
  try {
    return readAssignment(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}

/** Handed-in files by name. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) throw new CommandError(`There is no ${folder}.`);
  if (!statSync(folder).isDirectory()) return [folder];
  const names = readdirSync(folder).filter((name) => name.endsWith('.tabgym') && !isShadowFile(name));
  if (!names.length) throw new CommandError(`${folder} has no handed-in files (.tabgym).`);
  return names.sort().map((name) => join(folder, name));
}

/** Line of a graded file. */
function lineOf(result: Result): string {
  if (result.status === 'refused') return `${result.file}: refused (${result.reason}). ${result.message}`;
  const { file, points, most, open, checked } = result;
  const how = checked.exact ? 'equal to the bit' : 'within the tolerance of another kind of device';
  return `${file}: ${points} of ${most} points${open ? `, ${open} for the teacher` : ''}; ${checked.steps.length} steps computed again, ${how}`;
}

/** Fields that Classroom 50's runner gives a grader; outside of it the file's name stands for them. */
export function submissionOf(file: string, assignment: Assignment, env: NodeJS.ProcessEnv = process.env): Submission {
  const commit = env.COMMIT_URL || file;
  return {
    classroom: env.CLASSROOM || 'classroom',
    assignment: env.ASSIGNMENT || assignment.title.en,
    submission: env.SUBMISSION_TAG || file,
    commit,
    release: env.RELEASE_URL || commit,
    review: env.REVIEW_URL || commit,
    datetime: env.SUBMISSION_DATETIME || '1970-01-01T00:00:00Z',
  };
}

/** Folder of a file's own results: its name without the ending, or with it if that is the place of something else. */
function folderOf(file: string, taken: ReadonlyMap<string, Content>): string {
  const name = file.replace(/\.tabgym$/, '');
  return ['', '.', '..'].includes(name) || taken.has(name) ? file : name;
}

/** Files of the results, by name. */
export function resultFiles(assignment: Assignment, results: readonly Result[], seed: number): Map<string, Content> {
  const all = inOrder(results);
  const same = Object.fromEntries(duplicates(all));
  const json = { assignment: assignment.title, results: all, sameRun: same, leaderboard: leaderboard(all) };
  const files = new Map<string, Content>([
    ['grades.md', classMarkdown(assignment, all)],
    ['grades.html', classPage(assignment, all, englishTexts)],
    ['grades.csv', classCsv(assignment, all)],
    ['grades.json', `${JSON.stringify(json, null, 1)}\n`],
    [seedFile, `${seed}\n`],
  ]);
  for (const result of all) {
    const at = all.length === 1 ? '' : `${folderOf(result.file, files)}/`;
    files.set(`${at}result.json`, classroom50(assignment, result, submissionOf(result.file, assignment)));
    files.set(`${at}results.json`, gradescope(assignment, result));
  }
  return files;
}

/** A file's bytes, or the refusal of one that cannot be read, so that the others are still graded. */
function bytesOf(bytes: () => Uint8Array): Uint8Array | RefusedError {
  try {
    return bytes();
  } catch (error) {
    const sentence = describeFileError(error as Error);
    if (!sentence) throw error;
    return new RefusedError('damaged', sentence);
  }
}

/** Grades all files, in the order of their names. */
export async function gradeAll(
  assignment: Assignment,
  files: readonly { file: string; bytes(): Uint8Array }[],
  engines: EngineFactory,
  { seed, steps, allowCode, print }: Pick<GradingOptions, 'steps' | 'allowCode' | 'print'> & { seed: number },
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { file, bytes } of files) {
    const read = bytesOf(bytes);
    const result =
      read instanceof RefusedError
        ? refusedFile(assignment, { file }, read)
        : await grade(assignment, { file, bytes: read }, { engines, seed, steps, allowCode });
    print(lineOf(result));
    results.push(result);
  }
  return results;
}

/** Grades a folder and writes the results. Returns the files' paths. */
export async function gradeFolder(options: GradingOptions): Promise<{ results: Result[]; written: string[] }> {
  const { print, out, folder, device, threads } = options;
  const assignment = assignmentOf(options.assignment);
  const seed = options.seed ?? seedFor(out);
  const engines = await openEngines({ device, threads }, print);
  const files = filesIn(folder).map((path) => ({
    file: basename(path),
    bytes: () => new Uint8Array(readFileSync(path)),
  }));
  const results = await gradeAll(assignment, files, engines, { ...options, seed });
  const outputs = resultFiles(assignment, results, seed);
  writeFolder(out, outputs);
  for (const [file, others] of duplicates(results)) print(`${file}: the same run as ${others.join(', ')}`);
  const refused = results.filter(({ status }) => status === 'refused').length;
  print(`${results.length - refused} graded, ${refused} refused. The results are in ${out}.`);
  return { results, written: [...outputs.keys()].map((name) => join(out, name)) };
}
