/**
 * Checks the pages of a Parquet file before hyparquet reads them: it writes a run of values without regard to the page's
 * number of values, so that five changed bytes end the process, and leaves out values that a page does not have.
 */
import type {
  ColumnMetaData,
  CompressionCodec,
  DataReader,
  FileMetaData,
  PageHeader,
  RowGroup,
  SchemaTree,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { crc32 } from '../../store/crc32.ts';
import type { ByteSource } from './bytes.ts';
import { checkDeltaLengths, checkDeltas, checkDeltaTexts } from './parquet-deltas.ts';
import { leavesOf, startOf } from './parquet-schema.ts';
import { checkThrift } from './parquet-thrift.ts';

/** Values that a group of rows may have, in all its columns together. A text of its own takes the memory of four. */
const [mostValues, valuesOfText] = [16_000_000, 4];
/** A file may have so many values, or so many times its bytes: a few bytes can be a million nulls. */
const [alwaysValues, mostValuesOfByte] = [64_000_000, 32];
/** Bytes that a page and a group of rows may unfold to. */
const [mostPageBytes, mostGroupBytes] = [256 * 2 ** 20, 2 ** 30];
/** Values by which a run may exceed those that are left: writers fill up groups of eight. */
const padding = 504;

/** What a group of rows, or the file, may still have. */
class Left {
  constructor(
    private readonly what: string,
    private readonly mostValues: number,
    private readonly mostBytes: number,
    private values = mostValues,
    private bytes = mostBytes,
  ) {}

  get takenBytes(): number {
    return this.mostBytes - this.bytes;
  }

  take(values: number, bytes: number): void {
    this.values -= values;
    this.bytes -= bytes;
    if (this.values < 0) throw new Error(`${this.what} has more than ${this.mostValues} values`);
    if (this.bytes < 0)
      throw new Error(`${this.what} unfolds to more than ${Math.floor(this.mostBytes / 2 ** 20)} MiB`);
  }
}

const readerOf = (bytes: Uint8Array): DataReader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});
const widthOf = (level: number) => 32 - Math.clz32(level);

/** Checks runs that hold `values` numbers of `width` bits (parquet.apache.org/docs/file-format/data-pages/encodings). */
function checkRuns(reader: DataReader, width: number, values: number, end: number): void {
  for (let seen = 0; seen < values; ) {
    if (reader.offset >= end) throw new Error(`${seen} values in a page of ${values}`);
    const header = readVarInt(reader);
    const isPacked = header & 1;
    const count = isPacked ? (header >>> 1) * 8 : header >>> 1;
    if (count > values - seen + padding) throw new Error(`a run of ${count} values in a page of ${values}`);
    reader.offset += isPacked ? (count / 8) * width : (width + 7) >> 3;
    seen += count;
  }
}

/** The numbers of `width` bits in runs, none above `most`. */
function numbersOf(reader: DataReader, width: number, values: number, most: number, bytes: number): number[] {
  const start = reader.offset;
  checkRuns(reader, width, values, start + bytes);
  reader.offset = start;
  const numbers = new Array<number>(values);
  readRleBitPackedHybrid(reader, width, numbers, bytes);
  reader.offset = start + bytes;
  for (const each of numbers) if (!(each >= 0 && each <= most)) throw new Error(`${each} where at most ${most} may be`);
  return numbers;
}

/** Levels, which begin with their length unless it is given; null: all are 0 or, if defined, of the highest level. */
function levelsOf(reader: DataReader, level: number, values: number, bytes?: number): number[] | null {
  if (level === 0 && bytes) throw new Error(`${bytes} bytes of levels in a column without levels`);
  if (level === 0) return null;
  const length = bytes ?? reader.view.getUint32(reader.offset, true);
  if (bytes === undefined) reader.offset += 4;
  if (!(length >= 0 && length <= reader.view.byteLength - reader.offset))
    throw new Error('levels end behind their page');
  return numbersOf(reader, widthOf(level), values, level, length);
}

/** A column of a group of rows while its pages are checked. */
interface Column {
  name: string;
  type: string;
  typeLength: number;
  codec: CompressionCodec;
  /** Largest levels. */
  repetition: number;
  definition: number;
  /** Number of entries of the dictionary; null: none was read. */
  dictionary: number | null;
  values: number;
  rows: number;
  left: readonly Left[];
}

