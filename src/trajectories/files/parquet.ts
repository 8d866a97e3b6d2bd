/**
 * Parquet files, as Hugging Face's `datasets` writes them: each row becomes a line of JSON, so that line N is row N. The
 * library hyparquet (MIT) reads them; it is loaded for the first such file.
 */
import type { AsyncBuffer, ParquetParsers } from 'hyparquet';
import type { ByteSource } from './bytes.ts';
import type { Spill } from './gzip.ts';
import { TrajectoryFileError } from './record.ts';
import { mostRecords } from './record-index.ts';

/** Rows that are unpacked at once, at least. */
const rowsAtOnce = 256;
/** A group of rows is decoded again for each so many bytes of it, but not more often than this. */
const [bytesAtOnce, mostPasses] = [16 * 2 ** 20, 16];
/** Characters of rows that are written at once: a few bytes of a dictionary can be the text of many rows. */
const textLength = 1e6;
/** A file may unpack to so many bytes, or to so many times its size. */
const [alwaysAllowed, mostExpansion] = [256 * 1024 * 1024, 32];

/** A value of a row as JSON has it: whole numbers of 64 bits as numbers, with all their digits. */
function jsonText(row: unknown): string {
  const mark = '\u0000int64:';
  const text = JSON.stringify(row, (_, value) => {
    if (typeof value === 'string' && value.startsWith(mark))
      throw new TrajectoryFileError('a text begins with \\u0000int64:, by which large numbers are marked');
    if (typeof value === 'bigint') return mark + value.toString();
    if (value instanceof Uint8Array) throw new TrajectoryFileError('a column holds bytes, which are not text');
    return value;
  });
  return text.replace(/"\\u0000int64:(-?\d+)"/g, '$1');
}

function checkRows(listed: bigint, name: string): void {
  if (listed >= 0n && listed <= BigInt(mostRecords)) return;
  throw new TrajectoryFileError(`${name} lists ${listed} rows; at most ${mostRecords} are read: divide the file.`);
}

/** Rows as lines, several in a text. */
function* texts(rows: readonly unknown[]): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += `${jsonText(row)}\n`;
    if (text.length < textLength) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}

const mostBytes = ({ size }: { size: number }) => Math.max(alwaysAllowed, mostExpansion * size);

function checkExpansion(written: number, { name, size }: ByteSource): void {
  if (written <= mostBytes({ size })) return;
  throw new TrajectoryFileError(
    `${name} is not read further: its rows have more than ${alwaysAllowed >> 20} MiB and ${mostExpansion} times its size.`,
  );
}

/** Texts as they are stored: a wrong byte is refused, and a byte-order mark is kept. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const parsers = { stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes) } as ParquetParsers;

/**
 * Rows of a file, group by group: hyparquet decodes lists of a whole group, however few of its rows it is to return.
 * `share`: that of the rows before them.
 */
async function* rowsIn(source: ByteSource, file: AsyncBuffer): AsyncGenerator<{ rows: unknown[]; share: number }> {
  const { parquetReadObjects } = await import('hyparquet');
  const { readFooter } = await import('./parquet-schema.ts');
  const { checkGroups } = await import('./parquet-pages.ts');
  const { metadata, tree } = await readFooter(source, file);
  checkRows(metadata.num_rows, source.name);
  const sizes = await checkGroups(source, metadata, tree, mostBytes(source));
  let done = 0;
  for (const [i, group] of metadata.row_groups.entries()) {
    const rows = Number(group.num_rows);
    const passes = Math.min(mostPasses, Math.ceil(sizes[i] / bytesAtOnce));
    const step = Math.max(rowsAtOnce, Math.ceil(rows / passes));
    const alone = { ...metadata, num_rows: group.num_rows, row_groups: [group] };
    for (let rowStart = 0; rowStart < rows; rowStart += step) {
      const rowEnd = Math.min(rowStart + step, rows);
      const some = await parquetReadObjects({ file, metadata: alone, rowStart, rowEnd, parsers });
      if (some.length !== rowEnd - rowStart) throw new Error(`a group lists ${rows} rows and has fewer`);
      yield { rows: some, share: done / Number(metadata.num_rows) };
      done += some.length;
    }
  }
}

export function parquetLines(source: ByteSource, spill: Spill): ByteSource {
  let taken = 0;
  const file = {
    byteLength: source.size,
    async slice(from: number, to = source.size) {
      const bytes = await source.slice(from, to);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
  return {
    name: source.name,
    size: source.size,
    read: () => taken,
    slice: (from, to) => spill.slice(from, to),
    async *stream() {
      const encoder = new TextEncoder();
      let written = 0;
      try {
        for await (const { rows, share } of rowsIn(source, file)) {
          taken = Math.round(share * source.size);
          for (const text of texts(rows)) {
            const piece = encoder.encode(text);
            written += piece.length;
            checkExpansion(written, source);
            await spill.write(piece);
            yield piece;
          }
        }
      } catch (error) {
        if (error instanceof TrajectoryFileError) throw error;
        throw new TrajectoryFileError(
          `${source.name} is a Parquet file that cannot be read: ${(error as Error).message}. Write it with the codec snappy, or as JSON lines.`,
        );
      }
    },
  };
}
