/**
 * Worker that reads trajectories for the page: files of any size, and the episodes of a run. It unpacks a compressed
 * file into the browser's own storage.
 */
import * as Comlink from 'comlink';
import { MemorySpill, type Spill } from '../trajectories/files/gzip.ts';
import { Reader } from '../trajectories/files/reader.ts';

const folderName = 'unpacked-trajectories';

/** A file in the origin's private file system; deleted with the reader. */
class OpfsSpill implements Spill {
  private at = 0;

  constructor(
    private readonly folder: FileSystemDirectoryHandle,
    private readonly name: string,
    private readonly handle: FileSystemSyncAccessHandle,
  ) {}

  write(bytes: Uint8Array<ArrayBuffer>): void {
    this.handle.write(bytes, { at: this.at });
    this.at += bytes.length;
  }

  async slice(from: number, to: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(to, this.at) - from));
    this.handle.read(out, { at: from });
    return out;
  }

  async release(): Promise<void> {
    this.handle.close();
    await this.folder.removeEntry(this.name).catch(() => {});
  }
}

/** Deletes files that closed pages left behind. A file in use by another tab is locked and stays. */
async function sweep(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys()) await folder.removeEntry(name).catch(() => {});
}

/** Falls back to memory if there is no such storage, as in some private windows. */
async function openSpill(): Promise<Spill> {
  try {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(folderName, { create: true });
    await sweep(folder);
    const name = crypto.randomUUID();
    const file = await folder.getFileHandle(name, { create: true });
    return new OpfsSpill(folder, name, await file.createSyncAccessHandle());
  } catch {
    return new MemorySpill();
  }
}

Comlink.expose(new Reader(openSpill));
