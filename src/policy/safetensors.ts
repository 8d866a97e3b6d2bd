/**
 * The safetensors file format: an 8-byte little-endian header length, a JSON header naming each tensor's dtype, shape and
 * byte range, then the data. Reading trusts nothing: every length, range and shape is checked before a byte is looked at,
 * and a file that was cut short or that lies about itself is refused with the tensor's name and the numbers.
 *
 * Format: github.com/huggingface/safetensors. This file knows bytes; it has never heard of a model.
 */

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
  /** F16 and BF16 come as their 16 bits (Uint16Array); `toFloat32` widens them exactly. */
  data: TensorData;
}

/** A file that is no valid safetensors file. The message names the tensor and the numbers. */
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

/** The reference implementation's own bound. */
const maxHeaderBytes = 100_000_000;

interface Entry {
  name: string;
  dtype: Dtype;
  shape: number[];
  start: number;
  end: number;
}

const fail = (message: string): never => {
  throw new SafetensorsError(message);
};

function readHeader(bytes: Uint8Array): { header: { [name: string]: unknown }; dataStart: number } {
  if (bytes.length < 8)
    fail(`A safetensors file begins with 8 bytes of header length; this one has ${bytes.length} in all`);
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes))
    fail(`The header claims ${length} bytes, more than the ${maxHeaderBytes} allowed: this is no safetensors file`);
  const dataStart = 8 + Number(length);
  if (dataStart > bytes.length)
    fail(
      `The header claims ${length} bytes but the file has ${bytes.length}: it was cut short, or is no safetensors file`,
    );
  return { header: parseHeader(bytes.subarray(8, dataStart)), dataStart };
}

function parseHeader(bytes: Uint8Array): { [name: string]: unknown } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    fail(`The header (${bytes.length} bytes) is not JSON: ${(error as Error).message}`);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) fail('The header is not a JSON object');
  return header as { [name: string]: unknown };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readEntry(name: string, value: unknown, dataBytes: number): Entry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as { [field: string]: unknown };
  if (typeof dtype !== 'string' || !Object.hasOwn(bytesOf, dtype))
    fail(`${name}: dtype ${JSON.stringify(dtype)} is unknown; known are ${Object.keys(bytesOf).join(', ')}`);
  if (!Array.isArray(shape) || !shape.every(isCount))
    fail(`${name}: shape ${JSON.stringify(shape)} is no list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    fail(`${name}: data_offsets ${JSON.stringify(offsets)} are no pair of byte offsets`);
  const entry = { name, dtype, shape, start: (offsets as number[])[0], end: (offsets as number[])[1] } as Entry;
  checkRange(entry, dataBytes);
  return entry;
}

function checkRange({ name, dtype, shape, start, end }: Entry, dataBytes: number) {
  if (start > end || end > dataBytes)
    fail(
      `${name}: bytes ${start} to ${end} lie outside the ${dataBytes} bytes of data: the file was cut short or is damaged`,
    );
  const needed = shape.reduce((a, b) => a * b, 1) * bytesOf[dtype];
  if (needed !== end - start)
    fail(
      `${name}: shape [${shape}] of ${dtype} needs ${needed} bytes, but bytes ${start} to ${end} are ${end - start}`,
    );
}

/** The ranges must tile the data: no overlap, no hole, nothing after the last. */
function checkTiling(entries: readonly Entry[], dataBytes: number) {
  let position = 0;
  let last = 'the header';
  for (const entry of [...entries].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (entry.start < position)
      fail(`${entry.name}: begins at byte ${entry.start}, inside ${last}, which ends at ${position}`);
    if (entry.start > position)
      fail(`${entry.name}: begins at byte ${entry.start}, leaving a hole after ${last}, which ends at ${position}`);
    position = entry.end;
    last = entry.name;
  }
  if (position !== dataBytes)
    fail(`${dataBytes - position} bytes after ${last} (which ends at ${position}) belong to no tensor`);
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

/** A typed view of the bytes; a copy where they are not aligned. Typed arrays are little-endian wherever WebGPU runs. */
function viewOf(bytes: Uint8Array, dtype: Dtype): TensorData {
  const View = views[dtype];
  const aligned = bytes.byteOffset % View.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new View(aligned.buffer as ArrayBuffer, aligned.byteOffset, bytes.length / View.BYTES_PER_ELEMENT);
}

/** Every tensor of a file, as views of its bytes where alignment allows. Throws SafetensorsError. */
export function readSafetensors(bytes: Uint8Array): Map<string, Tensor> {
  const { header, dataStart } = readHeader(bytes);
  const data = bytes.subarray(dataStart);
  const entries = Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => readEntry(name, value, data.length));
  checkTiling(entries, data.length);
  return new Map(
    entries.map(({ name, dtype, shape, start, end }) => [
      name,
      { dtype, shape, data: viewOf(data.subarray(start, end), dtype) },
    ]),
  );
}

/** The file's free-form strings (`__metadata__`). */
export function readMetadata(bytes: Uint8Array): { [key: string]: string } {
  return (readHeader(bytes).header.__metadata__ ?? {}) as { [key: string]: string };
}

/** bf16 is the upper half of an f32: widening is exact. */
export function widenBf16(bits: Uint16Array): Float32Array {
  const out = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = bits[i] << 16;
  return new Float32Array(out.buffer);
}

/** f16 to f32, exactly, subnormals, infinities and NaN included. */
export function widenF16(bits: Uint16Array): Float32Array {
  const out = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = widenHalf(bits[i]);
  return out;
}

function widenHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** f32 to bf16, to nearest, ties to even; NaN stays NaN. */
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

/** The tensor's values as f32: exact for F32, BF16, F16 and small integers, rounded for F64. `name` is for the message. */
export function toFloat32(tensor: Tensor, name = 'tensor'): Float32Array {
  const { dtype, data } = tensor;
  if (dtype === 'F32') return data as Float32Array;
  if (dtype === 'BF16') return widenBf16(data as Uint16Array);
  if (dtype === 'F16') return widenF16(data as Uint16Array);
  if (dtype === 'F64') return Float32Array.from(data as Float64Array);
  throw new SafetensorsError(`${name}: values of dtype ${dtype} are not floating point`);
}

/** What can be written: f32 values stored as F32 or BF16, f64 as F64, i32 as I32. */
export interface WritableTensor {
  shape: readonly number[];
  data: Float32Array | Float64Array | Int32Array;
  dtype?: 'BF16';
}

function encode({ data, dtype }: WritableTensor): { dtype: Dtype; bytes: Uint8Array } {
  const stored = dtype === 'BF16' ? narrowBf16(data as Float32Array) : data;
  const bytes = new Uint8Array(stored.buffer as ArrayBuffer, stored.byteOffset, stored.byteLength);
  if (dtype === 'BF16') return { dtype, bytes };
  return { dtype: data instanceof Float64Array ? 'F64' : data instanceof Int32Array ? 'I32' : 'F32', bytes };
}

/** Writes a file: the widest dtype first, so that every tensor is aligned; within a dtype in the map's order. */
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
  const header: { [name: string]: unknown } = metadata ? { __metadata__: metadata } : {};
  let offset = 0;
  for (const { name, dtype, shape, bytes } of parts) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  return assemble(header, parts, offset);
}

function assemble(header: object, parts: readonly { bytes: Uint8Array }[], dataBytes: number): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(json, 8);
  let position = 8 + headerBytes;
  for (const { bytes } of parts) {
    file.set(bytes, position);
    position += bytes.length;
  }
  return file;
}
