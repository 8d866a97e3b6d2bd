/**
 * Reads the lines of files of any size, plain or gzipped, holding only a few chunks at a time. Every line carries the
 * offset of the next, so that reading can stop at any line and resume there. Handles bytes and text, not documents.
 */
import { WorldError } from '../envs/env.ts';
import { Gunzip, GzipError } from '../envs/transport/gunzip.ts';

/** A file to read: a page's `File`, or a file on disk with the same interface. */
export interface ByteSource {
  name: string;
  /** Size in stored (possibly gzipped) bytes. */
  size: number;
  /** Stream from the stored byte `start` on. */
  stream(start: number): ReadableStream<Uint8Array>;
}

export interface Line {
  text: string;
  /** Start of the next line, in unpacked bytes. */
  end: number;
  /** Stored bytes read so far, for progress. */
  read: number;
  /** The reason why the line has no text, if it could not be read. */
  fault?: string;
}

/** A file cannot be read, or a corpus cannot be used. */
export class CorpusError extends WorldError {
  override name = 'CorpusError';
}

/**
 * Longest line in characters, and longest text file in bytes. A longer document would not fit into memory beside the
 * index.
 */
export const longestLine = 32 * 1024 * 1024;

/** Name of a file as messages have it. */
export const briefName = (name: string): string => name.slice(0, 200);

/** Error of a file that cannot be read, for example because it was deleted after it was chosen. */
export const unreadable = (name: string, { message }: Error): CorpusError =>
  new CorpusError(`${briefName(name)} cannot be read: ${message}`);

const newline = 10;

/** Bytes of one read. */
const chunkLength = 256 * 1024;

/**
 * A chunk is valid until the next one is requested. If the stream allows it, all chunks are read into one buffer:
 * separate chunks lie outside the JavaScript heap, where tens of megabytes pile up before they are collected.
 */
async function* chunksOf(source: ByteSource, start: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = source.stream(start);
  const reader = readInto(stream) ?? stream.getReader();
  let view = new Uint8Array(chunkLength);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await reader.read(view).catch((error) => {
        throw unreadable(source.name, error);
      });
      if (done) return;
      yield value;
      // A BYOB read transfers the buffer and returns it in a new view. A plain reader leaves `view` unused.
      if (view.buffer.byteLength === 0) view = new Uint8Array(value.buffer, 0, value.buffer.byteLength);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Reader into a buffer of the caller (BYOB), or null. Only byte streams offer one, such as those of a page's files. */
function readInto(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/**
 * Unpacked chunks, each with the number of stored bytes read so far. A gzip file is always unpacked from its beginning;
 * chunks before `start` are dropped.
 */
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
    throw new CorpusError(`${source.name} cannot be unpacked to its end: ${error.message}.`);
  }
}

/** Text of bytes in UTF-8, or in UTF-16 with a byte order mark; null: they have another encoding. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(markOf(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The encoding that a byte order mark of UTF-16 names. */
const markOf = ([a, b]: Uint8Array): string | null =>
  a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : null;

/** The same for a file that is read as a whole. Throws CorpusError for another encoding. */
export function textIn(bytes: Uint8Array, name: string): string {
  const text = textOf(bytes);
  if (text === null) throw new CorpusError(`${briefName(name)} is not UTF-8: save it in this encoding.`);
  return text;
}

export const notUtf8 = 'it is not UTF-8: save the file in this encoding';

/** Lines from the unpacked byte `start` on. The last line needs no newline. A line that is not read has a `fault`. */
export async function* readLines(source: ByteSource, start: number, signal?: AbortSignal): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let end = start;
  let read = 0;
  const flush = (): Line => {
    const isLong = held > longestLine;
    const bytes = isLong ? new Uint8Array() : joined(parts, held);
    parts = [];
    held = 0;
    const text = markOf(bytes) ? null : textOf(bytes);
    const fault = isLong ? `it is longer than ${longestLine} bytes` : text === null ? notUtf8 : undefined;
    return { text: (text ?? '').replace(/\r$/, ''), end, read, ...(fault && { fault }) };
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
    // Copies the rest, because the chunk's buffer is reused.
    if (from < chunk.bytes.length) hold(chunk.bytes.slice(from));
  }
  if (held) yield flush();
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Reads a whole file, such as one document of a folder. */
export async function readWhole(source: ByteSource, signal?: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of unpacked(source, 0, signal)) {
    length += bytes.length;
    if (length > longestLine) throw new CorpusError(`${source.name} is longer than ${longestLine} bytes.`);
    parts.push(bytes.slice());
  }
  return joined(parts, length);
}
