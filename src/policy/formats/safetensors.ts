/**
 * The safetensors file format: an 8-byte little-endian header length, a JSON header with each tensor's dtype, shape and
 * byte range, then the data. Every length, range and shape is checked before any data is read. A truncated or
 * inconsistent file is refused with the tensor's name and the numbers.
 *
 * Format: github.com/huggingface/safetensors. This file depends on bytes only, never on a model.
 */

import { fromHalf, narrowWord } from '../weights/half.ts';
import { cut, isLfsPointer, lfsPointer, parsedJson } from './json-text.ts';

export type Dtype =
  | 'F64'
  | 'F32'
  | 'F16'
  | 'BF16'
  | 'I64'
  | 'U64'
  | 'I32'
  | 'U32'
  | 'I16'
  | 'U16'
  | 'I8'
  | 'U8'
  | 'BOOL';

export type TensorData =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

export interface Tensor {
  dtype: Dtype;
  shape: number[];
  /** F16 and BF16 are returned as their 16 bits (Uint16Array); `toFloat32` widens them exactly. */
  data: TensorData;
}

/** Thrown for an invalid safetensors file. Names the tensor and the numbers. */
export class SafetensorsError extends Error {
  override name = 'SafetensorsError';
}

const bytesOf: { [dtype in Dtype]: number } = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  U64: 8,
  I32: 4,
  U32: 4,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
};

/**
 * A tenth of the reference implementation's limit: the models that the engine runs have headers of at most some
 * megabytes, and a larger one takes seconds to read.
 */
const maxHeaderBytes = 10_000_000;
const mostTensors = 100_000;

/** Place of a tensor: bytes [start, end), counted from the beginning of the file. */
export interface TensorEntry {
  name: string;
  dtype: Dtype;
  shape: number[];
  start: number;
  end: number;
}

/** Size of one value in bytes. */
export const dtypeBytes = (dtype: Dtype): number => bytesOf[dtype];

const fail = (message: string): never => {
  throw new SafetensorsError(message);
};

/** A value of the header in a message. */
const shown = (value: unknown) => cut(JSON.stringify(value) ?? 'absent');

/** What a file of another kind begins with. */
function beginning(first: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(first.subarray(0, 8));
  const kinds = {
    'PK\u0003\u0004': 'it is a zip archive, as PyTorch saves',
    GGUF: 'it is a GGUF file',
    '\u0080\u0002': 'it is a Python pickle',
  };
  const kind = Object.entries(kinds).find(([begin]) => text.startsWith(begin))?.[1];
  return kind ?? `it begins with ${JSON.stringify(text)}`;
}

/** Offset of the data, from the first 8 bytes and the file's size. Throws SafetensorsError. */
export function dataStartOf(first: Uint8Array, fileBytes: number): number {
  if (first.length < 8)
    fail(`A safetensors file begins with 8 bytes of header length; this file has only ${first.length} bytes`);
  if (isLfsPointer(new TextDecoder().decode(first))) fail(`The file ${lfsPointer}`);
  const length = new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes))
    fail(
      `The header claims ${length} bytes, more than the ${maxHeaderBytes} allowed: this is not a safetensors file (${beginning(first)})`,
    );
  const dataStart = 8 + Number(length);
  if (dataStart > fileBytes)
    fail(
      `The header claims ${length} bytes but the file has ${fileBytes}: it was cut short, or is not a safetensors file`,
    );
  return dataStart;
}

/**
 * Reads the tensor table of a file that is read in pieces, from the bytes before the data (see `dataStartOf`) and the
 * file's size. Makes the same checks as for a whole file. Throws SafetensorsError.
 */
export function readTable(head: Uint8Array, fileBytes: number): TensorEntry[] {
  const dataStart = head.length;
  const listed = Object.entries(parseHeader(head.subarray(8)));
  if (listed.length > mostTensors) fail(`The header lists ${listed.length} tensors; at most ${mostTensors} are read`);
  const entries = listed
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => readEntry(name, value, fileBytes - dataStart));
  checkTiling(entries, fileBytes - dataStart, head.subarray(8));
  return entries.map((entry) => ({ ...entry, start: entry.start + dataStart, end: entry.end + dataStart }));
}

const headOf = (bytes: Uint8Array) => bytes.subarray(0, dataStartOf(bytes, bytes.length));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fail(`The header (${bytes.length} bytes) is not JSON: it is not UTF-8`);
  }
}

