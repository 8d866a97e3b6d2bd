/** Files that a person added, by name, in the browser (IndexedDB): a record each, and a record of facts for lists. */
import { type IDBPDatabase, openDB } from 'idb';
import { CorpusError } from './lines.ts';

interface Kind<Facts, Value> {
  /** Name of the IndexedDB database. */
  database: string;
  /** Name of the object store of the values. */
  store: string;
  /** The things kept, in a sentence ("Shops"). */
  what: string;
  /** Message of the CorpusError for a name that is not kept. */
  absent(name: string): string;
  facts(name: string, value: Value): Facts;
}

const factsStore = 'facts';

export class KeptInBrowser<Facts extends { name: string }, Value> {
  private constructor(
    private readonly kept: IDBPDatabase,
    private readonly kind: Kind<Facts, Value>,
  ) {}

  static async open<Facts extends { name: string }, Value>(
    kind: Kind<Facts, Value>,
  ): Promise<KeptInBrowser<Facts, Value>> {
    const kept = await openDB(kind.database, 1, {
      upgrade(database) {
        database.createObjectStore(factsStore, { keyPath: 'name' });
        database.createObjectStore(kind.store);
      },
    }).catch((error: Error) => {
      throw new CorpusError(`${kind.what} cannot be kept here: ${error.message}. Leave private browsing.`);
    });
    return new KeptInBrowser(kept, kind);
  }

  async list(): Promise<Facts[]> {
    return this.kept.getAll(factsStore);
  }

  async read(name: string): Promise<Value> {
    const found: Value | undefined = await this.kept.get(this.kind.store, name);
    if (found === undefined) throw new CorpusError(this.kind.absent(name));
    return found;
  }

  async keep(name: string, value: Value): Promise<void> {
    const change = this.kept.transaction([factsStore, this.kind.store], 'readwrite');
    await Promise.all([
      change.objectStore(factsStore).put(this.kind.facts(name, value)),
      change.objectStore(this.kind.store).put(value, name),
      change.done,
    ]);
  }

  async remove(name: string): Promise<void> {
    const change = this.kept.transaction([factsStore, this.kind.store], 'readwrite');
    await Promise.all([
      change.objectStore(factsStore).delete(name),
      change.objectStore(this.kind.store).delete(name),
      change.done,
    ]);
  }
}
