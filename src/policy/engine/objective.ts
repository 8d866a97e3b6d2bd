/**
 * Runs an objective (declared in `rl/`) between the head's forward and backward, in its WGSL form or as its definition
 * on the host.
 */
import { grid1d } from '../../device/device.ts';
import { checkRows } from '../objective-rows.ts';
import { objectiveColumns } from '../plan/head-buffers.ts';
import type { ObjectiveSpec } from '../policy.ts';
import { runOnHost } from './host-objective.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

/** Number of scalars that fit the uniform block beside N and the offset. */
const maxScalars = 14;
const objectiveStruct = 'struct Objective { loss: f32, weight: f32, entropyWeight: f32, aux: vec4f }';

/** Objective with given weights per scored row, used by tests, golden data and the self-test. */
export const givenWeights: ObjectiveSpec = {
  name: 'given-weights',
  wgsl: 'fn objective(i: u32, logprob: f32, entropy: f32) -> Objective { return Objective(column(0u, i) * logprob + column(1u, i) * entropy, column(0u, i), column(1u, i), vec4f()); }',
  columns: ['weight', 'entropyWeight'],
  scalars: [],
  evaluate: ({ count, logprob, entropy, columns }) => ({
    loss: Float64Array.from(
      { length: count },
      (_, i) => columns.weight[i] * logprob[i] + columns.entropyWeight[i] * entropy[i],
    ),
    weight: Float64Array.from(columns.weight),
    entropyWeight: Float64Array.from(columns.entropyWeight),
    aux: {},
  }),
};

/** Requests the kernel of a pointwise objective. Compile it (KernelCache.settle) before it runs. */
export function requestObjective(ops: Operations, spec: ObjectiveSpec) {
  if (spec.scalars.length > maxScalars)
    throw new RangeError(`Objective ${spec.name}: ${spec.scalars.length} scalars, at most ${maxScalars}.`);
  if (spec.columns.length > objectiveColumns)
    throw new RangeError(`Objective ${spec.name}: ${spec.columns.length} columns, at most ${objectiveColumns}.`);
  // On a device without a compiler, the host evaluates the definition.
  if (!ops.recorder.device.compiles) return null;
  return ops.kernels.request('objective_kernel', { SCALARS: spec.scalars.length }, `${objectiveStruct}\n${spec.wgsl}`);
}

/** Computes results (loss, weight, aux) and seeds of N rows from logprob, entropy and the input columns. */
export function runObjective(
  ops: Operations,
  ws: Workspace,
  spec: ObjectiveSpec,
  columns: readonly Float32Array[],
  scalars: readonly number[],
  N: number,
  resultOffset: number,
): void {
  const kernel = requestObjective(ops, spec);
  checkRows(spec, { logprob: new Float32Array(N), entropy: [], columns }, scalars);
  const packed = new Float32Array(N * columns.length);
  columns.forEach((column, c) => {
    packed.set(column, c * N);
  });
  if (!kernel) {
    runOnHost(ops, ws, spec, columns, scalars, N, resultOffset);
    return;
  }
  ops.recorder.upload(ws.buffer('columns'), 0, packed);
  ops.recorder.run({
    kernel,
    bindings: [ws.slice('columns'), ws.slice('results'), ws.slice('seeds')],
    grid: grid1d(Math.ceil(N / 64)),
    params: { N, resultOffset, ...Object.fromEntries(scalars.map((value, k) => [`scalar${k}`, value])) },
    flops: 40 * N,
  });
}
