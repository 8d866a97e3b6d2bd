/**
 * Data that the store keeps of a run, and the interface between its rules (run-store.ts) and the storage of bytes
 * (indexeddb.ts or memory.ts in a page, folder.ts on Node). Handles runs, named blobs and step-keyed records; independent of
 * tensors, fields of trajectories and names of metrics.
 */

/** Origin of a run. A fork names its parent, step and changes, an import its file. */
export type RunOrigin =
  | { kind: 'new' }
  | { kind: 'fork'; parent: string; step: number; changes: { path: string; from: unknown; to: unknown }[] }
  | { kind: 'duplicate'; parent: string; step: number }
  /** `run` is the run's id where its file was made, so that a link with that id finds the copy. */
  | { kind: 'import'; file: string; run?: string; from?: HandoffSource };

/** Origin of a policy that returns from another trainer: the trainer, and the run and step that were handed off. */
export interface HandoffSource {
  trainer: string;
  run: string;
  step: number;
}

export interface StoredRun<E = unknown> {
  id: string;
  name: string;
  createdAt: number;
  updatedAt: number;
  experiment: E;
  /** Number of committed steps. */
  step: number;
  origin: RunOrigin;
  /** Success rate of the last evaluation on training goals, if any. */
  success: number | null;
  /** Set while the run is in the bin: it can be restored until then. */
  deletedUntil: number | null;
  bytes: number;
  /** Absent for a run outside a sweep. */
  sweep?: SweepPlace<E>;
  /** Evaluation with the highest success rate on held-out goals, whose checkpoint is kept. Absent if none is kept. */
  best?: { step: number; success: number };
  /** A person's tags and notes. Absent if there are none. */
  tags?: string[];
  notes?: string;
}

/** Place of a run in a sweep. */
export interface SweepPlace<E = unknown> {
  /** Id shared by all runs of the sweep. */
  id: string;
  name: string;
  /** Position in the order of execution. */
  index: number;
  variant: number;
  /** Empty for a sweep over seeds only. */
  variantName: string;
  seed: number;
  /** Document of the whole sweep. */
  document: E;
}

/** Record of a step: any JSON value with its step. */
export interface StoredRecord {
  step: number;
}

/**
 * Data needed for an exact resume besides the weights: the optimiser's step, and the choices that make it repeatable.
 */
export interface CheckpointMeta {
  step: number;
  optimizerStep: number;
  /** Kernel variants by name, and the batch plan, as reported by the engine. */
  kernelChoices: { [kernel: string]: unknown };
  batchPlan: { [part: string]: unknown };
  /** Description of the adapter that computed it, so that a resume on another adapter can be reported. */
  adapter: string;
}

export interface FileInfo {
  bytes: number;
  crc: number;
}

/** All data of a run except its blobs and records. Replacing the manifest commits a change. */
export interface RunManifest {
  format: 1;
  run: StoredRun;
  /** Token of the session that may commit. A take-over replaces it; commits of the former owner are then refused. */
  owner: string | null;
  files: { [name: string]: FileInfo };
  /** Facts of the checkpoints, by step. */
  checkpoints: { [step: string]: CheckpointMeta };
  /**
   * Links of the last record and of the one before it (record-chain.ts). Absent for runs of older versions until their
   * next step.
   */
  chain?: { last: string; before: string };
}

/** Maximum number of characters of a part's name. */
const longestPartName = 300;

/** True for the name of a part that leads out of no folder on any system. */
export const isPartName = (name: string): boolean =>
  name.length <= longestPartName &&
  !name.includes('\\') &&
  name.split('/').every((part) => !['', '.', '..'].includes(part));

export interface Blob {
  bytes: Uint8Array;
  crc: number;
}

/** Atomic change of a run. A null manifest deletes the run. */
export interface Change {
  manifest: RunManifest | null;
  put?: ReadonlyMap<string, Blob>;
  remove?: readonly string[];
  records?: readonly StoredRecord[];
  /** Receives the number of records written so far, if the storage writes them one by one. */
  onWritten?: (count: number) => void;
}

/** Data of a run, all of the same commit. */
export interface Snapshot {
  manifest: RunManifest;
  /** Ascending by step. */
  records: StoredRecord[];
  /** Blobs by name; null for one that is missing. */
  blobs: ReadonlyMap<string, Uint8Array | null>;
}

/** Chooses the blobs of a snapshot by their names. */
export type BlobChoice = (manifest: RunManifest) => readonly string[];

export interface Space {
  usage: number;
  quota: number;
}

/** Storage of bytes. `change` calls `make` with the current manifest inside the transaction. */
export interface Backend {
  manifests(): Promise<RunManifest[]>;
  manifest(id: string): Promise<RunManifest | null>;
  read(id: string, name: string): Promise<Uint8Array | null>;
  /** Ascending by step. */
  records(id: string): Promise<StoredRecord[]>;
  /** Reads a run between two changes. Null: there is no such run. */
  snapshot(id: string, choose: BlobChoice): Promise<Snapshot | null>;
  change(id: string, make: (current: RunManifest | null) => Change): Promise<void>;
  space(): Promise<Space>;
  /** False if the runs end with the page. Absent where they always last. */
  isLasting?(): Promise<boolean>;
  /** Why stored runs cannot be opened; null: they can. Absent where that cannot happen. */
  fault?(): Promise<string | null>;
  close(): Promise<void>;
}

/** A stored manifest under its key, which is the run's id even if a changed manifest has another. */
export function keyed<M extends RunManifest | null>(manifest: M, key: string): M {
  const run: unknown = Object(manifest).run;
  if (run !== null && typeof run === 'object') Object.assign(run, { id: key });
  return manifest;
}

export const copyOf = <T>(value: T): T => structuredClone(value);

export class StoreError extends Error {
  override name = 'StoreError';
}

/** Thrown if another session took the run over. This session may then read but not write it. */
export class OwnershipError extends StoreError {
  override name = 'OwnershipError';
}

/** Thrown if stored bytes differ from what was written. */
export class CorruptError extends StoreError {
  override name = 'CorruptError';
}

/** Less than a tenth of a megabyte in kilobytes, a thousand megabytes and more in gigabytes. */
function sizeOf(bytes: number): string {
  if (bytes < 1e5) return `${Math.ceil(bytes / 1000)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Thrown if the browser fails to write, for example because of its disk. The transaction was rolled back. */
export class WriteError extends StoreError {
  override name = 'WriteError';
  constructor(bytes: number, reason: string) {
    super(
      `${sizeOf(bytes)} could not be stored (${reason.replace(/\.$/, '')}). No stored data is lost. ` +
        'Try again; if that fails too, restart the browser, or export the run to a file.',
    );
  }
}

/** Thrown if the disk or the browser's quota is full. No stored data is lost: the transaction was rolled back. */
export class QuotaError extends StoreError {
  override name = 'QuotaError';
  constructor(
    readonly needed: number,
    readonly space: Space | null,
  ) {
    const room = space ? ` (${sizeOf(space.usage)} of ${sizeOf(space.quota)} are used)` : '';
    super(
      `There is no space to store ${sizeOf(needed)}${room}. No stored data is lost. ` +
        'Free some space: delete runs and empty the bin, or export this run to a file; then continue.',
    );
  }
}
