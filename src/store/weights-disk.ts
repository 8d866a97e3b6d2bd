/** Disk of the weights cache on Node: a folder. Only one process at a time may load a given model. */
import type { FileHandle } from 'node:fs/promises';
import type { Space } from './run.ts';
import { type CacheDisk, type CacheFile, FullError } from './weights-cache.ts';

const codeOf = (error: unknown) => (error as { code?: string }).code;

class NodeFile implements CacheFile {
  constructor(private readonly handle: FileHandle) {}

  async size(): Promise<number> {
    return (await this.handle.stat()).size;
  }

  async write(at: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; )
        done += (await this.handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    } catch (error) {
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') throw new FullError((error as Error).message);
      throw error;
    }
  }

  truncate(bytes: number): Promise<void> {
    return this.handle.truncate(bytes);
  }

  flush(): Promise<void> {
    return this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

export class NodeDisk implements CacheDisk {
  constructor(private readonly root: string) {}

  private fs() {
    if (!import.meta.env.SSR) throw new Error('Only Node can read a folder by its path.');
    return import('node:fs/promises');
  }

  private path(...parts: string[]): string {
    return [this.root, ...parts].join('/');
  }

  async folders(): Promise<string[]> {
    const entries = await (await this.fs()).readdir(this.root, { withFileTypes: true }).catch((error) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  async read(folder: string, name: string, start = 0, end?: number): Promise<Uint8Array | null> {
    const handle = await (await this.fs()).open(this.path(folder, name), 'r').catch((error) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (!handle) return null;
    try {
      const { size } = await handle.stat();
      const out = new Uint8Array(Math.max(0, Math.min(end ?? size, size) - start));
      await handle.read(out, 0, out.length, start);
      return out;
    } finally {
      await handle.close();
    }
  }

  async size(folder: string, name: string): Promise<number> {
    const info = await (await this.fs()).stat(this.path(folder, name)).catch(() => null);
    return info?.size ?? 0;
  }

  async writer(folder: string, name: string): Promise<CacheFile> {
    const fs = await this.fs();
    await fs.mkdir(this.path(folder), { recursive: true });
    const { O_RDWR, O_CREAT } = fs.constants;
    return new NodeFile(await fs.open(this.path(folder, name), O_RDWR | O_CREAT));
  }

  async remove(folder: string): Promise<void> {
    await (await this.fs()).rm(this.path(folder), { recursive: true, force: true });
  }

  async space(): Promise<Space | null> {
    const { blocks, bavail, bsize } = await (await this.fs()).statfs(this.root);
    return { usage: (blocks - bavail) * bsize, quota: blocks * bsize };
  }
}
