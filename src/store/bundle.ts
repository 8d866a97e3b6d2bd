/**
 * A run or a policy as one file: a zip that any tool can open. A run's `tabgym.json` comes first and lists every other
 * entry with its size and hash (bundle-index.ts), so that a truncated, altered or unrelated file is refused by its part.
 * This file handles named blobs only, never tensors.
 * Long because writer and reader of one format stand together.
 *
 *   tabgym.json            version, summary, checkpoints' facts, list of files
 *   experiment.json        the document that describes the run
 *   steps.jsonl            one record a line
 *   tokenizer.json, config.json, reference.safetensors, policy.safetensors (if the run has them)
 *   checkpoints/000012.safetensors    weights and optimiser state
 *   trajectories/000012.bin           a step's trajectories, as session/run/trajectory-codec.ts writes them
 */
import { ADAPTER_FILES, adapterFileNames, type CONVERSATION_FILES, pickledAdapter } from './adapter-files.ts';
import { type BundleIndex, chainLinks, checkIndex, IndexError, indexOf, isWhole, mostSteps } from './bundle-index.ts';
import { atOnce, type Work, within } from './in-parts.ts';
import { MemoryStore } from './memory.ts';
import {
  type CheckpointMeta,
  type HandoffSource,
  type RunManifest,
  type RunOrigin,
  type StoredRecord,
  type StoredRun,
  StoreError,
} from './run.ts';
import { type NewRun, RunStore, stepOf } from './run-store.ts';
import { unzip, zip } from './zip.ts';

/** Thrown for a file that is not a complete run or policy. */
export class BundleError extends StoreError {
  override name = 'BundleError';
}

/** Thrown for a zip that is not a run. It may be a policy. */
export class NotARunError extends BundleError {
  override name = 'NotARunError';
}

export interface BundleOptions {
  /** Checkpoints to include. 'last' also includes the best one. The last checkpoint is needed to resume the run. */
  checkpoints?: 'all' | 'last' | 'none';
  /** More files, beside those of the run. */
  assets?: { readonly [name: string]: Uint8Array };
  /** Leaves out what a person wrote about the run, and the times at which it was made and changed. */
  anonymous?: boolean;
}

const padded = (step: number) => String(step).padStart(6, '0');
const isStored = (name: string) => name.endsWith('.safetensors') || name.endsWith('.bin');

/** Names in the zip of the blobs that it contains, by their names in the store. */
function entryNames({ files, run }: RunManifest, which: BundleOptions['checkpoints'] = 'last'): Map<string, string> {
  const names = Object.keys(files);
  const last = Math.max(-1, ...names.map((name) => stepOf(name, 'checkpoint') ?? -1));
  const kept = [last, run.best?.step ?? -1];
  return new Map(
    names.flatMap((name) => {
      const entry = entryName(name, kept, which);
      return entry === null ? [] : [[name, entry]];
    }),
  );
}

