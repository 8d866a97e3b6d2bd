/**
 * Corpora in the page's own file system, through SQLite's `opfs-sahpool` (sqlite.org/wasm/doc/trunk/persistence.md#vfs-opfs-sahpool):
 * it needs no cross-origin isolation, is the fastest of SQLite's file systems there, and belongs to one worker at a time.
 */
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { type ByteSource, CorpusError } from './lines.ts';
import { loadSqlite, openInPool, type Sqlite } from './retrieval/sqlite.ts';
import type { CorpusDisk } from './store.ts';

const directory = 'tabgym-corpora';

/** Beside each database lies its journal. */
const filesEach = 2;

const unavailable = ({ message }: Error) =>
  new CorpusError(
    `Corpora cannot be kept here: ${message}. Another tab may have them open: close it; or leave private browsing.`,
  );

export class PoolDisk implements CorpusDisk {
  /** While handles are given back and taken again, nothing else is done with the pool. */
  private handles: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly sqlite: Sqlite3Static,
    private readonly pool: SAHPoolUtil,
  ) {}

  /**
   * Throws CorpusError where another worker has the pool, or the browser has no such file system. `waitMs`: how long to try again: the
   * files of a worker that was terminated are freed a little later than its lock.
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
   * Chromium counts what a file was as used until its handle is closed, so that the room of a deleted corpus would not come back before
   * the page is loaded anew: the handles are given back and taken again, where no other corpus is open.
   */
  async remove(file: string): Promise<void> {
    await this.handles;
    this.pool.unlink(`/${file}`);
    this.pool.unlink(`/${file}-journal`);
    this.handles = this.takeHandlesAgain();
    await this.handles;
  }

  private async takeHandlesAgain(): Promise<void> {
    try {
      this.pool.pauseVfs();
    } catch {
      // Another corpus is open: nothing was done (sqlite.org/wasm/doc/trunk/persistence.md#sahpool-pausing).
      return;
    }
    await this.pool.unpauseVfs();
  }

  /** Gives the pool to whichever worker asks next. */
  release(): void {
    this.pool.pauseVfs();
  }
}

/** A file that was dropped or picked; `path` where it lay in a folder. */
export function fileSource(file: File, path = file.webkitRelativePath || file.name): ByteSource {
  return { name: path, size: file.size, stream: (start) => file.slice(start).stream() };
}
