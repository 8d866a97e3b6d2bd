/**
 * Full-text index of documents: one FTS5 table, ranked by BM25 (k1 1.2, b 0.75, sqlite.org/fts5.html#the_bm25_function)
 * with a higher weight for titles. Ties are broken by the order in which documents were added. In a large index, terms
 * found in more than half of the documents are dropped from a query that has other terms: BM25 gives them almost no
 * weight (1e-6 times a frequency), while finding and ranking half of the documents takes almost all of a search's time.
 */
import { matchAny, queryTerms } from './query.ts';
import type { Document, Retriever } from './retriever.ts';
import { openInMemory, type Sqlite, type Statement } from './sqlite.ts';

/** Weight of a term in the title, relative to the text. */
export const titleWeight = 4;

const schema = (tokenizer: string) => `CREATE VIRTUAL TABLE IF NOT EXISTS documents USING fts5(
  title, body, id UNINDEXED, tokenize = '${tokenizer}unicode61 remove_diacritics 2');`;

/** Form of a new index. `stems`: words are compared by their stems (Porter's, for English). */
interface IndexForm {
  stems?: boolean;
}

const search = `SELECT id, title, body, bm25(documents, ${titleWeight}.0, 1.0) AS score
  FROM documents WHERE documents MATCH ? ORDER BY score, rowid LIMIT ?`;

/**
 * From this number of documents on, frequent terms are dropped from queries. In a smaller index, looking up frequencies
 * takes longer than ranking.
 */
export const largeIndex = 1000;

/** Maximum number of terms whose frequency is cached. */
const maxCachedFrequencies = 50_000;

// View of the number of documents that contain a term (sqlite.org/fts5.html#the_fts5vocab_virtual_table_module). It
// stores nothing.
const vocabulary = 'CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, documents, row)';

export type NewDocument = Omit<Document, 'score'>;

export class TextIndex implements Retriever {
  private insertion: Statement | null = null;
  private selection: Statement | null = null;
  private frequency: Statement | null = null;
  /** Number of documents, or null if it must be counted again. */
  private count: number | null = null;
  private readonly frequencies = new Map<string, number>();

  /** Creates the table if it does not exist. */
  constructor(
    readonly database: Sqlite,
    { stems = false }: IndexForm = {},
  ) {
    database.exec(schema(stems ? 'porter ' : ''));
  }

  static async inMemory(documents: Iterable<NewDocument>, form: IndexForm = {}): Promise<TextIndex> {
    const database = await openInMemory();
    database.exec('PRAGMA journal_mode = OFF');
    const index = new TextIndex(database, form);
    index.add(documents);
    return index;
  }

  /** Adds all documents and runs `also` in one transaction; after an error nothing is written. */
  add(documents: Iterable<NewDocument>, also?: () => void): void {
    this.insertion ??= this.database.prepare('INSERT INTO documents(title, body, id) VALUES (?, ?, ?)');
    this.count = null;
    this.frequencies.clear();
    this.database.exec('BEGIN');
    try {
      for (const { title, text, id } of documents) this.insertion.run([title, text, id]);
      also?.();
      this.database.exec('COMMIT');
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  find(query: string, k: number): Document[] {
    const words = this.selectiveTerms(queryTerms(query));
    if (words.length === 0 || k < 1) return [];
    this.selection ??= this.database.prepare(search);
    return this.selection.all([matchAny(words), k]).map((row) => ({
      id: String(row.id),
      title: String(row.title),
      text: String(row.body),
      score: -Number(row.score),
    }));
  }

  /** Terms found in at most half of the documents, or all terms if there are none. */
  private selectiveTerms(words: string[]): string[] {
    const documents = this.countDocuments();
    if (words.length < 2 || documents < largeIndex) return words;
    const selective = words.filter((word) => this.documentsWith(word) * 2 <= documents);
    return selective.length ? selective : words;
  }

  private countDocuments(): number {
    if (this.count === null) {
      const counting = this.database.prepare('SELECT count(*) AS count FROM documents_docsize');
      this.count = Number(counting.all([])[0].count);
      counting.finalize();
    }
    return this.count;
  }

  private documentsWith(word: string): number {
    let known = this.frequencies.get(word);
    if (known === undefined) {
      if (!this.frequency) {
        this.database.exec(vocabulary);
        this.frequency = this.database.prepare('SELECT doc FROM temp.words WHERE term = ?');
      }
      known = Number(this.frequency.all([word])[0]?.doc ?? 0);
      if (this.frequencies.size >= maxCachedFrequencies) this.frequencies.clear();
      this.frequencies.set(word, known);
    }
    return known;
  }

  async retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    return queries.map((query) => {
      signal?.throwIfAborted();
      return this.find(query, k);
    });
  }

  async close(): Promise<void> {
    this.insertion?.finalize();
    this.selection?.finalize();
    this.frequency?.finalize();
    this.database.close();
  }
}
