/**
 * Runs, checkpoints and trajectories behind one interface, independent of the backend. Contains the rules: the content
 * of a commit, retention, the bin, write ownership. Independent of GPU, page and file formats: a checkpoint, a step's
 * trajectories and a tokenizer are named blobs.
 */
import { crc32 } from './crc32.ts';
import { within, withRests } from './in-parts.ts';
import { checkedBlob, checkedManifest, isManifest } from './manifest-check.ts';
import { endOf, linked, linking, verifiedRecords, verifyingRecords, wholeRecords } from './record-chain.ts';
import { droppedCheckpoints, droppedTrajectories } from './retention.ts';
import {
  type Backend,
  type Blob,
  type BlobChoice,
  type CheckpointMeta,
  copyOf,
  isPartName,
  OwnershipError,
  QuotaError,
  type RunManifest,
  type RunOrigin,
  type Space,
  type StoredRecord,
  type StoredRun,
  StoreError,
  WriteError,
} from './run.ts';

export const BIN_DAYS = 7;
const DAY_MS = 86_400_000;

export const checkpointFile = (step: number) => `checkpoint/${step}`;
export const trajectoriesFile = (step: number) => `trajectories/${step}`;
export const assetFile = (name: string) => `asset/${name}`;

/** Step number of `prefix/STEP`, or null. */
export function stepOf(file: string, prefix: 'checkpoint' | 'trajectories'): number | null {
  return file.startsWith(`${prefix}/`) ? Number(file.slice(prefix.length + 1)) : null;
}

/** True if a step is committed. A new run is at step 0, without a record. */
const hasStep = ({ run, chain }: RunManifest, step: number) => step <= run.step && (step > 0 || chain !== undefined);

const fileStep = (file: string) => stepOf(file, 'checkpoint') ?? stepOf(file, 'trajectories');

export interface StoredCheckpoint {
  meta: CheckpointMeta;
  bytes: Uint8Array;
}

/** Data of one step, written in one transaction. */
export interface StepCommit {
  record: StoredRecord;
  checkpoint: StoredCheckpoint | null;
  trajectories: Uint8Array | null;
  /** Set if an evaluation ran. */
  success?: number;
  /** Set if this step is the best so far. Its checkpoint is kept until another is better. */
  best?: StoredRun['best'];
  /** Tokenizer, configuration and reference weights, written with the first commit. */
  assets?: { [name: string]: Uint8Array };
}

export interface NewRun {
  name: string;
  experiment: unknown;
  origin: RunOrigin;
  step?: number;
  success?: number | null;
  records?: readonly StoredRecord[];
  checkpoints?: readonly StoredCheckpoint[];
  trajectories?: ReadonlyMap<number, Uint8Array>;
  assets?: { [name: string]: Uint8Array };
  sweep?: StoredRun['sweep'];
  best?: StoredRun['best'];
}

const blob = (bytes: Uint8Array): Blob => ({ bytes, crc: crc32(bytes) });
const stepsOf = (manifest: RunManifest, prefix: 'checkpoint' | 'trajectories') =>
  Object.keys(manifest.files)
    .map((name) => stepOf(name, prefix))
    .filter((step) => step !== null);

/** The name of an asset. Throws StoreError for one that a run's file cannot have. */
function exportable(name: string): string {
  if (isPartName(name)) return name;
  throw new StoreError(
    `A run cannot keep the file "${name}": its name must have at most 300 characters, no backslash and no empty folder, "." or "..". Rename it.`,
  );
}

function totalBytes(manifest: RunManifest) {
  return Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
}

function putFiles(manifest: RunManifest, put: ReadonlyMap<string, Blob>) {
  for (const [name, { bytes, crc }] of put) manifest.files[name] = { bytes: bytes.byteLength, crc };
}

const reportedAt = 500;
/** Calls for each so many records. */
const everySome = (call: (count: number) => void) => (count: number) => {
  if (count % reportedAt === 0) call(count);
};

function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const mostTags = 20;
const longestTag = 40;
const longestNotes = 4000;

export class RunStore {
  /** Step whose trajectories a person looks at. */
  private shown: { id: string; step: number } | null = null;

  constructor(
    private readonly backend: Backend,
    private readonly now: () => number = Date.now,
  ) {}

