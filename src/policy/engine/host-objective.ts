/**
 * Evaluates an objective's definition on the host, on a device that shares memory with the host: there is no round trip
 * and no read-back.
 */

import { resultFloats } from '../plan/head-buffers.ts';
import type { ObjectiveResult, ObjectiveRows, ObjectiveSpec } from '../policy.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

const named = <T>(names: readonly string[], values: readonly T[]) =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]));

/** Rows with default ids, which are enough for a pointwise objective. */
function rowsOf(
  spec: ObjectiveSpec,
  results: Float32Array,
  columns: readonly Float32Array[],
  scalars: readonly number[],
  N: number,
): ObjectiveRows {
  const pick = (at: number) => {
    const out = new Float32Array(N);
    for (let n = 0; n < N; n++) out[n] = results[n * resultFloats + at];
    return out;
  };
  return {
    count: N,
    logprob: pick(0),
    entropy: pick(1),
    value: null,
    columns: named(spec.columns, columns),
    scalars: named(spec.scalars, scalars),
    sequence: new Int32Array(N),
    turn: new Int32Array(N),
    group: new Int32Array(N),
    pair: new Int32Array(N).fill(-1),
  };
}

function write(
  { loss, weight, entropyWeight, aux }: ObjectiveResult,
  names: readonly string[],
  results: Float32Array,
  seeds: Float32Array,
) {
  for (let n = 0; n < loss.length; n++) {
    const at = n * resultFloats;
    results[at + 2] = loss[n];
    results[at + 3] = weight[n];
    for (let k = 0; k < 4; k++) results[at + 4 + k] = aux[names[k]]?.[n] ?? 0;
    seeds[2 * n] = weight[n];
    seeds[2 * n + 1] = entropyWeight[n];
  }
}

/** Writes results (loss, weight, aux) and seeds of N rows, like the kernel objective_kernel. */
export function runOnHost(
  { recorder }: Operations,
  ws: Workspace,
  spec: ObjectiveSpec,
  columns: readonly Float32Array[],
  scalars: readonly number[],
  N: number,
  resultOffset: number,
): void {
  if (recorder.dry) return;
  const all = recorder.shared(ws.slice('results'));
  const seeds = recorder.shared(ws.slice('seeds'));
  if (!all || !seeds || !spec.evaluate)
    throw new RangeError(`Objective ${spec.name} has no form that runs on this device.`);
  const results = all.subarray(resultOffset * resultFloats, (resultOffset + N) * resultFloats);
  write(spec.evaluate(rowsOf(spec, results, columns, scalars, N)), spec.aux ?? [], results, seeds);
}
