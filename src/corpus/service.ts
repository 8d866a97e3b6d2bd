/**
 * All operations on kept corpora, as calls that another worker or tab can make. The owner of the index executes them
 * (owner.ts); on Node, this process does.
 */

import type { Corpus } from './corpus.ts';
import { type IngestProgress, type IngestResult, ingest } from './ingest.ts';
import { type ByteSource, CorpusError } from './lines.ts';
import type { SourceQuestion } from './question.ts';
import type { Document } from './retrieval/retriever.ts';
import { isShadowFile } from './shadow-files.ts';
import type { CorpusStore, KeptCorpus } from './store.ts';

/** A file to ingest: a page's `File`, or a source that the store of this place made from a path. */
export type CorpusFile = { file: Blob; path: string } | ByteSource;

export interface CorpusCalls {
  list(): Promise<KeptCorpus[]>;
  remove(name: string): Promise<void>;
  questionCount(name: string): Promise<number>;
  question(name: string, number: number): Promise<SourceQuestion>;
  addQuestions(name: string, questions: readonly SourceQuestion[]): Promise<void>;
  retrieve(name: string, queries: readonly string[], k: number): Promise<Document[][]>;
  /** Ingests the files, or resumes a stopped ingestion. `report` is called after each batch. */
  ingest(
    name: string,
    files: readonly CorpusFile[],
    report?: (progress: IngestProgress) => void,
    signal?: AbortSignal,
  ): Promise<IngestResult>;
}

/** Calls of the page's worker for corpora (src/workers/corpus-worker.ts). */
export interface CorpusWorkerApi {
  list(): Promise<KeptCorpus[]>;
  remove(name: string): Promise<void>;
  /** Resolves to null if it was cancelled. */
  ingest(
    name: string,
    files: readonly CorpusFile[],
    report: (progress: IngestProgress) => void,
  ): Promise<IngestResult | null>;
  cancel(): void;
  /** Adds the questions of a file in any of the known formats, given as a text or as its bytes. */
  addQuestions(
    name: string,
    source: string | Uint8Array,
  ): Promise<{ added: number; refused: number; examples: string[] }>;
}

const sourceOf = (file: CorpusFile): ByteSource => {
  if ('stream' in file) return file;
  const { file: blob, path } = file;
  return { name: path, size: blob.size, stream: (start) => blob.slice(start).stream() };
};

/** Implements the calls on a store owned by this worker. */
export class CorpusService implements CorpusCalls {
  constructor(private readonly store: CorpusStore) {}

  list(): Promise<KeptCorpus[]> {
    return this.store.list();
  }

  /** Result of a read. Its error names the corpus: a damaged database may fail at any page. */
  private async within<T>(name: string, read: (corpus: Corpus) => T | Promise<T>): Promise<T> {
    const corpus = await this.store.open(name);
    try {
      return await read(corpus);
    } catch (error) {
      if (error instanceof CorpusError) throw error;
      throw new CorpusError(`The corpus "${name}" cannot be read: ${(error as Error).message}.`);
    }
  }

  remove(name: string): Promise<void> {
    return this.store.remove(name);
  }

  async questionCount(name: string): Promise<number> {
    return this.within(name, (corpus) => corpus.questionCount);
  }

  async question(name: string, number: number): Promise<SourceQuestion> {
    const question = await this.within(name, (corpus) => corpus.question(number));
    if (!question) throw new CorpusError(`The corpus "${name}" has no question ${number}.`);
    return question;
  }

  async addQuestions(name: string, questions: readonly SourceQuestion[]): Promise<void> {
    (await this.store.open(name)).addQuestions(questions);
  }

  async retrieve(name: string, queries: readonly string[], k: number): Promise<Document[][]> {
    return this.within(name, (corpus) => corpus.retrieve(queries, k));
  }

  async ingest(
    name: string,
    files: readonly CorpusFile[],
    report?: (progress: IngestProgress) => void,
    signal?: AbortSignal,
  ): Promise<IngestResult> {
    const corpus = await this.store.open(name, true);
    return ingest(corpus, {
      name,
      files: files.map(sourceOf).filter((file) => !isShadowFile(file.name)),
      report,
      signal,
    });
  }
}
