/**
 * Parquet files, as Hugging Face's `datasets` writes them: each row becomes a line of JSON, so that line N is row N. The
 * library hyparquet (MIT) reads them; it is loaded for the first such file.
 */
import type { ByteSource } from './bytes.ts';
import type { Spill } from './gzip.ts';
import { TrajectoryFileError } from './record.ts';

/** Rows that are unpacked at once. */
const rowsAtOnce = 256;

/** A value of a row as JSON has it: whole numbers of 64 bits as numbers, with all their digits. */
function jsonText(row: unknown): string {
  const mark = '\u0000int64:';
  const text = JSON.stringify(row, (_, value) => {
    if (typeof value === 'bigint') return mark + value.toString();
    if (value instanceof Uint8Array) throw new TrajectoryFileError('a column holds bytes, which are not text');
    return value;
  });
  return text.replace(/"\\u0000int64:(-?\d+)"/g, '$1');
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
        const rows = Number(metadata.num_rows);
        for (let rowStart = 0; rowStart < rows; rowStart += rowsAtOnce) {
          const rowEnd = Math.min(rowStart + rowsAtOnce, rows);
          const some = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
          const piece = utf8.encode(some.map((row) => `${jsonText(row)}\n`).join(''));
          await spill.write(piece);
          yield piece;
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
