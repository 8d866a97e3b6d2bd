/**
 * MODELLED time of an update and of a token on a GPU: of each call the longest of its operations at the form's modelled
 * share of the peak, its bytes at the bandwidth of memory, and the waits of one thread in turn, plus the time of a
 * dispatch. Calls do not overlap.
 */

import type { Generation } from './assembly.ts';
import type { Call, Form } from './recording-device.ts';
import { sharesOf, type Turn } from './shares.ts';
import type { Step } from './steps.ts';

/** Rates of a GPU that the model uses, as its maker states them. */
export interface Card {
  name: string;
  /** Billions of f32 operations, and of bytes, per second. */
  gflops: number;
  gigabytesPerSecond: number;
  computeUnits: number;
  generation: Generation;
}

/** Assumed: a wait for a load in one thread, and a dispatch. */
const waitMs = 0.2e-3;
const dispatchMs = 3e-3;

export const cards: readonly Card[] = [
  { name: 'Radeon 780M', gflops: 8900, gigabytesPerSecond: 90, computeUnits: 12, generation: 11 },
  { name: 'GeForce RTX 4060 laptop', gflops: 14600, gigabytesPerSecond: 256, computeUnits: 24, generation: 11 },
];

/** Bytes of packed weights: codes, and a scale (with a minimum, two) of 16 bits for 32 values. */
const packedBytes = (N: number, K: number, { BITS, MINIMUM }: Call['form']['constants']) =>
  N * K * (Number(BITS) / 8 + (2 + 2 * Number(MINIMUM)) / 32);

type Params = Call['params'];
const floats = (...counts: number[]) => 4 * counts.reduce((sum, count) => sum + count, 0);

/**
 * Queries, outputs and their gradients once; keys and values once for a batch, and once for each tile of decoding, whose
 * rows have their own.
 */
function attentionBytes({ name, constants: c }: Form, { T, tiles }: Params, flops: number): number {
  const [H, KV, D] = [Number(c.H), Number(c.KV ?? 0), 4 * Number(c.E ?? 16)];
  const tokensPerTile = Math.max(1, Math.floor(Number(c.ROWS ?? 1) / Number(c.G ?? 1)));
  const tokens = T ?? tiles * tokensPerTile;
  const rows = Number(c.SPLIT ?? 0) > 0 ? flops / (4 * D * H) / tokensPerTile : tokens;
  const passes = name.includes('backward') ? 2 : 1;
  return floats(passes * 2 * tokens * H * D, passes * 2 * rows * KV * D);
}

/** Bytes of what a packed product computes beside its result: SwiGLU's activation, its gradient, an adapter's gradient. */
function epilogueBytes({ name, constants }: Form, { M, N, K, width }: Params): number {
  const isGated = constants.GATED === 1;
  if (!name.includes('_nn')) return isGated ? floats((M * N) / 2) : 0;
  // Gates and ups are read and written in place of the result.
  return (isGated ? floats(3 * M * K) : 0) + (constants.LOW_RANK === 1 ? floats(M * width, width * K) : 0);
}

/** Bytes that a call must read and write once; null for a kernel without a law here. */
export function bytesOf({ form, params, flops }: Call): number | null {
  const { name, constants } = form;
  const { M, N, K, T, C, I } = params as Params & { M: number };
  // An adapter's second product in the same kernel reads its hidden values and its matrix.
  const adapter =
    constants.LOW_RANK === 1 && !name.includes('_nn') ? floats(M * params.width, params.rows * params.rank) : 0;
  // A product for an input's gradient that adds to it reads it, too.
  const added = name.includes('_nn') && constants.ACCUMULATE === 1 ? floats(M * K) : 0;
  if (name.startsWith('quant_matmul'))
    return floats(M * N, M * K) + packedBytes(N, K, constants) + adapter + added + epilogueBytes(form, params);
  if (/^matmul_(nt|nn)/.test(name)) return floats(M * N, M * K, N * K) + adapter + added;
  if (name.startsWith('matmul_tn')) return floats(T * N, T * K, Math.ceil(T / params.chunk) * N * K);
  if (name.startsWith('attention_')) return attentionBytes(form, params, flops);
  if (name === 'lora_up_backward_both') {
    const { width, rank, end0, chunk } = params;
    return floats(T * N, Math.ceil(end0 / 256) * T * width, Math.ceil(T / chunk) * N * rank);
  }
  if (name.startsWith('lora_up_backward')) return floats(T * N);
  if (name === 'lora_norm_down') return floats(2 * M * K, N * K, M * N);
  if (name.startsWith('lora_up')) return floats(2 * T * N, T * params.width, N * params.rank);
  const laws: { [kernel: string]: () => number } = {
    swiglu_forward: () => floats(3 * T * I),
    swiglu_backward: () => floats(5 * T * I),
    rmsnorm_forward: () => floats(2 * T * C),
    rmsnorm_backward: () => floats(4 * T * C),
    rope_forward: () => floats(2 * T * Number(constants.D) * (Number(constants.H) + 2 * Number(constants.KV))),
    rope_backward: () => floats(2 * T * Number(constants.D) * (Number(constants.H) + 2 * Number(constants.KV))),
    head_lse_update: () => floats(N * params.W),
    head_dlogits: () => floats(2 * N * params.W),
    sample_scan: () => floats(params.R * params.W),
    sample_scan_tiles: () => floats(params.R * params.W),
    lora_sum_blocks: () => floats(params.size * (params.blocks + 1)),
    reduce_partials: () => floats(params.size * (params.chunks + 2)),
    quant_embed: () => floats(2 * T * C),
    gather_rows: () => floats(2 * N * C),
    scatter_rows: () => floats(2 * params.U * C),
    adamw: () => floats(8 * params.size),
  };
  const bytes = laws[name]?.();
  return bytes !== undefined && Number.isFinite(bytes) ? bytes : null;
}

