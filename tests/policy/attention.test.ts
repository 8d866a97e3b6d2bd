// Every form of attention, forward, backward and decoding, compared with double precision at sizes that no tile
// divides, and with the form that uses one thread per row.
import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import type { AttentionShape } from '../../src/policy/engine/attention.ts';
import { AttentionTrial } from '../../src/policy/engine/attention-trial.ts';
import { tokenWords } from '../../src/policy/engine/batch.ts';
import { type AttentionForm, attentionFormRuns, attentionForms } from '../../src/policy/engine/kernel-choices.ts';
import { useGpu } from '../device/open.ts';
import { segments } from './ragged-segments.ts';

const open = useGpu();

/** Relative to the largest value: sums of up to a few hundred floats; half-precision operands of 11 bits. */
const tolerances = { float: 1e-5, half: 5e-3 };
const toleranceOf = (form: AttentionForm) => (form.includes('half') ? tolerances.half : tolerances.float);

interface Result {
  out: Float64Array;
  lse: Float64Array;
  dquery: Float64Array;
  dcache: Float64Array;
}

/** Attention and its gradients in double precision, token by token. */
function reference(trial: AttentionTrial): Result {
  const { heads: H, kvHeads: KV, headDim: D } = trial.shape;
  const [query, cache, dout] = (['query', 'cache', 'dout'] as const).map((name) => trial.values(name));
  const r: Result = {
    out: new Float64Array(query.length),
    lse: new Float64Array(trial.T * H),
    dquery: new Float64Array(query.length),
    dcache: new Float64Array(cache.length),
  };
  for (let i = 0; i < trial.T * H; i++) {
    const kv = Math.floor((i % H) / (H / KV));
    const rows = rowsSeen(trial.words, Math.floor(i / H)).map((row) => (row * 2 * KV + kv) * D);
    attendRow({ query, cache, dout }, r, i, rows, KV, D);
  }
  return r;
}

function rowsSeen(descriptors: Uint32Array, t: number): number[] {
  const [prefixStart, prefixEnd, ownStart, ownEnd] = descriptors.subarray(t * tokenWords + 2, t * tokenWords + 6);
  const rows: number[] = [];
  for (let row = prefixStart; row < prefixEnd; row++) rows.push(row);
  for (let row = ownStart; row < ownEnd; row++) rows.push(row);
  return rows;
}

function attendRow(
  { query, cache, dout }: { query: Float32Array; cache: Float32Array; dout: Float32Array },
  r: Result,
  i: number,
  keys: number[],
  KV: number,
  D: number,
) {
  const value = KV * D;
  const scale = 1 / Math.sqrt(D);
  const dot = (a: Float32Array, at: number, b: Float32Array, bt: number) => {
    let sum = 0;
    for (let d = 0; d < D; d++) sum += a[at + d] * b[bt + d];
    return sum;
  };
  const scores = keys.map((key) => scale * dot(query, i * D, cache, key));
  const lse = Math.log(scores.reduce((sum, s) => sum + Math.exp(s), 0));
  r.lse[i] = lse;
  const weights = scores.map((s) => Math.exp(s - lse));
  const dweights = keys.map((key) => dot(dout, i * D, cache, key + value));
  const delta = weights.reduce((sum, w, j) => sum + w * dweights[j], 0);
  keys.forEach((key, j) => {
    const dscore = scale * weights[j] * (dweights[j] - delta);
    for (let d = 0; d < D; d++) {
      r.out[i * D + d] += weights[j] * cache[key + value + d];
      r.dquery[i * D + d] += dscore * cache[key + d];
      r.dcache[key + d] += dscore * query[i * D + d];
      r.dcache[key + value + d] += weights[j] * dout[i * D + d];
    }
  });
}

function expectClose(got: ArrayLike<number>, want: ArrayLike<number>, tolerance: number, what: string) {
  let [scale, worst] = [0, 0];
  for (let i = 0; i < want.length; i++) {
    scale = Math.max(scale, Math.abs(want[i]));
    worst = Math.max(worst, Number.isFinite(got[i]) ? Math.abs(got[i] - want[i]) : Number.POSITIVE_INFINITY);
  }
  expect(got.length, what).toBe(want.length);
  expect(worst / scale, what).toBeLessThan(tolerance);
}

