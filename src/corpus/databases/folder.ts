/** Kept databases in a folder, on Node: `NAME.sqlite` beside `NAME.questions.json`, in `databases` of the corpora. */

import { KeptFolder } from '../kept-folder.ts';
import { CorpusError } from '../lines.ts';
import { defaultFolder } from '../store-folder.ts';
import { type DatabaseStore, type DatabaseWithQuestions, type KeptDatabase, noDatabase } from './store.ts';

const questionsEnding = '.questions.json';

/** Bytes of a database. Throws CorpusError if its write-ahead log has changes that the file lacks. */
export async function readDatabase(file: string): Promise<Uint8Array> {
  const { readFile, stat } = await import('node:fs/promises');
  const log = await stat(`${file}-wal`).catch(() => null);
  if (log?.size)
    throw new CorpusError(
      `${file}-wal has changes that are not in the database's file yet: run sqlite3 "${file}" "PRAGMA wal_checkpoint(TRUNCATE)" first.`,
    );
  return new Uint8Array(await readFile(file));
}

export class FolderDatabases implements DatabaseStore {
  private readonly kept: KeptFolder;

  constructor(folder = `${defaultFolder()}/databases`) {
    this.kept = new KeptFolder('A database on disk', '.sqlite', folder);
  }

  async list(): Promise<KeptDatabase[]> {
    const { stat } = await import('node:fs/promises');
    const names = await this.kept.names();
    return Promise.all(
      names.map(async (name) => {
        const { size } = await stat(this.kept.path(name));
        return { name, bytes: size, questions: (await this.read(name)).questions.length };
      }),
    );
  }

  async read(name: string): Promise<DatabaseWithQuestions> {
    const { readFile } = await import('node:fs/promises');
    return this.kept.read(noDatabase(name), async () => ({
      // SQLite's library takes no Buffer.
      bytes: new Uint8Array(await readFile(this.kept.path(name))),
      questions: JSON.parse(await readFile(this.kept.path(name, questionsEnding), 'utf8')),
    }));
  }

  async keep(name: string, { bytes, questions }: DatabaseWithQuestions): Promise<void> {
    await this.kept.write(this.kept.path(name, questionsEnding), JSON.stringify(questions));
    await this.kept.write(this.kept.path(name), bytes);
  }

  async remove(name: string): Promise<void> {
    await this.kept.remove(this.kept.path(name));
    await this.kept.remove(this.kept.path(name, questionsEnding));
  }
}
