/**
 * Unpacks gzip (RFC 1952) piece by piece into one buffer, with several members in a row, as `cat` and bgzip write them.
 * Checks each member's checksum. A new buffer for each piece would accumulate tens of megabytes outside the heap before
 * a collection; DecompressionStream does that too, and stops after the first member.
 */
import {
  Z_BUF_ERROR,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
} from 'pako';

/** The bytes are not a complete gzip file; `message` has the reason, from zlib or from this module. */
export class GzipError extends Error {
  override name = 'GzipError';
}

/** zlib's parameter for a window of 32 KiB and the gzip format only (zlib.h, inflateInit2). */
const gzipWindow = 15 + 16;
const bufferLength = 128 * 1024;
/**
 * Texts shrink by a factor of 3 to 12, and like records by up to 130. Beyond 32 a large file is made to fill a disk;
 * beyond 256 (gzip reaches 1,032) a smaller one is, too.
 */
const [mostExpansion, extremeExpansion] = [32, 256];
const [alwaysAllowed, extremeAllowed] = [256 * 1024 * 1024, 32 * 1024 * 1024];

export class Gunzip {
  private readonly stream = new ZStream();
  private readonly buffer = new Uint8Array(bufferLength);
  /** True before the first member and between two. */
  private betweenMembers = true;
  private members = 0;
  private read = 0;
  private written = 0;

  /** `allowed`: bytes that any file may unpack to. */
  constructor(private readonly allowed = alwaysAllowed) {
    zlibInflateInit2(this.stream, gzipWindow);
  }

  /**
   * Yields views of one buffer: each is valid until the next. Throws GzipError after the part that could be unpacked,
   * and beyond 256 MiB if that is more than 32 times the bytes read, or beyond 32 MiB if it is more than 256 times them.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    const { stream } = this;
    stream.input = bytes;
    stream.next_in = 0;
    stream.avail_in = bytes.length;
    const before = this.read;
    this.read += bytes.length;
    let full = false;
    while (stream.avail_in > 0 || full) {
      if (this.betweenMembers && !this.beginMember()) return;
      stream.output = this.buffer;
      stream.next_out = 0;
      stream.avail_out = bufferLength;
      const status = zlibInflate(stream, Z_NO_FLUSH);
      this.written += stream.next_out;
      this.checkExpansion(before + stream.next_in);
      if (stream.next_out) yield this.buffer.subarray(0, stream.next_out);
      if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) throw new GzipError(stream.msg);
      this.betweenMembers = status === Z_STREAM_END;
      full = stream.avail_out === 0 && !this.betweenMembers;
    }
  }

  /** `used`: bytes of the input that were unpacked, which a large piece can exceed by far. */
  private checkExpansion(used: number): void {
    const bounds = [
      [this.allowed, mostExpansion],
      [Math.min(this.allowed, extremeAllowed), extremeExpansion],
    ];
    const passed = bounds.find(([allowed, factor]) => this.written > Math.max(allowed, factor * used));
    if (!passed) return;
    throw new GzipError(
      `it unpacks to more than ${passed[0] >> 20} MiB and ${passed[1]} times its size; unpack it by hand if you trust it`,
    );
  }

  /** Throws GzipError if the last member is cut off, or if there was none. */
  end(): void {
    if (!this.betweenMembers || this.members === 0) throw new GzipError('it ends too early');
  }

  /** Returns false if only padding is left: zeros after a member, as tapes and block devices write them. */
  private beginMember(): boolean {
    const { stream } = this;
    while (this.members > 0 && stream.avail_in > 0 && stream.input[stream.next_in] === 0) {
      stream.next_in++;
      stream.avail_in--;
    }
    if (stream.avail_in === 0) return false;
    zlibInflateReset(stream);
    this.members++;
    this.betweenMembers = false;
    return true;
  }
}