const texts = ['BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'];
const numbers = ['INT32', 'INT64', 'FLOAT', 'DOUBLE'];
/** Encodings that are read, with the types of values that have them. */
const encodings: Partial<Record<string, readonly string[]>> = {
  PLAIN: [...numbers, ...texts, 'BOOLEAN', 'INT96'],
  PLAIN_DICTIONARY: [...numbers, ...texts, 'INT96'],
  RLE_DICTIONARY: [...numbers, ...texts, 'INT96'],
  RLE: ['BOOLEAN'],
  BYTE_STREAM_SPLIT: [...numbers, 'FIXED_LEN_BYTE_ARRAY'],
  DELTA_BINARY_PACKED: ['INT32', 'INT64'],
  DELTA_LENGTH_BYTE_ARRAY: ['BYTE_ARRAY'],
  DELTA_BYTE_ARRAY: texts,
};
const bitsOf: Partial<Record<string, number>> = { BOOLEAN: 1, INT32: 32, INT64: 64, INT96: 96, FLOAT: 32, DOUBLE: 64 };

/** Checks `values` values one after another. */
function checkPlain({ view, offset }: DataReader, { type, typeLength }: Column, values: number): void {
  let end = offset;
  if (type === 'BYTE_ARRAY') for (let i = 0; i < values; i++) end += 4 + view.getUint32(end, true);
  else end += Math.ceil(((bitsOf[type] ?? 8 * typeLength) * values) / 8);
  if (!(end <= view.byteLength)) throw new Error(`${values} values end behind their page`);
}

/** Checks the values of a page. Returns the bytes of memory that they need beyond the page's. */
function checkValues(reader: DataReader, column: Column, encoding: string | undefined, values: number): number {
  if (!encodings[encoding ?? '']?.includes(column.type))
    throw new Error(`the encoding ${encoding} of values ${column.type} is not read`);
  if (encoding === 'RLE') levelsOf(reader, 1, values);
  else if (encoding === 'DELTA_BINARY_PACKED') checkDeltas(reader, values);
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') checkDeltaLengths(reader, values);
  else if (encoding === 'DELTA_BYTE_ARRAY') return checkDeltaTexts(reader, values);
  else if (encoding?.endsWith('DICTIONARY')) checkEntries(reader, column, values);
  else checkPlain(reader, column, values);
  return 0;
}

function checkEntries(reader: DataReader, { dictionary }: Column, values: number): void {
  if (dictionary === null) throw new Error('a page has entries of a dictionary and no dictionary');
  if (values === 0) return;
  const width = reader.view.getUint8(reader.offset++);
  if (width > 31) throw new Error(`entries of a dictionary have ${width} bits`);
  if (width) numbersOf(reader, width, values, dictionary - 1, reader.view.byteLength - reader.offset);
  else if (dictionary === 0) throw new Error('a page has entries of an empty dictionary');
}

/** Number of values that are defined. */
const defined = (levels: number[] | null, level: number, values: number) =>
  levels === null ? values : levels.reduce((count, each) => count + Number(each === level), 0);

/** Counts rows: a value at level 0 begins one. */
function countRows(column: Column, repetition: number[] | null, values: number): number {
  if (column.values === 0 && repetition?.[0]) throw new Error('the first value continues a row');
  column.values += values;
  const rows = repetition === null ? values : defined(repetition, 0, values);
  column.rows += rows;
  return rows;
}

const isText = ({ type }: Column, encoding?: string) =>
  type.endsWith('BYTE_ARRAY') && !encoding?.endsWith('DICTIONARY');

function take(column: Column, values: number, bytes: number, encoding?: string): void {
  if (!(values >= 0)) throw new Error(`a page of ${values} values`);
  for (const left of column.left) left.take(values * (isText(column, encoding) ? valuesOfText : 1), bytes);
}

/** The bytes of a page, which are taken from what may still be unfolded before they are. */
function unfolded(bytes: Uint8Array, size: number, column: Column): Uint8Array {
  if (!(size >= 0 && size <= mostPageBytes))
    throw new Error(`a page unfolds to ${size} bytes; at most ${mostPageBytes} are read`);
  take(column, 0, size);
  return decompressPage(bytes, size, column.codec, undefined);
}

function checkOlderPage(
  bytes: Uint8Array,
  { data_page_header: page, uncompressed_page_size: size }: PageHeader,
  column: Column,
) {
  if (!page) throw new Error('a page has no header of its kind');
  const { num_values: values, encoding } = page;
  take(column, values, 0, encoding);
  const reader = readerOf(unfolded(bytes, size, column));
  countRows(column, levelsOf(reader, column.repetition, values), values);
  const count = defined(levelsOf(reader, column.definition, values), column.definition, values);
  take(column, 0, checkValues(reader, column, encoding, count));
}

