/**
 * A hash beside each stored record, over the record and the hash before it, so that a changed, missing or exchanged
 * record is found by its step. Runs of older versions have records without a hash; the chain begins with the first
 * that is written by this version.
 */
import { atOnce, type Work } from './in-parts.ts';
import { CorruptError, type RunManifest, type StoredRecord } from './run.ts';
import { sha256 } from './sha256.ts';

/** Field of a stored record that holds its link. */
const field = 'chain';
/** Characters of a link. */
export const digits = 16;

type Linked<R extends StoredRecord> = R & { [field]?: string };

/** The text that is hashed is the same whether the record was stored as JSON or as a structured clone. */
export const linkOf = (before: string, record: object): string =>
  sha256(new TextEncoder().encode(before + JSON.stringify(record))).slice(0, digits);

type Chain = NonNullable<RunManifest['chain']>;

/** The ends of the chain of stored records; undefined: they have no links. */
export function endOf(stored: readonly StoredRecord[]): Chain | undefined {
  const [last, before] = [stored.at(-1), stored.at(-2)].map(
    (each) => (each as Linked<StoredRecord> | undefined)?.chain,
  );
  return last === undefined ? undefined : { last, before: before ?? '' };
}

/** Records with their links, after the link `from`, and the ends of the chain. */
export const linked = <R extends StoredRecord>(records: readonly R[], from = '') => atOnce(linking(records, from));

/** Links records as `linked`, in parts. */
export function* linking<R extends StoredRecord>(
  records: readonly R[],
  from = '',
): Work<{ records: R[]; chain: Chain }> {
  const chain = { last: from, before: '' };
  const out: R[] = [];
  for (const record of records) {
    chain.before = chain.last;
    chain.last = linkOf(chain.last, record);
    out.push({ ...record, [field]: chain.last });
    yield out.length / records.length;
  }
  return { records: out, chain };
}

function withoutLink<R extends StoredRecord>({ [field]: link, ...record }: Linked<R>) {
  return { link, record: record as unknown as R };
}

/** A stored record that differs from what was written, or is missing; `step` is its step. */
export class DamagedRecordError extends CorruptError {
  override name = 'DamagedRecordError';
  constructor(
    name: string,
    readonly step: number,
    /** Last step whose record is whole; null: there is none. */
    readonly lastWhole: number | null,
  ) {
    super(
      `The record of step ${step} of run "${name}" is damaged: its hash differs. Duplicate the run (in the page under Runs), ` +
        'fork it (npm run train with --fork-at and a step that has a checkpoint), or import an exported copy. ' +
        'A duplicate and a fork leave out damaged records.',
    );
  }
}

/**
 * Records without their links, up to step `last`. Those that do not follow the one stored before them are left out: they
 * are damaged, or were computed again by a version that linked them to a record that it replaced.
 */
export function wholeRecords<R extends StoredRecord>(
  stored: readonly R[],
  chain: Chain | undefined,
  last: number,
): R[] {
  const out: R[] = [];
  let before = '';
  for (const each of stored) {
    if (each === null || typeof each !== 'object') continue;
    if (each.step > last) break;
    const { link, record } = withoutLink(each);
    if (link !== undefined && !chain) continue;
    if (link === undefined ? before === '' : link === linkOf(before, record)) out.push(record);
    before = link ?? before;
  }
  return out;
}

/**
 * Records without their links, up to step `last`. The end of the chain is checked if all of them
 * are read. Throws DamagedRecordError.
 */
export const verifiedRecords = <R extends StoredRecord>(...run: Parameters<typeof verifyingRecords<R>>): R[] =>
  atOnce(verifyingRecords(...run));

/** Verifies records as `verifiedRecords`, in parts. */
export function* verifyingRecords<R extends StoredRecord>(
  stored: readonly R[],
  { name, step, chain }: { name: string; step: number; chain?: Chain },
  last = step,
): Work<R[]> {
  const out: R[] = [];
  let before = '';
  const refuse = (at: number) => new DamagedRecordError(name, at, out.at(-1)?.step ?? null);
  for (const each of stored) {
    if (each === null || typeof each !== 'object') throw refuse((out.at(-1)?.step ?? -1) + 1);
    if (each.step > last) break;
    const { link, record } = withoutLink(each);
    // The record of a first commit that a kill or a full disk interrupted: its run has no chain yet.
    if (link !== undefined && !chain) continue;
    if (link === undefined ? before !== '' : link !== linkOf(before, record)) throw refuse(each.step);
    before = link ?? '';
    out.push(record);
    yield out.length / stored.length;
  }
  if (last >= step && chain && before !== chain.last) throw refuse((out.at(-1)?.step ?? -1) + 1);
  return out;
}
