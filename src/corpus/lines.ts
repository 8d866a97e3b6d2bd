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

/**
 * Lines from the unpacked byte `start` on. The last line needs no newline. For a line that is too long, `text` is
 * empty.
 */
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
    // Copies the rest, because the chunk's buffer is reused.
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

/** Reads a whole file as text, for folders in which each file is one document. */
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
