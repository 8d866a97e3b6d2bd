// A person's own database: questions of BIRD's and Spider's form, kept on disk, played by the world.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FolderDatabases, readDatabase } from '../../../src/corpus/databases/folder.ts';
import { importDatabase } from '../../../src/corpus/databases/import.ts';
import { readOwnQuestions } from '../../../src/corpus/databases/questions.ts';
import { buildImage, openEngine } from '../../../src/corpus/databases/read-only.ts';
import { openWorld } from '../../../src/worlds/registry.ts';

const bird = [
  {
    question_id: 0,
    db_id: 'zoo',
    question: 'How many lions?',
    evidence: 'lion is a kind',
    SQL: "SELECT COUNT(*) FROM animal WHERE kind = 'lion'",
    difficulty: 'simple',
  },
  {
    question_id: 1,
    db_id: 'zoo',
    question: 'All names',
    evidence: '',
    SQL: 'SELECT "full name" FROM animal',
    difficulty: 'moderate',
  },
  {
    question_id: 2,
    db_id: 'zoo',
    question: 'Broken',
    evidence: '',
    SQL: 'SELECT 1 FROM nowhere',
    difficulty: 'simple',
  },
  {
    question_id: 3,
    db_id: 'other',
    question: 'Of another database',
    evidence: '',
    SQL: 'SELECT 1',
    difficulty: 'simple',
  },
];

let folder: string;
let image: Uint8Array;
beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/databases-`);
  process.env.TABGYM_CORPORA = folder;
  image = buildImage(await openEngine(), [
    'CREATE TABLE cage (id INTEGER PRIMARY KEY, place TEXT)',
    'CREATE TABLE animal ("full name" TEXT, kind TEXT, cage INTEGER REFERENCES cage)',
    "INSERT INTO cage VALUES (1, 'north')",
    "INSERT INTO animal VALUES ('Leo', 'lion', 1), ('Lea', 'lion', 1), ('Tim', 'tiger', NULL)",
  ]);
});
afterAll(async () => {
  delete process.env.TABGYM_CORPORA;
  await rm(folder, { recursive: true });
});

it('reads the forms of BIRD, of Spider and JSON lines', () => {
  expect(readOwnQuestions(JSON.stringify(bird), 'zoo').questions).toHaveLength(3);
  const spider = { db_id: 'zoo', question: 'Q', query: 'SELECT 1', sql: { select: [] } };
  expect(readOwnQuestions(JSON.stringify([spider]), 'zoo').questions[0]).toMatchObject({
    question: 'Q',
    sql: 'SELECT 1',
  });
  const ordered = [
    spider,
    { ...spider, query: 'SELECT 1 Order By 1' },
    { ...spider, query: 'SELECT 1', ordered: true },
  ];
  const read = readOwnQuestions(JSON.stringify([...ordered, { ...bird[0], SQL: 'SELECT 1 ORDER BY 1' }]), 'zoo');
  expect(read.questions.map((each) => each.ordered)).toEqual([false, true, true, false]);
  const nulls = { question: 'Q', SQL: 'SELECT 1', query: null, sql: null, evidence: null, difficulty: null };
  const marked = `\uFEFF${JSON.stringify([nulls])}`;
  expect(readOwnQuestions(marked, 'zoo')).toMatchObject({ questions: [{ evidence: '', difficulty: '' }], refused: 0 });
  const lines = '{"question": "Q", "sql": "SELECT 1", "ordered": true}\n{"question": ""}\nnothing\n';
  expect(readOwnQuestions(lines, 'zoo')).toMatchObject({ questions: [{ ordered: true }], refused: 2 });
  expect(() => readOwnQuestions('[]', 'zoo')).toThrow(/no questions/);
  expect(() => readOwnQuestions('[\n{"question": "Q",\n', 'zoo')).toThrow(/^The file of questions is not JSON: /);
});

// BIRD's questions are about eleven databases in one file (github.com/AlibabaResearch/DAMO-ConvAI, bird/llm); those of
// others were kept where their statements happened to run.
it('refuses questions about several other databases', () => {
  const lines = ['zoo', 'school'].map((db_id) => JSON.stringify({ db_id, question: 'Q', SQL: 'SELECT 1' }));
  expect(() => readOwnQuestions(lines.join('\n'), 'zoo (1)')).toThrow(
    'No question names the database "zoo (1)" (its file\'s name) as its db_id; they name "zoo","school". Give the file the name of its database.',
  );
  expect(readOwnQuestions(lines[0], 'zoo (1)').questions).toHaveLength(1);
});

it('keeps a database whose statements run, and plays it', async () => {
  const store = new FolderDatabases();
  // Marked as a database with a write-ahead log, as many of BIRD's are.
  const logged = image.slice();
  logged[18] = logged[19] = 2;
  const brought = { name: 'zoo', bytes: logged, questions: JSON.stringify(bird), id: 'zoo' };
  expect(await importDatabase(store, brought)).toMatchObject({
    questions: 2,
    failed: 1,
    examples: [expect.stringContaining('no such table: nowhere')],
  });
  expect(await store.list()).toMatchObject([{ name: 'zoo', questions: 2 }]);
  const world = await openWorld('sql');
  const [task] = await world.tasks({ database: 'zoo' }, 'test');
  const [first] = await world.reset([0], [task]);
  expect(first.observation).toBe('Question: How many lions?\nHint: lion is a kind');
  expect(first.validActions).toBeUndefined();
  expect((await world.step([0], ['describe animal']))[0].observation).toContain('Leo | lion | 1');
  const [plan] = await world.oracle([0]);
  let reward = 0;
  for (const action of plan!) reward = (await world.step([0], [action]))[0].reward;
  expect(reward).toBe(1);
  expect(await world.tasks({ database: 'zoo' }, 'train')).toHaveLength(1);
  await world.close();
  await store.remove('zoo');
  expect(await store.list()).toEqual([]);
});

// sqlite.org/wal.html#the_wal_file: the log is a part of the database (github.com/sepinf-inc/IPED/issues/21).
it('refuses a file whose log has further changes', async () => {
  const file = `${folder}/live.sqlite`;
  await writeFile(file, image);
  await writeFile(`${file}-wal`, '');
  expect(await readDatabase(file)).toEqual(image);
  await writeFile(`${file}-wal`, 'frames');
  await expect(readDatabase(file)).rejects.toThrow(/live\.sqlite-wal has changes .* wal_checkpoint\(TRUNCATE\)/);
});

it('refuses what is no database, has no name, or whose statements all fail', async () => {
  const store = new FolderDatabases();
  const brought = { name: 'zoo', bytes: image, questions: JSON.stringify(bird), id: 'zoo' };
  await expect(importDatabase(store, { ...brought, bytes: new Uint8Array(5000) })).rejects.toThrow(
    /no SQLite database/,
  );
  await expect(importDatabase(store, { ...brought, name: ' ' })).rejects.toThrow(/needs a name/);
  await expect(importDatabase(store, { ...brought, questions: JSON.stringify([bird[2]]) })).rejects.toThrow(
    /No statement/,
  );
  await expect(store.keep('../zoo', { bytes: image, questions: [] })).rejects.toThrow(/cannot be named/);
});
