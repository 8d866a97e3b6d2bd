/**
 * `tabgym.json` of a run's file: written, hashed and checked. Since format 2 it has the SHA-256 of each part, a chain
 * over the records and a hash of itself, so that a file with any changed value is refused by the name of the part. It
 * proves that a file is whole, not who made it: whoever changes a part can write new hashes.
 */
import * as v from 'valibot';
import { crc32 } from './crc32.ts';
import { plainRecord } from './plain-record.ts';
import { type CheckpointMeta, isPartName, type StoredRun } from './run.ts';
import { sha256 } from './sha256.ts';

const BUNDLE_FORMAT = 'tabgym-run-2';
/** Format without hashes. */
const firstFormat = 'tabgym-run-1';

/** Maximum number of steps of a run, and so the largest step. */
export const mostSteps = 10_000_000;
/** Hexadecimal digits kept of a link of the chain. */
const linkDigits = 16;

const whole = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most));
const text = (most: number) => v.pipe(v.string(), v.maxLength(most));
const rate = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const anyObject = v.record(v.string(), v.unknown());

const fileName = v.pipe(v.string(), v.check(isPartName));

const run = v.looseObject({
  id: v.optional(text(200)),
  name: v.pipe(text(500), v.nonEmpty()),
  step: whole(mostSteps),
  success: v.nullish(rate),
  best: v.optional(v.looseObject({ step: whole(mostSteps), success: rate })),
});

const checkpoint = v.looseObject({
  step: whole(mostSteps),
  optimizerStep: whole(Number.MAX_SAFE_INTEGER),
  kernelChoices: anyObject,
  batchPlan: anyObject,
  adapter: text(2000),
});

const file = v.object({
  bytes: whole(Number.MAX_SAFE_INTEGER),
  crc: whole(0xffffffff),
  sha256: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

const schema = v.looseObject({
  format: v.string(),
  hash: v.optional(v.string()),
  run,
  checkpoints: plainRecord(v.pipe(v.string(), v.regex(/^\d{1,8}$/)), checkpoint),
  files: plainRecord(fileName, file),
  records: v.optional(v.array(text(linkDigits))),
});

export interface BundleIndex {
  format: string;
  /** SHA-256 of everything else in this index. */
  hash?: string;
  run: StoredRun;
  checkpoints: { [step: string]: CheckpointMeta };
  files: { [name: string]: { bytes: number; crc: number; sha256?: string } };
  /** Link of the chain after each record. */
  records?: string[];
}

/** The index is not one of this version; the message has the field. */
export class IndexError extends Error {
  override name = 'IndexError';
}

const encode = (value: string) => new TextEncoder().encode(value);

const hashOf = ({ run: summary, checkpoints, files, records }: BundleIndex) =>
  sha256(encode(JSON.stringify([summary, checkpoints, files, records])));

/** Function that returns the link of each next line of a chain: it depends on its line and all lines before. */
export function chainLinks(): (line: string) => string {
  let link = '';
  return (line) => {
    link = sha256(encode(link + line));
    return link.slice(0, linkDigits);
  };
}

export function indexOf(
  summary: StoredRun,
  checkpoints: BundleIndex['checkpoints'],
  entries: ReadonlyMap<string, Uint8Array>,
  lines: readonly string[],
): BundleIndex {
  const link = chainLinks();
  const facts = [...entries].map(([name, b]) => [name, { bytes: b.byteLength, crc: crc32(b), sha256: sha256(b) }]);
  const index = {
    run: summary,
    checkpoints,
    files: Object.fromEntries(facts),
    records: lines.map((line) => link(line)),
  };
  // Hashes the index as a reader parses it: JSON leaves out fields that are undefined.
  const read: BundleIndex = JSON.parse(JSON.stringify({ format: BUNDLE_FORMAT, ...index }));
  return { ...read, hash: hashOf(read) };
}

/** Checks an index. Throws `IndexError`. */
export function checkIndex(given: unknown): BundleIndex {
  const format = (given as { format?: unknown } | null)?.format;
  if (format !== BUNDLE_FORMAT && format !== firstFormat)
    throw new IndexError(
      `This run has the format ${(JSON.stringify(format) ?? 'none').slice(0, 40)}; this version reads "${firstFormat}" and "${BUNDLE_FORMAT}".`,
    );
  const result = v.safeParse(schema, given);
  if (!result.success) {
    const [issue] = result.issues;
    const path = (v.getDotPath(issue) ?? '').slice(0, 100);
    throw new IndexError(`tabgym.json in this file has a wrong value at "${path}". Export the run again.`);
  }
  const index = given as BundleIndex;
  if (format === BUNDLE_FORMAT && hashOf(index) !== index.hash)
    throw new IndexError('tabgym.json in this file was changed: its hash differs. Export the run again.');
  if (!index.files['experiment.json'] || !index.files['steps.jsonl'])
    throw new IndexError('tabgym.json in this file is incomplete. Export the run again.');
  return index;
}

/** True if a part is what the index lists. */
export function isWhole(entry: Uint8Array | undefined, facts: BundleIndex['files'][string], format: string): boolean {
  if (entry?.byteLength !== facts.bytes) return false;
  return format === firstFormat ? crc32(entry) === facts.crc : sha256(entry) === facts.sha256;
}
