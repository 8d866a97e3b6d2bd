/**
 * An opened file of trajectories: finds and summarises every record and keeps none, so memory depends only on the
 * number of records. A record is read again from its place on request. Malformed records are named by line.
 */
import { bigNumber, protectedNumbers, restoredNumbers } from './big-numbers.ts';
import type { ByteSource } from './bytes.ts';
import { readingOf } from './file-kinds.ts';
import type { TrajectoryFormat } from './format.ts';
import { MemorySpill, type Spill } from './gzip.ts';
import { turnsOf } from './messages.ts';
import { type JsonObject, type RecordProblem, TrajectoryFileError, type TrajectoryRecord } from './record.ts';
import { mostRecords, RecordIndex, type RecordSummary } from './record-index.ts';
import { recognized, trajectoryFormats } from './registry.ts';
import { conversationIn, remedyFor, withLists } from './rows.ts';
import { mostLevels, mostRecordBytes, type Piece, Splitter } from './splitter.ts';
import { textMatcher, turnText } from './text-search.ts';
import { unwrapped } from './wrapped.ts';

export type { ByteSource } from './bytes.ts';

export interface OpenFileOptions {
  signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
  /** Receives the file before it is read; its records and problems grow afterwards. */
  onBegin?(file: TrajectoryFile): void;
  /** Storage for the unpacked bytes of a compressed file; absent: memory. */
  spill?(): Spill | Promise<Spill>;
}

/** Trajectories that can be listed, read one at a time and searched: those of a file or of a run. */
export interface Collection {
  readonly name: string;
  readonly records: RecordIndex;
  readonly problems: readonly RecordProblem[];
  /** Number of records passed over, including those without a listed problem. */
  readonly refused: number;
  read(index: number): Promise<TrajectoryRecord>;
  find(text: string, options?: OpenFileOptions): AsyncGenerator<number>;
  release(): Promise<void>;
}

/** Maximum number of problems that are listed; further ones are only counted. */
const mostProblems = 1000;
/** Bytes read at once while records are searched one after another. */
const searchBytes = 4e6;
/** Bytes that are divided into records at once: each record in them takes a hundred bytes and more. */
const splitBytes = 1 << 16;
/** Records that may be refused; each takes a hundred times as long as a byte of a text. */
const mostRefused = 50_000;
/** Maximum number of characters of an id, and of a name of a field in a message. */
const [longestId, longestName] = [1000, 40];

export class TrajectoryFile implements Collection {
  records = new RecordIndex();
  problems: RecordProblem[] = [];
  refused = 0;
  /** Format of most records; null: the file has no readable record. */
  format: TrajectoryFormat | null = null;
  private lastLine = 1;

  private constructor(
    private readonly source: ByteSource,
    private readonly spill: Spill | null,
  ) {}

  get name(): string {
    return this.source.name;
  }

  /** Reads the file once. An abort rejects with the signal's reason. */
  static async open(source: ByteSource, options: OpenFileOptions = {}): Promise<TrajectoryFile> {
    const read = await readingOf(source);
    const spill = read ? await (options.spill?.() ?? new MemorySpill()) : null;
    const file = new TrajectoryFile(read && spill ? read(source, spill) : source, spill);
    options.onBegin?.(file);
    await file.scan(options);
    if (file.refused > 0 && (await file.isOneArray())) await file.scanWhole(options);
    const inner = file.records.length === 0 && file.refused === 1 ? await unwrapped(file.source) : null;
    if (inner) {
      await file.release();
      return TrajectoryFile.open(inner, options);
    }
    if (file.records.length === 0 && file.refused === 0)
      throw new TrajectoryFileError(`${source.name} is empty: it holds no record.`);
    if (file.records.length === 0)
      throw new TrajectoryFileError(
        `${source.name} holds no trajectory that can be read. Line ${file.problems[0].line}: ${file.problems[0].message} Known are ${trajectoryFormats.map(({ label }) => label).join(', ')}.`,
      );
    return file;
  }

  async read(index: number): Promise<TrajectoryRecord> {
    const { offset, bytes, line } = this.records.at(index);
    const piece = await this.source.slice(offset, offset + bytes);
    return parseRecord({ bytes: piece, offset, line, broken: false }).record;
  }

