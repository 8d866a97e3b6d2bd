/**
 * Unpacks raw deflate data (RFC 1951) into a buffer of known or bounded length. A few bytes can unfold to a thousand
 * times their size, so that every caller states its bound before anything is unpacked.
 */
import { Z_BUF_ERROR, Z_FINISH, Z_OK, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2 } from 'pako';

/** The data is damaged, or longer than its bound. */
export class InflateError extends Error {
  override name = 'InflateError';
}

/** zlib's parameter for raw data with a window of 32 KiB (zlib.h, inflateInit2). */
const rawWindow = -15;
/** Maximum number of bytes in a byte of deflate data (zlib.net/zlib_tech.html, "Maximum Expansion Factor"). */
const mostExpansion = 1032;
const alwaysAllowed = 256 * 1024 * 1024;
const usualExpansion = 16;
const firstLength = 64 * 1024;

/**
 * Maximum number of bytes to which a file of this size may unfold: 256 MiB, or 16 times its size. Records and
 * trajectories shrink by a factor of 3 to 12, weights hardly at all.
 */
export const unfoldedBound = (packedBytes: number) => Math.max(alwaysAllowed, usualExpansion * packedBytes);

/** True if deflate data of this size may unfold to so many bytes. */
export const canUnfoldTo = (packedBytes: number, bytes: number) => bytes <= mostExpansion * (packedBytes + 1);

/** Unpacks at most `most` bytes. Throws `InflateError` for damaged data and for more bytes. */
export function inflateWithin(packed: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const stream = new ZStream();
  zlibInflateInit2(stream, rawWindow);
  stream.input = packed;
  stream.next_in = 0;
  stream.avail_in = packed.length;
  // One byte more than allowed, to tell a full buffer from data that is too long.
  const room = most + 1;
  stream.output = new Uint8Array(Math.min(room, Math.max(firstLength, packed.length * 4)));
  stream.next_out = 0;
  stream.avail_out = stream.output.length;
  for (;;) {
    const status = zlibInflate(stream, Z_FINISH);
    const written = stream.next_out;
    if (written > most) throw new InflateError(`it unfolds to more than ${most} bytes`);
    if (status === Z_STREAM_END) return (stream.output as Uint8Array<ArrayBuffer>).slice(0, written);
    const isFull = stream.avail_out === 0;
    if ((status !== Z_OK && status !== Z_BUF_ERROR) || !isFull)
      throw new InflateError(stream.msg || 'it ends too early');
    const grown = new Uint8Array(Math.min(room, stream.output.length * 2));
    grown.set(stream.output);
    stream.output = grown;
    stream.avail_out = grown.length - written;
  }
}
