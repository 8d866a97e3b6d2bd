/**
 * Cache of downloaded models, so that opening one again downloads nothing and an interrupted download continues. A
 * model is a folder of three append-only files. A piece is committed by its line in the journal, which is written after
 * the piece's bytes were flushed, so data left by a killed tab is either complete or not referenced.
 *
 *   model.json     key, label, storage format of the pieces (`kind`), texts of small files; written once
 *   data.bin       the pieces' bytes, one after another
 *   pieces.jsonl   one line a piece: its place, checksum and description; the last line is {"complete":true}
 *
 * Handles pieces and bytes only; the caller defines the content of a piece. Disks: weights-opfs.ts, weights-disk.ts.
 */
import { crc32 } from './crc32.ts';
import { joined } from './joined.ts';
import { CorruptError, type Space, StoreError } from './run.ts';

/** Append-only file with one writer. */
export interface CacheFile {
  size(): Promise<number>;
  /** Throws FullError if there is no space. The number of bytes written is then undefined. */
  write(at: number, bytes: Uint8Array): Promise<void>;
  truncate(bytes: number): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface CacheDisk {
  folders(): Promise<string[]>;
  /** Reads bytes `start` to `end` (default: all), fewer if the file ends earlier. Null if the file does not exist. */
  read(folder: string, name: string, start?: number, end?: number): Promise<Uint8Array | null>;
  size(folder: string, name: string): Promise<number>;
  /** Creates missing files and folders. Throws BusyError while another writer has the file open. */
  writer(folder: string, name: string): Promise<CacheFile>;
  remove(folder: string): Promise<void>;
  space(): Promise<Space | null>;
}

/** Thrown if the disk or the browser's quota is full. */
export class FullError extends Error {
  override name = 'FullError';
}

/** Thrown if another tab is loading the same model. */
export class BusyError extends StoreError {
  override name = 'BusyError';
  constructor() {
    super('Another tab is loading this model. Wait for it to finish, or close that tab.');
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Thrown if there is no space for a piece of a model. The pieces kept so far stay valid. */
class WeightsQuotaError extends StoreError {
  override name = 'WeightsQuotaError';
  constructor(
    readonly label: string,
    readonly needed: number,
    readonly space: Space | null,
  ) {
    const room = space ? ` (${megabytes(space.usage)} of ${megabytes(space.quota)} are used)` : '';
    super(
      `There is no space to keep ${megabytes(needed)} more of ${label}${room}. No stored data is lost, and loading will continue from here: ` +
        'delete a model or runs under Storage, then load it again.',
    );
  }
}

/** Journal entry of a piece. `what` is defined by the caller. */
export interface PieceRecord<W = unknown> {
  at: number;
  bytes: number;
  crc: number;
  what: W;
}

export interface ModelNote {
  format: 1;
  /** Key of the source. */
  key: string;
  label: string;
  /** Storage format of the pieces, e.g. `int4`. One source may be kept in several formats. */
  kind: string;
  createdAt: number;
  /** Small files of the model, by name. */
  texts: { [name: string]: string };
  /** Data that the caller needs to resume. */
  plan: unknown;
}

export interface KeptModel {
  folder: string;
  key: string;
  label: string;
  kind: string;
  createdAt: number;
  bytes: number;
  complete: boolean;
}

/** Current content of a model's folder. */
export interface Kept<W> {
  folder: string;
  note: ModelNote;
  pieces: PieceRecord<W>[];
  complete: boolean;
}

const utf8 = new TextDecoder();
const encode = (text: string) => new TextEncoder().encode(text);

/** Name of a folder: two FNV-1a hashes of key and kind, with different start values. */
function folderOf(key: string, kind: string): string {
  const hash = (seed: number) => {
    let value = seed;
    for (const byte of encode(`${kind}\n${key}`)) value = Math.imul(value ^ byte, 0x01000193);
    return (value >>> 0).toString(16).padStart(8, '0');
  };
  return `${hash(0x811c9dc5)}${hash(0x9747b28c)}`;
}

/** Complete lines of the journal, up to the first damaged one. Later pieces were never committed. */
function parseJournal<W>(text: string): { pieces: PieceRecord<W>[]; complete: boolean; bytes: number } {
  const pieces: PieceRecord<W>[] = [];
  let bytes = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      const entry = JSON.parse(line);
      if (entry.complete) return { pieces, complete: true, bytes: bytes + encode(line).length + 1 };
      pieces.push(entry);
    } catch {
      break;
    }
    bytes += encode(line).length + 1;
  }
  return { pieces, complete: false, bytes };
}

export class WeightsCache {
  constructor(private readonly disk: CacheDisk) {}

  async list(): Promise<KeptModel[]> {
    const folders = await this.disk.folders();
    const found = await Promise.all(folders.map((folder) => this.summary(folder)));
    return found.filter((each) => each !== null).sort((a, b) => b.createdAt - a.createdAt);
  }

  private async summary(folder: string): Promise<KeptModel | null> {
    const note = await this.note(folder);
    const sizes = await Promise.all(['model.json', 'data.bin', 'pieces.jsonl'].map((f) => this.disk.size(folder, f)));
    const bytes = sizes.reduce((a, b) => a + b, 0);
    if (!note) return bytes ? { folder, key: '', label: folder, kind: '', createdAt: 0, bytes, complete: false } : null;
    const { complete } = await this.journal(folder);
    const { key, label, kind, createdAt } = note;
    return { folder, key, label, kind, createdAt, bytes, complete };
  }

