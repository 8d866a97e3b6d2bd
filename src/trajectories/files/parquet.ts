/**
 * Parquet files, as Hugging Face's `datasets` writes them: each row becomes a line of JSON, so that line N is row N. The
 * library hyparquet (MIT) reads them; it is loaded for the first such file.
 */
import type { ByteSource } from './bytes.ts';
import type { Spill } from './gzip.ts';
import { TrajectoryFileError } from './record.ts';
import { mostRecords } from './record-index.ts';

/** Rows that are unpacked at once. */
const rowsAtOnce = 256;
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

/** Number of rows that a file lists. */
function rowsOf(listed: bigint, name: string): number {
  if (listed >= 0n && listed <= BigInt(mostRecords)) return Number(listed);
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

export function parquetLines(source: ByteSource, spill: Spill): ByteSource {
  let taken = 0;
  const file = {
    byteLength: source.size,
    async slice(from: number, to = source.size) {
      taken = Math.max(taken, Math.min(to, source.size));
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
      const utf8 = new TextEncoder();
      try {
        const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
        const metadata = await parquetMetadataAsync(file);
        const rows = rowsOf(metadata.num_rows, source.name);
        const { checkPages } = await import('./parquet-pages.ts');
        await checkPages(source, metadata, mostBytes(source));
        let written = 0;
        for (let rowStart = 0; rowStart < rows; rowStart += rowsAtOnce) {
          const rowEnd = Math.min(rowStart + rowsAtOnce, rows);
          const some = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
          if (some.length < rowEnd - rowStart) throw new Error(`it lists ${rows} rows and has fewer`);
          for (const text of texts(some)) {
            const piece = utf8.encode(text);
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
