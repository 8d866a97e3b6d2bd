/**
 * Sequential reading of a weight file, from some byte to its end, in portions of requested sizes, with a running hash.
 * The hash state can be saved and restored, so that a resumed download is still verified as a whole.
 */
import { createSHA256, type IHasher } from 'hash-wasm';
import { SourceError, type SourceFile } from '../store/weights-source.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Read position and hash, saved with each piece. */
export interface ReaderState {
  position: number;
  /** State of the hash; null if the source states no hash to compare with. */
  hash: string | null;
}

function resume(hasher: IHasher | null, state: string, file: SourceFile): void {
  try {
    hasher?.load(fromBase64(state));
  } catch {
    throw new SourceError(
      'changed',
      `The kept part of ${file.name} was written by an older version of this page and was deleted. Load it again.`,
    );
  }
}

/** Read position in a model of several files. */
export interface FilesPosition extends ReaderState {
  file: number;
}

/** Names, sizes and versions of a model's files. Kept pieces are reused only if these are unchanged. */
export interface FilesPlan {
  files: { name: string; bytes: number; identity: string }[];
}

export const planOfFiles = (files: readonly SourceFile[]): FilesPlan => ({
  files: files.map(({ name, bytes, identity }) => ({ name, bytes, identity })),
});

export const totalOf = ({ files }: FilesPlan) => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Number of bytes of all files before a position. */
export const bytesBefore = ({ files }: FilesPlan, { file, position }: FilesPosition) =>
  files.slice(0, file).reduce((sum, { bytes }) => sum + bytes, position);

/** True if an error means that the kept pieces of a model are unusable. */
export const invalidatesKept = (error: unknown): boolean =>
  error instanceof SourceError && (error.problem === 'damaged' || error.problem === 'changed');

export class WeightReader {
  private rest: Uint8Array = new Uint8Array();
  private readonly iterator: AsyncIterator<Uint8Array>;

  private constructor(
    readonly file: SourceFile,
    public position: number,
    private readonly hasher: IHasher | null,
    signal: AbortSignal,
  ) {
    this.iterator = file.stream(position, signal)[Symbol.asyncIterator]();
  }

  static async open(file: SourceFile, from: ReaderState | null, signal: AbortSignal): Promise<WeightReader> {
    const hasher = file.sha256 === null ? null : await createSHA256();
    hasher?.init();
    if (from?.hash) resume(hasher, from.hash, file);
    return new WeightReader(file, from?.position ?? 0, hasher, signal);
  }

  /** Reads and hashes the next `bytes` bytes. The caller owns the array. */
  async take(bytes: number): Promise<Uint8Array> {
    const out = new Uint8Array(bytes);
    for (let at = 0; at < bytes; ) {
      if (!this.rest.length) await this.more();
      const part = this.rest.subarray(0, bytes - at);
      out.set(part, at);
      at += part.length;
      this.rest = this.rest.subarray(part.length);
    }
    this.hasher?.update(out);
    this.position += bytes;
    return out;
  }

  /** Reads and hashes up to `position` without returning the bytes. */
  async skipTo(position: number): Promise<void> {
    while (this.position < position) await this.take(Math.min(4 << 20, position - this.position));
  }

  private async more(): Promise<void> {
    const { done, value } = await this.iterator.next();
    if (!done) {
      this.rest = value;
      return;
    }
    throw new SourceError(
      'truncated',
      `${this.file.name} ended before all of its announced ${this.file.bytes} bytes arrived. Load it again.`,
    );
  }

  state(): ReaderState {
    return { position: this.position, hash: this.hasher ? toBase64(this.hasher.save()) : null };
  }

  /** Reads to the end and compares the hash. Throws SourceError. */
  async finish(): Promise<void> {
    await this.skipTo(this.file.bytes);
    const found = this.hasher?.digest('hex') ?? null;
    if (found === this.file.sha256) return;
    throw new SourceError(
      'damaged',
      `${this.file.name} was damaged in transfer: its SHA-256 is ${found}, the server states ${this.file.sha256}. ` +
        'Its kept part was deleted. Load it again; if it happens again, use another server.',
    );
  }

  async close(): Promise<void> {
    await this.iterator.return?.();
  }
}
