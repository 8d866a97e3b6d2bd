/**
 * The store on Node: one folder per run. Blobs are written first, under names that contain their checksum, so that no
 * referenced file is ever overwritten. Replacing run.json by a rename then commits the change. Files left by a killed
 * process are not referenced, and are removed by the run's next write.
 *
 *   FOLDER/runs/ID/run.json                            the manifest
 *                  records-000000.jsonl                256 steps a file, one line a step
 *                  checkpoint-000012-1a2b3c4d.bin      safetensors
 *                  trajectories-000012-5e6f7a8b.bin    asset-tokenizer.json-9c0d1e2f.bin
 */
import { promises as realFs } from 'node:fs';
import { join } from 'node:path';
import {
  type Backend,
  type BlobChoice,
  type Change,
  CorruptError,
  type FileInfo,
  keyed,
  type RunManifest,
  type Snapshot,
  type Space,
  type StoredRecord,
} from './run.ts';
import { sha256 } from './sha256.ts';

const RECORDS_A_FILE = 256;

/** File system operations in use. Tests pass failing ones. */
export type Files = Pick<typeof realFs, 'open' | 'rename' | 'readFile' | 'readdir' | 'mkdir' | 'rm' | 'statfs'>;

/** Longest name of a part in bytes; a file system takes 255 for the whole name. */
const longestName = 200;

/** A part's name in a file's name. A run's file may name parts as no file system can. */
const namePart = (name: string) =>
  name.includes('\0') || new TextEncoder().encode(name).length > longestName
    ? `named-${sha256(new TextEncoder().encode(name))}`
    : name.replaceAll('/', '-');
const physical = (name: string, info: FileInfo) =>
  `${namePart(name).replace(/-(\d+)$/, (_, step) => `-${step.padStart(6, '0')}`)}-${info.crc.toString(16).padStart(8, '0')}.bin`;
const recordsFile = (step: number) => `records-${String(Math.floor(step / RECORDS_A_FILE)).padStart(6, '0')}.jsonl`;
/** Hash of a manifest as a reader parses it. */
const hashOf = (manifest: object) => sha256(new TextEncoder().encode(JSON.stringify(manifest)));

const codeOf = (error: unknown) => (error as { code?: string }).code;
const missing = (error: unknown) => codeOf(error) === 'ENOENT';

