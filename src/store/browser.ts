/**
 * The store of a page: IndexedDB, or memory where the browser denies storage (a frame of another site, a strict
 * setting), or what is stored cannot be opened. The first call decides, for the lifetime of the worker.
 */
import type { Backend, BlobChoice, Change, RunManifest, Snapshot, Space, StoredRecord } from './run.ts';

/** A store whose opening can be tried. */
interface LastingStore extends Backend {
  /** Rejects if the browser does not let the page store anything. */
  probe(): Promise<void>;
}

export class BrowserStore implements Backend {
  private chosen: Promise<Backend> | null = null;
  /** What the browser said about storage that could not be opened. */
  private refusal: unknown = null;

  /** `patienceMs`: time after which a browser that neither opens nor refuses is taken to deny storage. */
  constructor(
    private readonly lasting: LastingStore,
    private readonly memory: Backend,
    private readonly patienceMs?: number,
  ) {}

  private choose(): Promise<Backend> {
    this.chosen ??= this.probe();
    return this.chosen;
  }

  private async probe(): Promise<Backend> {
    const opening = this.lasting.probe().then(
      () => this.lasting,
      (error) => {
        this.refusal = error;
        return this.memory;
      },
    );
    if (this.patienceMs === undefined) return opening;
    const late = new Promise<Backend>((resolve) => setTimeout(() => resolve(this.memory), this.patienceMs));
    return Promise.race([opening, late]);
  }

  async isLasting(): Promise<boolean> {
    return (await this.choose()) === this.lasting;
  }

  /** Why stored runs are there and cannot be opened; null: they can, or the browser denies storage. */
  async fault(): Promise<string | null> {
    await this.choose();
    const { name, message } = (this.refusal ?? {}) as { name?: string; message?: string };
    if (name === 'VersionError')
      return 'The runs stored here were written by a newer version of this page. They stay as they are: reload the page with a network. Until then runs are lost when the page is closed.';
    // Chromium's words where the person blocks the site's data.
    if (message?.includes('denied permission')) return null;
    if (name !== 'UnknownError' && name !== 'DamagedStorageError') return null;
    return `The runs stored here cannot be opened (${String(message).slice(0, 200)}). They stay as they are, and runs are lost when the page is closed.`;
  }

  async manifests(): Promise<RunManifest[]> {
    return (await this.choose()).manifests();
  }

  async manifest(id: string): Promise<RunManifest | null> {
    return (await this.choose()).manifest(id);
  }

  async read(id: string, name: string): Promise<Uint8Array | null> {
    return (await this.choose()).read(id, name);
  }

  async records(id: string): Promise<StoredRecord[]> {
    return (await this.choose()).records(id);
  }

  async snapshot(id: string, choose: BlobChoice): Promise<Snapshot | null> {
    return (await this.choose()).snapshot(id, choose);
  }

  async change(id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    return (await this.choose()).change(id, make);
  }

  async space(): Promise<Space> {
    return (await this.choose()).space();
  }

  async close(): Promise<void> {
    await (await this.choose()).close();
  }
}