/** Zip name of a blob of the store, or null if it is left out. */
function entryName(file: string, kept: readonly number[], which: BundleOptions['checkpoints']): string | null {
  const trajectories = stepOf(file, 'trajectories');
  if (trajectories !== null) return `trajectories/${padded(trajectories)}.bin`;
  const checkpoint = stepOf(file, 'checkpoint');
  if (checkpoint === null) return file.replace(/^asset\//, '');
  const wanted = which === 'all' || (which !== 'none' && kept.includes(checkpoint));
  return wanted ? `checkpoints/${padded(checkpoint)}.safetensors` : null;
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function zipOf(entries: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  // Floats hardly shrink and trajectories are already deflated, so both are stored uncompressed.
  return zip([...entries].map(([name, bytes]) => ({ name, bytes, stored: isStored(name) })));
}

/** Content of a run's file. */
export interface BundleParts {
  run: StoredRun;
  records: readonly StoredRecord[];
  checkpoints: readonly { meta: CheckpointMeta; bytes: Uint8Array }[];
  assets: { readonly [name: string]: Uint8Array };
}

/** Run's file from its parts, for a run that was prepared for publishing and differs from the stored one. */
export function bundleOf({ run, records, checkpoints, assets }: BundleParts): Uint8Array<ArrayBuffer> {
  const weights = checkpoints.map(({ meta, bytes }): [string, Uint8Array] => [
    `checkpoints/${padded(meta.step)}.safetensors`,
    bytes,
  ]);
  const lines = linesOf(records);
  const entries = new Map<string, Uint8Array>([
    ['experiment.json', encode(JSON.stringify(run.experiment, null, 2))],
    ['steps.jsonl', encode(lines.map((line) => `${line}\n`).join(''))],
    ...Object.entries(assets),
    ...weights,
  ]);
  return indexed(run, Object.fromEntries(checkpoints.map(({ meta }) => [meta.step, meta])), entries, lines);
}

const linesOf = (records: readonly StoredRecord[]) => records.map((record) => JSON.stringify(record));

function indexed(
  run: StoredRun,
  checkpoints: BundleIndex['checkpoints'],
  entries: ReadonlyMap<string, Uint8Array>,
  lines: readonly string[],
): Uint8Array<ArrayBuffer> {
  const index = indexOf(run, checkpoints, entries, lines);
  return zipOf(new Map([['tabgym.json', encode(JSON.stringify(index, null, 1))], ...entries]));
}

/** Exports a stored run as one file, as its last commit left it. It may be trained meanwhile. */
export async function exportRun(
  store: RunStore,
  id: string,
  options: BundleOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const namesOf = (manifest: RunManifest) => entryNames(manifest, options.checkpoints);
  const { manifest, records, blobs } = await store.snapshot(id, (each) => [...namesOf(each).keys()]);
  const lines = linesOf(records);
  const entries = new Map<string, Uint8Array>([
    ['experiment.json', encode(JSON.stringify(manifest.run.experiment, null, 2))],
    ['steps.jsonl', encode(lines.map((line) => `${line}\n`).join(''))],
  ]);
  for (const [file, name] of namesOf(manifest)) entries.set(name, blobs.get(file)!);
  for (const [name, bytes] of Object.entries(options.assets ?? {})) entries.set(name, bytes);
  const run = options.anonymous ? anonymous(manifest.run) : manifest.run;
  return indexed(run, manifest.checkpoints, entries, lines);
}

/** Run's file of a run that no store holds yet. */
export async function fileOfNew(run: NewRun): Promise<Uint8Array<ArrayBuffer>> {
  const store = new RunStore(new MemoryStore());
  const { id } = await store.create(run);
  return exportRun(store, id, { checkpoints: 'all' });
}

const anonymous = ({ tags: _tags, notes: _notes, sweep: _sweep, ...run }: StoredRun): StoredRun => ({
  ...run,
  createdAt: 0,
  updatedAt: 0,
});

function entriesOf(
  bytes: Uint8Array,
  wanted?: (name: string) => boolean,
  damaged?: (name: string) => void,
): { [name: string]: Uint8Array } {
  try {
    return unzip(bytes, wanted, damaged);
  } catch (error) {
    throw new BundleError(
      `This file of ${bytes.byteLength} bytes is not a complete zip: it was cut short, damaged, or has another format (${(error as Error).message}). Export it again.`,
    );
  }
}

/** Levels of objects and lists in a part. Deeper ones exhaust the stack wherever they are written again. */
const mostLevels = 100;

/** True if a JSON value has at most so many levels of objects and lists. */
function isShallow(value: unknown, levels = mostLevels): boolean {
  if (value === null || typeof value !== 'object') return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

/** Value of a part. Throws BundleError. */
export const parseJson = <T>(bytes: Uint8Array, name: string): T => parseText(decode(bytes), name);

function parseText<T>(text: string, name: string): T {
  let value: T;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BundleError(`${name} in this file is not JSON: the file is damaged. Export it again.`);
  }
  if (isShallow(value)) return value;
  throw new BundleError(`${name} in this file has more than ${mostLevels} levels of objects and lists.`);
}

function checkedIndex(entries: { [name: string]: Uint8Array }): BundleIndex {
  if (entries['sweep.json'])
    throw new BundleError(
      'This file is a sweep and not one run. Unpack it as a zip: each of its runs is a file in runs, such as runs/01.tabgym.',
    );
  if (!entries['tabgym.json'])
    throw new NotARunError(
      'This zip is not a Tabgym run: it has no tabgym.json. Import a policy with "Import a run, a policy or an adapter".',
    );
  try {
    return checkIndex(parseJson(entries['tabgym.json'], 'tabgym.json'));
  } catch (error) {
    throw error instanceof IndexError ? new BundleError(error.message) : error;
  }
}

const mostNamed = 5;
/** Parts without which nothing of a run can be opened. */
const needed = ['tabgym.json', 'experiment.json'];

/**
 * Thrown for a run of which some parts are damaged or missing. Named PartlyDamagedRunError if the others can be opened:
 * other threads see only its name.
 */
export class DamagedRunError extends BundleError {
  override name: 'DamagedRunError' | 'PartlyDamagedRunError';
  /** True if the undamaged parts can be opened with `whole: true`. */
  readonly hasRest: boolean;

  constructor(
    /** Names of the damaged and missing parts. */
    readonly parts: readonly string[],
    present: (name: string) => boolean,
  ) {
    const shown = parts.slice(0, mostNamed).map((name) => `${name} (${present(name) ? 'damaged' : 'missing'})`);
    const more = parts.length > mostNamed ? ` and ${parts.length - mostNamed} more` : '';
    const hasRest = !parts.some((name) => needed.includes(name));
    const advice = hasRest ? 'Export the run again, or open only what is whole.' : 'Export the run again.';
    super(`Parts of this run are not what its list says: ${shown.join(', ')}${more}. ${advice}`);
    this.hasRest = hasRest;
    this.name = hasRest ? 'PartlyDamagedRunError' : 'DamagedRunError';
  }
}

/** Entries that match the index. Throws `DamagedRunError` if any does not, unless `onlyWhole` is true. */
function verified(bytes: Uint8Array, onlyWhole: boolean) {
  const damaged = new Set<string>();
  const entries = entriesOf(bytes, undefined, (name) => damaged.add(name));
  if (damaged.has('tabgym.json')) throw new DamagedRunError(['tabgym.json'], () => true);
  const index = checkedIndex(entries);
  const parts = Object.keys(index.files).filter((name) => !isWhole(entries[name], index.files[name], index.format));
  const refused = new DamagedRunError(parts, (name) => damaged.has(name) || name in entries);
  if (parts.length && !(onlyWhole && refused.hasRest)) throw refused;
  return { index, entries, names: Object.keys(index.files).filter((name) => !parts.includes(name)) };
}

/** Most records of a run's file: those of a run of the most steps, from step 0. */
const mostRecords = 1_000_001;

/** Lines of a text that are not empty, one at a time: all of them as a list can need many times the text's memory. */
function* linesIn(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    if (end > from) yield text.slice(from, end);
    from = end + 1;
  }
}

/** Number of the first lines that match the chain, and whether these are all. */
function* matched(text: string, chain: readonly string[]): Work<{ lines: number; all: boolean }> {
  const link = chainLinks();
  let lines = 0;
  for (const line of linesIn(text)) {
    if (lines === chain.length || link(line) !== chain[lines]) return { lines, all: false };
    yield ++lines / chain.length;
  }
  return { lines, all: lines === chain.length };
}

/** Field in which the store keeps the link of a record (record-chain.ts). */
const reserved = 'chain';

/** Record of line `k`, which must follow the one before and be of one of the run's steps. */
function recordOf(line: string, k: number, before: number, { run }: BundleIndex): StoredRecord {
  const where = `Line ${k + 1} of steps.jsonl`;
  const refuse = (problem: string) => new BundleError(`${where} in this file ${problem}. Export the run again.`);
  if (k === mostRecords) throw new BundleError(`steps.jsonl in this file has more than ${mostRecords} records.`);
  const record = parseText<StoredRecord | null>(line, where);
  const { step } = Object(record) as Partial<StoredRecord>;
  if (!(Number.isInteger(step) && step! >= 0 && step! <= mostSteps)) throw refuse('has no step');
  if (step! <= before) throw refuse('is out of order');
  if (step! > run.step) throw refuse(`is of step ${step}, after the run's last, ${run.step}`);
  if (Object.hasOwn(record!, reserved)) throw refuse(`has a field "${reserved}", which is reserved`);
  return record!;
}

/** Records of lines that match the chain, up to the first that does not. Throws BundleError for lines of another form. */
function* recordsOf(text: string, index: BundleIndex, onlyWhole: boolean): Work<StoredRecord[]> {
  const { lines, all } = index.records
    ? yield* within([0, 0.5], matched(text, index.records))
    : { lines: Number.POSITIVE_INFINITY, all: true };
  if (!all && !onlyWhole) throw new DamagedRunError(['steps.jsonl'], () => true);
  const records: StoredRecord[] = [];
  for (const line of linesIn(text)) {
    if (records.length === lines) break;
    records.push(recordOf(line, records.length, records.at(-1)?.step ?? -1, index));
    yield 0.5 + 0.5 * Math.min(1, records.length / (index.run.step + 1));
  }
  return records;
}

/** Step in the name of a part, which must be one of the run's. */
const stepOfEntry = (name: string, file: string, last: number) => {
  const step = /^\d{1,8}\.(?:safetensors|bin)$/.test(file) ? Number.parseInt(file, 10) : null;
  if (step !== null && step <= last) return step;
  const problem = step === null ? 'has no step in its name' : `is of a step after the run's last, ${last}`;
  throw new BundleError(`${name.slice(0, 100)} in this file ${problem}. Export the run again.`);
};

/**
 * Reads and verifies a run's file, for `RunStore.create`. The `experiment` is not validated here, nor are the fields of
 * records beyond their step. With `whole`, damaged parts other than the index and the experiment are left out.
 */
export const readRun = (...file: Parameters<typeof readingRun>) => atOnce(readingRun(...file));

/** Reads a run's file as `readRun`, in parts. */
export function* readingRun(
  bytes: Uint8Array,
  fileName: string,
  { whole = false } = {},
): Work<NewRun & { summary: StoredRun }> {
  const { index, entries, names } = verified(bytes, whole);
  const checkpoints: { meta: CheckpointMeta; bytes: Uint8Array }[] = [];
  const trajectories = new Map<number, Uint8Array>();
  const assets: { [name: string]: Uint8Array } = {};
  for (const name of names) {
    const [folder, file] = name.split('/');
    if (folder === 'checkpoints')
      checkpoints.push({ meta: metaOf(index, stepOfEntry(name, file, index.run.step)), bytes: entries[name] });
    else if (folder === 'trajectories') trajectories.set(stepOfEntry(name, file, index.run.step), entries[name]);
    else if (name !== 'experiment.json' && name !== 'steps.jsonl') assets[name] = entries[name];
  }
  // Without a chain nothing of a damaged list of records is known to be right.
  const isReadable = entries['steps.jsonl'] && (index.records || names.includes('steps.jsonl'));
  const lines = isReadable ? decode(entries['steps.jsonl']) : '';
  const records = yield* within([0.4, 1], recordsOf(lines, index, whole));
  const experiment = parseJson(entries['experiment.json'], 'experiment.json');
  const { id, name, success } = index.run;
  const best = checkpoints.some(({ meta }) => meta.step === index.run.best?.step) ? index.run.best : undefined;
  const origin: RunOrigin = { kind: 'import', file: fileName, ...(typeof id === 'string' ? { run: id } : {}) };
  const cut = names.length < Object.keys(index.files).length;
  const step = cut && !names.includes('steps.jsonl') ? lastStep(records, checkpoints) : index.run.step;
  const kept = { records, checkpoints, trajectories, assets, ...(best ? { best } : {}) };
  return { summary: index.run, name, experiment, origin, step, success, ...kept };
}

/** Last step of a run whose list of records was damaged. */
const lastStep = (records: readonly StoredRecord[], checkpoints: readonly { meta: CheckpointMeta }[]) =>
  Math.max(0, ...records.slice(-1).map(({ step }) => step), ...checkpoints.map(({ meta }) => meta.step));

function metaOf(index: BundleIndex, step: number): CheckpointMeta {
  const meta = index.checkpoints[step];
  if (meta?.step !== step)
    throw new BundleError(`The checkpoint of step ${step} has no description in tabgym.json. Export the run again.`);
  return meta;
}

const POLICY_FILES = ['config.json', 'model.safetensors', 'tokenizer.json'] as const;
export type PolicyFiles = { [name in (typeof POLICY_FILES)[number]]: Uint8Array };

/** Zip of a policy alone in the Hugging Face layout, or of an adapter in PEFT's. */
export function writePolicy(files: { readonly [name: string]: Uint8Array }): Uint8Array<ArrayBuffer> {
  return zipOf(new Map(Object.entries(files)));
}

/** Depth of a folder of a zip: '' is the root, `a/b/` has two levels. */
const depthOf = (folder: string) => folder.split('/').length;

/**
 * The outermost folder of a zip that has all of these files: '' or a path with a final slash; null: there is none. A
 * trainer's folder has its result outside and checkpoints inside. Throws BundleError if several folders are outermost.
 */
function folderWith(names: readonly string[], wanted: readonly string[], what: string): string | null {
  const [first] = wanted;
  const folders = names
    .filter((name) => name === first || name.endsWith(`/${first}`))
    .map((name) => name.slice(0, name.length - first.length))
    .filter((folder) => wanted.every((name) => names.includes(folder + name)));
  const least = folders.reduce((depth, folder) => Math.min(depth, depthOf(folder)), Infinity);
  const outermost = folders.filter((folder) => depthOf(folder) === least);
  if (outermost.length > 1)
    throw new BundleError(
      `This zip has several ${what}: ${outermost.slice(0, 6).join(', ')}${outermost.length > 6 ? ', ...' : ''}. Pack one of these folders by itself.`,
    );
  return outermost[0] ?? null;
}

/** Files of a zip by their full names; only entries with one of the given file names are unpacked. */
function entriesNamed(bytes: Uint8Array, wanted: readonly string[]): { [name: string]: Uint8Array } {
  return entriesOf(bytes, (name) => wanted.includes(name.slice(name.lastIndexOf('/') + 1)));
}

const filesOf = (entries: { readonly [name: string]: Uint8Array }, folder: string, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => entries[folder + name]).map((name) => [name, entries[folder + name]]));