const recording = (gpu: Gpu) => ({ kernels: gpu.kernels, recorder: gpu.createRecorder(1 << 22, 5e9) });

async function settled({ kernels, recorder }: ReturnType<typeof recording>, record: () => void) {
  recorder.dry = true;
  record();
  recorder.dry = false;
  await kernels.settle();
  record();
}

/** Runs a form forward and backward, and a decoding step of the last token of each segment. */
async function results(gpu: Gpu, trial: AttentionTrial, form: AttentionForm) {
  const parts = recording(gpu);
  const { recorder } = parts;
  const { heads: H, kvHeads: KV, headDim: D } = trial.shape;
  trial.upload(recorder);
  await settled(parts, () => trial.train(parts, form));
  const rows = trial.T * H;
  const read = (name: 'out' | 'lse' | 'dquery' | 'dcache', count: number) => trial.read(recorder, name, count);
  const batch = { out: await read('out', rows * D), lse: await read('lse', rows) };
  const gradients = { dquery: await read('dquery', rows * D), dcache: await read('dcache', trial.T * 2 * KV * D) };
  // Decoding row r has the query of token rows[r].
  const query = trial.values('query');
  const moved = new Float32Array(trial.rows.length * H * D);
  trial.rows.forEach((t, r) => moved.set(query.subarray(t * H * D, (t + 1) * H * D), r * H * D));
  trial.setQuery(recorder, moved);
  await settled(parts, () => trial.decode(parts, form));
  const decoded = {
    out: await read('out', trial.rows.length * H * D),
    lse: await read('lse', trial.rows.length * H),
  };
  recorder.destroy();
  return { ...batch, ...gradients, decoded };
}

const runs = (gpu: Gpu) => attentionForms.filter((f) => attentionFormRuns(f, gpu.features, gpu.info.subgroupMinSize));

/**
 * Grouped 7 to 1 as in Qwen2.5-0.5B; heads of 16, 64, 80 and 128. Only the small shape tests all forms: a software
 * adapter compiles slowly.
 */
const shapes: [string, AttentionShape, readonly AttentionForm[]][] = [
  ['7:1 heads of 16', { heads: 14, kvHeads: 2, headDim: 16, eps: 0 }, attentionForms],
  ['7:1 heads of 64', { heads: 7, kvHeads: 1, headDim: 64, eps: 0 }, ['tiled']],
  ['2:1 heads of 80', { heads: 2, kvHeads: 1, headDim: 80, eps: 0 }, ['tiled']],
  ['1:1 heads of 128', { heads: 2, kvHeads: 2, headDim: 128, eps: 0 }, ['tiled']],
];

describe.each(shapes)('attention, %s', (_, shape, wanted) => {
  it.each(wanted)('%s agrees with double precision, and decodes the same', async (form) => {
    const gpu = await open();
    if (!runs(gpu).includes(form)) return;
    const trial = new AttentionTrial(gpu, shape, segments);
    const want = reference(trial);
    const got = await results(gpu, trial, form);
    const tolerance = toleranceOf(form);
    for (const name of ['out', 'lse', 'dquery', 'dcache'] as const) expectClose(got[name], want[name], tolerance, name);
    const { heads: H, headDim: D } = shape;
    const last = (all: Float64Array, width: number) =>
      trial.rows.flatMap((t) => [...all.subarray(t * width, (t + 1) * width)]);
    expectClose(got.decoded.out, last(want.out, H * D), tolerance, 'decoded');
    expectClose(got.decoded.lse, last(want.lse, H), tolerance, 'decoded lse');
    trial.destroy();
  });
});

it('a form with subgroups gives the same bits as without', async () => {
  const gpu = await open();
  const trial = new AttentionTrial(gpu, shapes[0][1], segments);
  const plain = await results(gpu, trial, 'tiled');
  if (runs(gpu).includes('tiled-subgroups')) expect(await results(gpu, trial, 'tiled-subgroups')).toEqual(plain);
  expect(await results(gpu, trial, 'tiled')).toEqual(plain);
  trial.destroy();
});
