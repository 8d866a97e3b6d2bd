/** The databases that are open, least recently used first. One that is needed again is built again. */

import type { ReadOnlyDatabase } from '../../corpus/databases/read-only.ts';
import type { CatalogueTable } from './catalogue.ts';
import type { Schema } from './data/schema.ts';

interface Open<S extends Schema | null> {
  database: ReadOnlyDatabase;
  schema: S;
  tables: CatalogueTable[];
}

/** Limits of the databases that stay open. */
const mostOpen = 128;
const mostBytes = 64_000_000;

export class OpenDatabases {
  private readonly open = new Map<string, Open<Schema | null>>();
  private bytes = 0;

  /** The database of a key, built if it is not open. Others may be closed for it. */
  get<S extends Schema | null>(key: string, build: () => Open<S>): Open<S> {
    const known = this.open.get(key) as Open<S> | undefined;
    const found = known ?? build();
    if (!known) this.bytes += found.database.bytes;
    this.open.delete(key);
    this.open.set(key, found);
    for (const [other, { database }] of this.open) {
      if (other === key || (this.open.size <= mostOpen && this.bytes <= mostBytes)) break;
      this.open.delete(other);
      this.bytes -= database.bytes;
      database.close();
    }
    return found;
  }

  close(): void {
    for (const { database } of this.open.values()) database.close();
    this.open.clear();
    this.bytes = 0;
  }
}
