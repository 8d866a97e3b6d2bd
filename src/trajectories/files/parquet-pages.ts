/**
 * Checks the pages of a Parquet file before hyparquet reads them: it writes a run of values without regard to the page's
 * number of values, so that five changed bytes end the process.
 */
import type { ColumnMetaData, CompressionCodec, DataReader, FileMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getSchemaPath } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import type { ByteSource } from './bytes.ts';

/** Values that a group of rows may have, in all its columns together. */
const mostValues = 16_000_000;
/** Values by which a run may exceed those that are left: writers fill up groups of eight. */
const padding = 504;

/** What a group of rows may still have. */
interface Left {
  values: number;
  bytes: number;
}

const readerOf = (bytes: Uint8Array): DataReader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});
const widthOf = (level: number) => 32 - Math.clz32(level);

/** Checks runs that hold `values` numbers of `width` bits (parquet.apache.org/docs/file-format/data-pages/encodings). */
function checkRuns(reader: DataReader, width: number, values: number): void {
  for (let seen = 0; seen < values; ) {
    const header = readVarInt(reader);
    const isPacked = header & 1;
    const count = isPacked ? (header >>> 1) * 8 : header >>> 1;
    if (count > values - seen + padding) throw new Error(`a run of ${count} values in a page of ${values}`);
    reader.offset += isPacked ? (count / 8) * width : (width + 7) >> 3;
    seen += count;
  }
}

/** Checks the runs of levels, which begin with their length unless it is given. Returns how many are of `level`. */
function checkLevels(reader: DataReader, level: number, values: number, bytes?: number): number {
  if (level === 0) return values;
  const length = bytes ?? reader.view.getUint32(reader.offset, true);
  const start = reader.offset + (bytes === undefined ? 4 : 0);
  reader.offset = start;
  checkRuns(reader, widthOf(level), values);
  reader.offset = start;
  const levels = new Array<number>(values);
  readRleBitPackedHybrid(reader, widthOf(level), levels, length);
  reader.offset = start + length;
  return levels.reduce((count, each) => count + Number(each === level), 0);
}

/** Checks the numbers of a dictionary's entries, whose width is written before them, and flags. */
function checkEntries(reader: DataReader, encoding: string | undefined, values: number): void {
  if (encoding === 'RLE') checkLevels(reader, 1, values);
  if (!encoding?.endsWith('DICTIONARY')) return;
  const width = reader.view.getUint8(reader.offset++);
  if (width) checkRuns(reader, width, values);
}

/** Largest levels of a column. */
interface Levels {
  repetition: number;
  definition: number;
}

function checkPage(bytes: Uint8Array, header: PageHeader, codec: CompressionCodec, levels: Levels): void {
  const { data_page_header: page, data_page_header_v2: newer, uncompressed_page_size: size } = header;
  if (page) {
    const reader = readerOf(decompressPage(bytes, size, codec, undefined));
    checkLevels(reader, levels.repetition, page.num_values);
    checkEntries(reader, page.encoding, checkLevels(reader, levels.definition, page.num_values));
  } else if (newer) {
    const { repetition_levels_byte_length: first, definition_levels_byte_length: second } = newer;
    checkLevels(readerOf(bytes), levels.repetition, newer.num_values, first);
    checkLevels(readerOf(bytes.subarray(first)), levels.definition, newer.num_values, second);
    const rest = bytes.subarray(first + second);
    const isPacked = newer.is_compressed !== false && size > first + second;
    const data = isPacked ? decompressPage(rest, size - first - second, codec, undefined) : rest;
    checkEntries(readerOf(data), newer.encoding, newer.num_values - newer.num_nulls);
  }
}

const valuesOf = (header: PageHeader): number =>
  (header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header)?.num_values ?? 0;

/** Takes a page from what its group of rows may have. */
function take(left: Left, header: PageHeader): void {
  left.values -= Math.max(0, valuesOf(header));
  left.bytes -= Math.max(0, header.uncompressed_page_size);
  if (left.values < 0) throw new Error(`a group of rows has more than ${mostValues} values`);
  if (left.bytes < 0) throw new Error('the pages of a group of rows are too large for the size of the file');
}

async function checkColumn(source: ByteSource, column: ColumnMetaData, levels: Levels, left: Left): Promise<void> {
  const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size, codec } = column;
  const start = Number(dictionary || data);
  const bytes = await source.slice(start, Math.min(source.size, start + Number(size)));
  const reader = readerOf(bytes);
  while (reader.offset < bytes.length - 1) {
    const header = parquetHeader(reader);
    take(left, header);
    const end = reader.offset + header.compressed_page_size;
    if (!(end > reader.offset - 1)) throw new Error('a page ends before it begins');
    checkPage(bytes.subarray(reader.offset, end), header, codec, levels);
    reader.offset = end;
  }
}

/** Checks every page of a file. `mostBytes`: what a group of rows may unfold to. Throws Error for one that would not end. */
export async function checkPages(source: ByteSource, metadata: FileMetaData, mostBytes: number): Promise<void> {
  for (const { columns } of metadata.row_groups) {
    const left: Left = { values: mostValues, bytes: mostBytes };
    for (const { meta_data: column } of columns) {
      if (!column) continue;
      const path = getSchemaPath(metadata.schema, column.path_in_schema);
      const levels = { repetition: getMaxRepetitionLevel(path), definition: getMaxDefinitionLevel(path) };
      await checkColumn(source, column, levels, left);
    }
  }
}
