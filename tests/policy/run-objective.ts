// Runs an objective's WGSL on given rows, as the engine does between the forward and backward passes of the head.
import { whole } from '../../src/device/device.ts';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { requestObjective, runObjective } from '../../src/policy/engine/objective.ts';
import { Operations } from '../../src/policy/engine/operations.ts';
import type { Workspace } from '../../src/policy/engine/workspace.ts';
import type { ObjectiveSpec } from '../../src/policy/policy.ts';

const STORAGE = 0x80 | 0x4 | 0x8;

export interface ObjectiveRows {
  logprob: Float32Array;
  entropy: Float32Array;
  columns: readonly Float32Array[];
  scalars: readonly number[];
}

export async function objectiveOnGpu(gpu: Gpu, spec: ObjectiveSpec, rows: ObjectiveRows) {
  const n = rows.logprob.length;
  const sizes = { columns: n * rows.columns.length, results: n * 8, seeds: n * 2 };
  const buffers = new Map(
    Object.entries(sizes).map(([name, size]) => [name, gpu.createBuffer(name, size * 4, STORAGE)]),
  );
  const workspace = {
    buffer: (name: string) => buffers.get(name)!,
    slice: (name: string) => whole(buffers.get(name)!),
  } as unknown as Workspace;
  const kernels = gpu.kernels;
  const recorder = gpu.createRecorder(1 << 16, 1e12);
  const operations = new Operations(kernels, recorder);
  requestObjective(operations, spec);
  await kernels.settle();
  const results = new Float32Array(sizes.results);
  for (let i = 0; i < n; i++) results.set([rows.logprob[i], rows.entropy[i]], i * 8);
  recorder.upload(buffers.get('results')!, 0, results);
  runObjective(operations, workspace, spec, rows.columns, rows.scalars, n, 0);
  const [out, seeds] = (await recorder.read(['results', 'seeds'].map((name) => whole(buffers.get(name)!)))).map(
    (bytes) => new Float32Array(bytes),
  );
  recorder.destroy();
  for (const buffer of buffers.values()) gpu.destroyBuffer(buffer);
  const column = (data: Float32Array, width: number, k: number) =>
    Float32Array.from({ length: n }, (_, i) => data[i * width + k]);
  return {
    loss: column(out, 8, 2),
    weight: column(out, 8, 3),
    aux: Object.fromEntries((spec.aux ?? []).map((name, k) => [name, column(out, 8, 4 + k)])),
    seed: column(seeds, 2, 0),
    entropyWeight: column(seeds, 2, 1),
  };
}
