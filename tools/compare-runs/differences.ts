/** Differences between two runs' files, bit for bit, without measured times. */
import { isMeasured } from '../../src/session/run/schedule.ts';
import { decodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { readRun } from '../../src/store/bundle.ts';

/** A field that differs: its path without numbers of list items, and its first two values. */
interface Difference {
  path: string;
  times: number;
  first: string;
}

interface Comparison {
  /** Values that are equal. */
  equal: number;
  differences: Difference[];
  /** Fields that only one of the runs has. */
  onlyFirst: string[];
  onlySecond: string[];
}

/** Every value of a document by its path. A list of numbers, such as a tensor, is one value. */
function* valuesOf(value: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (ArrayBuffer.isView(value)) yield [path, Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  else if (Array.isArray(value)) for (const [i, each] of value.entries()) yield* valuesOf(each, `${path}[${i}]`);
  else if (value && typeof value === 'object')
    for (const [name, each] of Object.entries(value)) yield* valuesOf(each, `${path}.${name}`);
  else if (value !== undefined) yield [path, value];
}

const shown = (value: unknown) => (Buffer.isBuffer(value) ? `${value.byteLength} bytes` : JSON.stringify(value));

const isEqual = (a: unknown, b: unknown) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : Object.is(a, b));

/** Compares two documents value by value. */
export function compareDocuments(first: unknown, second: unknown): Comparison {
  const a = new Map(valuesOf(first, ''));
  const b = new Map(valuesOf(second, ''));
  const found = new Map<string, Difference>();
  const result = { equal: 0, onlyFirst: new Set<string>(), onlySecond: new Set<string>() };
  for (const full of new Set([...a.keys(), ...b.keys()])) {
    const path = full.replaceAll(/\[\d+\]/g, '[]').replace(/^\./, '');
    if (isMeasured(path)) continue;
    if (!b.has(full)) result.onlyFirst.add(path);
    else if (!a.has(full)) result.onlySecond.add(path);
    else if (isEqual(a.get(full), b.get(full))) result.equal++;
    else {
      const first = `${full.replace(/^\./, '')}: ${shown(a.get(full))}, ${shown(b.get(full))}`;
      const known = found.get(path) ?? { path, times: 0, first };
      known.times++;
      found.set(path, known);
    }
  }
  const { equal, onlyFirst, onlySecond } = result;
  return { equal, differences: [...found.values()], onlyFirst: [...onlyFirst], onlySecond: [...onlySecond] };
}

/** A run's records, weights, other files and trajectories, unpacked. */
export function contentOf(bytes: Uint8Array, name: string): unknown {
  const { records, checkpoints = [], trajectories = new Map<number, Uint8Array>(), assets } = readRun(bytes, name);
  return {
    records,
    checkpoints: Object.fromEntries(checkpoints.map(({ meta, bytes }) => [meta.step, bytes])),
    trajectories: Object.fromEntries([...trajectories].map(([step, packed]) => [step, decodeTrajectories(packed)])),
    assets,
  };
}
