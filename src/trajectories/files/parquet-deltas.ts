/**
 * Checks values that Parquet stores as differences (parquet.apache.org/docs/file-format/data-pages/encodings): of
 * numbers, of lengths of texts, and of texts that begin like the one before.
 */
import type { DataReader } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { numberOf } from './parquet-thrift.ts';

/** Values of a block; writers use 128 to 2,048. */
const longestBlock = 65_536;
const longestNumber = 10;

/** Reads a number of at most 64 bits. */
const numberAt = (reader: DataReader): number =>
  numberOf(() => reader.view.getUint8(reader.offset++), longestNumber, 'a number');

function checkBlock(reader: DataReader, left: number, miniblocks: number, each: number): number {
  numberAt(reader);
  const widths = reader.offset;
  reader.offset += miniblocks;
  let rest = left;
  for (let i = 0; i < miniblocks && rest > 0; i++, rest -= each) {
    const width = reader.view.getUint8(widths + i);
    if (width > 64) throw new Error(`differences of ${width} bits`);
    reader.offset += (each / 8) * width;
  }
  return rest;
}

/** Checks `values` numbers as differences (DELTA_BINARY_PACKED), and moves the reader behind them. */
export function checkDeltas(reader: DataReader, values: number): void {
  const [block, miniblocks, count] = [numberAt(reader), numberAt(reader), numberAt(reader)];
  const each = block / miniblocks;
  if (block < 1 || block > longestBlock || !Number.isInteger(each) || each % 32)
    throw new Error(`blocks of ${block} differences in ${miniblocks} parts`);
  if (count !== values) throw new Error(`${count} differences in a page of ${values} values`);
  numberAt(reader);
  for (let left = values - 1; left > 0; ) left = checkBlock(reader, left, miniblocks, each);
  if (reader.offset > reader.view.byteLength) throw new Error('differences end behind their page');
}

function lengths(reader: DataReader, values: number): Int32Array {
  const start = reader.offset;
  checkDeltas(reader, values);
  const read = new Int32Array(values);
  deltaBinaryUnpack({ view: reader.view, offset: start }, values, read);
  for (const length of read) if (length < 0) throw new Error(`a text of ${length} bytes`);
  return read;
}

const sum = (numbers: Int32Array) => numbers.reduce((total, each) => total + each, 0);

function checkEnd({ view, offset }: DataReader, bytes: number): void {
  if (bytes > view.byteLength - offset) throw new Error('a text ends behind its page');
}

/** Checks texts behind their lengths (DELTA_LENGTH_BYTE_ARRAY). */
export function checkDeltaLengths(reader: DataReader, values: number): void {
  checkEnd(reader, sum(lengths(reader, values)));
}

/** Checks texts that begin like the one before (DELTA_BYTE_ARRAY). Returns the bytes of memory that they need. */
export function checkDeltaTexts(reader: DataReader, values: number): number {
  const prefixes = lengths(reader, values);
  const suffixes = lengths(reader, values);
  checkEnd(reader, sum(suffixes));
  let [before, copied] = [0, 0];
  for (let i = 0; i < values; i++) {
    if (prefixes[i] > before) throw new Error(`a text repeats ${prefixes[i]} bytes of one of ${before}`);
    before = prefixes[i] + suffixes[i];
    if (prefixes[i]) copied += before;
  }
  return copied;
}
