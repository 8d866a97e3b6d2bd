/**
 * A corpus in one database: its indexed documents, its questions and the progress of reading its files. All are
 * committed together, so that after a cancel or a closed tab reading resumes where it stopped. Handles SQL, but neither
 * files nor the store of corpora.
 */

import type { SourceQuestion } from './question.ts';
import type { Document, Retriever } from './retrieval/retriever.ts';
import type { Sqlite } from './retrieval/sqlite.ts';
import { type NewDocument, TextIndex } from './retrieval/text-index.ts';

export interface CorpusState {
  name: string;
  createdAt: number;
  /** Names and sizes of the files. Reading resumes only from the same files. */
  files: { name: string; size: number }[];
  /** Place at which reading resumes: index of the file, and `offset` in its unpacked bytes. */
  file: number;
  offset: number;
  documents: number;
  refused: number;
  complete: boolean;
}

const schema = `
  CREATE TABLE IF NOT EXISTS state(id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS questions(number INTEGER PRIMARY KEY, json TEXT NOT NULL);`;

/** Page cache of SQLite in KiB: small enough for a phone, large enough that merging the index stays fast. */
const cacheKib = 8_192;

export class Corpus implements Retriever {
  private readonly index: TextIndex;

  constructor(private readonly database: Sqlite) {
    database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE;`);
    database.exec(schema);
    this.index = new TextIndex(database);
  }

  get state(): CorpusState | null {
    const [row] = this.query('SELECT json FROM state WHERE id = 1', []);
    return row ? JSON.parse(String(row.json)) : null;
  }

  begin(state: CorpusState): void {
    this.writeState(state);
  }

  /** Adds the documents and saves the state that follows them, in one transaction. */
  commit(documents: readonly NewDocument[], state: CorpusState): void {
    this.index.add(documents, () => this.writeState(state));
  }

  private writeState(state: CorpusState): void {
    this.run('INSERT OR REPLACE INTO state(id, json) VALUES (1, ?)', [JSON.stringify(state)]);
  }

  /** Size of the database file. */
  get bytes(): number {
    const [row] = this.query('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size', []);
    return Number(row.bytes);
  }

  get questionCount(): number {
    return Number(this.query('SELECT count(*) AS count FROM questions', [])[0].count);
  }

  /** Appends questions to the existing ones. */
  addQuestions(questions: readonly SourceQuestion[]): void {
    const first = this.questionCount;
    const insertion = this.database.prepare('INSERT INTO questions(number, json) VALUES (?, ?)');
    this.database.exec('BEGIN');
    try {
      for (const [k, question] of questions.entries()) insertion.run([first + k, JSON.stringify(question)]);
      this.database.exec('COMMIT');
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    } finally {
      insertion.finalize();
    }
  }

  question(number: number): SourceQuestion | null {
    const [row] = this.query('SELECT json FROM questions WHERE number = ?', [number]);
    return row ? JSON.parse(String(row.json)) : null;
  }

  retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    return this.index.retrieve(queries, k, signal);
  }

  close(): Promise<void> {
    return this.index.close();
  }

  private query(sql: string, values: (string | number)[]) {
    const statement = this.database.prepare(sql);
    try {
      return statement.all(values);
    } finally {
      statement.finalize();
    }
  }

  private run(sql: string, values: (string | number)[]): void {
    const statement = this.database.prepare(sql);
    try {
      statement.run(values);
    } finally {
      statement.finalize();
    }
  }
}