export type AdapterFiles = { [name in (typeof ADAPTER_FILES)[number]]: Uint8Array } & {
  [name in (typeof CONVERSATION_FILES)[number]]?: Uint8Array;
};

/** Index of weights in several files. Such weights are read only for a language model. */
const shardIndex = 'model.safetensors.index.json';
/** All files of a policy that are read. */
export const policyFileNames: readonly string[] = [...POLICY_FILES, shardIndex];

/**
 * The files of a PEFT checkpoint's zip, of its outermost folder with an adapter; null for another zip. Throws
 * BundleError for an adapter without weights that can be read.
 */
export function readAdapter(bytes: Uint8Array): AdapterFiles | null {
  const entries = entriesNamed(bytes, [...adapterFileNames, pickledAdapter]);
  const names = Object.keys(entries);
  const folder = folderWith(names, ADAPTER_FILES, 'adapters');
  if (folder !== null) return filesOf(entries, folder, adapterFileNames) as AdapterFiles;
  if (folderWith(names, ['adapter_config.json'], 'adapters') === null) return null;
  throw new BundleError(
    missingWeights(
      names.some((name) => name.endsWith(pickledAdapter)),
      'This adapter',
    ),
  );
}

/** Message for an adapter_config.json without adapter_model.safetensors. */
export function missingWeights(isPickled: boolean, where: string): string {
  if (!isPickled)
    return `${where} has an adapter_config.json but no adapter_model.safetensors beside it: export the adapter again.`;
  return (
    `${where} has its weights in ${pickledAdapter}, a pickle, which may run code and is not read. Save it again with PEFT: ` +
    'PeftModel.from_pretrained(model, FOLDER).save_pretrained(OTHER) writes adapter_model.safetensors.'
  );
}

