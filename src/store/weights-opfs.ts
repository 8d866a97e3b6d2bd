/**
 * Disk of the weights cache in a page: the origin private file system. Writing uses sync access handles, which exist
 * only in workers. Reading uses File objects, which need no lock, so that several tabs can use one model.
 */
import type { Space } from './run.ts';
import { BusyError, type CacheDisk, type CacheFile, FullError } from './weights-cache.ts';

const nameOf = (error: unknown) => (error as { name?: string }).name;
const missing = (error: unknown) => nameOf(error) === 'NotFoundError';

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (missing(error)) return null;
    throw error;
  }
}

class SyncFile implements CacheFile {
  constructor(private readonly handle: FileSystemSyncAccessHandle) {}

  async size(): Promise<number> {
    return this.handle.getSize();
  }

  async write(at: number, bytes: Uint8Array): Promise<void> {
    try {
      const written = this.handle.write(bytes as Uint8Array<ArrayBuffer>, { at });
      if (written < bytes.length) throw new FullError(`${written} of ${bytes.length} bytes were written`);
    } catch (error) {
      if (nameOf(error) === 'QuotaExceededError') throw new FullError((error as Error).message);
      throw error;
    }
  }

  async truncate(bytes: number): Promise<void> {
    this.handle.truncate(bytes);
  }

  async flush(): Promise<void> {
    this.handle.flush();
  }

  async close(): Promise<void> {
    this.handle.close();
  }
}

export class OpfsDisk implements CacheDisk {
  constructor(private readonly root = 'weights') {}

  private async top(): Promise<FileSystemDirectoryHandle> {
    return (await navigator.storage.getDirectory()).getDirectoryHandle(this.root, { create: true });
  }

  private async folder(name: string): Promise<FileSystemDirectoryHandle | null> {
    return orNull((await this.top()).getDirectoryHandle(name));
  }

  async folders(): Promise<string[]> {
    const names: string[] = [];
    for await (const [name, handle] of (await this.top()).entries()) if (handle.kind === 'directory') names.push(name);
    return names;
  }

  private async fileOf(folder: string, name: string): Promise<File | null> {
    const handle = await orNull((await this.folder(folder))?.getFileHandle(name) ?? Promise.resolve(null));
    return (await handle?.getFile()) ?? null;
  }

  async read(folder: string, name: string, start = 0, end?: number): Promise<Uint8Array | null> {
    const file = await this.fileOf(folder, name);
    return file && new Uint8Array(await file.slice(start, end).arrayBuffer());
  }

  async size(folder: string, name: string): Promise<number> {
    return (await this.fileOf(folder, name))?.size ?? 0;
  }

  async writer(folder: string, name: string): Promise<CacheFile> {
    const directory = await (await this.top()).getDirectoryHandle(folder, { create: true });
    const file = await directory.getFileHandle(name, { create: true });
    try {
      return new SyncFile(await file.createSyncAccessHandle());
    } catch (error) {
      if (nameOf(error) === 'NoModificationAllowedError') throw new BusyError();
      throw error;
    }
  }

  async remove(folder: string): Promise<void> {
    try {
      await (await this.top()).removeEntry(folder, { recursive: true });
    } catch (error) {
      if (nameOf(error) === 'NoModificationAllowedError') throw new BusyError();
      if (!missing(error)) throw error;
    }
  }

  async space(): Promise<Space | null> {
    const { usage = 0, quota = 0 } = await navigator.storage.estimate();
    return { usage, quota };
  }
}
