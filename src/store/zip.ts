/**
 * Zip files (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT), written and read in memory. Entries are
 * stored or deflated. Every entry has the same fixed date, so that equal contents give equal files. ZIP64 and
 * encryption are refused, and so are entries that share bytes or unfold to more than a file of this size may.
 */
import { deflateRaw } from 'pako';
import { crc32 } from './crc32.ts';
import { canUnfoldTo, InflateError, inflateWithin, unfoldedBound } from './inflate.ts';
import { joined } from './joined.ts';

/** Thrown for bytes that are not a complete zip, or a zip with an unsupported feature. */
export class ZipError extends Error {
  override name = 'ZipError';
}

export interface ZipEntry {
  name: string;
  bytes: Uint8Array;
  /** True: stored without compression. */
  stored: boolean;
}

const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const [localLength, centralLength, endLength] = [30, 46, 22];
/** 2 January 1980 in the format of FAT: year - 1980, month and day. */
const date = (0 << 9) | (1 << 5) | 2;
const version = 20;
const utf8Flag = 0x800;
const [storedMethod, deflateMethod] = [0, 8];

const isAscii = (name: string) => /^[\0-\x7f]*$/.test(name);

/** Bytes from little-endian fields of [value, size]. */
function record(fields: readonly (readonly [number, 2 | 4])[], length: number): Uint8Array {
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return out;
}

/** Fields that the local and the central header of an entry share. */
function commonFields(entry: ZipEntry, name: Uint8Array, packed: Uint8Array): (readonly [number, 2 | 4])[] {
  return [
    [version, 2],
    [isAscii(entry.name) ? 0 : utf8Flag, 2],
    [entry.stored ? storedMethod : deflateMethod, 2],
    [0, 2],
    [date, 2],
    [crc32(entry.bytes), 4],
    [packed.length, 4],
    [entry.bytes.length, 4],
    [name.length, 2],
    [0, 2],
  ];
}

