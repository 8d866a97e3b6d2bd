/** Random statements of SQL: right ones, damaged ones, ones that write, and ones that take long. */
import type { Random } from '../../src/envs/random.ts';

const writes = [
  'INSERT INTO $t DEFAULT VALUES',
  'INSERT OR REPLACE INTO $t SELECT * FROM $t',
  'UPDATE $t SET $c = NULL',
  'DELETE FROM $t',
  'DELETE FROM $t WHERE 1 RETURNING *',
  'DROP TABLE $t',
  'ALTER TABLE $t ADD COLUMN x',
  'ALTER TABLE $t RENAME TO x',
  'CREATE TABLE x AS SELECT * FROM $t',
  'CREATE TEMP VIEW x AS SELECT * FROM $t',
  'CREATE INDEX x ON $t ($c)',
  'CREATE TEMP TRIGGER x BEFORE INSERT ON $t BEGIN SELECT 1; END',
  'CREATE VIRTUAL TABLE x USING fts5(a)',
  "ATTACH 'x.sqlite' AS x",
  'DETACH main',
  "VACUUM INTO 'x.sqlite'",
  'VACUUM',
  'REINDEX $t',
  'ANALYZE',
  'BEGIN EXCLUSIVE',
  'SAVEPOINT x',
  'COMMIT',
  'ROLLBACK',
  'PRAGMA query_only = OFF',
  'PRAGMA writable_schema = ON',
  'PRAGMA journal_mode = WAL',
  'PRAGMA user_version = 7',
  'PRAGMA temp_store_directory = "/"',
  'PRAGMA wal_checkpoint',
  "SELECT load_extension('x')",
  "SELECT writefile('x', 'y')",
  'SELECT fts3_tokenizer(1)',
  'SELECT random() FROM $t',
  'WITH x AS (SELECT * FROM $t) INSERT INTO $t SELECT * FROM x',
  'WITH x AS (SELECT 1) UPDATE $t SET $c = 1',
  "UPDATE sqlite_schema SET sql = ''",
  "UPDATE sqlite_dbpage SET data = x'00' WHERE pgno = 1",
  'EXPLAIN DELETE FROM $t',
];

const long = [
  'SELECT COUNT(*) FROM $t a, $t b, $t c, $t d, $t e',
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c',
  "WITH RECURSIVE c(x, y) AS (SELECT 1, 'a' UNION ALL SELECT x + 1, y || y FROM c) SELECT * FROM c",
  'SELECT * FROM $t a, $t b, $t c ORDER BY a.$c, b.$c, c.$c',
  "SELECT printf('%.*c', 90000, 'x') FROM $t a, $t b ORDER BY 1",
  "SELECT group_concat(hex(a.$c)) FROM $t a, $t b, $t c WHERE replace(a.$c, '1', b.$c) LIKE '%1%2%3%'",
];

const pieces =
  "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET JOIN LEFT ON AND OR NOT IN EXISTS BETWEEN LIKE GLOB IS NULL CASE WHEN THEN ELSE END CAST AS DISTINCT UNION ALL INTERSECT EXCEPT VALUES WITH RECURSIVE OVER PARTITION ROWS ( ) , ; * + - / % || = < > <> 'a' \"a\" 1 -1 0 1e999 x'00' ? :a @b $c COUNT(*) SUM( MAX( date( strftime( json( RANK() --x /* */ \0 \u{1f600} é \ud800".split(
    ' ',
  );

export interface Names {
  table: string;
  column: string;
}

const filled = (template: string, { table, column }: Names) =>
  template.replaceAll('$t', table).replaceAll('$c', column);

function damaged(random: Random, statement: string): string {
  const tokens = statement.split(' ');
  for (let k = random.between(1, 3); k > 0; k--) {
    const at = random.below(tokens.length + 1);
    if (random.chance(40)) tokens.splice(at, 1);
    else tokens.splice(at, random.below(2), random.chance(50) ? random.pick(tokens) : random.pick(pieces));
  }
  return tokens.join(' ');
}

/** A random statement. `right`: statements that read. */
export function randomStatement(random: Random, names: Names, right: readonly string[]): string {
  const kind = random.below(1000);
  if (kind < 3) return filled(random.pick(long), names);
  if (kind < 200) return filled(random.pick(writes), names);
  if (kind < 300) return damaged(random, filled(random.pick(writes), names));
  if (kind < 400) return Array.from({ length: random.between(0, 25) }, () => random.pick(pieces)).join(' ');
  if (kind < 450) return `${random.pick(right)}; ${filled(random.pick(writes), names)}`;
  if (kind < 800) return damaged(random, random.pick(right));
  return random.pick(right);
}
