/**
 * Files compressed by gzip (RFC 1952), several members one after another included, as `cat` and bgzip leave them. A compressed file
 * cannot be read from its middle, so what it unpacks to is kept while it is read: in memory here, on disk where the page has one.
 * Each member is held to its checksum.
 */
import { Gunzip } from 'fflate';
import { createCRC32 } from 'hash-wasm';
import type { ByteSource } from './bytes.ts';
import { TrajectoryFileError } from './record.ts';

/** Where unpacked bytes are kept. */
export interface Spill {
  write(bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
  slice(from: number, to: number): Promise<Uint8Array>;
  /** What it held is not needed any more. */
  release(): void | Promise<void>;
}

/** In memory: for files that a run keeps beside it. */
export class MemorySpill implements Spill {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private readonly starts: number[] = [];
  private size = 0;

  constructor(private readonly mostBytes = 512e6) {}

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.size + bytes.length > this.mostBytes)
      throw new TrajectoryFileError(
        `Unpacked this file has more than ${this.mostBytes / 1e6} MB, which memory has no room for: unpack it first.`,
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

export async function isGzip(source: ByteSource): Promise<boolean> {
  const [first, second] = await source.slice(0, 2);
  return first === 0x1f && second === 0x8b;
}

/** The same file unpacked. Its `size` stays the packed one; `read` tells how much of that has been taken. */
export function unpacked(source: ByteSource, spill: Spill): ByteSource {
  let taken = 0;
  return {
    name: source.name,
    size: source.size,
    read: () => taken,
    slice: (from, to) => spill.slice(from, to),
    async *stream() {
      const members = await Members.create(source.name);
      for await (const chunk of source.stream()) {
        taken += chunk.length;
        // A bounded piece at a time: a chunk that unpacks to gigabytes would stand in memory at once.
        for (let at = 0; at < chunk.length; at += packedStep)
          for (const piece of members.push(chunk.subarray(at, at + packedStep))) {
            await spill.write(piece);
            yield piece;
          }
      }
      for (const piece of members.finish()) {
        await spill.write(piece);
        yield piece;
      }
      members.check();
    },
  };
}

/** At most 1,032 times as much comes out (the limit of deflate): 16 MB. */
const packedStep = 1 << 14;
const trailerBytes = 8;
/** A header with a name in it may stand between a checksum and the place where it is noticed. */
const tailBytes = 1024;

/** Unpacks, and compares each member with the checksum behind it. */
class Members {
  private readonly gunzip = new Gunzip((data) => this.keep(data));
  private out: Uint8Array<ArrayBuffer>[] = [];
  /** The last bytes of what came before, where a member's checksum may lie. */
  private tail = new Uint8Array(0);
  private tailStart = 0;
  private problem: TrajectoryFileError | null = null;

  static async create(name: string): Promise<Members> {
    return new Members(name, await createCRC32());
  }

  private constructor(
    private readonly name: string,
    private readonly crc: Awaited<ReturnType<typeof createCRC32>>,
  ) {
    crc.init();
    this.gunzip.onmember = (offset) => this.endMember(offset);
  }

  push(chunk: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const joined = new Uint8Array(this.tail.length + chunk.length);
    joined.set(this.tail);
    joined.set(chunk, this.tail.length);
    this.tail = joined;
    this.run(() => this.gunzip.push(chunk.slice(), false));
    const kept = Math.min(joined.length, tailBytes);
    this.tailStart += joined.length - kept;
    this.tail = joined.slice(joined.length - kept);
    return this.taken();
  }

  finish(): Uint8Array<ArrayBuffer>[] {
    this.run(() => this.gunzip.push(new Uint8Array(0), true));
    return this.taken();
  }

  /** Throws where it was cut off or damaged; what was unpacked before stands. */
  check(): void {
    if (!this.problem) this.endMember(this.tailStart + this.tail.length);
    if (this.problem) throw this.problem;
  }

  private run(step: () => void): void {
    if (this.problem) return;
    try {
      step();
    } catch (error) {
      this.problem = new TrajectoryFileError(
        `${this.name} cannot be unpacked to its end: it is cut off or damaged (${(error as Error).message}).`,
      );
    }
  }

  private keep(data: Uint8Array): void {
    if (data.length === 0) return;
    this.crc.update(data);
    this.out.push(data.slice());
  }

  private taken(): Uint8Array<ArrayBuffer>[] {
    const out = this.out;
    this.out = [];
    return out;
  }

  /** The member that ends before this place is what its checksum says. */
  private endMember(offset: number): void {
    const at = offset - trailerBytes - this.tailStart;
    const bytes = this.tail.slice(Math.max(at, 0), at + 4);
    const wanted = [...bytes].reverse().map((byte) => byte.toString(16).padStart(2, '0'));
    if (at < 0 || wanted.join('') !== this.crc.digest())
      this.problem ??= new TrajectoryFileError(
        `${this.name} is damaged: what it unpacks to does not have the checksum that it names. What is shown may be wrong.`,
      );
    this.crc.init();
  }
}