  /** All runs that can be read, including those in the bin, the latest first. */
  async list<E>(): Promise<StoredRun<E>[]> {
    const manifests = (await this.backend.manifests()).filter(isManifest);
    return manifests.map((m) => m.run as StoredRun<E>).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Number of stored runs of which the manifest cannot be read. They are not listed, and the others are unaffected. */
  async unreadable(): Promise<number> {
    return (await this.backend.manifests()).filter((each) => !isManifest(each)).length;
  }

  /** False if the runs end with the page. */
  async isLasting(): Promise<boolean> {
    return (await this.backend.isLasting?.()) ?? true;
  }

  /** Why stored runs cannot be opened; null: they can, or there is no place for them. */
  async fault(): Promise<string | null> {
    return (await this.backend.fault?.()) ?? null;
  }

  async manifest(id: string): Promise<RunManifest> {
    return checkedManifest(id, await this.backend.manifest(id));
  }

  /** Verified data of one commit, of a run that may be trained meanwhile. Throws CorruptError. */
  async snapshot<R extends StoredRecord>(
    id: string,
    choose: BlobChoice,
    damaged: 'refused' | 'left-out' = 'refused',
  ): Promise<{ manifest: RunManifest; records: R[]; blobs: Map<string, Uint8Array> }> {
    const found = await this.backend.snapshot(id, (manifest) => (isManifest(manifest) ? choose(manifest) : []));
    const manifest = checkedManifest(id, found?.manifest ?? null);
    const { name, step } = manifest.run;
    const [stored, { chain }] = [found!.records as R[], manifest];
    const records =
      damaged === 'left-out' ? wholeRecords(stored, chain, step) : verifiedRecords(stored, { name, step, chain });
    const blobs = [...found!.blobs].map(([file, bytes]) => [file, checkedBlob(manifest, file, bytes)] as const);
    return { manifest, records, blobs: new Map(blobs) };
  }

  async get<E>(id: string): Promise<StoredRun<E>> {
    return (await this.manifest(id)).run as StoredRun<E>;
  }

  /** `report` receives the share that is done. Its rejection ends the work until the run is being written. */
  async create(run: NewRun, report: (share: number) => Promise<void> = async () => {}): Promise<StoredRun> {
    const id = newId();
    const put = this.blobsOf(run);
    const manifest: RunManifest = {
      format: 1,
      run: {
        id,
        name: run.name,
        createdAt: this.now(),
        updatedAt: this.now(),
        experiment: run.experiment,
        step: run.step ?? 0,
        origin: run.origin,
        success: run.success ?? null,
        deletedUntil: null,
        bytes: 0,
        ...(run.sweep ? { sweep: run.sweep } : {}),
        ...(run.best ? { best: run.best } : {}),
      },
      owner: null,
      files: {},
      checkpoints: Object.fromEntries((run.checkpoints ?? []).map(({ meta }) => [meta.step, meta])),
    };
    putFiles(manifest, put);
    manifest.run.bytes = totalBytes(manifest);
    const { records, chain } = await withRests(within([0, 0.4], linking(run.records ?? [])), report);
    if (records.length) manifest.chain = chain;
    const onWritten = everySome((count: number) => void report(0.4 + (0.6 * count) / records.length).catch(() => {}));
    await this.write(id, manifest.run.bytes, () => ({ manifest, put, records, onWritten }));
    return copyOf(manifest.run);
  }

  private blobsOf(run: NewRun): Map<string, Blob> {
    const put = new Map<string, Blob>();
    for (const { meta, bytes } of run.checkpoints ?? []) put.set(checkpointFile(meta.step), blob(bytes));
    for (const [step, bytes] of run.trajectories ?? []) put.set(trajectoriesFile(step), blob(bytes));
    for (const [name, bytes] of Object.entries(run.assets ?? {})) put.set(assetFile(exportable(name)), blob(bytes));
    return put;
  }

  /**
   * Commits one step in one transaction: adds record, checkpoint and trajectories, and drops what the retention rules
   * drop. A step before the last takes the later ones back.
   */
  async commit(id: string, owner: string, commit: StepCommit): Promise<void> {
    const { record, checkpoint, trajectories } = commit;
    const put = this.blobsOf({
      name: '',
      experiment: null,
      origin: { kind: 'new' },
      checkpoints: checkpoint ? [checkpoint] : [],
      trajectories: trajectories ? new Map([[record.step, trajectories]]) : undefined,
      assets: commit.assets,
    });
    const bytes = [...put.values()].reduce((sum, b) => sum + b.bytes.byteLength, 0);
    let isRepeated = false;
    await this.write(id, bytes, (current) => {
      const manifest = this.owned(current, id, owner);
      isRepeated = hasStep(manifest, record.step);
      if (isRepeated) return { manifest };
      if (checkpoint) manifest.checkpoints[record.step] = checkpoint.meta;
      putFiles(manifest, put);
      if (commit.best) manifest.run.best = commit.best;
      const { records, chain } = linked([record], manifest.chain?.last);
      manifest.chain = chain;
      const remove = this.drop(manifest, record.step);
      manifest.run.step = record.step;
      manifest.run.updatedAt = this.now();
      if (commit.success !== undefined) manifest.run.success = commit.success;
      manifest.run.bytes = totalBytes(manifest);
      return { manifest, put, remove, records };
    });
    if (!isRepeated) return;
    await this.takeBack(id, owner, record.step);
    await this.commit(id, owner, commit);
  }

  /**
   * Removes the steps from `first` on, which are computed again since the last checkpoint. A change of its own: the
   * folder writes records before the manifest, and a kill between them must not leave a link that nothing follows.
   */
  private async takeBack(id: string, owner: string, first: number): Promise<void> {
    const kept = (await this.backend.records(id)).filter((record) => Object(record).step < first);
    await this.write(id, 0, (current) => {
      const manifest = this.owned(current, id, owner);
      const remove = Object.keys(manifest.files).filter((file) => (fileStep(file) ?? -1) >= first);
      for (const file of remove) delete manifest.files[file];
      for (const step of Object.keys(manifest.checkpoints))
        if (Number(step) >= first) delete manifest.checkpoints[step];
      if (manifest.run.best && manifest.run.best.step >= first) delete manifest.run.best;
      manifest.chain = endOf(kept);
      manifest.run.step = Math.max(0, first - 1);
      manifest.run.bytes = totalBytes(manifest);
      return { manifest, remove };
    });
  }

  private drop(manifest: RunManifest, last: number): string[] {
    const steps = stepsOf(manifest, 'checkpoint');
    const size = Math.max(0, ...steps.map((step) => manifest.files[checkpointFile(step)].bytes));
    const checkpoints = droppedCheckpoints(steps, size).filter((step) => step !== manifest.run.best?.step);
    for (const step of checkpoints) delete manifest.checkpoints[step];
    const remove = [...checkpoints.map(checkpointFile), ...this.droppedSteps(manifest, last).map(trajectoriesFile)];
    for (const name of remove) delete manifest.files[name];
    return remove;
  }

  private droppedSteps(manifest: RunManifest, last: number): number[] {
    const sizes = stepsOf(manifest, 'trajectories').map(
      (step) => [step, manifest.files[trajectoriesFile(step)].bytes] as const,
    );
    const shown = this.shown?.id === manifest.run.id ? this.shown.step : null;
    return droppedTrajectories(new Map(sizes), last).filter((step) => step !== shown);
  }

  /** Keeps the trajectories of the step that a person looks at, until another step is shown or the store is closed. */
  show(id: string, step: number): void {
    this.shown = { id, step };
  }

  private owned(current: RunManifest | null, id: string, owner: string): RunManifest {
    if (!current) throw new StoreError(`Run ${id} was deleted while it was being written.`);
    if (current.owner !== owner)
      throw new OwnershipError('Another tab has taken over this run. Take it back to continue training here.');
    return current;
  }

  /** Makes `owner` the only session that may commit. */
  async claim(id: string, owner: string): Promise<void> {
    await this.edit(id, (manifest) => {
      manifest.owner = owner;
    });
  }

  /**
   * Records of the committed steps up to `last`, ascending. Throws DamagedRecordError for one that differs from what was
   * written. `report` receives the share that is done; its rejection ends the reading.
   */
  async records<R extends StoredRecord>(
    id: string,
    last?: number,
    report: (share: number) => Promise<void> = async () => {},
  ): Promise<R[]> {
    const [{ run, chain }, records] = [await this.manifest(id), await this.backend.records(id)];
    return withRests(verifyingRecords(records as R[], { name: run.name, step: run.step, chain }, last), report);
  }

  /** Records up to `last`, without those that are damaged. */
  async wholeRecords<R extends StoredRecord>(id: string, last: number): Promise<R[]> {
    const { chain } = await this.manifest(id);
    return wholeRecords((await this.backend.records(id)) as R[], chain, last);
  }

  /** Steps with trajectories, ascending. */
  async trajectorySteps(id: string): Promise<number[]> {
    return stepsOf(await this.manifest(id), 'trajectories').sort((a, b) => a - b);
  }

  /** Steps with a checkpoint, ascending. A run can be resumed or forked there. */
  async checkpointSteps(id: string): Promise<number[]> {
    return stepsOf(await this.manifest(id), 'checkpoint').sort((a, b) => a - b);
  }

  /** Checkpoint of a step, or the last one. Null if there is none. */
  async checkpoint(id: string, step?: number): Promise<StoredCheckpoint | null> {
    const manifest = await this.manifest(id);
    const wanted = step ?? Math.max(-1, ...stepsOf(manifest, 'checkpoint'));
    const bytes = await this.read(manifest, checkpointFile(wanted));
    return bytes && { meta: manifest.checkpoints[wanted], bytes };
  }

  async trajectories(id: string, step: number): Promise<Uint8Array | null> {
    return this.read(await this.manifest(id), trajectoriesFile(step));
  }

  async asset(id: string, name: string): Promise<Uint8Array | null> {
    return this.read(await this.manifest(id), assetFile(name));
  }

  /** Writes a file of a run that belongs to no step, such as an evaluation's report. Null deletes it. */
  async keep(id: string, name: string, bytes: Uint8Array | null): Promise<void> {
    const file = assetFile(name);
    await this.write(id, bytes?.byteLength ?? 0, (manifest) => {
      if (!manifest) throw new StoreError(`Run ${id} does not exist here. It may have been deleted in another tab.`);
      delete manifest.files[file];
      const put = new Map(bytes ? [[file, blob(bytes)]] : []);
      putFiles(manifest, put);
      manifest.run.bytes = totalBytes(manifest);
      return { manifest, put, remove: bytes ? [] : [file] };
    });
  }

  /** Reads a blob by its name in the manifest and verifies its checksum. */
  async read(manifest: RunManifest, name: string): Promise<Uint8Array | null> {
    if (!manifest.files[name]) return null;
    return checkedBlob(manifest, name, await this.backend.read(manifest.run.id, name));
  }

  async rename(id: string, name: string): Promise<void> {
    const trimmed = name.trim();
    if (!trimmed || trimmed.length > 120)
      throw new StoreError(`A name must have 1 to 120 characters; this one has ${trimmed.length}.`);
    await this.edit(id, (manifest) => {
      manifest.run.name = trimmed;
    });
  }

  /** Replaces a person's tags and notes. */
  async annotate(id: string, { tags, notes }: { tags: readonly string[]; notes: string }): Promise<void> {
    if (tags.length > mostTags || tags.some((tag) => tag.length > longestTag) || notes.length > longestNotes)
      throw new StoreError(
        `A run has at most ${mostTags} tags of ${longestTag} characters and notes of ${longestNotes} characters. Shorten them.`,
      );
    await this.edit(id, ({ run }) => {
      run.tags = tags.length ? [...tags] : undefined;
      run.notes = notes || undefined;
    });
  }

  /** Moves a run to the bin. */
  async delete(id: string): Promise<void> {
    await this.edit(id, (manifest) => {
      manifest.run.deletedUntil = this.now() + BIN_DAYS * DAY_MS;
      manifest.owner = null;
    });
  }

  async restore(id: string): Promise<void> {
    await this.edit(id, (manifest) => {
      manifest.run.deletedUntil = null;
    });
  }

  /** Deletes a run permanently. */
  async purge(id: string): Promise<void> {
    await this.backend.change(id, () => ({ manifest: null }));
  }

  /** Deletes expired runs in the bin, or all of them if `all` is true. Returns their number. */
  async purgeBin(all = false): Promise<number> {
    const due = (await this.list()).filter((r) => r.deletedUntil !== null && (all || r.deletedUntil < this.now()));
    for (const run of due) await this.purge(run.id);
    return due.length;
  }

  space(): Promise<Space> {
    return this.backend.space();
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  private async edit(id: string, change: (manifest: RunManifest) => void): Promise<void> {
    await this.backend.change(id, (current) => {
      if (!current) throw new StoreError(`Run ${id} does not exist here. It may have been deleted in another tab.`);
      change(current);
      return { manifest: current };
    });
  }

  private async write(id: string, bytes: number, make: Parameters<Backend['change']>[1]): Promise<void> {
    try {
      await this.backend.change(id, make);
    } catch (error) {
      if (isFull(error)) throw new QuotaError(bytes, await this.backend.space().catch(() => null));
      throw error instanceof DOMException ? new WriteError(bytes, error.message) : error;
    }
  }
}

/** True for the errors by which browsers and Node report a full disk. */
function isFull(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: unknown };
  return (
    name === 'QuotaExceededError' ||
    name === 'NS_ERROR_DOM_INDEXEDDB_QUOTA_ERR' ||
    code === 'ENOSPC' ||
    code === 'EDQUOT'
  );
}
