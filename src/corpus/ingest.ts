/**
 * Ingestion of a corpus: files of JSON lines or lists (plain or gzipped) or a folder of texts become documents, batch by
 * batch. It can be cancelled between batches and resumed later from the same files. A line that is not a document is
 * counted as refused and skipped.
 */

import type { Corpus, CorpusState } from './corpus.ts';
import { type ByteSource, briefName, CorpusError, notUtf8, readLines, readWhole, textIn, textOf } from './lines.ts';
import { fieldsOf, parseRecord, RecordError, Refusals, readDocument } from './records.ts';
import type { NewDocument } from './retrieval/text-index.ts';

export interface IngestProgress {
  /** Stored bytes: those read, and the total of all files. */
  bytesRead: number;
  bytes: number;
  documents: number;
  refused: number;
}

export interface IngestOptions {
  name: string;
  files: readonly ByteSource[];
  signal?: AbortSignal;
  report?: (progress: IngestProgress) => void;
}

export interface IngestResult {
  documents: number;
  refused: number;
  /** First few lines that this call refused, with the reasons. */
  examples: string[];
}

/** Characters in a batch. A batch is committed as a whole, so a cancel loses at most this much. */
const batchLength = 1_000_000;

/**
 * Interval of progress reports. More frequent ones are not visible, and a page that renders after each batch leaves
 * megabytes of garbage.
 */
const reportEveryMs = 250;

/**
 * Yields to the event loop. All chunks of a file may be available at once; without a yield the worker would receive
 * neither a cancel nor a search until the end.
 */
const letMessagesIn = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

const isTable = ({ name }: ByteSource) => /\.(tsv|csv)(\.gz)?$/i.test(name);
const isJson = ({ name }: ByteSource) => /\.json(\.gz)?$/i.test(name);
const isLines = ({ name }: ByteSource) => /\.(jsonl|ndjson|json)(\.gz)?$/i.test(name);