  private async note(folder: string): Promise<ModelNote | null> {
    const bytes = await this.disk.read(folder, 'model.json');
    try {
      const note = bytes && JSON.parse(utf8.decode(bytes));
      return note?.format === 1 ? note : null;
    } catch {
      return null;
    }
  }

  private async journal<W>(folder: string) {
    const bytes = await this.disk.read(folder, 'pieces.jsonl');
    return parseJournal<W>(bytes ? utf8.decode(bytes) : '');
  }

  async find<W>(key: string, kind: string): Promise<Kept<W> | null> {
    const folder = folderOf(key, kind);
    const note = await this.note(folder);
    if (note?.key !== key || note.kind !== kind) return null;
    const { pieces, complete } = await this.journal<W>(folder);
    return { folder, note, pieces, complete };
  }

  /** Starts a model from the beginning, and deletes what was kept of it. */
  async begin<W>(model: Omit<ModelNote, 'format' | 'createdAt'>): Promise<Kept<W>> {
    const folder = folderOf(model.key, model.kind);
    await this.disk.remove(folder);
    const note: ModelNote = { ...model, format: 1, createdAt: Date.now() };
    const bytes = encode(JSON.stringify(note));
    const file = await this.disk.writer(folder, 'model.json');
    try {
      await this.withQuotaError(note.label, bytes.length, () => file.write(0, bytes));
      await file.flush();
    } finally {
      await file.close();
    }
    return { folder, note, pieces: [], complete: false };
  }

  /** Kept pieces of a model if its plan is the same, or null. */
  async findSame<W>({ key, kind, plan }: Pick<ModelNote, 'key' | 'kind' | 'plan'>): Promise<Kept<W> | null> {
    const kept = await this.find<W>(key, kind);
    return kept && JSON.stringify(kept.note.plan) === JSON.stringify(plan) ? kept : null;
  }

  /** Kept pieces to continue from. Starts from the beginning if they belong to another plan. */
  async resume<W>(model: Omit<ModelNote, 'format' | 'createdAt'>): Promise<Kept<W>> {
    return (await this.findSame<W>(model)) ?? this.begin<W>(model);
  }

  /** Reads the bytes of a committed piece. Throws CorruptError if they differ from what was written. */
  async read({ folder, note }: Kept<unknown>, piece: PieceRecord): Promise<Uint8Array> {
    const bytes = await this.disk.read(folder, 'data.bin', piece.at, piece.at + piece.bytes);
    if (bytes?.length === piece.bytes && crc32(bytes) === piece.crc) return bytes;
    throw new CorruptError(`The kept part of ${note.label} is damaged. Delete it under Storage and load it again.`);
  }

  /** Opens a writer that continues after the pieces of `kept`. */
  async append<W>(kept: Kept<W>): Promise<PieceWriter<W>> {
    const { pieces, bytes } = await this.journal<W>(kept.folder);
    if (pieces.length !== kept.pieces.length) throw new BusyError();
    const data = await this.disk.writer(kept.folder, 'data.bin');
    try {
      const journal = await this.disk.writer(kept.folder, 'pieces.jsonl');
      const last = pieces.at(-1);
      const end = last ? last.at + last.bytes : 0;
      await journal.truncate(bytes);
      await data.truncate(end);
      return new PieceWriter(this, kept, { data, journal, end, journalEnd: bytes });
    } catch (error) {
      await data.close();
      throw error;
    }
  }

  async remove(folder: string): Promise<void> {
    await this.disk.remove(folder);
  }

  space(): Promise<Space | null> {
    return this.disk.space();
  }

  /** Converts a FullError to a WeightsQuotaError. */
  async withQuotaError<T>(label: string, needed: number, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof FullError)) throw error;
      throw new WeightsQuotaError(label, needed, await this.space().catch(() => null));
    }
  }
}

interface Open {
  data: CacheFile;
  journal: CacheFile;
  end: number;
  journalEnd: number;
}

/** Commits pieces one by one. A failed piece leaves the folder as it was before. */
export class PieceWriter<W> {
  constructor(
    private readonly cache: WeightsCache,
    private readonly kept: Kept<W>,
    private readonly open: Open,
  ) {}

  async append(parts: readonly Uint8Array[], what: W): Promise<void> {
    const bytes = joined(parts);
    const record: PieceRecord<W> = { at: this.open.end, bytes: bytes.length, crc: crc32(bytes), what };
    await this.commit(bytes, `${JSON.stringify(record)}\n`);
    this.kept.pieces.push(record);
  }

  async complete(): Promise<void> {
    await this.commit(new Uint8Array(), '{"complete":true}\n');
    this.kept.complete = true;
  }

  private async commit(bytes: Uint8Array, text: string): Promise<void> {
    const { data, journal, end, journalEnd } = this.open;
    const line = encode(text);
    try {
      await this.cache.withQuotaError(this.kept.note.label, bytes.length + line.length, async () => {
        if (bytes.length) await data.write(end, bytes);
        await data.flush();
        await journal.write(journalEnd, line);
        await journal.flush();
      });
    } catch (error) {
      await data.truncate(end).catch(() => {});
      await journal.truncate(journalEnd).catch(() => {});
      throw error;
    }
    this.open.end += bytes.length;
    this.open.journalEnd += line.length;
  }

  async close(): Promise<void> {
    await this.open.data.close();
    await this.open.journal.close();
  }
}
