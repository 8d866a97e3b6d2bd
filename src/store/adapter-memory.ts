/** Measurements of an adapter, stored in the browser beside the runs. Small, and can be lost without harm. */
import { openDB } from 'idb';

export interface AdapterMemory {
  /** Returns the stored choices, or null for an unknown adapter. */
  read(adapter: string): Promise<{ readonly [kernel: string]: unknown } | null>;
  write(adapter: string, choices: { readonly [kernel: string]: unknown }): Promise<void>;
}

const store = 'kernelChoices';

export class BrowserAdapterMemory implements AdapterMemory {
  /** `isLasting`: false where the browser denies storage; nothing is then read or written. */
  constructor(
    private readonly isLasting: () => Promise<boolean>,
    private readonly name = 'tabgym-adapters',
  ) {}

  private open() {
    return openDB(this.name, 1, { upgrade: (database) => void database.createObjectStore(store) });
  }

  async read(adapter: string) {
    if (!(await this.isLasting())) return null;
    const database = await this.open();
    const choices = await database.get(store, adapter);
    database.close();
    return choices ?? null;
  }

  async write(adapter: string, choices: { readonly [kernel: string]: unknown }) {
    if (!(await this.isLasting())) return;
    const database = await this.open();
    await database.put(store, { ...choices }, adapter);
    database.close();
  }
}
