/** Requests every kernel of a model before its first step, by recording each path without sending it. */
import type { Recorder } from '../../device/device.ts';
import { mostTokens } from '../plan/sizes.ts';
import type { Capacity } from '../policy.ts';
import type { Weights } from '../weights/linear.ts';
import { plainCache } from './attention.ts';
import type { Generation } from './generation/generation.ts';
import type { Head, ScoredRows } from './head.ts';
import type { Layers, Pass } from './layers.ts';
import { givenWeights, requestObjective } from './objective.ts';
import type { Operations } from './operations.ts';
import type { AdamW } from './optimizer.ts';
import { quantRowSteps } from './quantized-operations.ts';
import type { Workspace } from './workspace.ts';

/** A model as far as its kernels depend on it. */
interface Recorded {
  recorder: Recorder;
  capacity: Capacity;
  weights: Weights;
  ops: Operations;
  layers: Layers;
  head: Head;
  generation: Generation;
}

/**
 * Records every path with few and with many rows. `adamw` null: the model is not trained. `reference`: its weights, whose
 * forward may use other kernels; null if there are none.
 */
export function requestKernels(
  model: Recorded,
  ws: Workspace,
  { adamw, reference }: { adamw: AdamW | null; reference: Weights | null },
): void {
  const { recorder, generation, weights, ops } = model;
  recorder.dry = true;
  const { batchTokens, batchScored, rows: most } = model.capacity;
  const largest = Math.max(batchTokens, batchScored, most);
  // The largest pass is added, because its products may take larger tiles. The spans of sampling depend on the rows; their
  // kernels are among those of the head's tiles.
  for (const rows of new Set([...quantRowSteps, largest].map((step) => Math.min(step, largest)))) {
    recordPasses(model, ws, rows, adamw !== null);
    if (reference) model.layers.forward(reference, passOf(model, rows));
    generation.recordPasses(weights, rows);
  }
  if (adamw) {
    requestObjective(ops, givenWeights);
    adamw.record({ learningRate: 0, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0, maxGradNorm: 1 });
  }
  recorder.dry = false;
}

/** A pass of this many rows, or of as many as the layers have room for: more may be scored. */
function passOf({ layers, capacity }: Recorded, rows: number): Pass {
  const attention: Pass['attention'] = { kind: 'batch', tiles: 1, format: plainCache };
  const T = Math.min(rows, mostTokens(capacity));
  return { T, pairs: T, cache: (l) => layers.activation('kv', l), attention };
}

function recordPasses(model: Recorded, ws: Workspace, T: number, trains: boolean): void {
  const { layers, weights, head } = model;
  const list = { offset: 0, rows: 1, entries: 1 };
  const masked = { E: 1, starts: 0, row: 0, token: 0, intoHidden: list, intoTable: list };
  const pass = passOf(model, T);
  layers.forward(weights, pass);
  for (const mask of weights.canMask ? [masked, null] : [null]) {
    const intoHidden = ws.has('valueSeeds') ? list : null;
    const rows: ScoredRows = { N: T, intoTokens: list, intoHidden, masked: mask };
    head.forward(weights, rows, 0, 1);
    if (trains) head.backward(weights, rows, T, 0, 1, intoHidden !== null);
    if (!mask || !trains || !ws.has('teacher')) continue;
    head.backward(weights, { ...rows, masked: { ...mask, divergence: 1 } }, T, 0, 1);
  }
  if (trains) layers.backward(weights, pass);
}
