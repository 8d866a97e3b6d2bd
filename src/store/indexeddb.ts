/**
 * The store in a page: three object stores, one transaction per change. A blob larger than PART_BYTES is split into
 * parts, all written in the same transaction, because a record of 400 MB can be written but one of 800 MB fails.
 */
import { type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import { joined } from './joined.ts';
import {
  type Backend,
  type BlobChoice,
  type Change,
  keyed,
  type RunManifest,
  type Snapshot,
  type Space,
  type StoredRecord,
} from './run.ts';

export const PART_BYTES = 60 * 2 ** 20;
/** Tries on new connections, and the time between them: a browser that deletes closes several in turn. */
const TRIES = 20;
const AGAIN_MS = 50;
const STORES = ['manifests', 'records', 'blobs'] as const;
type Write = IDBPTransaction<unknown, (typeof STORES)[number][], 'readwrite'>;

/** Range of all keys that begin with `parts`. An array sorts after every string and number, so [] is the upper end. */
const under = (...parts: string[]) => IDBKeyRange.bound(parts, [...parts, []]);

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  // slice instead of subarray, because cloning a view clones its whole buffer.
  for (let at = 0; at === 0 || at < bytes.length; at += PART_BYTES) yield bytes.slice(at, at + PART_BYTES);
}

/** A blob from its parts; null: it has none. */
const wholeOf = (parts: Uint8Array[]) => (parts.length ? joined(parts) : null);

/** The database is there, and lacks a part that every version of it has. */
class DamagedStorageError extends Error {
  override name = 'DamagedStorageError';
}

export class IndexedDbStore implements Backend {
  private opening: Promise<IDBPDatabase> | null = null;

  constructor(private readonly name = 'tabgym') {}

  private open(): Promise<IDBPDatabase> {
    this.opening ??= openDB(this.name, 1, {
      upgrade(db) {
        for (const store of STORES) db.createObjectStore(store);
      },
      blocking: () => void this.close(),
      terminated: () => {
        this.opening = null;
      },
    })
      .then(whole)
      .catch((error) => {
        this.opening = null;
        throw error;
      });
    return this.opening;
  }

  /** Opens the database; rejects if the browser denies storage. */
  async probe(): Promise<void> {
    await this.open();
  }

  async manifests(): Promise<RunManifest[]> {
    const [keys, manifests] = await this.onDatabase((db) => {
      const { store } = db.transaction('manifests');
      return Promise.all([store.getAllKeys(), store.getAll()]);
    });
    return manifests.map((each, k) => keyed(each, String(keys[k])));
  }

  async manifest(id: string): Promise<RunManifest | null> {
    return keyed((await this.onDatabase((db) => db.get('manifests', id))) ?? null, id);
  }

  async read(id: string, name: string): Promise<Uint8Array | null> {
    return wholeOf(await this.onDatabase((db) => db.getAll('blobs', under(id, name))));
  }

  async records(id: string): Promise<StoredRecord[]> {
    return this.onDatabase((db) => db.getAll('records', under(id)));
  }

  snapshot(id: string, choose: BlobChoice): Promise<Snapshot | null> {
    return this.onDatabase((db) => this.whole(db, id, choose));
  }

  private async whole(db: IDBPDatabase, id: string, choose: BlobChoice): Promise<Snapshot | null> {
    const tx = db.transaction(STORES);
    const [manifests, records, blobs] = STORES.map((store) => tx.objectStore(store));
    const manifest = keyed<RunManifest | null>((await manifests.get(id)) ?? null, id);
    if (!manifest) return null;
    const names = choose(manifest);
    const [found, ...parts] = await Promise.all([
      records.getAll(under(id)),
      ...names.map((name) => blobs.getAll(under(id, name))),
    ]);
    return { manifest, records: found, blobs: new Map(names.map((name, i) => [name, wholeOf(parts[i])])) };
  }

  change(id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    return this.onDatabase((db) => this.changed(db, id, make));
  }

  /** Work whose connection the browser closes has written nothing, and is done again on a new connection. */
  private async onDatabase<T>(work: (db: IDBPDatabase) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let opening: Promise<IDBPDatabase> | null = null;
      try {
        opening = this.open();
        return await work(await opening);
      } catch (error) {
        if (tries === TRIES || !isClosed(error)) throw error;
        if (this.opening === opening) this.opening = null;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  private async changed(db: IDBPDatabase, id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    // strict: a reported commit survives a power failure, not only a killed tab.
    const tx = db.transaction(STORES, 'readwrite', { durability: 'strict' }) as Write;
    const finished = tx.done;
    finished.catch(() => {});
    try {
      const change = make(keyed((await tx.objectStore('manifests').get(id)) ?? null, id));
      const writes: Promise<unknown>[] = [];
      for (const write of this.writes(tx, id, change)) {
        // If one write fails immediately, the rejections of the others must not be reported as unhandled.
        write.catch(() => {});
        writes.push(write);
      }
      await Promise.all(writes);
    } catch (error) {
      abort(tx);
      await finished.catch(() => {});
      throw tx.error ?? error;
    }
    await finished;
  }

  private *writes(tx: Write, id: string, change: Change): Generator<Promise<unknown>> {
    const [manifests, records, blobs] = STORES.map((store) => tx.objectStore(store));
    if (!change.manifest) {
      yield manifests.delete(id);
      yield records.delete(under(id));
      yield blobs.delete(under(id));
      return;
    }
    for (const name of change.remove ?? []) yield blobs.delete(under(id, name));
    for (const [name, { bytes }] of change.put ?? []) {
      yield blobs.delete(under(id, name));
      let part = 0;
      for (const piece of partsOf(bytes)) yield blobs.put(piece, [id, name, part++]);
    }
    let written = 0;
    for (const record of change.records ?? [])
      yield records.put(record, [id, record.step]).then(() => change.onWritten?.(++written));
    yield manifests.put(change.manifest, id);
  }

  async space(): Promise<Space> {
    const estimate = await navigator.storage?.estimate?.();
    return { usage: estimate?.usage ?? 0, quota: estimate?.quota ?? 0 };
  }

  async close(): Promise<void> {
    const opening = this.opening;
    this.opening = null;
    (await opening?.catch(() => null))?.close();
  }
}

/** The database, which is closed if it lacks one of its object stores. */
function whole(db: IDBPDatabase): IDBPDatabase {
  const missing = STORES.find((store) => !db.objectStoreNames.contains(store));
  if (missing === undefined) return db;
  db.close();
  throw new DamagedStorageError(`the database ${db.name} lacks its part "${missing}"`);
}

/** True if the browser closed the connection, as it does when it deletes what a page has stored. */
const isClosed = (error: unknown) =>
  error instanceof DOMException &&
  (error.name === 'AbortError' ||
    error.name === 'InvalidStateError' ||
    // Chromium's "Connection is closing because of: Force close delete origin".
    (error.name === 'UnknownError' && error.message.startsWith('Connection is closing')));

function abort(tx: Write): void {
  try {
    tx.abort();
  } catch {
    // The transaction has already aborted by itself, for example because the disk is full.
  }
}