/** Title of a text without one: the file name without folders and extension. */
const titleOf = ({ name }: ByteSource) => name.replace(/^.*\//, '').replace(/(\.\w{1,5})?(\.gz)?$/i, '');

const mostNamed = 5;

function namesOf(files: CorpusState['files']): string {
  const names = files.slice(0, mostNamed).map(({ name }) => briefName(name));
  return `${names.join(', ')}${files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ''}`;
}

function stateFor(corpus: Corpus, { name, files }: IngestOptions): CorpusState {
  const facts = files.map((file) => ({ name: file.name, size: file.size }));
  const known = corpus.state;
  if (!known) {
    const state = {
      name,
      createdAt: Date.now(),
      files: facts,
      file: 0,
      offset: 0,
      documents: 0,
      refused: 0,
      complete: false,
    };
    corpus.begin(state);
    return state;
  }
  if (JSON.stringify(known.files) !== JSON.stringify(facts))
    throw new CorpusError(
      `"${name}" was started from other files (${namesOf(known.files)}). Choose those, or delete the corpus and start again.`,
    );
  return known;
}

/**
 * Ingests files into a corpus, or resumes where it stopped. Rejects with the signal's reason if it is cancelled;
 * committed batches are kept.
 */
export async function ingest(corpus: Corpus, options: IngestOptions): Promise<IngestResult> {
  return new Ingestion(corpus, options).run();
}

class Ingestion {
  private readonly refused = new Refusals();
  private state: CorpusState;
  private batch: NewDocument[] = [];
  private length = 0;
  private reportedAt = -Infinity;
  private readonly bytes: number;

  constructor(
    private readonly corpus: Corpus,
    private readonly options: IngestOptions,
  ) {
    if (options.files.length === 0) throw new CorpusError('No files were given. Choose at least one file.');
    this.bytes = options.files.reduce((sum, { size }) => sum + size, 0);
    this.state = stateFor(corpus, options);
  }

  async run(): Promise<IngestResult> {
    const { files, signal } = this.options;
    signal?.throwIfAborted();
    while (this.state.file < files.length) {
      const file = files[this.state.file];
      if (isJson(file) && (await beginsList(file, signal))) await this.takeList(file);
      else if (isLines(file)) await this.takeLines(file);
      else await this.takeText(file);
      // Small files share a batch, so between commits only the state in memory advances.
      this.state = { ...this.state, file: this.state.file + 1, offset: 0 };
      if (this.length >= batchLength || this.state.file === files.length) await this.commit(0);
    }
    this.state = { ...this.state, complete: true };
    await this.commit(0);
    const { documents, refused } = this.state;
    return { documents, refused, examples: this.refused.examples };
  }

  private async takeLines(file: ByteSource): Promise<void> {
    for await (const { text, end, read, fault } of readLines(file, this.state.offset, this.options.signal)) {
      if (text.trim() || fault) this.take(file.name, () => readLine(text, fault, this.nextId()));
      this.state = { ...this.state, offset: end };
      if (this.length >= batchLength) await this.commit(read);
    }
  }

  /** A list of documents is committed as a whole. */
  private async takeList(file: ByteSource): Promise<void> {
    for (const each of listIn(await readWhole(file, this.options.signal), file.name))
      this.take(file.name, () => readDocument(fieldsOf(each), this.nextId()));
  }

  private async takeText(file: ByteSource): Promise<void> {
    const bytes = await readWhole(file, this.options.signal);
    this.take(file.name, () => {
      const text = textOf(bytes);
      if (text === null && !bytes.includes(0)) throw new RecordError(notUtf8);
      if (text === null || text.includes('\0')) throw new RecordError('it is not a text file');
      if (isTable(file))
        throw new RecordError('it is a table: write each row as a line of JSON with "id", "title" and "text"');
      return { id: file.name, title: titleOf(file), text };
    });
  }

  private nextId(): string {
    return String(this.state.documents + this.state.refused);
  }

  private take(where: string, read: () => NewDocument): void {
    try {
      const document = read();
      this.batch.push(document);
      this.length += document.title.length + document.text.length + 100;
      this.state = { ...this.state, documents: this.state.documents + 1 };
    } catch (error) {
      this.refused.add(`${where}, record ${this.state.documents + this.state.refused + 1}`, error);
      this.state = { ...this.state, refused: this.state.refused + 1 };
    }
  }

  /** `read`: stored bytes read of the current file. */
  private async commit(read: number): Promise<void> {
    this.options.signal?.throwIfAborted();
    this.corpus.commit(this.batch, this.state);
    this.batch = [];
    this.length = 0;
    this.report(read);
    await letMessagesIn();
  }

  private report(read: number): void {
    const now = performance.now();
    const { file, documents, refused, complete } = this.state;
    if (now - this.reportedAt < reportEveryMs && !complete) return;
    this.reportedAt = now;
    const before = this.options.files.slice(0, file).reduce((sum, { size }) => sum + size, 0);
    this.options.report?.({ bytesRead: before + read, bytes: this.bytes, documents, refused });
  }
}

/** True if the first character of a file, of at most `longestLine` bytes, begins a list. */
async function beginsList(file: ByteSource, signal?: AbortSignal): Promise<boolean> {
  for await (const { text } of readLines(file, 0, signal)) if (text.trim()) return text.trimStart().startsWith('[');
  return false;
}

function listIn(bytes: Uint8Array, name: string): unknown[] {
  try {
    const value: unknown = JSON.parse(textIn(bytes, name));
    if (Array.isArray(value)) return value;
  } catch (error) {
    if (error instanceof CorpusError) throw error;
    throw new CorpusError(`${briefName(name)} is not JSON: ${(error as Error).message}.`);
  }
  throw new CorpusError(`${briefName(name)} is not a list.`);
}

function readLine(text: string, fault: string | undefined, id: string): NewDocument {
  if (fault) throw new RecordError(fault);
  return readDocument(parseRecord(text), id);
}
