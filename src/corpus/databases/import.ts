/** Brings a database and its questions: both are read and tried before anything is kept. */
import { CorpusError } from '../lines.ts';
import { type OwnQuestion, readOwnQuestions } from './questions.ts';
import { openEngine, ReadOnlyDatabase, SqlError } from './read-only.ts';
import { type DatabaseStore, type ImportResult, largestDatabase } from './store.ts';

export interface BroughtDatabase {
  name: string;
  bytes: Uint8Array;
  /** Text of the file of questions. */
  questions: string;
  /** Name of the database in the questions (`db_id`). */
  id: string;
}

const mostExamples = 3;
/** SQLite's file format stores the journal mode in two bytes; 2 is a write-ahead log, which an image cannot have. */
const journalBytes = [18, 19];

/** The image with a rollback journal, so that it opens without its log. */
function withoutLog(image: Uint8Array): Uint8Array {
  const copy = image.slice();
  for (const at of journalBytes) if (copy[at] === 2) copy[at] = 1;
  return copy;
}

/** The reason why a question's statement does not run, or null. */
function faultOf(database: ReadOnlyDatabase, { sql }: OwnQuestion): string | null {
  try {
    database.run(sql);
    return null;
  } catch (error) {
    if (error instanceof SqlError) return error.message;
    throw error;
  }
}

export async function importDatabase(
  store: DatabaseStore,
  { name, bytes, questions: source, id }: BroughtDatabase,
): Promise<ImportResult> {
  if (!name.trim()) throw new CorpusError('A database needs a name.');
  if (bytes.length > largestDatabase)
    throw new CorpusError(
      `The database has ${Math.ceil(bytes.length / 1e6)} MB, and ${Math.floor(largestDatabase / 1e6)} MB is the most: give a smaller one.`,
    );
  const { questions, refused } = readOwnQuestions(source, id);
  const image = withoutLog(bytes);
  const database = ReadOnlyDatabase.open(await openEngine(), image);
  const faults = questions.map((question) => faultOf(database, question));
  database.close();
  const good = questions.filter((_, k) => faults[k] === null);
  const examples = questions.flatMap(({ question }, k) => (faults[k] === null ? [] : [`${question}: ${faults[k]}`]));
  if (!good.length) throw new CorpusError(`No statement of the questions runs on this database. ${examples[0]}`);
  await store.keep(name, { bytes: image, questions: good });
  const failed = questions.length - good.length;
  return { questions: good.length, refused, failed, examples: examples.slice(0, mostExamples) };
}