function parseHeader(bytes: Uint8Array): { [name: string]: unknown } {
  const header = parsedJson(
    textOf(bytes),
    (problem) => new SafetensorsError(`The header (${bytes.length} bytes) ${problem}`),
  );
  if (!isObject(header)) fail('The header is not a JSON object');
  const { __metadata__: metadata } = header as { __metadata__?: unknown };
  if (metadata != null && !(isObject(metadata) && Object.values(metadata).every((each) => typeof each === 'string')))
    fail("The header's __metadata__ must have a text for each name");
  return header as { [name: string]: unknown };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readEntry(full: string, value: unknown, dataBytes: number): TensorEntry {
  const name = cut(full);
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as { [field: string]: unknown };
  if (typeof dtype !== 'string' || !Object.hasOwn(bytesOf, dtype))
    fail(`${name}: dtype ${shown(dtype)} is not read; those read are ${Object.keys(bytesOf).join(', ')}`);
  if (!Array.isArray(shape) || !shape.every(isCount)) fail(`${name}: shape ${shown(shape)} must be a list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    fail(`${name}: data_offsets ${shown(offsets)} must be a pair of byte offsets`);
  const entry = {
    name: full,
    dtype,
    shape,
    start: (offsets as number[])[0],
    end: (offsets as number[])[1],
  } as TensorEntry;
  checkRange(entry, dataBytes);
  return entry;
}

function checkRange({ name: full, dtype, shape, start, end }: TensorEntry, dataBytes: number) {
  const name = cut(full);
  if (start > end || end > dataBytes)
    fail(
      `${name}: bytes ${start} to ${end} lie outside the ${dataBytes} bytes of data: the file was cut short or is damaged`,
    );
  const needed = shape.reduce((a, b) => a * b, 1) * bytesOf[dtype];
  if (needed !== end - start)
    fail(
      `${name}: shape ${shown(shape)} of ${dtype} needs ${needed} bytes, but bytes ${start} to ${end} are ${end - start}`,
    );
}

/** Checks that the ranges tile the data: no overlap, no gap, nothing after the last. Mentions names that are listed twice. */
function checkTiling(entries: readonly TensorEntry[], dataBytes: number, header: Uint8Array) {
  const refuse = (message: string) => {
    // JSON.parse keeps the last entry of a name.
    const listed = textOf(header).split('"data_offsets"').length - 1;
    fail(listed > entries.length ? `${message}; the header lists a name twice` : message);
  };
  let position = 0;
  let last = 'the header';
  for (const entry of [...entries].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (entry.start < position)
      refuse(`${cut(entry.name)}: begins at byte ${entry.start}, inside ${last}, which ends at ${position}`);
    if (entry.start > position)
      refuse(
        `${cut(entry.name)}: begins at byte ${entry.start}, leaving a hole after ${last}, which ends at ${position}`,
      );
    position = entry.end;
    last = cut(entry.name);
  }
  if (position !== dataBytes)
    refuse(`${dataBytes - position} bytes after ${last} (which ends at ${position}) belong to no tensor`);
}

const views = {
  F64: Float64Array,
  F32: Float32Array,
  F16: Uint16Array,
  BF16: Uint16Array,
  I64: BigInt64Array,
  U64: BigUint64Array,
  I32: Int32Array,
  U32: Uint32Array,
  I16: Int16Array,
  U16: Uint16Array,
  I8: Int8Array,
  U8: Uint8Array,
  BOOL: Uint8Array,
};

/**
 * Typed view of the bytes, or a copy if they are not aligned; not by `slice`, which on a Buffer of Node shares the memory.
 * Typed arrays are little-endian on every platform with WebGPU.
 */
function viewOf(bytes: Uint8Array, dtype: Dtype): TensorData {
  const View = views[dtype];
  const aligned = bytes.byteOffset % View.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  return new View(aligned.buffer as ArrayBuffer, aligned.byteOffset, bytes.length / View.BYTES_PER_ELEMENT);
}

/** Values of a tensor or of some of its rows, as a view of the bytes if they are aligned. */
export const tensorView = (bytes: Uint8Array, dtype: Dtype): TensorData => viewOf(bytes, dtype);

/** Reads all tensors of a file, as views of its bytes if they are aligned. Throws SafetensorsError. */
export function readSafetensors(bytes: Uint8Array): Map<string, Tensor> {
  return new Map(
    readTable(headOf(bytes), bytes.length).map(({ name, dtype, shape, start, end }) => [
      name,
      { dtype, shape, data: viewOf(bytes.subarray(start, end), dtype) },
    ]),
  );
}

/** Free-form strings of the file (`__metadata__`). */
export function readMetadata(bytes: Uint8Array): { [key: string]: string } {
  return (parseHeader(headOf(bytes).subarray(8)).__metadata__ ?? {}) as { [key: string]: string };
}

/** Widens bf16, the upper half of an f32, exactly. */
export function widenBf16(bits: Uint16Array): Float32Array {
  const out = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = bits[i] << 16;
  return new Float32Array(out.buffer);
}

/** Converts f16 to f32 exactly, including subnormals, infinities and NaN. */
export function widenF16(bits: Uint16Array): Float32Array {
  const out = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = fromHalf(bits[i]);
  return out;
}

/** Converts f32 to f16, to nearest, ties to even. Values beyond 65504 become infinite; NaN stays NaN. */
export function narrowF16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = narrowWord(bits[i]);
  return out;
}

/** Converts f32 to bf16, to nearest, ties to even. NaN stays NaN. */
export function narrowBf16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < out.length; i++) {
    const word = bits[i];
    const isNan = (word & 0x7fffffff) > 0x7f800000;
    out[i] = isNan ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return out;
}

/**
 * Values of a tensor as f32: exact for F32, BF16 and F16, rounded for F64. Throws SafetensorsError, with `name`, for
 * other dtypes.
 */
export function toFloat32(tensor: Tensor, name = 'tensor'): Float32Array {
  const { dtype, data } = tensor;
  if (dtype === 'F32') return data as Float32Array;
  if (dtype === 'BF16') return widenBf16(data as Uint16Array);
  if (dtype === 'F16') return widenF16(data as Uint16Array);
  if (dtype === 'F64') return Float32Array.from(data as Float64Array);
  throw new SafetensorsError(`${name}: values of dtype ${dtype} are not floating point`);
}

/** Tensor to write: f32 values stored as F32, F16 or BF16, f64 as F64, i32 as I32. */
export interface WritableTensor {
  shape: readonly number[];
  data: Float32Array | Float64Array | Int32Array;
  dtype?: 'BF16' | 'F16';
}

function encode({ data, dtype }: WritableTensor): { dtype: Dtype; bytes: Uint8Array } {
  const narrow = dtype && { BF16: narrowBf16, F16: narrowF16 }[dtype];
  const stored = narrow ? narrow(data as Float32Array) : data;
  const bytes = new Uint8Array(stored.buffer as ArrayBuffer, stored.byteOffset, stored.byteLength);
  if (dtype) return { dtype, bytes };
  return { dtype: data instanceof Float64Array ? 'F64' : data instanceof Int32Array ? 'I32' : 'F32', bytes };
}

/** Writes a file, with the widest dtype first, so that every tensor is aligned; within a dtype in the map's order. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, WritableTensor>,
  metadata?: { [key: string]: string },
): Uint8Array<ArrayBuffer> {
  const parts = [...tensors].map(([name, tensor]) => {
    const size = tensor.shape.reduce((a, b) => a * b, 1);
    if (size !== tensor.data.length)
      fail(`${name}: shape [${tensor.shape}] needs ${size} values, ${tensor.data.length} were given`);
    return { name, shape: tensor.shape, ...encode(tensor) };
  });
  parts.sort((a, b) => bytesOf[b.dtype] - bytesOf[a.dtype]);
  const head = writeHeader(parts, metadata);
  const file = new Uint8Array(head.length + parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
  file.set(head);
  let position = head.length;
  for (const { bytes } of parts) {
    file.set(bytes, position);
    position += bytes.length;
  }
  return file;
}

/**
 * Header of a file whose data follows without gaps in this order. For files written tensor by tensor; put wider dtypes
 * first, so that each tensor is aligned.
 */
export function writeHeader(
  tensors: readonly { name: string; dtype: Dtype; shape: readonly number[] }[],
  metadata?: { [key: string]: string },
): Uint8Array<ArrayBuffer> {
  const header: { [name: string]: unknown } = metadata ? { __metadata__: metadata } : {};
  let offset = 0;
  for (const { name, dtype, shape } of tensors) {
    const end = offset + shape.reduce((a, b) => a * b, 1) * bytesOf[dtype];
    header[name] = { dtype, shape, data_offsets: [offset, end] };
    offset = end;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const head = new Uint8Array(8 + headerBytes).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(headerBytes), true);
  head.set(json, 8);
  return head;
}
