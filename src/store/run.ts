/**
 * What the store keeps of a run, and the one seam between its rules (run-store.ts) and where the bytes lie
 * (indexeddb.ts in a page, folder.ts on Node). This layer knows runs, named blobs and step-keyed records; it has never
 * heard of a tensor, a trajectory's fields or a metric's name.
 */

/** Where a run came from: a fork names its parent and step and what was changed, an import its file. */
export type RunOrigin =
  | { kind: 'new' }
  | { kind: 'fork'; parent: string; step: number; changes: { path: string; from: unknown; to: unknown }[] }
  | { kind: 'duplicate'; parent: string; step: number }
  /** `run`: the id that the run had where its file was made, so that a link to it finds the copy. */
  | { kind: 'import'; file: string; run?: string; from?: HandedFrom };

/** A policy that comes back from another trainer: which, and which run it was handed over from, after which step. */
export interface HandedFrom {
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
  /** Steps committed. */
  step: number;
  origin: RunOrigin;
  /** Last evaluation's success on training goals, if any. */
  success: number | null;
  /** Set while in the bin: deleted, and can be restored until then. */
  deletedUntil: number | null;
  bytes: number;
  /** Absent: a run by itself. */
  sweep?: SweepPlace<E>;
  /** The evaluation with the most success on held-out goals; its checkpoint is kept. Absent: none was kept for that. */
  best?: { step: number; success: number };
}

/** Where a run stands in a sweep. */
export interface SweepPlace<E = unknown> {
  /** Shared by all runs of the sweep. */
  id: string;
  name: string;
  /** In the order in which they take turns. */
  index: number;
  variant: number;
  /** Empty: a sweep of seeds alone. */
  variantName: string;
  seed: number;
  /** The whole sweep's document. */
  document: E;
}

/** A record of a step: anything that survives JSON, keyed by its step. */
export interface StoredRecord {
  step: number;
}

/** What a resume needs beside the weights: the optimiser's step, and the choices that make it exactly repeatable. */
export interface CheckpointMeta {
  step: number;
  optimizerStep: number;
  /** Kernel variants by name, and the batch plan, as the engine reported them. */
  kernelChoices: { [kernel: string]: unknown };
  batchPlan: { [part: string]: unknown };
  /** The adapter that computed it, in words: a resume elsewhere is honest about it. */
  adapter: string;
}

export interface FileInfo {
  bytes: number;
  crc: number;
}

/** Everything about a run except its blobs and records. Replacing it is what commits a change. */
export interface RunManifest {
  format: 1;
  run: StoredRun;
  /** Token of the session that may commit; a take-over replaces it, and the former owner's commits are then refused. */
  owner: string | null;
  files: { [name: string]: FileInfo };
  /** By step. */
  checkpoints: { [step: string]: CheckpointMeta };
}

export interface Blob {
  bytes: Uint8Array;
  crc: number;
}

/** One atomic change of a run: all of it happens or none. manifest null: the whole run goes. */
export interface Change {
  manifest: RunManifest | null;
  put?: ReadonlyMap<string, Blob>;
  remove?: readonly string[];
  records?: readonly StoredRecord[];
}

export interface Space {
  usage: number;
  quota: number;
}

/** Where the bytes lie. `change` runs `make` on the manifest as it stands, inside the transaction. */
export interface Backend {
  manifests(): Promise<RunManifest[]>;
  manifest(id: string): Promise<RunManifest | null>;
  read(id: string, name: string): Promise<Uint8Array | null>;
  /** Ascending by step. */
  records(id: string): Promise<StoredRecord[]>;
  change(id: string, make: (current: RunManifest | null) => Change): Promise<void>;
  space(): Promise<Space>;
  close(): Promise<void>;
}

export const copyOf = <T>(value: T): T => structuredClone(value);

export class StoreError extends Error {
  override name = 'StoreError';
}

/** Another session took the run over: this one may read it but not write. */
export class OwnershipError extends StoreError {
  override name = 'OwnershipError';
}

/** Stored bytes are not what was written. */
export class CorruptError extends StoreError {
  override name = 'CorruptError';
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** The disk, or what the browser allows of it, is full. Nothing stored is lost: the transaction was undone. */
export class QuotaError extends StoreError {
  override name = 'QuotaError';
  constructor(
    readonly needed: number,
    readonly space: Space | null,
  ) {
    const room = space ? ` (${megabytes(space.usage)} of ${megabytes(space.quota)} are used)` : '';
    super(
      `There is no room to store ${megabytes(needed)}${room}. Nothing stored is lost. ` +
        'Free some space: delete runs and empty the bin, or export this run to a file; then continue.',
    );
  }
}
