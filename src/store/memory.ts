/** The store in memory, for pages that may store nothing. Its runs last until the trainer's worker ends. */
import {
  type Backend,
  type BlobChoice,
  type Change,
  copyOf,
  type RunManifest,
  type Snapshot,
  type Space,
  type StoredRecord,
} from './run.ts';

interface KeptRun {
  manifest: RunManifest;
  blobs: Map<string, Uint8Array>;
  records: Map<number, StoredRecord>;
}

const recordsOf = ({ records }: KeptRun) => copyOf([...records.values()].sort((a, b) => a.step - b.step));

export class MemoryStore implements Backend {
  private readonly runs = new Map<string, KeptRun>();

  async manifests(): Promise<RunManifest[]> {
    return [...this.runs.values()].map(({ manifest }) => copyOf(manifest));
  }

  async manifest(id: string): Promise<RunManifest | null> {
    const run = this.runs.get(id);
    return run ? copyOf(run.manifest) : null;
  }

  async read(id: string, name: string): Promise<Uint8Array | null> {
    return this.runs.get(id)?.blobs.get(name)?.slice() ?? null;
  }

  async records(id: string): Promise<StoredRecord[]> {
    const run = this.runs.get(id);
    return run ? recordsOf(run) : [];
  }

  async snapshot(id: string, choose: BlobChoice): Promise<Snapshot | null> {
    const run = this.runs.get(id);
    if (!run) return null;
    const manifest = copyOf(run.manifest);
    const blobs = new Map(choose(manifest).map((name) => [name, run.blobs.get(name)?.slice() ?? null]));
    return { manifest, records: recordsOf(run), blobs };
  }

  /** Everything that can fail comes before the first change, so that a change is whole or absent. */
  async change(id: string, make: (current: RunManifest | null) => Change): Promise<void> {
    const { manifest, put, remove, records } = make(await this.manifest(id));
    if (!manifest) return void this.runs.delete(id);
    const copies = {
      manifest: copyOf(manifest),
      blobs: [...(put ?? [])].map(([name, { bytes }]) => [name, bytes.slice()] as const),
      records: copyOf(records ?? []),
    };
    const run = this.runs.get(id) ?? { manifest: copies.manifest, blobs: new Map(), records: new Map() };
    run.manifest = copies.manifest;
    for (const name of remove ?? []) run.blobs.delete(name);
    for (const [name, bytes] of copies.blobs) run.blobs.set(name, bytes);
    for (const record of copies.records) run.records.set(record.step, record);
    this.runs.set(id, run);
  }

  async space(): Promise<Space> {
    const blobs = [...this.runs.values()].flatMap((run) => [...run.blobs.values()]);
    return { usage: blobs.reduce((sum, bytes) => sum + bytes.byteLength, 0), quota: 0 };
  }

  async close(): Promise<void> {}
}
