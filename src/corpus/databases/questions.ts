/**
 * Reads a file of questions about databases: JSON or JSON lines with the fields of BIRD (`question`, `SQL`, `db_id`,
 * `evidence`, `difficulty`), of Spider (`question`, `query`, `db_id`), or `question` and `sql`.
 */
import * as v from 'valibot';
import { CorpusError } from '../lines.ts';

export interface OwnQuestion {
  question: string;
  /** The statement that answers it. */
  // not a kind: a field of a question
  sql: string;
  /** Hint to the question; empty without one. */
  evidence: string;
  difficulty: string;
  /** True if the order of the rows counts. */
  ordered: boolean;
}

const text = v.pipe(v.string(), v.trim(), v.minLength(1));
const QuestionSchema = v.looseObject({
  question: text,
  SQL: v.nullish(text),
  // not a kind: a field of a question
  sql: v.nullish(v.union([text, v.looseObject({})])),
  query: v.nullish(text),
  db_id: v.nullish(v.string(), ''),
  evidence: v.nullish(v.string(), ''),
  difficulty: v.nullish(v.string(), ''),
  ordered: v.nullish(v.boolean()),
});

/** Maximum number of questions of a database. */
const mostQuestions = 20_000;

function recordsIn(source: string): unknown[] {
  try {
    const value: unknown = JSON.parse(source);
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    const records = source.split('\n').flatMap((line) => (line.trim() ? [parsed(line)] : []));
    if (records.some((record) => typeof record === 'object' && record !== null)) return records;
    throw new CorpusError(`The file of questions is not JSON: ${(error as Error).message}.`);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Spider's judge (test-suite-sql-eval, `exec_eval.py`) compares the order if the statement has these words anywhere. */
const hasOrder = (statement: string) => statement.toLowerCase().includes('order by');

function questionOf(record: unknown): (OwnQuestion & { database: string }) | null {
  const result = v.safeParse(QuestionSchema, record);
  if (!result.success) return null;
  const { question, SQL, sql, query, db_id: database, evidence, difficulty, ordered: own } = result.output;
  // Spider's `sql` is a parsed tree, and its `query` is the statement.
  const statement = SQL ?? (typeof sql === 'string' ? sql : query);
  if (!statement) return null;
  const ordered = own ?? (statement === query && hasOrder(statement));
  // not a kind: a field of a question
  return { question, sql: statement, evidence, difficulty, ordered, database };
}

/**
 * Questions of a file, and the number of records that are none. If some of them name the database `id`, the others
 * belong to other databases and are left out. Throws CorpusError if none does and they name several.
 */
export function readOwnQuestions(source: string, id: string): { questions: OwnQuestion[]; refused: number } {
  const records = recordsIn(source.replace(/^\uFEFF/, ''));
  const found = records.map(questionOf).filter((each) => each !== null);
  if (!found.length)
    throw new CorpusError(
      'The file has no questions: a question is a JSON object with "question" and "SQL", "query" or "sql".',
    );
  const own = found.filter(({ database }) => database === id);
  const named = [...new Set(found.map(({ database }) => database))].filter((name) => name !== '');
  if (!own.length && named.length > 1)
    throw new CorpusError(
      `No question names the database "${id.slice(0, 100)}" (its file's name) as its db_id; they name ${named.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 60)))}` +
        `${named.length > 5 ? ` and ${named.length - 5} more` : ''}. Give the file the name of its database.`,
    );
  const chosen = own.length ? own : found;
  if (chosen.length > mostQuestions)
    throw new CorpusError(
      `The file has ${chosen.length} questions about this database, and ${mostQuestions} is the most: give a part.`,
    );
  const questions = chosen.map(({ database: _, ...question }) => question);
  return { questions, refused: records.length - found.length };
}
