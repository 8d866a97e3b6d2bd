/**
 * Worker that imports, lists and deletes kept corpora for the page. Only one worker can own the index at a time: this
 * one, a world's worker or one of another tab.
 */
import * as Comlink from 'comlink';
import type { IngestProgress, IngestResult } from '../corpus/ingest.ts';
import { textIn } from '../corpus/lines.ts';
import { openCorpora } from '../corpus/open.ts';
import { readQuestions } from '../corpus/records.ts';
import type { CorpusFile, CorpusWorkerApi } from '../corpus/service.ts';
import type { KeptCorpus } from '../corpus/store.ts';

let cancel = new AbortController();

const api: CorpusWorkerApi = {
  async list(): Promise<KeptCorpus[]> {
    return (await openCorpora()).list();
  },
  async remove(name: string): Promise<void> {
    return (await openCorpora()).remove(name);
  },
  /** Resolves to null if it was cancelled. */
  async ingest(
    name: string,
    files: readonly CorpusFile[],
    report: (progress: IngestProgress) => void,
  ): Promise<IngestResult | null> {
    cancel = new AbortController();
    try {
      return await (await openCorpora()).ingest(name, files, report, cancel.signal);
    } catch (error) {
      if (cancel.signal.aborted) return null;
      throw error;
    }
  },
  cancel(): void {
    cancel.abort();
  },
  async addQuestions(
    name: string,
    source: string | Uint8Array,
  ): Promise<{ added: number; refused: number; examples: string[] }> {
    const { questions, refused } = readQuestions(
      typeof source === 'string' ? source : textIn(source, 'The file of questions'),
    );
    if (questions.length) await (await openCorpora()).addQuestions(name, questions);
    return { added: questions.length, refused: refused.count, examples: refused.examples };
  },
};

Comlink.expose(api);