/** A form's compiled loop, as used by the model. */
export interface Speed {
  turn: Turn;
  threads: number;
  lanes: number;
}

interface KernelTotal {
  name: string;
  calls: number;
  gflop: number;
  /** Null if a call has no law. */
  megabytes: number | null;
  ms: number;
}

export interface StepTime {
  step: string;
  card: string;
  dispatches: number;
  gflop: number;
  gigabytes: number;
  floorMs: number;
  ms: number;
  kernels: KernelTotal[];
  /** The ten largest of `excessOf`. */
  excess: Excess[];
}

/** Useful outputs of the tiles of a product: tiles at an edge compute more. */
export function tileShare({ form: { name, constants: c }, params: { M, N, K }, workgroups }: Call): number {
  const columns = name.includes('_nn') ? K : N;
  if (name === 'quant_matmul_nt_few') return (M * N) / (workgroups * 32 * 32);
  if (!/^(quant_)?matmul_n[tn]_(tiled|blocks)$/.test(name)) return 1;
  const [down, across] = name.endsWith('_blocks')
    ? [4 * Number(c.DOWN) * Number(c.ROW_FOURS), 4 * Number(c.ACROSS) * Number(c.COLUMN_FOURS)]
    : [Number(c.TILE_M ?? 64), Number(c.TILE_N ?? (name.startsWith('quant') ? 32 : 64))];
  return (M * columns) / (workgroups * down * across);
}

type Bound = 'bytes' | 'operations' | 'waits';

/** Milliseconds of a call, and what they are bound by. `speed` null: no loop of multiply-adds, so only bytes count. */
export function callTime(call: Call, speed: Speed | null, card: Card): { ms: number; bound: Bound } {
  const parts: { [bound in Bound]: number } = { bytes: 0, operations: 0, waits: 0 };
  parts.bytes = (bytesOf(call) ?? 0) / card.gigabytesPerSecond / 1e6;
  if (speed) {
    const { turn, threads, lanes } = speed;
    const busy = Math.min(1, call.workgroups / card.computeUnits);
    const share = sharesOf(turn, lanes, card.generation).bound * tileShare(call) * busy;
    parts.operations = call.flops / card.gflops / 1e6 / share;
    const turns = call.flops / 2 / tileShare(call) / (call.workgroups * threads) / turn.mac;
    // Only products sum so many terms in one thread that its waits count.
    if (/matmul|attention|lora/.test(call.form.name)) parts.waits = turns * turn.waits * waitMs;
  }
  const [bound, ms] = (Object.entries(parts) as [Bound, number][]).reduce((most, part) =>
    part[1] > most[1] ? part : most,
  );
  return { ms: ms + dispatchMs, bound };
}

/** Calls of a kernel with the same sizes, and the time by which they exceed their operations at the peak. */
export interface Excess {
  kernel: string;
  sizes: string;
  calls: number;
  ms: number;
  aboveMs: number;
  bound: Bound;
}

/** What a step's time consists of beyond its operations at the peak, the largest first. */
export function excessOf(step: Step, card: Card, speedOf: (call: Call) => Speed | null): Excess[] {
  const list = new Map<string, Excess>();
  for (const call of step.calls) {
    const { name } = call.form;
    const sizes = sizeNames.flatMap((size) => (size in call.params ? [`${size} ${call.params[size]}`] : [])).join(', ');
    const { ms, bound } = callTime(call, speedOf(call), card);
    const key = `${name} ${sizes} ${bound}`;
    const excess = list.get(key) ?? { kernel: name, sizes, calls: 0, ms: 0, aboveMs: 0, bound };
    excess.calls++;
    excess.ms += ms;
    excess.aboveMs += ms - call.flops / card.gflops / 1e6;
    list.set(key, excess);
  }
  return [...list.values()].sort((a, b) => b.aboveMs - a.aboveMs);
}
const sizeNames = ['M', 'N', 'K', 'T', 'C', 'I', 'rank', 'width'] as const;

export function stepTime(step: Step, card: Card, speedOf: (call: Call) => Speed | null): StepTime {
  const kernels = new Map<string, KernelTotal>();
  for (const call of step.calls) {
    const { name } = call.form;
    const total = kernels.get(name) ?? { name, calls: 0, gflop: 0, megabytes: 0, ms: 0 };
    const bytes = bytesOf(call);
    total.calls++;
    total.gflop += call.flops / 1e9;
    total.megabytes = bytes === null || total.megabytes === null ? null : total.megabytes + bytes / 1e6;
    total.ms += callTime(call, speedOf(call), card).ms;
    kernels.set(name, total);
  }
  const list = [...kernels.values()].sort((a, b) => b.ms - a.ms);
  const sum = (of: (total: KernelTotal) => number) => list.reduce((all, total) => all + of(total), 0);
  const gflop = sum((total) => total.gflop);
  const gigabytes = sum((total) => total.megabytes ?? 0) / 1e3;
  const floorMs = 1e3 * Math.max(gflop / card.gflops, gigabytes / card.gigabytesPerSecond);
  const dispatches = step.calls.length;
  return {
    step: step.name,
    card: card.name,
    dispatches,
    gflop,
    gigabytes,
    floorMs,
    ms: sum(({ ms }) => ms),
    kernels: list,
    excess: excessOf(step, card, speedOf).slice(0, 10),
  };
}
