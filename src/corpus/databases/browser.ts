/** Kept databases in the browser (IndexedDB): a record each, and a record of facts for lists. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { CorpusError } from '../lines.ts';
import { type DatabaseStore, type DatabaseWithQuestions, type KeptDatabase, noDatabase } from './store.ts';

interface Kept extends DBSchema {
  facts: { key: string; value: KeptDatabase };
  databases: { key: string; value: DatabaseWithQuestions };
}

const name = 'tabgym-databases';

export class BrowserDatabases implements DatabaseStore {
  private constructor(private readonly kept: IDBPDatabase<Kept>) {}

  static async open(): Promise<BrowserDatabases> {
    const kept = await openDB<Kept>(name, 1, {
      upgrade(database) {
        database.createObjectStore('facts', { keyPath: 'name' });
        database.createObjectStore('databases');
      },
    }).catch((error: Error) => {
      throw new CorpusError(`Databases cannot be kept here: ${error.message}. Leave private browsing.`);
    });
    return new BrowserDatabases(kept);
  }

  async list(): Promise<KeptDatabase[]> {
    return this.kept.getAll('facts');
  }

  async read(key: string): Promise<DatabaseWithQuestions> {
    const found = await this.kept.get('databases', key);
    if (!found) throw new CorpusError(noDatabase(key));
    return found;
  }

  async keep(key: string, database: DatabaseWithQuestions): Promise<void> {
    const change = this.kept.transaction(['facts', 'databases'], 'readwrite');
    const { bytes, questions } = database;
    await Promise.all([
      change.objectStore('facts').put({ name: key, bytes: bytes.length, questions: questions.length }),
      change.objectStore('databases').put(database, key),
      change.done,
    ]);
  }

  async remove(key: string): Promise<void> {
    const change = this.kept.transaction(['facts', 'databases'], 'readwrite');
    await Promise.all([
      change.objectStore('facts').delete(key),
      change.objectStore('databases').delete(key),
      change.done,
    ]);
  }
}