  /** Indices of the records whose messages contain the text, ignoring case. Reads the file again. */
  async *find(text: string, { signal, onProgress }: OpenFileOptions = {}): AsyncGenerator<number> {
    const matches = textMatcher(text);
    const { records } = this;
    for (let first = 0; first < records.length; ) {
      signal?.throwIfAborted();
      const last = this.lastBeside(first);
      const start = records.offset[first];
      const bytes = await this.source.slice(start, records.offset[last] + records.bytes[last]);
      for (let i = first; i <= last; i++) {
        const [from, line] = [records.offset[i] - start, records.line[i]];
        const piece = { bytes: bytes.subarray(from, from + records.bytes[i]), offset: 0, line, broken: false };
        if (contains(parseRecord(piece).record, matches)) yield i;
      }
      first = last + 1;
      onProgress?.(first, records.length);
    }
  }

  async release(): Promise<void> {
    await this.spill?.release();
  }

  /** Last record after `first` that is in the same piece of the file. */
  private lastBeside(first: number): number {
    const { offset, bytes, length } = this.records;
    let last = first;
    while (last + 1 < length && offset[last + 1] + bytes[last + 1] - offset[first] <= searchBytes) last++;
    return last;
  }

  /** True if the whole file is one valid array, however it is laid out; large files are not checked. */
  private async isOneArray(): Promise<boolean> {
    const bytes = await this.source.slice(0, mostRecordBytes);
    if (bytes.length === mostRecordBytes) return false;
    try {
      return Array.isArray(JSON.parse(utf8.decode(bytes)));
    } catch {
      return false;
    }
  }

  /** Scans again and waits for the end of every text, even of one that seems to have none. */
  private async scanWhole({ signal }: OpenFileOptions): Promise<void> {
    const bytes = await this.source.slice(0, mostRecordBytes);
    signal?.throwIfAborted();
    [this.records, this.problems, this.refused] = [new RecordIndex(), [], 0];
    const splitter = new Splitter(mostRecordBytes, true);
    this.addAll(splitter, bytes);
    for (const piece of splitter.finish()) this.add(piece);
  }

  private async scan({ signal, onProgress }: OpenFileOptions): Promise<void> {
    const splitter = new Splitter();
    let done = 0;
    try {
      for await (const chunk of this.source.stream()) {
        signal?.throwIfAborted();
        this.addAll(splitter, chunk);
        if (this.refused >= mostRefused) break;
        done += chunk.length;
        onProgress?.(this.source.read?.() ?? done, this.source.size);
      }
    } catch (error) {
      // A compressed file may be truncated: the records in the unpacked part stay listed.
      if (!(error instanceof TrajectoryFileError)) throw error;
      for (const piece of splitter.finish()) this.add(piece);
      this.refuse(this.lastLine, error.message);
      return;
    }
    for (const piece of splitter.finish()) this.add(piece);
  }

  /** Adds the records that end within these bytes. */
  private addAll(splitter: Splitter, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += splitBytes)
      for (const piece of splitter.push(bytes.subarray(at, at + splitBytes))) this.add(piece);
  }

  private add(piece: Piece): void {
    if (this.refused >= mostRefused) return;
    this.lastLine = piece.line;
    try {
      const { record, format, fields } = parseRecord(piece);
      this.format ??= format;
      // A null id is an absent one: `datasets` writes it for a record beside others that have an id.
      const lacks = format.lacks === 'item_id' && fields.item_id === null ? undefined : format.lacks;
      if (lacks && !this.format.lacks && this.format.isAgentGym) throw lost(lacks);
      if (!this.records.add(summaryOf(piece, record, format)))
        this.refuse(
          piece.line,
          `A list holds ${mostRecords} records; this one and later ones are left out: divide the file.`,
        );
    } catch (error) {
      if (!(error instanceof TrajectoryFileError)) throw error;
      // The rest of a line after a refused record is not a second record, unless it is a whole object.
      if (this.problems.at(-1)?.line === piece.line && !isWholeObject(piece)) return;
      this.refuse(piece.line, error.message);
    }
  }

  private refuse(line: number, message: string): void {
    this.refused++;
    if (this.refused === mostRefused && this.records.length > 0)
      this.problems.unshift({
        line,
        message: `${mostRefused} records are refused; those after this line are not read.`,
      });
    if (this.problems.length < mostProblems) this.problems.push({ line, message });
  }
}