export class FolderStore implements Backend {
  /** Serialises changes and snapshots. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly fs: Files = realFs,
  ) {}

  private place(id: string, file = ''): string {
    return join(this.folder, 'runs', id, file);
  }

  async manifests(): Promise<RunManifest[]> {
    const ids = await this.fs.readdir(join(this.folder, 'runs')).catch((error) => {
      if (missing(error)) return [];
      throw error;
    });
    const found = await Promise.all(ids.map((id) => this.manifest(id)));
    return found.filter((manifest) => manifest !== null);
  }

  async manifest(id: string): Promise<RunManifest | null> {
    const text = await this.text(this.place(id, 'run.json'));
    if (text === null) return null;
    let found: RunManifest & { hash?: string };
    try {
      found = JSON.parse(text);
    } catch {
      throw this.corrupt(id, 'is not JSON');
    }
    // Runs of older versions have no hash.
    const { hash, ...manifest } = Object(found) as typeof found;
    if (hash !== undefined && hash !== hashOf(manifest)) throw this.corrupt(id, 'was changed: its hash differs');
    return keyed(manifest, id);
  }

  private corrupt(id: string, what: string): CorruptError {
    return new CorruptError(`${this.place(id, 'run.json')} ${what}. Restore it from a copy, or remove the folder.`);
  }

  private async text(path: string): Promise<string | null> {
    try {
      return await this.fs.readFile(path, 'utf8');
    } catch (error) {
      // Among the folders of runs may be a file of the system, such as .DS_Store.
      if (missing(error) || codeOf(error) === 'ENOTDIR') return null;
      throw error;
    }
  }

  async read(id: string, name: string): Promise<Uint8Array | null> {
    const info = (await this.manifest(id))?.files[name];
    return info ? this.blob(id, name, info) : null;
  }

  private async blob(id: string, name: string, info: FileInfo): Promise<Uint8Array | null> {
    try {
      return new Uint8Array(await this.fs.readFile(this.place(id, physical(name, info))));
    } catch (error) {
      if (missing(error)) return null;
      throw error;
    }
  }

  async records(id: string): Promise<StoredRecord[]> {
    const names = (await this.fs.readdir(this.place(id))).filter((name) => /^records-\d+\.jsonl$/.test(name)).sort();
    const chunks = await Promise.all(names.map((name) => this.chunk(id, name)));
    return chunks.flat();
  }

  private async chunk(id: string, name: string): Promise<StoredRecord[]> {
    const text = (await this.text(this.place(id, name))) ?? '';
    try {
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    } catch {
      throw new CorruptError(`${this.place(id, name)} is damaged. Restore it from a copy.`);
    }
  }

  snapshot(id: string, choose: BlobChoice): Promise<Snapshot | null> {
    return this.inTurn(async () => {
      const manifest = await this.manifest(id);
      if (!manifest) return null;
      const blobs = new Map<string, Uint8Array | null>();
      for (const name of choose(manifest)) blobs.set(name, await this.blob(id, name, manifest.files[name]));
      return { manifest, records: await this.records(id), blobs };
    });
  }

  change(id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    return this.inTurn(() => this.apply(id, make));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work);
    this.last = next.catch(() => {});
    return next;
  }

  private async apply(id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    const change = make(await this.manifest(id));
    if (!change.manifest) return this.fs.rm(this.place(id), { recursive: true, force: true });
    await this.fs.mkdir(this.place(id), { recursive: true });
    const { files } = change.manifest;
    for (const [name, { bytes }] of change.put ?? []) await this.write(id, physical(name, files[name]), bytes);
    await this.writeRecords(id, change.records ?? []);
    const hash = hashOf(change.manifest);
    await this.write(id, 'run.json', JSON.stringify({ ...change.manifest, hash }, null, 1));
    await this.sweep(id, change.manifest);
  }

  private async writeRecords(id: string, records: readonly StoredRecord[]): Promise<void> {
    for (const name of new Set(records.map((record) => recordsFile(record.step)))) {
      const byStep = new Map((await this.chunk(id, name)).map((record) => [record.step, record]));
      for (const record of records) if (recordsFile(record.step) === name) byStep.set(record.step, record);
      const lines = [...byStep.values()].sort((a, b) => a.step - b.step).map((record) => `${JSON.stringify(record)}\n`);
      await this.write(id, name, lines.join(''));
    }
  }

  /** Writes a file atomically: writes and flushes a temporary file, then renames it over the target. */
  private async write(id: string, file: string, content: string | Uint8Array): Promise<void> {
    const temporary = this.place(id, `${file}.part`);
    try {
      const handle = await this.fs.open(temporary, 'w');
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.fs.rename(temporary, this.place(id, file));
    } catch (error) {
      // On a full disk a half-written file would take the room of the next try.
      await this.fs.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await this.syncFolder(id);
  }

  /** A rename is durable once the folder is flushed. Windows cannot open a folder and needs no flush. */
  private async syncFolder(id: string): Promise<void> {
    const handle = await this.fs.open(this.place(id), 'r').catch(() => null);
    await handle?.sync().catch(() => {});
    await handle?.close();
  }

  private async sweep(id: string, manifest: RunManifest): Promise<void> {
    const wanted = new Set(Object.entries(manifest.files).map(([name, info]) => physical(name, info)));
    for (const name of await this.fs.readdir(this.place(id)))
      if (name.endsWith('.part') || (name.endsWith('.bin') && !wanted.has(name)))
        await this.fs.rm(this.place(id, name), { force: true });
  }

  async space(): Promise<Space> {
    const { blocks, bavail, bsize } = await this.fs.statfs(this.folder);
    return { usage: (blocks - bavail) * bsize, quota: blocks * bsize };
  }

  async close(): Promise<void> {
    await this.last;
  }
}
