/** Memory plan of a run: the bytes of each part on this adapter, and advice on what would make it fit. */
import type { Device } from '../../device/device.ts';
import { totalBytes } from '../../policy/plan/buffers.ts';
import type { PlannedBuffer } from '../../policy/plan/planned-buffer.ts';
import type { MemoryPlanReport } from '../protocol.ts';

/** Browsers do not report how much memory a GPU has. All GPUs that train at a bearable speed have this much. */
const BUDGET = 2 ** 31;

/** Maximum bytes of a run on this adapter. `most`: the maximum on any. */
export const memoryBudget = (gpu: Device | null, most = BUDGET) =>
  Math.min(most, gpu?.memoryBytes ?? Number.POSITIVE_INFINITY);

const choices: { [part in PlannedBuffer['part']]: string } = {
  weights: 'fewer layers or a smaller hidden size',
  adapter: 'a lower rank, or fewer target projections',
  optimizer: 'fewer layers or a smaller hidden size',
  reference: 'fewer layers, or no KL term',
  activations: 'shorter prompts and completions, or more minibatches',
  'gradients of activations': 'shorter prompts and completions, or more minibatches',
  head: 'shorter completions, or more minibatches',
  'KV cache':
    'a smaller share of pages, fewer groups, a smaller group, shorter prompts and completions, or, with an adapter, keys and values in int8',
  decoding: 'fewer groups or a smaller group',
  transfer: 'a smaller policy',
  critic: 'a critic on the policy itself, not one of its own',
  teacher: 'a smaller teacher',
  host: 'shorter completions, or more minibatches',
};

function partsOf(buffers: readonly PlannedBuffer[]): Map<PlannedBuffer['part'], number> {
  const parts = new Map<PlannedBuffer['part'], number>();
  for (const { part, bytes } of buffers) parts.set(part, (parts.get(part) ?? 0) + bytes);
  return parts;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export interface PlanAdvice {
  /** Maximum total bytes. */
  budget?: number;
  /** Reason why it cannot run with any amount of memory; empty if there is none. */
  problem?: string;
  /**
   * Describes a change of settings that would make it fit; returns null if no change does. Absent if no such change can
   * be computed.
   */
  change?: () => string | null;
}

function helps(part: PlannedBuffer['part'], { change }: PlanAdvice): string {
  return change ? changeWords(change) : `choose ${choices[part]}`;
}

function changeWords(change: NonNullable<PlanAdvice['change']>): string {
  const found = change();
  return found ? `${found} would make it fit` : 'no change of its settings makes it fit; choose a smaller model';
}

/** The first reason why it does not fit, with a remedy; empty if it fits. */
function adviceFor(buffers: readonly PlannedBuffer[], gpu: Device | null, options: PlanAdvice): string {
  if (options.problem) return `${options.problem}${options.change ? `: ${changeWords(options.change)}` : ''}.`;
  const budget = memoryBudget(gpu, options.budget);
  const most = gpu?.bufferBytes ?? Number.POSITIVE_INFINITY;
  // Parameters are split into as many buffers as needed; every other part must fit into one.
  const whole = buffers.filter(
    ({ part }) =>
      !['weights', 'adapter', 'optimizer', 'reference', 'transfer', 'critic', 'teacher', 'host'].includes(part),
  );
  const largest = whole.reduce((a, b) => (b.bytes > a.bytes ? b : a), whole[0]);
  if (largest && largest.bytes > most)
    return `${largest.name} (${largest.part}) needs ${megabytes(largest.bytes)} in one buffer and this adapter allows ${megabytes(most)}: ${helps(largest.part, options)}.`;
  const total = totalBytes(buffers);
  if (total <= budget) return '';
  const [part, bytes] = [...partsOf(buffers)].reduce((a, b) => (b[1] > a[1] ? b : a));
  return `It needs ${megabytes(total)}, more than the ${megabytes(budget)} that a tab can count on. The largest part is ${part} (${megabytes(bytes)}): ${helps(part, options)}.`;
}

export function planReport(
  buffers: readonly PlannedBuffer[],
  gpu: Device | null,
  options: PlanAdvice = {},
): MemoryPlanReport {
  const advice = adviceFor(buffers, gpu, options);
  const parts = [...partsOf(buffers)].map(([name, bytes]) => ({ name, bytes }));
  return { parts, total: totalBytes(buffers), fits: advice === '', advice };
}
