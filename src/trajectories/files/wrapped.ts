/**
 * A file that is one object around its records: a list in a field (Inspect's `samples`, `data`), or a record for each
 * name. They are read as lines, so that line N is record N.
 */
import { protectedNumbers, restoredNumbers } from './big-numbers.ts';
import type { ByteSource } from './bytes.ts';
import type { JsonObject } from './record.ts';
import { recognized } from './registry.ts';
import { withLists } from './rows.ts';
import { mostRecordBytes } from './splitter.ts';

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  recognized(withLists(value as JsonObject)) !== null;

/** The only list that begins with a record, or all values if each is a record. */
function recordsIn(value: object): unknown[] | null {
  const all = Object.values(value);
  const found = all.filter((each) => Array.isArray(each) && isRecord(each[0]));
  if (found.length === 1) return found[0];
  return found.length === 0 && all.length > 0 && all.every(isRecord) ? all : null;
}

/** The records as a source of their own; null: the file is not such an object. */
export async function unwrapped(source: ByteSource): Promise<ByteSource | null> {
  const bytes = await source.slice(0, mostRecordBytes);
  if (bytes.length === mostRecordBytes) return null;
  let records: unknown[] | null;
  try {
    const value: unknown = JSON.parse(protectedNumbers(new TextDecoder().decode(bytes)));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    records = recordsIn(value);
  } catch {
    return null;
  }
  if (!records) return null;
  const lines = records.map((each) => restoredNumbers(JSON.stringify(each))).join('\n');
  const text = new TextEncoder().encode(lines);
  return {
    name: source.name,
    size: text.length,
    slice: async (from, to) => text.slice(from, to),
    async *stream() {
      yield text;
    },
  };
}
