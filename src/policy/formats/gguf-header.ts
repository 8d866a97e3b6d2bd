/**
 * Header of a GGUF file: metadata and tensor table. Strict as llama.cpp's reader (ggml/src/gguf.cpp): a key or tensor
 * that occurs twice, a value of an unknown type, a tensor that does not begin where the one before it ends, and a header
 * that ends too early are refused.
 *
 * Format: github.com/ggml-org/ggml (MIT), its page on GGUF. Versions 2 and 3, little-endian. This file depends on bytes only.
 */
import { blockTypes, typeName } from './ggml-blocks.ts';
import { GgufError } from './gguf-error.ts';
import { cut, lfsPointer } from './json-text.ts';

/** Reads bytes `start` to `end` of a file, fewer at its end. */
export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** An integer above 2^53 is a bigint. */
export type GgufScalar = string | number | bigint | boolean;
export type GgufMetadata = ReadonlyMap<string, GgufScalar | readonly GgufScalar[]>;

export interface GgufTensorInfo {
  name: string;
  /** Hugging Face's order: (out, in) for a matrix. */
  shape: number[];
  /** ggml's type number, one of `blockTypes`. */
  type: number;
  /** Byte range in the file. */
  start: number;
  end: number;
}

export interface GgufHeader {
  metadata: GgufMetadata;
  tensors: GgufTensorInfo[];
}

/** Header bytes of the first read; each further one reads four times as many from the beginning. */
const firstBytes = 4 << 20;
const mostHeaderBytes = 512 << 20;
const mostDimensions = 4;
/** Entries of one list, and of the whole header: no vocabulary in use has a fortieth of them. */
const mostEntries = 10_000_000;
const stringType = 8;
const arrayType = 9;

/** Thrown inside this file when the header is longer than the bytes read so far. */
class NeedsMore extends Error {}

const show = (name: string) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name);