/** Writes a zip with the entries in their order. */
export function zip(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer> {
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = new TextEncoder().encode(entry.name);
    const packed = entry.stored ? entry.bytes : deflateRaw(entry.bytes, { level: 6 });
    const common = commonFields(entry, name, packed);
    const header = record([[localSignature, 4], ...common], localLength);
    // Comment length, disk number and attributes are zero.
    const rest = [[0, 2] as const, [0, 2] as const, [0, 2] as const, [0, 4] as const, [offset, 4] as const];
    directory.push(record([[centralSignature, 4], [version, 2], ...common, ...rest], centralLength), name);
    files.push(header, name, packed);
    offset += localLength + name.length + packed.length;
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const count = entries.length;
  const end = record(
    [
      [endSignature, 4],
      [0, 2],
      [0, 2],
      [count, 2],
      [count, 2],
      [directoryBytes, 4],
      [offset, 4],
    ],
    endLength,
  );
  return joined([...files, ...directory, end]) as Uint8Array<ArrayBuffer>;
}

/** Name of an entry in a message. */
const shown = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}...` : name);

/** Offset of the end record, which a comment of up to 65,535 bytes may follow. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endLength;
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) if (view.getUint32(at, true) === endSignature) return at;
  throw new ZipError('it has no end record');
}

interface Listed {
  name: string;
  /** Bytes of the name. */
  encoded: Uint8Array;
  method: number;
  packedBytes: number;
  bytes: number;
  crc: number;
  offset: number;
}

function readListed(view: DataView, at: number): { entry: Listed; next: number } {
  if (view.getUint32(at, true) !== centralSignature) throw new ZipError('its directory is damaged');
  const flags = view.getUint16(at + 8, true);
  if (flags & 1) throw new ZipError('it is encrypted');
  const [packedBytes, bytes] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
  const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
  const offset = view.getUint32(at + 42, true);
  if ([packedBytes, bytes, offset].includes(0xffffffff)) throw new ZipError('it is a ZIP64 file');
  const encoded = new Uint8Array(view.buffer, view.byteOffset + at + centralLength, nameLength);
  const name = new TextDecoder(flags & utf8Flag ? 'utf-8' : 'latin1').decode(encoded);
  const entry = {
    name,
    encoded,
    method: view.getUint16(at + 10, true),
    packedBytes,
    bytes,
    crc: view.getUint32(at + 16, true),
    offset,
  };
  return { entry, next: at + centralLength + nameLength + extra + comment };
}

/** Place of an entry's packed bytes. Throws if it is damaged or lists a size that its bytes cannot have. */
function placeOf(view: DataView, { name, encoded, method, packedBytes, bytes, offset }: Listed) {
  if (view.getUint32(offset, true) !== localSignature) throw new ZipError(`the header of ${shown(name)} is damaged`);
  // Programs that read a zip from its start see this name and not the directory's.
  const own = new Uint8Array(view.buffer, view.byteOffset + offset + localLength, view.getUint16(offset + 26, true));
  if (own.length !== encoded.length || own.some((byte, i) => byte !== encoded[i]))
    throw new ZipError(`${shown(name)} has another name in its own header than in the directory`);
  const start = offset + localLength + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packedBytes > view.byteLength) throw new ZipError(`${shown(name)} is cut short`);
  if (method !== storedMethod && method !== deflateMethod)
    throw new ZipError(`${shown(name)} has the unknown compression method ${method}`);
  const possible = method === storedMethod ? bytes === packedBytes : canUnfoldTo(packedBytes, bytes);
  if (!possible) throw new ZipError(`${shown(name)} has ${packedBytes} bytes; its directory lists ${bytes}`);
  return { start, end: start + packedBytes };
}

/** Refuses entries that share bytes, and entries that together unfold to more than a file of this size may. */
function checkWhole(view: DataView, entries: readonly Listed[]): void {
  let last = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < last) throw new ZipError(`${shown(entry.name)} shares bytes with another entry`);
    last = placeOf(view, entry).end;
  }
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const most = unfoldedBound(view.byteLength);
  if (total > most)
    throw new ZipError(`its files unfold to ${total} bytes; at most ${most} are read from a zip of this size`);
}

function unpack(whole: Uint8Array, view: DataView, entry: Listed): Uint8Array {
  const { name, method, bytes, crc } = entry;
  const { start, end } = placeOf(view, entry);
  const packed = whole.subarray(start, end);
  const unpacked = method === storedMethod ? packed.slice() : inflated(packed, entry);
  if (unpacked.length !== bytes)
    throw new ZipError(`${shown(name)} has ${unpacked.length} bytes; its directory lists ${bytes}`);
  if (crc32(unpacked) !== crc) throw new ZipError(`${shown(name)} is damaged: its checksum differs`);
  return unpacked;
}

function inflated(packed: Uint8Array, { name, bytes }: Listed): Uint8Array {
  try {
    return inflateWithin(packed, bytes);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new ZipError(`${shown(name)} cannot be unpacked: ${error.message}; its directory lists ${bytes}`);
  }
}

function readDirectory(view: DataView): Listed[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff) throw new ZipError('it is a ZIP64 file');
  if (at + count * centralLength > end) throw new ZipError('its directory is damaged');
  const entries: Listed[] = [];
  const names = new Set<string>();
  for (let i = 0; i < count; i++) {
    const { entry, next } = readListed(view, at);
    // Which of two a reader takes differs between programs.
    if (names.has(entry.name)) throw new ZipError(`it has ${shown(entry.name)} twice`);
    names.add(entry.name);
    entries.push(entry);
    at = next;
  }
  return entries;
}

/**
 * Entries of a zip by name; `wanted` selects some of them. Throws `ZipError` if the bytes are not a readable zip. With
 * `damaged`, entries that cannot be unpacked are left out, and `damaged` is called with their names.
 */
export function unzip(
  bytes: Uint8Array,
  wanted = (_name: string) => true,
  damaged?: (name: string) => void,
): { [name: string]: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out: { [name: string]: Uint8Array } = Object.create(null);
  try {
    const entries = readDirectory(view).filter(({ name }) => wanted(name));
    checkWhole(view, entries);
    for (const entry of entries) {
      try {
        out[entry.name] = unpack(bytes, view, entry);
      } catch (error) {
        if (!damaged || !(error instanceof ZipError)) throw error;
        damaged(entry.name);
      }
    }
  } catch (error) {
    // A field that points outside of the file.
    if (error instanceof RangeError) throw new ZipError('its directory points outside of the file');
    throw error;
  }
  return { ...out };
}
