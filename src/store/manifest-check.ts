/** Checks of what a backend has read: the form of a run's manifest, and the checksums of its blobs. */
import { crc32 } from './crc32.ts';
import { CorruptError, type RunManifest, StoreError } from './run.ts';

const isObject = (value: unknown): value is { [field: string]: unknown } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isOrigin = (value: unknown) =>
  isObject(value) && (value.kind !== 'fork' || (Array.isArray(value.changes) && value.changes.every(isObject)));
const isSweepPlace = (value: unknown) => isObject(value) && isText(value.id) && isObject(value.document);
const isAbsentOr = (value: unknown, holds: (value: unknown) => boolean) => value === undefined || holds(value);

/** True for a manifest whose fields are of the types that every reader of a list of runs uses. */
export function isManifest(value: unknown): value is RunManifest {
  if (!isObject(value) || !isObject(value.run) || !isObject(value.files) || !isObject(value.checkpoints)) return false;
  const { id, name, step, updatedAt, experiment, origin, tags, notes, sweep } = value.run;
  const hasTypes = [id, name].every(isText) && [step, updatedAt].every(Number.isFinite);
  const hasOptional = isAbsentOr(tags, isTexts) && isAbsentOr(notes, isText) && isAbsentOr(sweep, isSweepPlace);
  return hasTypes && hasOptional && isObject(experiment) && isOrigin(origin);
}

/** A run's manifest. Throws StoreError if there is none, CorruptError if it cannot be read. */
export function checkedManifest(id: string, found: RunManifest | null): RunManifest {
  if (!found) throw new StoreError(`Run ${id} does not exist here. It may have been deleted in another tab.`);
  if (!isManifest(found))
    throw new CorruptError(`Run ${id} cannot be read: its description is damaged. Import an exported copy.`);
  return found;
}

/** A run's blob. Throws CorruptError if it is missing or its checksum differs. */
export function checkedBlob({ run, files }: RunManifest, name: string, bytes: Uint8Array | null): Uint8Array {
  const info = files[name];
  if (bytes?.byteLength === info.bytes && crc32(bytes) === info.crc) return bytes;
  throw new CorruptError(
    `${name} of run "${run.name}" is damaged: ${bytes?.byteLength ?? 0} bytes of ${info.bytes}, or their checksum differs. ` +
      'Fork the run from an earlier step, or import an exported copy.',
  );
}