/** Error for a record that is valid in a format with fewer fields, in a file whose first record has more. */
const lost = (field: string) => new TrajectoryFileError(`"${field}" is missing; the first record of this file has it.`);

const isWholeObject = ({ bytes, broken }: Piece) => bytes[0] === 0x7b && !broken;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson({ bytes, broken, tooLong, tooDeep }: Piece): JsonObject {
  if (tooLong)
    throw new TrajectoryFileError(`This record has more than ${mostRecordBytes / 1e6} MB, or it does not end.`);
  if (broken) throw new TrajectoryFileError('This record does not end: a bracket or a quotation mark is missing.');
  if (tooDeep) throw new TrajectoryFileError(`This record has more than ${mostLevels} levels of objects and lists.`);
  let value: unknown;
  try {
    value = JSON.parse(protectedNumbers(utf8.decode(bytes)));
  } catch (error) {
    if (error instanceof TrajectoryFileError) throw error;
    throw new TrajectoryFileError(`This is not JSON: ${(error as Error).message}.`);
  }
  const bare = conversationIn(value);
  if (bare) return bare;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TrajectoryFileError('A record must be an object.');
  return withLists(value as JsonObject);
}

const namesOf = (fields: JsonObject) =>
  Object.keys(fields)
    .slice(0, 8)
    .map((name) => name.slice(0, longestName))
    .join(', ');

function parseRecord(piece: Piece): { record: TrajectoryRecord; format: TrajectoryFormat; fields: JsonObject } {
  const fields = parseJson(piece);
  for (const name of ['item_id', 'id']) {
    const big = bigNumber(fields[name]);
    if (big)
      throw new TrajectoryFileError(
        `${name}: ${big.slice(0, longestName)} is larger than 2^53, the most that an id may be.`,
      );
  }
  if (typeof fields.item_id === 'string' && fields.item_id.length > longestId)
    throw new TrajectoryFileError(`item_id has ${fields.item_id.length} characters; an id has at most ${longestId}.`);
  const format = recognized(fields);
  if (!format)
    throw new TrajectoryFileError(
      `This is a record of no known format (its fields: ${namesOf(fields)}). ${remedyFor(fields)}`.trimEnd(),
    );
  return { record: format.read(fields), format, fields };
}

/** True if the record contains the text; an answer is searched together with the next message. */
const contains = ({ messages, itemId }: TrajectoryRecord, matches: (text: string) => boolean): boolean =>
  (itemId !== null && matches(itemId)) ||
  (messages?.some(({ role, content, reasoning }, i) => {
    const next = role === 'assistant' ? messages[i + 1]?.content : undefined;
    return (
      matches(next === undefined ? content : turnText(content, next)) || (reasoning !== null && matches(reasoning))
    );
  }) ??
    false);

function summaryOf(
  { line, offset, bytes }: Piece,
  record: TrajectoryRecord,
  { name }: TrajectoryFormat,
): RecordSummary {
  const { itemId, world, item, reward, success, messages, step } = record;
  const turns = turnsOf(messages ?? []).filter((turn) => turn !== null).length;
  const size = bytes.length;
  const place = { line, offset, bytes: size, format: name, itemId, world, item, family: null };
  return { ...place, reward, success, turns, step: step ?? null };
}

/** Text of a file from its records, piece by piece. */
export function* writeRecords(records: Iterable<TrajectoryRecord>, format: TrajectoryFormat): Generator<string> {
  const text = new TrajectoryWriter(format);
  for (const record of records) yield text.record(record);
  yield text.end();
}

/** Text of a file, built as its records arrive. */
export class TrajectoryWriter {
  private first = true;

  constructor(private readonly format: TrajectoryFormat) {}

  record(record: TrajectoryRecord): string {
    const { container } = this.format;
    const fields = this.format.write(record);
    const before = container !== 'array' ? '' : this.first ? '[\n' : ',\n';
    this.first = false;
    const text = container === 'object' ? JSON.stringify(fields, null, 4) : JSON.stringify(fields);
    return `${before}${restoredNumbers(text)}${container === 'array' ? '' : '\n'}`;
  }

  end(): string {
    if (this.format.container !== 'array') return '';
    return this.first ? '[\n\n]\n' : '\n]\n';
  }
}
