/**
 * A sweep as one file: a zip with the file of each run, which can also be opened alone, and `sweep.json`, which
 * describes the sweep. Handles named blobs only.
 *
 *   sweep.json                 version, name, the sweep's document, and each run's file and place
 *   runs/01.tabgym ...         as `bundle.ts` writes them
 */
import * as v from 'valibot';
import { BundleError, exportRun, parseJson, readingRun } from './bundle.ts';
import { crc32 } from './crc32.ts';
import { atOnce, type Work, within } from './in-parts.ts';
import { unfoldedBound } from './inflate.ts';
import type { SweepPlace } from './run.ts';
import type { NewRun, RunStore } from './run-store.ts';
import { unzip, type ZipEntry, ZipError, zip } from './zip.ts';

const SWEEP_FORMAT = 'tabgym-sweep-1';

interface Index {
  format: string;
  name: string;
  document: unknown;
  runs: { file: string; crc: number; name: string; place: Omit<SweepPlace, 'id' | 'name' | 'document'> }[];
}

/** Exports runs of one sweep, in their order, as one file. */
export async function exportSweep(store: RunStore, runIds: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const files: ZipEntry[] = [];
  const index: Index = { format: SWEEP_FORMAT, name: '', document: null, runs: [] };
  for (const [i, id] of runIds.entries()) {
    const { sweep, name } = await store.get(id);
    if (!sweep) throw new BundleError(`The run "${name}" does not belong to a sweep: export it as a run.`);
    const { id: _, name: sweepName, document, ...place } = sweep;
    const file = `runs/${String(i + 1).padStart(2, '0')}.tabgym`;
    const bytes = await exportRun(store, id);
    // A zip inside a zip does not shrink.
    files.push({ name: file, bytes, stored: true });
    Object.assign(index, { name: sweepName, document });
    index.runs.push({ file, crc: crc32(bytes), name, place });
  }
  const head = new TextEncoder().encode(JSON.stringify(index, null, 1));
  return zip([{ name: 'sweep.json', bytes: head, stored: false }, ...files]);
}

const mostPlaces = 10_000;
const place = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(mostPlaces));

const shape = v.looseObject({
  format: v.literal(SWEEP_FORMAT),
  name: v.pipe(v.string(), v.maxLength(500)),
  runs: v.pipe(
    v.array(
      v.looseObject({
        file: v.pipe(v.string(), v.maxLength(300)),
        crc: v.number(),
        name: v.pipe(v.string(), v.nonEmpty(), v.maxLength(500)),
        place: v.looseObject({
          index: place,
          variant: place,
          variantName: v.pipe(v.string(), v.maxLength(500)),
          seed: v.pipe(v.number(), v.integer()),
        }),
      }),
    ),
    v.nonEmpty(),
  ),
});

/** Reads the index only. Returns null if the file is not a sweep. */
function indexOf(bytes: Uint8Array): Index | null {
  let head: Uint8Array | undefined;
  try {
    head = unzip(bytes, (name) => name === 'sweep.json')['sweep.json'];
  } catch {
    return null;
  }
  if (!head) return null;
  return parseJson(head, 'sweep.json');
}

function sweepFiles(bytes: Uint8Array): { [name: string]: Uint8Array } {
  try {
    return unzip(bytes);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new BundleError(`This sweep's file is damaged (${error.message}). Export the sweep again.`);
  }
}

const bytesOf = ({ checkpoints = [], trajectories = new Map(), assets = {} }: NewRun) =>
  [...checkpoints.map(({ bytes }) => bytes), ...trajectories.values(), ...Object.values(assets)].reduce(
    (sum, { byteLength }) => sum + byteLength,
    0,
  );

/**
 * Reads and verifies the runs of a sweep's file, as a sweep with id `newId`. Returns null if the file is not a sweep.
 */
export const readSweep = (...file: Parameters<typeof readingSweep>) => atOnce(readingSweep(...file));

/** Reads a sweep's file as `readSweep`, in parts. */
export function* readingSweep(bytes: Uint8Array, fileName: string, newId: string): Work<NewRun[] | null> {
  const index = indexOf(bytes);
  if (!index) return null;
  if (index.format !== SWEEP_FORMAT)
    throw new BundleError(
      `This sweep has the format ${(JSON.stringify(index.format) ?? 'none').slice(0, 40)}; this version reads "${SWEEP_FORMAT}".`,
    );
  const wrong = v.safeParse(shape, index).issues?.[0];
  if (wrong)
    throw new BundleError(
      `sweep.json in this file has a wrong value at "${(v.getDotPath(wrong) ?? '').slice(0, 100)}". Export the sweep again.`,
    );
  const files = sweepFiles(bytes);
  const read = new Set<string>();
  let unfolded = 0;
  const runs: NewRun[] = [];
  const count = index.runs.length;
  for (const [k, { file, crc, name, place }] of index.runs.entries()) {
    if (read.has(file)) throw new BundleError(`sweep.json in this file names ${file} twice. Export the sweep again.`);
    read.add(file);
    const run = Object.hasOwn(files, file) ? files[file] : undefined;
    if (!run || crc32(run) !== crc)
      throw new BundleError(`${file} in this file is ${run ? 'damaged' : 'missing'}. Export the sweep again.`);
    const { summary: _, ...opened } = yield* within([k / count, (k + 1) / count], readingRun(run, fileName));
    unfolded += bytesOf(opened);
    if (unfolded > unfoldedBound(bytes.length))
      throw new BundleError(`The runs of this sweep unfold to more than ${unfoldedBound(bytes.length)} bytes.`);
    runs.push({ ...opened, name, sweep: { ...place, id: newId, name: index.name, document: index.document } });
  }
  return runs;
}
