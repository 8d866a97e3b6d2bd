// Trajectory files that an experiment names, on the command line: the folders they are looked for in and the names a
// run keeps.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkRecordings,
  MissingFileError,
  withFiles,
  withRecordings,
  withVariantFiles,
} from '../../src/cli/recordings.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { fileOf, teacherOf } from '../../src/rl/algorithms/registry.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'tabgym-recordings-'));
beforeAll(() => {
  mkdirSync(join(folder, 'play'));
  writeFileSync(join(folder, 'play', 'a.jsonl'), 'one');
  writeFileSync(join(folder, 'a.jsonl'), 'two');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sft = (file: string | null) => ({ name: 'sft', groups: 2, groupSize: 4, file });
const staged = (...files: (string | null)[]) =>
  parseExperiment({ ...micro, stages: files.map((file) => ({ steps: 1, algorithm: sft(file) })) });
const text = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);

it('recordings are looked up from the folder of the experiment, and stored under their name without the path', () => {
  const { experiment, recordings } = withRecordings(staged('play/a.jsonl', null), folder);
  expect(experiment.stages!.map(({ algorithm }) => fileOf(algorithm))).toEqual(['a.jsonl', null]);
  expect([...recordings.keys()]).toEqual(['a.jsonl']);
  expect(text(recordings.get('a.jsonl'))).toBe('one');
  // The files of the run's own algorithm, with an absolute path.
  const own = withRecordings(parseExperiment({ ...micro, algorithm: sft(join(folder, 'a.jsonl')) }), folder);
  expect(fileOf(own.experiment.algorithm)).toBe('a.jsonl');
  expect(text(own.recordings.get('a.jsonl'))).toBe('two');
  expect(withRecordings(parseExperiment(micro), folder).recordings.size).toBe(0);
});

it('recordings are refused by name if missing or if two have the same name', () => {
  expect(() => withRecordings(staged('b.jsonl'), folder)).toThrow(MissingFileError);
  expect(() => withRecordings(staged('b.jsonl'), folder)).toThrow(/no file "b.jsonl": looked for .*b.jsonl/);
  expect(() => withRecordings(staged('a.jsonl', 'play/a.jsonl'), folder)).toThrow(/Two files are named a.jsonl/);
  expect(() => withRecordings(staged('a.jsonl', 'a.jsonl'), folder)).not.toThrow();
});

it('files that only a variant of a sweep names are found too, by their names', async () => {
  const conversation = {
    messages: [
      { role: 'user', content: 'Goal' },
      { role: 'assistant', content: 'look' },
    ],
  };
  writeFileSync(join(folder, 'v.jsonl'), `${JSON.stringify(conversation)}\n`);
  const own = new Map([['mine.jsonl', new Uint8Array(1)]]);
  const run = (file: string) => parseExperiment({ ...micro, algorithm: sft(file) });
  const found = await withVariantFiles([run('v.jsonl'), run('mine.jsonl')], own, folder);
  expect([...found.keys()]).toEqual(['mine.jsonl', 'v.jsonl']);
  await expect(withVariantFiles([run('play/a.jsonl')], own, folder)).rejects.toThrow(
    /A variant names the file "play\/a/,
  );
  await expect(withVariantFiles([run('gone.jsonl')], own, folder)).rejects.toThrow(/There is no file "gone.jsonl"/);
});

describe('a foreign experiment', () => {
  const outside = mkdtempSync(join(tmpdir(), 'tabgym-outside-'));
  beforeAll(() => {
    writeFileSync(join(outside, 'secret.jsonl'), 'secret');
    symlinkSync(join(outside, 'secret.jsonl'), join(folder, 'link.jsonl'));
    symlinkSync(outside, join(folder, 'linked'));
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  it.each([
    ['an absolute path', () => join(outside, 'secret.jsonl')],
    ['a file of the system', () => '/etc/hostname'],
    ['a path that leads out of the folder', () => `../${basename(outside)}/secret.jsonl`],
    ['one that leads out further in', () => `play/../../${basename(outside)}/secret.jsonl`],
    ['a file that does not exist there', () => '/nowhere/at/all.jsonl'],
    ['a link', () => 'link.jsonl'],
    ['a linked folder', () => 'linked/secret.jsonl'],
  ])('reads no file of the machine by %s', (_, path) => {
    expect(() => withRecordings(staged(path()), folder)).toThrow(
      /^stages\.0\.algorithm\.file is ".*", which is outside of the experiment's folder.*--allow-file/,
    );
  });

  it('may read one that was allowed', () => {
    const file = join(outside, 'secret.jsonl');
    expect(text(withRecordings(staged(file), folder, [file]).recordings.get('secret.jsonl'))).toBe('secret');
    expect(() => withRecordings(staged(file), folder, [outside])).toThrow(/--allow-file/);
  });

  it('keeps no copy of a file that holds no trajectories', async () => {
    await expect(checkRecordings(new Map([['a.jsonl', new TextEncoder().encode('one\n')]]))).rejects.toThrow(
      /a\.jsonl holds no trajectory/,
    );
  });
});

describe('a policy that teaches', () => {
  const outside = mkdtempSync(join(tmpdir(), 'tabgym-teacher-'));
  beforeAll(() => {
    writeFileSync(join(outside, 'run.tabgym'), 'a run');
    writeFileSync(join(folder, 'mine.tabgym'), 'my run');
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));
  const taught = (teacher: string) => parseExperiment({ ...micro, algorithm: { name: 'distillation', teacher } });

  it('is found from the folder of the experiment, and keeps its hash', () => {
    const { experiment, recordings, teachers } = withRecordings(taught('./mine.tabgym#0123456789abcdef'), folder);
    expect(teacherOf(experiment.algorithm)).toBe('mine.tabgym#0123456789abcdef');
    expect(text(teachers.get('mine.tabgym'))).toBe('my run');
    expect(recordings.size).toBe(0);
  });

  it('outside of it must be allowed', () => {
    const path = join(outside, 'run.tabgym');
    expect(() => withRecordings(taught(path), folder)).toThrow(/algorithm.teacher is .* add --allow-file/);
    expect(text(withRecordings(taught(path), folder, [path]).teachers.get('run.tabgym'))).toBe('a run');
  });

  it('may be a shipped agent, whose file is never looked up by path', async () => {
    expect(withRecordings(taught('textcraft-first'), folder).teachers.size).toBe(0);
    const { experiment, files } = await withFiles(taught('textcraft-first'), folder);
    expect(teacherOf(experiment.algorithm)).toMatch(/^textcraft-first#[0-9a-f]{16}$/);
    expect(files.size).toBe(0);
    await expect(withFiles(taught('package'), folder)).rejects.toThrow(/the policy package, which is not here/);
    await expect(withFiles(taught('textcraft-first#0123456789abcdef'), folder)).rejects.toThrow(/is not the teacher/);
  });
});
