// A database that can only be read, in bounds; made databases to the byte; the rule of equal rows.
import { beforeAll, describe, expect, it } from 'vitest';
import { bounds, buildImage, openEngine, ReadOnlyDatabase } from '../../../src/corpus/databases/read-only.ts';
import { sha256 } from '../../../src/store/sha256.ts';
import { makeDatabase } from '../../../src/worlds/sql/data/database.ts';
import { themes } from '../../../src/worlds/sql/data/themes.ts';
import { sameRows } from '../../../src/worlds/sql/judge.ts';

type Engine = Awaited<ReturnType<typeof openEngine>>;
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const plan = { seed: 7, tables: 4, rows: 300, themes: ['library'], heldOut: false };
const open = () => ReadOnlyDatabase.open(engine, buildImage(engine, makeDatabase(plan).statements));

describe('a read-only database', () => {
  let database: ReadOnlyDatabase;
  let before: string;
  beforeAll(() => {
    database = open();
    before = sha256(database.image());
  });

  it.each([
    ["INSERT INTO loan VALUES (1, 1, 1, '', '', '', 1)", /read/],
    ['UPDATE loan SET fee = 0', /read/],
    ['DELETE FROM loan', /read/],
    ['WITH x AS (SELECT 1) DELETE FROM loan', /read/],
    ['DROP TABLE loan', /read/],
    ['ALTER TABLE loan RENAME TO x', /read/],
    ['CREATE TABLE x (a)', /read/],
    ['CREATE TEMP TABLE x (a)', /read/],
    ["ATTACH ':memory:' AS x", /read/],
    ["VACUUM INTO 'x.sqlite'", /read/],
    ['BEGIN IMMEDIATE', /read/],
    ['EXPLAIN DELETE FROM loan', /read/],
    ['PRAGMA query_only = OFF', /PRAGMA query_only is not available/],
    ['PRAGMA writable_schema = ON', /PRAGMA writable_schema is not available/],
    ['SELECT random()', /function random is not available/],
    ['SELECT randomblob(4)', /function randomblob is not available/],
    ['SELECT 1; DELETE FROM loan', /one statement at a time/],
    ['', /no statement/],
    ['-- nothing', /no statement/],
    ['SELECT 1\0; SELECT 2', /one statement at a time/],
    [`SELECT '${'x'.repeat(bounds.statement)}'`, /characters/],
    ["SELECT printf('%.*c', 900000000, 'x')", /too big/],
    ['WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c', /after 2,000,000 steps/],
    ['WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c', /more than 50,000 rows/],
    [
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT printf('%.90000c', 'x') || x FROM c",
      /more than 16 MB/,
    ],
  ])('refuses %j', (sql, reason) => {
    expect(() => database.run(sql)).toThrow(reason);
    expect(sha256(database.image())).toBe(before);
    expect(database.run('SELECT COUNT(*) FROM loan').rows[0][0]).toBeGreaterThan(0);
  });

  it('stops a statement that takes too much memory', () => {
    const sql =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c ORDER BY printf('%.90000c', 'x') || x";
    expect(() => database.run(sql)).toThrow(/MB of memory/);
  });

  it('reads values of every kind, with a clock that stands still', () => {
    const { columns, rows } = database.run("SELECT 1 AS a, 9007199254740993, 0.1, 'é', x'00ff', NULL, date('now')");
    expect(columns[0]).toBe('a');
    expect(rows).toEqual([[1, 9007199254740993n, 0.1, 'é', Uint8Array.of(0, 255), null, '2026-01-01']]);
  });

  it('refuses a file that is no database', () => {
    expect(() => ReadOnlyDatabase.open(engine, new TextEncoder().encode('no database'.repeat(100)))).toThrow(
      /no SQLite database/,
    );
  });
});

describe('a made database', () => {
  // Computed once with this test in Node.
  it('is the same to the byte for the same seed', () => {
    const image = buildImage(engine, makeDatabase(plan).statements);
    expect(sha256(image)).toBe('88d4d1bf1551069cb805b38853c44a5d8c814b0ba1a7467034156419217ba111');
    expect(buildImage(engine, makeDatabase(plan).statements)).toEqual(image);
    expect(buildImage(engine, makeDatabase({ ...plan, seed: 8 }).statements)).not.toEqual(image);
  });

  it.each(themes.map(({ name }) => name))('of the theme %s has tables, rows and references as planned', (theme) => {
    for (const [tables, rows] of [
      [3, 100],
      [8, 2000],
    ]) {
      const { schema, statements } = makeDatabase({ seed: tables, tables, rows, themes: [theme], heldOut: true });
      const database = ReadOnlyDatabase.open(engine, buildImage(engine, statements));
      expect(schema.tables).toHaveLength(tables);
      const counts = schema.tables.map(({ name }) => Number(database.run(`SELECT COUNT(*) FROM ${name}`).rows[0][0]));
      expect(counts.reduce((a, b) => a + b)).toBe(rows);
      for (const { name, columns } of schema.tables)
        for (const { name: column, references } of columns.filter((each) => each.references))
          expect(
            database.run(`SELECT COUNT(*) FROM ${name} WHERE ${column} NOT IN (SELECT id FROM ${references})`).rows,
          ).toEqual([[0]]);
      database.close();
    }
  });
});

// Results of `set(a) == set(b)` and `a == b` in CPython 3.11 over the rows that sqlite3 returns.
describe('equal rows', () => {
  it.each([
    [[[1], [2]], [[2], [1], [1]], false, true],
    [[[1], [2]], [[2], [1]], true, false],
    [[[1]], [[1.0]], false, true],
    [[[1]], [['1']], false, false],
    [[[null]], [[0]], false, false],
    [[[0.1 + 0.2]], [[0.3]], false, false],
    [[[9007199254740993n]], [[9007199254740992]], false, false],
    [[[1e300]], [[1e300]], true, true],
    [[['1', 'a']], [['a', '1']], false, false],
    [[], [], false, true],
    [[[Uint8Array.of(97)]], [['a']], false, false],
  ])('case %#', (a, b, ordered, same) => expect(sameRows(a, b, ordered)).toBe(same));
});
