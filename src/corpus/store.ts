/**
 * Where corpora are kept: in the page's own file system (store-pool.ts), or in a folder on Node (store-folder.ts). Each is one
 * database with a name that a person gave.
 */

import { Corpus } from './corpus.ts';
import { CorpusError } from './lines.ts';
import type { Sqlite } from './retrieval/sqlite.ts';

/** What a list shows of a kept corpus. */
export interface KeptCorpus {
  name: string;
  documents: number;
  questions: number;
  bytes: number;
  /** False: taking it in was stopped, and can go on. */
  complete: boolean;
  createdAt: number;
}

/** Databases by file name. */
export interface CorpusDisk {
  files(): Promise<string[]>;
  open(file: string): Promise<Sqlite>;
  remove(file: string): Promise<void>;
}

/** A file's name for a corpus: its own where that is plain, else with a hash (FNV-1a) that keeps two names apart. */
export function fileOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60);
  let hash = 0x811c9dc5;
  for (const unit of new TextEncoder().encode(name)) hash = Math.imul(hash ^ unit, 0x01000193);
  return `${plain === name ? name : `${plain}-${(hash >>> 0).toString(16)}`}.sqlite`;
}

/** Lists, opens and deletes corpora. One that is open is opened once and shared. */
export class CorpusStore {
  private readonly opened = new Map<string, Promise<Corpus>>();

  constructor(private readonly disk: CorpusDisk) {}

  async list(): Promise<KeptCorpus[]> {
    const kept: KeptCorpus[] = [];
    for (const file of await this.disk.files()) {
      const wasOpen = this.opened.has(file);
      const corpus = await this.openFile(file);
      const { state } = corpus;
      if (state) {
        const { name, documents, complete, createdAt } = state;
        const { questionCount: questions, bytes } = corpus;
        kept.push({ name, documents, questions, bytes, complete, createdAt });
      }
      if (!wasOpen) await this.release(file);
    }
    return kept.sort((a, b) => b.createdAt - a.createdAt);
  }

  /** The one of this name; `create`: made where there is none. */
  async open(name: string, create = false): Promise<Corpus> {
    if (!name.trim()) throw new CorpusError('A corpus needs a name.');
    const file = fileOf(name);
    if (!create && !this.opened.has(file) && !(await this.disk.files()).includes(file))
      throw new CorpusError(`No corpus named "${name}" is kept here. Drop its files on the page, or choose another.`);
    return this.openFile(file);
  }

  async remove(name: string): Promise<void> {
    const file = fileOf(name);
    await this.release(file);
    await this.disk.remove(file);
  }

  /** Closes one, or all. */
  async release(file?: string): Promise<void> {
    for (const each of file === undefined ? [...this.opened.keys()] : [file]) {
      const corpus = this.opened.get(each);
      this.opened.delete(each);
      await (await corpus)?.close();
    }
  }

  private openFile(file: string): Promise<Corpus> {
    const known = this.opened.get(file) ?? this.disk.open(file).then((database) => new Corpus(database));
    this.opened.set(file, known);
    known.catch(() => this.opened.delete(file));
    return known;
  }
}
