/**
 * Files compressed by gzip (RFC 1952), including several members one after another, as written by `cat` and bgzip. A
 * compressed file cannot be read from its middle, so its unpacked bytes are kept while it is read: in memory here, on
 * disk if the page has one. Each member's checksum is verified.
 */
import { Gunzip, GzipError } from '../../envs/transport/gunzip.ts';
import type { ByteSource } from './bytes.ts';
import { TrajectoryFileError } from './record.ts';

/** Storage for unpacked bytes. */
export interface Spill {
  write(bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
  slice(from: number, to: number): Promise<Uint8Array>;
  /** Frees the stored bytes. */
  release(): void | Promise<void>;
}

/** Storage in memory, for files that a run keeps. */
export class MemorySpill implements Spill {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private readonly starts: number[] = [];
  private size = 0;

  constructor(private readonly mostBytes = 512e6) {}

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.size + bytes.length > this.mostBytes)
      throw new TrajectoryFileError(
        `This file unpacks to more than ${this.mostBytes / 1e6} MB, the most that is kept in memory: unpack it first.`,
      );
    this.starts.push(this.size);
    this.pieces.push(bytes);
    this.size += bytes.length;
  }

  async slice(from: number, to: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(to, this.size) - from));
    for (let i = this.pieceAt(from); i < this.pieces.length && this.starts[i] < to; i++) {
      const begin = Math.max(from - this.starts[i], 0);
      const end = Math.min(to - this.starts[i], this.pieces[i].length);
      out.set(this.pieces[i].subarray(begin, end), this.starts[i] + begin - from);
    }
    return out;
  }

  release(): void {
    this.pieces.length = 0;
  }

  private pieceAt(offset: number): number {
    let [low, high] = [0, this.pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

/** The same file unpacked. Its `size` stays the packed size; `read` returns the number of packed bytes read so far. */
export function unpacked(source: ByteSource, spill: Spill): ByteSource {
  let taken = 0;
  return {
    name: source.name,
    size: source.size,
    read: () => taken,
    slice: (from, to) => spill.slice(from, to),
    async *stream() {
      const gunzip = new Gunzip();
      try {
        for await (const chunk of source.stream()) {
          taken += chunk.length;
          for (const view of gunzip.push(chunk)) {
            const piece = view.slice();
            await spill.write(piece);
            yield piece;
          }
        }
        gunzip.end();
      } catch (error) {
        throw error instanceof GzipError ? problemOf(source.name, error) : error;
      }
    },
  };
}

/** Bytes unpacked before the error stay. */
function problemOf(name: string, { message }: GzipError): TrajectoryFileError {
  if (message.includes('times its size')) return new TrajectoryFileError(`${name} is not read further: ${message}.`);
  return new TrajectoryFileError(
    /check$/.test(message)
      ? `${name} is damaged: its content does not match its checksum. The records shown may be wrong.`
      : `${name} cannot be unpacked to its end: it is cut off or damaged (${message}).`,
  );
}