class Cursor {
  at = 0;
  /** Entries read so far. */
  private kept = 0;
  private readonly view: DataView;
  constructor(
    private readonly bytes: Uint8Array,
    private readonly fileBytes: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Position of the next `count` bytes, which are then read. */
  private take(count: number): number {
    const at = this.at;
    if (at + count > this.fileBytes)
      throw new GgufError(
        `The GGUF file's header needs at least ${at + count} bytes, but the file has ${this.fileBytes}: it was cut short or is damaged.`,
      );
    if (at + count > this.bytes.length) throw new NeedsMore();
    this.at = at + count;
    return at;
  }

  u32 = () => this.view.getUint32(this.take(4), true);

  /** An integer of 64 bits, as a number if it is exact. */
  u64 = () => exact(this.view.getBigUint64(this.take(8), true));

  /** A number of entries of at least `bytes` bytes each. */
  count(bytes: number, what: string): number {
    const value = this.u64();
    if (typeof value === 'number' && value * bytes <= this.fileBytes - this.at) return value;
    throw new GgufError(
      `The GGUF file's header announces ${value} ${what}, more than its ${this.fileBytes} bytes can hold: it is damaged.`,
    );
  }

  /** The same for entries that are all kept, of which there is a bound. */
  entries(bytes: number, what: string): number {
    const value = this.count(bytes, what);
    this.kept += value;
    if (this.kept <= mostEntries) return value;
    throw new GgufError(
      `The GGUF file's header has more than ${mostEntries} entries (${value} ${what}): it is damaged.`,
    );
  }

  /** UTF-8. Malformed bytes are refused, or replaced if `lenient`. */
  text(lenient = false): string {
    const length = this.count(1, 'bytes of a text');
    const start = this.take(length);
    const part = this.bytes.subarray(start, start + length);
    try {
      return new TextDecoder('utf-8', { ignoreBOM: true, fatal: !lenient }).decode(part);
    } catch {
      throw new GgufError(`The GGUF file's header has a text that is not UTF-8 at byte ${start}: it is damaged.`);
    }
  }

  private readonly scalars: { readonly [type: number]: [bytes: number, read: (at: number) => GgufScalar] } = {
    0: [1, (at) => this.view.getUint8(at)],
    1: [1, (at) => this.view.getInt8(at)],
    2: [2, (at) => this.view.getUint16(at, true)],
    3: [2, (at) => this.view.getInt16(at, true)],
    4: [4, (at) => this.view.getUint32(at, true)],
    5: [4, (at) => this.view.getInt32(at, true)],
    6: [4, (at) => this.view.getFloat32(at, true)],
    7: [1, (at) => this.view.getUint8(at) !== 0],
    10: [8, (at) => exact(this.view.getBigUint64(at, true))],
    11: [8, (at) => exact(this.view.getBigInt64(at, true))],
    12: [8, (at) => this.view.getFloat64(at, true)],
  };

  value(key: string): GgufScalar | GgufScalar[] {
    const type = this.u32();
    const lenient = key.startsWith('general.');
    if (type === stringType) return this.text(lenient);
    if (type !== arrayType) return this.list(type, 1, key)[0];
    const element = this.u32();
    if (element !== stringType) return this.list(element, this.entries(this.sizeOf(element, key), 'values'), key);
    return Array.from({ length: this.entries(8, 'texts') }, () => this.text(lenient));
  }

  private sizeOf(type: number, key: string): number {
    const scalar = this.scalars[type];
    if (scalar) return scalar[0];
    throw new GgufError(`The GGUF file's key ${show(key)} has a value of type ${type}; only types 0 to 12 are read.`);
  }

  private list(type: number, count: number, key: string): GgufScalar[] {
    const bytes = this.sizeOf(type, key);
    const start = this.take(bytes * count);
    const [, read] = this.scalars[type];
    return Array.from({ length: count }, (_, i) => read(start + i * bytes));
  }
}

const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function readVersion(cursor: Cursor): void {
  const magic = cursor.u32();
  // "vers", as in "version https://git-lfs.github.com/spec/v1".
  if (magic === 0x73726576) throw new GgufError(`The file ${lfsPointer}.`);
  if (magic !== 0x46554747)
    throw new GgufError('The file does not begin with "GGUF": it is not a GGUF file, or an incomplete download.');
  const version = cursor.u32();
  if (version === 2 || version === 3) return;
  if (version & 0xffff)
    throw new GgufError(
      `The GGUF file has version ${version}; only versions 2 and 3 are read. Convert the model again.`,
    );
  throw new GgufError('The GGUF file is big-endian; only little-endian files are read.');
}

function readMetadata(cursor: Cursor, count: number): GgufMetadata {
  const metadata = new Map<string, GgufScalar | GgufScalar[]>();
  for (let i = 0; i < count; i++) {
    const key = cursor.text();
    if (metadata.has(key)) throw new GgufError(`The GGUF file has the key ${show(key)} twice: it is damaged.`);
    metadata.set(key, cursor.value(key));
  }
  return metadata;
}

type Unplaced = Pick<GgufTensorInfo, 'name' | 'shape' | 'type'> & { offset: number | bigint };

function readInfo(cursor: Cursor): Unplaced {
  const name = cursor.text();
  const dimensions = cursor.u32();
  if (dimensions < 1 || dimensions > mostDimensions)
    throw new GgufError(
      `${show(name)} in the GGUF file has ${dimensions} dimensions; ggml has 1 to ${mostDimensions}.`,
    );
  const shape = Array.from({ length: dimensions }, () => Number(cursor.u64())).reverse();
  return { name, shape, type: cursor.u32(), offset: cursor.u64() };
}

function readInfos(cursor: Cursor, count: number): Unplaced[] {
  const names = new Set<string>();
  return Array.from({ length: count }, () => {
    const info = readInfo(cursor);
    if (names.has(info.name))
      throw new GgufError(`The GGUF file has the tensor ${show(info.name)} twice: it is damaged.`);
    names.add(info.name);
    return info;
  });
}

/** Throws one GgufError listing all tensor types that are not read. */
function checkTypes(infos: readonly Unplaced[]): void {
  const unknown = [...new Set(infos.map(({ type }) => type))].filter((type) => !blockTypes[type]);
  if (!unknown.length) return;
  const known = Object.values(blockTypes).map(({ name }) => name);
  throw new GgufError(
    `The GGUF file has tensors in ${unknown.map(typeName).join(', ')}; only ${known.join(', ')} are read. Choose a file in one of these formats.`,
  );
}

function bytesOf({ name, shape, type }: Unplaced): number {
  const block = blockTypes[type];
  const columns = shape.at(-1)!;
  if (columns % block.values)
    throw new GgufError(
      `${cut(name)}: rows of ${columns} values must be a multiple of ${block.values}, the block size of ${block.name}.`,
    );
  return shape.reduce((a, b) => a * b, block.bytes) / block.values;
}

/** Places tensors one after the other from `dataStart` on, each aligned, as the format demands. */
function place(infos: readonly Unplaced[], dataStart: number, alignment: number, fileBytes: number): GgufTensorInfo[] {
  let expected = 0;
  return infos.map((info) => {
    const bytes = bytesOf(info);
    const start = dataStart + expected;
    if (info.offset !== expected)
      throw new GgufError(
        `${cut(info.name)} should begin at byte ${expected} of the GGUF file's data, after the tensor before it, but the table has ${info.offset}: the file is damaged.`,
      );
    if (start + bytes > fileBytes)
      throw new GgufError(
        `${cut(info.name)} should end at byte ${start + bytes}, but the file has ${fileBytes} bytes: it was cut short.`,
      );
    expected += aligned(bytes, alignment);
    return { name: info.name, shape: info.shape, type: info.type, start, end: start + bytes };
  });
}

const aligned = (bytes: number, alignment: number) => Math.ceil(bytes / alignment) * alignment;

function alignmentOf(metadata: GgufMetadata): number {
  const value = metadata.get('general.alignment') ?? 32;
  if (typeof value === 'number' && value >= 1 && value <= 2 ** 31 && Number.isInteger(Math.log2(value))) return value;
  throw new GgufError(`The GGUF file's general.alignment is ${cut(String(value))}; it must be a power of two.`);
}

function parse(bytes: Uint8Array, fileBytes: number): GgufHeader {
  const cursor = new Cursor(bytes, fileBytes);
  readVersion(cursor);
  const tensorCount = cursor.entries(32, 'tensors');
  const metadata = readMetadata(cursor, cursor.entries(13, 'keys'));
  const infos = readInfos(cursor, tensorCount);
  const alignment = alignmentOf(metadata);
  checkTypes(infos);
  return { metadata, tensors: place(infos, aligned(cursor.at, alignment), alignment, fileBytes) };
}

/** Reads a file's header. Throws GgufError. */
export async function readHeader(read: ReadBytes, fileBytes: number): Promise<GgufHeader> {
  for (let size = Math.min(firstBytes, fileBytes); ; size = Math.min(size * 4, fileBytes)) {
    if (size > mostHeaderBytes)
      throw new GgufError(`The GGUF file's header is larger than ${mostHeaderBytes} bytes: it is damaged.`);
    try {
      return parse(await read(0, size), fileBytes);
    } catch (error) {
      if (!(error instanceof NeedsMore)) throw error;
    }
  }
}
