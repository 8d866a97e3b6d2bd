/**
 * `npm run proxy -- index FILE...`: builds an index on disk from JSON lines (plain or gzipped) or a folder of texts,
 * for corpora of up to some millions of passages. It prints its progress. Ctrl-C stops it, and the same command resumes
 * it.
 */
import { type IngestProgress, ingest } from '../../src/corpus/ingest.ts';
import { CorpusStore } from '../../src/corpus/store.ts';
import { FolderDisk, openSources } from '../../src/corpus/store-folder.ts';

export interface IndexRequest {
  name: string;
  folder: string;
  files: readonly string[];
  signal: AbortSignal;
  print(line: string): void;
}

export interface IndexResult {
  documents: number;
  refused: number;
  seconds: number;
  bytes: number;
  /** False if it was stopped; it can be resumed. */
  complete: boolean;
}

const printEveryMs = 1000;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function timeText(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'a while';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Prints progress at most once a second: the share done, the documents, and the time left. */
function progressPrinter(print: IndexRequest['print']): (progress: IngestProgress) => void {
  const began = performance.now();
  let first: IngestProgress | null = null;
  let printedAt = 0;
  return (progress) => {
    first ??= progress;
    const now = performance.now();
    if (now - printedAt < printEveryMs) return;
    printedAt = now;
    const { bytesRead, bytes, documents, refused } = progress;
    const perMs = (bytesRead - first.bytesRead) / (now - began);
    const left = timeText((bytes - bytesRead) / perMs / 1000);
    const refusals = refused ? `, ${refused} refused` : '';
    print(`${((100 * bytesRead) / Math.max(1, bytes)).toFixed(1)}%: ${documents} documents${refusals}, ${left} left`);
  };
}

export async function buildIndex({ name, folder, files, signal, print }: IndexRequest): Promise<IndexResult> {
  const store = new CorpusStore(new FolderDisk(folder));
  const began = performance.now();
  const result = (documents: number, refused: number, bytes: number, complete: boolean): IndexResult => ({
    documents,
    refused,
    seconds: (performance.now() - began) / 1000,
    bytes,
    complete,
  });
  try {
    const corpus = await store.open(name, true);
    try {
      const sources = await openSources(files);
      const done = await ingest(corpus, { name, files: sources, signal, report: progressPrinter(print) });
      for (const example of done.examples) print(`refused: ${example}`);
      return result(done.documents, done.refused, corpus.bytes, true);
    } catch (error) {
      if (!signal.aborted) throw error;
      return result(corpus.state?.documents ?? 0, corpus.state?.refused ?? 0, corpus.bytes, false);
    }
  } finally {
    await store.release();
  }
}

/** Summary printed at the end. */
export function indexSummary({ documents, refused, seconds, bytes, complete }: IndexResult, name: string): string {
  const size = `${documents} documents (${refused} refused), ${megabytes(bytes)}, ${seconds.toFixed(1)} s`;
  if (!complete) return `Stopped at ${size}. The same command resumes it.`;
  return `"${name}": ${size}. For the configuration: "retrieval": {"source": {"kind": "corpus", "name": "${name}"}}`;
}
