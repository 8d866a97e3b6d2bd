/**
 * Lines of files of any size, plain or gzipped, one after another, without ever holding more than a few chunks. Every line knows
 * where the next begins, so that reading can stop anywhere and go on there. Knows bytes and text, no document.
 */
import { WorldError } from '../envs/env.ts';
import { Gunzip, GzipError } from '../envs/transport/gunzip.ts';

/** What is read: a page's `File`, or a file on disk that looks like one. */
export interface ByteSource {
  name: string;
  /** Bytes as stored. */
  size: number;
  /** From `start` (a stored byte) on. */
  stream(start: number): ReadableStream<Uint8Array>;
}

export interface Line {
  text: string;
  /** Where the next line begins, in bytes as unpacked. */
  end: number;
  /** Stored bytes read so far: progress. */
  read: number;
}

/** A text cannot be read further. */
export class CorpusError extends WorldError {
  override name = 'CorpusError';
}

/** A line longer than this is no document; it would not fit beside the index in memory. */
export const longestLine = 32 * 1024 * 1024;

const newline = 10;

/** Bytes read at once. */
const chunkLength = 256 * 1024;

/**
 * A chunk holds until the next is asked for. All are read into one buffer where the stream can do that: chunks of their own lie outside
 * the heap, and the collector lets tens of megabytes of them pile up.
 */
async function* chunksOf(source: ByteSource, start: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = source.stream(start);
  const reader = readInto(stream) ?? stream.getReader();
  let view = new Uint8Array(chunkLength);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await reader.read(view);
      if (done) return;
      yield value;
      // The buffer that went in comes out again, in a view of its own; without such a reader it stays as it is, unused.
      if (view.buffer.byteLength === 0) view = new Uint8Array(value.buffer, 0, value.buffer.byteLength);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A reader into a buffer of the caller's (a byte stream: files of a page are some), or null. */
function readInto(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/** Unpacked chunks with the stored bytes read until then. Of a gzip file nothing before `start` is yielded, but all is unpacked. */
async function* unpacked(
  source: ByteSource,
  start: number,
  signal?: AbortSignal,
): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  if (!/\.gz$/i.test(source.name)) {
    let read = start;
    for await (const bytes of chunksOf(source, start, signal)) {
      read += bytes.length;
      yield { bytes, read };
    }
    return;
  }
  const gunzip = new Gunzip();
  let read = 0;
  let skip = start;
  try {
    for await (const bytes of chunksOf(source, 0, signal)) {
      read += bytes.length;
      for (const part of gunzip.push(bytes)) {
        const kept = part.subarray(Math.min(skip, part.length));
        skip -= part.length - kept.length;
        if (kept.length) yield { bytes: kept, read };
      }
    }
    gunzip.end();
  } catch (error) {
    if (!(error instanceof GzipError)) throw error;
    throw new CorpusError(`${source.name} is not a whole gzip file: ${error.message}.`);
  }
}

/** From byte `start` (as unpacked) on. The last line needs no newline. A line that is too long is skipped: `text` is empty. */
export async function* readLines(source: ByteSource, start: number, signal?: AbortSignal): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let held = 0;
  let end = start;
  let read = 0;
  const flush = (): Line => {
    const text = held > longestLine ? '' : decodeParts(decoder, parts, held);
    parts = [];
    held = 0;
    return { text: text.replace(/\r$/, ''), end, read };
  };
  const hold = (bytes: Uint8Array) => {
    if (held <= longestLine) parts.push(bytes);
    held += bytes.length;
    end += bytes.length;
  };
  for await (const chunk of unpacked(source, start, signal)) {
    read = chunk.read;
    let from = 0;
    for (let at = chunk.bytes.indexOf(newline); at >= 0; at = chunk.bytes.indexOf(newline, from)) {
      hold(chunk.bytes.subarray(from, at));
      end++;
      yield flush();
      from = at + 1;
    }
    // A copy: the chunk may be used again by whoever made it.
    if (from < chunk.bytes.length) hold(chunk.bytes.slice(from));
  }
  if (held) yield flush();
}

function decodeParts(decoder: TextDecoder, parts: readonly Uint8Array[], length: number): string {
  if (parts.length === 1) return decoder.decode(parts[0]);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return decoder.decode(whole);
}

/** A whole file as text: for files of a folder, each a document. */
export async function readText(source: ByteSource, signal?: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of unpacked(source, 0, signal)) {
    length += bytes.length;
    if (length > longestLine) throw new CorpusError(`${source.name} is longer than ${longestLine} bytes.`);
    parts.push(bytes.slice());
  }
  return decodeParts(new TextDecoder(), parts, length);
}
