/**
 * Corpora in the page's own file system, through SQLite's `opfs-sahpool`
 * (sqlite.org/wasm/doc/trunk/persistence.md#vfs-opfs-sahpool). It needs no cross-origin isolation and is the fastest of
 * SQLite's file systems in browsers, but only one worker at a time can use it.
 */
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { CorpusError } from './lines.ts';
import { loadSqlite, openInPool, type Sqlite } from './retrieval/sqlite.ts';
import type { CorpusDisk } from './store.ts';

const directory = 'tabgym-corpora';

/** Files of one corpus: the database and its journal. */
const filesEach = 2;

const unavailable = ({ message }: Error) =>
  new CorpusError(
    `Corpora cannot be kept here: ${message}. Close other tabs that may have them open, or leave private browsing.`,
  );

export class PoolDisk implements CorpusDisk {
  /** Pending release and reacquisition of the pool's file handles; all other operations wait for it. */
  private handles: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly sqlite: Sqlite3Static,
    private readonly pool: SAHPoolUtil,
  ) {}

  /**
   * Opens the pool. Throws CorpusError if another worker has it or the browser has no such file system. `waitMs`: time
   * in which opening is retried, since a terminated worker's files are freed slightly later than its lock.
   */
  static async open(waitMs = 0): Promise<PoolDisk> {
    const sqlite = await loadSqlite();
    const options = { name: directory, directory: `/${directory}`, forceReinitIfPreviouslyFailed: true };
    const giveUpAt = Date.now() + waitMs;
    for (;;) {
      try {
        return new PoolDisk(sqlite, await sqlite.installOpfsSAHPoolVfs(options));
      } catch (error) {
        if (Date.now() >= giveUpAt) throw unavailable(error as Error);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async files(): Promise<string[]> {
    await this.handles;
    return this.pool
      .getFileNames()
      .filter((name) => name.endsWith('.sqlite'))
      .map((name) => name.slice(1));
  }

  async open(file: string): Promise<Sqlite> {
    await this.handles;
    await this.pool.reserveMinimumCapacity((this.pool.getFileCount() + 1) * filesEach);
    return openInPool(this.sqlite, this.pool, `/${file}`);
  }

  /**
   * Deletes a corpus. Chromium counts a file's space as used until its handle is closed, so the space would only come
   * back when the page is reloaded. All handles are therefore released and reacquired, unless another corpus is open.
   */
  async remove(file: string): Promise<void> {
    await this.handles;
    this.pool.unlink(`/${file}`);
    this.pool.unlink(`/${file}-journal`);
    this.handles = this.reacquireHandles();
    await this.handles;
  }

  private async reacquireHandles(): Promise<void> {
    try {
      this.pool.pauseVfs();
    } catch {
      // Another corpus is open, so the handles were not released
      // (sqlite.org/wasm/doc/trunk/persistence.md#sahpool-pausing).
      return;
    }
    await this.pool.unpauseVfs();
  }

  /** Releases the pool, so that another worker can take it. */
  release(): void {
    this.pool.pauseVfs();
  }
}