function checkNewerPage(bytes: Uint8Array, header: PageHeader, column: Column): void {
  const { data_page_header_v2: page, uncompressed_page_size: size } = header;
  if (!page) throw new Error('a page has no header of its kind');
  const { num_values: values, num_nulls: nulls, num_rows: rows, encoding } = page;
  const { repetition_levels_byte_length: first, definition_levels_byte_length: second } = page;
  take(column, values, 0, encoding);
  const reader = readerOf(bytes);
  const isRows = countRows(column, levelsOf(reader, column.repetition, values, first), values) === rows;
  const count = defined(levelsOf(reader, column.definition, values, second), column.definition, values);
  if (!isRows || count !== values - nulls)
    throw new Error('the header of a page counts other rows or nulls than it has');
  const isPacked = page.is_compressed !== false && size !== first + second;
  const rest = bytes.subarray(first + second);
  const data = isPacked ? unfolded(rest, size - first - second, column) : rest;
  take(column, 0, checkValues(readerOf(data), column, encoding, count));
}

function checkDictionary(bytes: Uint8Array, header: PageHeader, column: Column): void {
  const { dictionary_page_header: page, uncompressed_page_size: size } = header;
  if (!page) throw new Error('a page has no header of its kind');
  take(column, page.num_values, 0);
  checkPlain(readerOf(unfolded(bytes, size, column)), column, page.num_values);
  column.dictionary = page.num_values;
}

const checks: Partial<Record<string, typeof checkDictionary>> = {
  DATA_PAGE: checkOlderPage,
  DATA_PAGE_V2: checkNewerPage,
  DICTIONARY_PAGE: checkDictionary,
};

function checkPages(bytes: Uint8Array, column: Column): void {
  const reader = readerOf(bytes);
  while (reader.offset < bytes.length - 1) {
    checkThrift(reader.view, reader.offset);
    const header = parquetHeader(reader);
    const end = reader.offset + header.compressed_page_size;
    if (!(end >= reader.offset && end <= bytes.length))
      throw new Error('a page ends before it begins, or behind its column');
    const page = bytes.subarray(reader.offset, end);
    const { crc } = header;
    if (crc !== undefined && crc >>> 0 !== crc32(page)) throw new Error('a page does not match its checksum');
    const check = checks[header.type];
    if (!check) throw new Error(`pages of the kind ${header.type} are not read`);
    check(page, header, column);
    reader.offset = end;
  }
}

async function checkColumn(
  source: ByteSource,
  chunk: ColumnMetaData,
  path: SchemaTree[],
  left: Left[],
): Promise<number> {
  const { total_compressed_size: size, codec } = chunk;
  const { element } = path[path.length - 1];
  const [start, bytes] = [startOf(chunk), Number(size)];
  if (!(start >= 4 && bytes >= 0 && start + bytes <= source.size)) throw new Error('it lies outside the file');
  const column: Column = {
    name: chunk.path_in_schema.join('.'),
    type: element.type ?? '',
    typeLength: element.type_length ?? 0,
    codec,
    repetition: getMaxRepetitionLevel(path),
    definition: getMaxDefinitionLevel(path),
    dictionary: null,
    values: 0,
    rows: 0,
    left,
  };
  checkPages(await source.slice(start, start + bytes), column);
  if (BigInt(column.values) !== chunk.num_values)
    throw new Error(`it has ${column.values} values, not ${chunk.num_values}`);
  return column.rows;
}

/** Checks that a group has each column of the schema, and all of its rows in each. */
async function checkGroup(source: ByteSource, group: RowGroup, tree: SchemaTree, left: Left[]): Promise<void> {
  const missing = new Set(leavesOf(tree).map((path) => path.join('.')));
  for (const { meta_data: chunk } of group.columns) {
    const name = chunk?.path_in_schema.join('.') ?? '';
    if (!chunk || !missing.delete(name)) throw new Error(`column ${name.slice(0, 80)} is unknown or there twice`);
    try {
      const rows = await checkColumn(source, chunk, getTreePath(tree, chunk.path_in_schema), left);
      if (BigInt(rows) !== group.num_rows) throw new Error(`it has ${rows} rows, not ${group.num_rows}`);
    } catch (error) {
      throw new Error(`column ${name.slice(0, 80)}: ${(error as Error).message}`);
    }
  }
  const [first] = missing;
  if (first !== undefined) throw new Error(`column ${first.slice(0, 80)} is missing in a group of rows`);
}

/**
 * Checks every page of a file. `mostBytes`: what it may unfold to. Returns the bytes that each group of rows unfolds to.
 * Throws Error for a file that would not end, or lacks values.
 */
export async function checkGroups(
  source: ByteSource,
  metadata: FileMetaData,
  tree: SchemaTree,
  mostBytes: number,
): Promise<number[]> {
  const all = new Left('the file', Math.max(alwaysValues, mostValuesOfByte * source.size), mostBytes);
  const sizes: number[] = [];
  for (const group of metadata.row_groups) {
    const left = new Left('a group of rows', mostValues, mostGroupBytes);
    await checkGroup(source, group, tree, [left, all]);
    sizes.push(left.takenBytes);
  }
  return sizes;
}
