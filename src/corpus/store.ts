/**
 * Storage of corpora: in the page's own file system (store-pool.ts), or in a folder on Node (store-folder.ts). Each
 * corpus is one database and has a name chosen by a person.
 */

import { fnv1a } from '../envs/hash.ts';
import { Corpus } from './corpus.ts';
import { CorpusError } from './lines.ts';
import type { Sqlite } from './retrieval/sqlite.ts';

/** Facts about a kept corpus, for lists. */
export interface KeptCorpus {
  name: string;
  documents: number;
  questions: number;
  bytes: number;
  /** False if ingestion was stopped and can be resumed. */
  complete: boolean;
  createdAt: number;
  /** Why it cannot be opened; absent: it can. The numbers above are then 0. */
  fault?: string;
}

/** Access to databases by file name. */
export interface CorpusDisk {
  files(): Promise<string[]>;
  open(file: string): Promise<Sqlite>;
  remove(file: string): Promise<void>;
}

const ending = '.sqlite';

/**
 * File name of a corpus: its own name if that is safe as a file name, else a safe form of it with a hash (FNV-1a), so
 * that two names never share a file.
 */
export function fileOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60);
  const hash = fnv1a(new TextEncoder().encode(name));
  return `${plain === name ? name : `${plain}-${hash.toString(16)}`}${ending}`;
}

/** Corpus in a database, which is closed if it cannot be read. */
function corpusIn(database: Sqlite): Corpus {
  try {
    return new Corpus(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Facts of a corpus; null: nothing was added to it. Throws if they cannot be read. */
function factsOf(corpus: Corpus): KeptCorpus | null {
  const { state, questionCount: questions, bytes } = corpus;
  if (state === null) return null;
  const { name, documents, complete, createdAt } = Object(state);
  if (typeof name !== 'string' || ![documents, createdAt].every(Number.isFinite))
    throw new Error('its description is damaged');
  return { name, documents, questions, bytes, complete: complete === true, createdAt };
}

const unopened = (file: string, { message: fault }: Error): KeptCorpus => ({
  name: file.slice(0, -ending.length),
  documents: 0,
  questions: 0,
  bytes: 0,
  complete: false,
  createdAt: 0,
  fault,
});

/** Lists, opens and deletes corpora. A corpus is opened only once; all callers share it. */
export class CorpusStore {
  private readonly opened = new Map<string, Promise<Corpus>>();

  constructor(private readonly disk: CorpusDisk) {}

  async list(): Promise<KeptCorpus[]> {
    const kept: KeptCorpus[] = [];
    for (const file of await this.disk.files()) {
      const wasOpen = this.opened.has(file);
      try {
        const facts = factsOf(await this.openFile(file));
        if (facts) kept.push(facts);
      } catch (error) {
        if (error instanceof CorpusError) throw error;
        kept.push(unopened(file, error as Error));
      }
      if (!wasOpen) await this.release(file);
    }
    return kept.sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Opens the corpus of this name. `create`: creates it if it does not exist. */
  async open(name: string, create = false): Promise<Corpus> {
    if (!name.trim()) throw new CorpusError('A corpus needs a name.');
    const file = fileOf(name);
    if (!create && !this.opened.has(file) && !(await this.disk.files()).includes(file))
      throw new CorpusError(`There is no corpus named "${name}" here. Drop its files on the page, or choose another.`);
    try {
      return await this.openFile(file);
    } catch (error) {
      if (error instanceof CorpusError) throw error;
      throw new CorpusError(
        `The corpus "${name}" cannot be opened: ${(error as Error).message}. Delete it and add its files again.`,
      );
    }
  }

  /** Deletes a corpus by its name, or by the name of its file. */
  async remove(name: string): Promise<void> {
    const files = await this.disk.files();
    const file = files.find((each) => each === `${name}${ending}`) ?? fileOf(name);
    await this.release(file);
    await this.disk.remove(file);
  }

  /** Closes one corpus, or all. */
  async release(file?: string): Promise<void> {
    for (const each of file === undefined ? [...this.opened.keys()] : [file]) {
      const corpus = this.opened.get(each);
      this.opened.delete(each);
      await (await corpus)?.close();
    }
  }

  private openFile(file: string): Promise<Corpus> {
    const known = this.opened.get(file) ?? this.disk.open(file).then(corpusIn);
    this.opened.set(file, known);
    known.catch(() => this.opened.delete(file));
    return known;
  }
}