/** The three files of a policy's zip, of its outermost folder that has them. */
export function readPolicy(bytes: Uint8Array): PolicyFiles {
  const entries = entriesNamed(bytes, policyFileNames);
  const names = Object.keys(entries);
  const folder = folderWith(names, POLICY_FILES, 'policies');
  if (folder !== null) return filesOf(entries, folder, POLICY_FILES) as PolicyFiles;
  const missing = POLICY_FILES.filter((wanted) => folderWith(names, [wanted], 'policies') === null);
  if (missing.join() === 'model.safetensors' && folderWith(names, [shardIndex], 'policies') !== null)
    throw new BundleError(
      `The policy's weights are in several files (${shardIndex}); those of a tiny policy are read from one. Save it again ` +
        "in Python: model.save_pretrained(FOLDER, max_shard_size='10GB'), and its tokenizer beside it.",
    );
  throw new BundleError(
    missing.length
      ? `This zip is not a policy: ${missing.join(', ')} missing. It needs ${POLICY_FILES.join(', ')}.`
      : `This zip is not a policy: ${POLICY_FILES.join(', ')} are in different folders. Put them into one.`,
  );
}

/** Origin of a policy that returns from another trainer. */
export interface Handoff {
  experiment: unknown;
  from: HandoffSource;
}

/**
 * `handoff.json` and `experiment.json` of a policy's zip; null if it has neither. Throws BundleError if they are
 * damaged.
 */
export function readHandoff(bytes: Uint8Array): Handoff | null {
  const wanted = ['handoff.json', 'experiment.json'] as const;
  const entries = entriesNamed(bytes, wanted);
  const folder = folderWith(Object.keys(entries), wanted, 'hand-offs');
  if (folder === null) return null;
  const [from, experiment] = wanted.map((name) => entries[folder + name]);
  const { trainer, run, step } = parseJson<Partial<HandoffSource>>(from, 'handoff.json');
  if (typeof trainer !== 'string' || typeof run !== 'string' || typeof step !== 'number')
    throw new BundleError('handoff.json in this zip must name the trainer, run and step: complete it or leave it out.');
  return { experiment: parseJson(experiment, 'experiment.json'), from: { trainer, run, step } };
}
