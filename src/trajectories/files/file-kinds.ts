/**
 * Kinds of files by their first bytes. JSON in UTF-8, gzip, UTF-16 and Parquet are read; archives and other
 * compressions are named, with the command that unpacks them.
 */
import type { ByteSource } from './bytes.ts';
import { type Spill, unpacked } from './gzip.ts';
import { parquetLines } from './parquet.ts';
import { TrajectoryFileError } from './record.ts';

type Reading = (source: ByteSource, spill: Spill) => ByteSource;

interface FileKind {
  /** First bytes; null: any byte. */
  begins: readonly (number | null)[];
  /** Returns the same records as lines of JSON in UTF-8. */
  read?: Reading;
  /** Name of a kind that is not read, and how to unpack it. */
  refused?: { what: string; remedy: string };
}

const codes = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const unpack = (what: string, command: string) => ({ what, remedy: `unpack it first (${command})` });

/** A byte-order mark or a first bracket, then the other bytes of UTF-16 or UTF-32. */
const kinds: readonly FileKind[] = [
  { begins: [0x1f, 0x8b], read: unpacked },
  { begins: codes('PAR1'), read: parquetLines },
  { begins: codes('PK\x03\x04'), refused: unpack('a zip archive', 'unzip') },
  { begins: codes('PK\x05\x06'), refused: unpack('an empty zip archive', 'unzip') },
  { begins: [0xfd, ...codes('7zXZ'), 0], refused: unpack('compressed by xz', 'xz -d') },
  { begins: codes('BZh'), refused: unpack('compressed by bzip2', 'bzip2 -d') },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], refused: unpack('compressed by Zstandard', 'zstd -d') },
  { begins: [0x04, 0x22, 0x4d, 0x18], refused: unpack('compressed by LZ4', 'lz4 -d') },
  { begins: [...codes('7z'), 0xbc, 0xaf], refused: unpack('a 7z archive', '7z x') },
  { begins: codes('Rar!'), refused: unpack('a RAR archive', 'unrar x') },
  {
    begins: codes('ARROW1'),
    refused: { what: 'an Arrow file', remedy: 'write it as Parquet or JSON lines (Dataset.to_json)' },
  },
  { begins: [0x89, ...codes('HDF')], refused: { what: 'an HDF5 file', remedy: 'write its episodes as JSON lines' } },
  { begins: [0x93, ...codes('NUMPY')], refused: { what: 'a NumPy array', remedy: 'write it as JSON lines' } },
  ...[2, 3, 4, 5].map((version) => ({
    begins: [0x80, version],
    refused: { what: 'a Python pickle', remedy: 'write its content as JSON lines' },
  })),
  { begins: codes(':W&B'), refused: { what: 'a log of Weights & Biases', remedy: 'export its table as JSON' } },
  { begins: codes('%PDF'), refused: { what: 'a PDF', remedy: 'open the data that it shows' } },
  ...['<!DOCTYPE', '<!doctype', '<html'].map((begin) => ({
    begins: codes(begin),
    refused: { what: 'a web page', remedy: 'download the file itself, not the page about it' },
  })),
  { begins: [...Array<null>(257).fill(null), ...codes('ustar')], refused: unpack('a tar archive', 'tar -xf') },
  {
    begins: codes('version https://git-lfs'),
    refused: { what: 'a git-lfs pointer, not the file itself', remedy: 'run git lfs pull in its folder' },
  },
  {
    begins: codes('SQLite format 3'),
    refused: { what: 'a SQLite database', remedy: 'export its records as JSON lines' },
  },
  { begins: [0xff, 0xfe, 0, 0], refused: { what: 'text in UTF-32', remedy: 'save it as UTF-8' } },
  { begins: [0, 0, 0xfe, 0xff], refused: { what: 'text in UTF-32', remedy: 'save it as UTF-8' } },
  { begins: [0xff, 0xfe], read: (source, spill) => decoded('utf-16le', source, spill) },
  { begins: [0xfe, 0xff], read: (source, spill) => decoded('utf-16be', source, spill) },
  ...[0x5b, 0x7b].flatMap((bracket): FileKind[] => [
    { begins: [bracket, 0, null, 0], read: (source, spill) => decoded('utf-16le', source, spill) },
    { begins: [0, bracket, 0, null], read: (source, spill) => decoded('utf-16be', source, spill) },
  ]),
];

/** Kinds that are known by their name. */
const named: readonly (Omit<FileKind, 'begins'> & { ends: RegExp })[] = [
  {
    ends: /\.eval$/i,
    refused: { what: "a packed log of Inspect's", remedy: 'write it as JSON (inspect log convert --to json)' },
  },
  {
    ends: /\.[ct]sv$/i,
    refused: {
      what: 'a table of text',
      remedy: "write it as JSON lines (pandas: read_csv(FILE).to_json(OUT, orient='records', lines=True))",
    },
  },
];

/**
 * The reading that the file needs; null: none, it is read as it is. Throws TrajectoryFileError for a kind that is not
 * read.
 */
export async function readingOf(source: ByteSource): Promise<Reading | null> {
  const first = await source.slice(0, 262);
  const byName = first[0] === 0x5b || first[0] === 0x7b ? undefined : named.find(({ ends }) => ends.test(source.name));
  const found = byName ?? kinds.find(({ begins }) => begins.every((byte, i) => byte === null || first[i] === byte));
  if (found?.refused)
    throw new TrajectoryFileError(
      `${source.name} is ${found.refused.what}, which is not read: ${found.refused.remedy}.`,
    );
  return found?.read ?? null;
}

/** The same text in UTF-8. */
function decoded(encoding: string, source: ByteSource, spill: Spill): ByteSource {
  let taken = 0;
  return {
    name: source.name,
    size: source.size,
    read: () => taken,
    slice: (from, to) => spill.slice(from, to),
    async *stream() {
      const decoder = new TextDecoder(encoding, { fatal: true });
      const utf8 = new TextEncoder();
      const written = async (text: string) => {
        const piece = utf8.encode(text);
        await spill.write(piece);
        return piece;
      };
      try {
        for await (const chunk of source.stream()) {
          taken += chunk.length;
          yield await written(decoder.decode(chunk, { stream: true }));
        }
        yield await written(decoder.decode());
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new TrajectoryFileError(
          `${source.name} begins like ${encoding.toUpperCase()} but is not valid ${encoding.toUpperCase()}: save it as UTF-8.`,
        );
      }
    },
  };
}
