/**
 * How long training will take, before it begins: the work of a step by the experiment's sizes, times this device's pace. The pace is that of the
 * steps that were trained here last; before the first, that of a measured machine. Pure but for what it remembers.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { GpuReport, StepRecord } from '../../session/protocol.ts';

/**
 * Multiplications and additions of a step, up to a factor: tokens through the policy's layers. The head and attention are left out: with tiny
 * vocabularies and contexts they are small, and the factor absorbs them. Null: the policy says no sizes of its own.
 */
export function stepWork({ policy, algorithm, sampling }: Experiment): number | null {
  if (!('layers' in policy) || !('hidden' in policy)) return null;
  const {
    layers,
    hidden,
    intermediate = 3 * hidden,
  } = policy as { layers: number; hidden: number; intermediate?: number };
  const weights = layers * (4 * hidden * hidden + 3 * hidden * intermediate);
  const tokens = algorithm.groups * (sampling.promptTokens + algorithm.groupSize * sampling.completionTokens);
  return weights * tokens;
}

/**
 * Milliseconds for a unit of work: experiments/textcraft-first.json took 211 to 360 s for 460 steps on two threads of an AMD EPYC
 * (docs/worlds/textcraft.md); 3 layers of 64 by 192, 12 groups of 8.
 */
const measured = { ms: (247_000 / 460) * 2, work: 3 * (4 * 64 * 64 + 3 * 64 * 192) * 12 * (256 + 8 * 128) };
const processorPace = measured.ms / measured.work;

const key = 'tabgym.pace';

export interface Pace {
  msPerWork: number;
  /** On this very device; else on the machine above. */
  own: boolean;
}

const deviceKey = ({ adapter, limits }: GpuReport) =>
  `${adapter.vendor} ${adapter.description} ${limits.threads ?? ''}`;

type Kept = { [device: string]: number };

function kept(): Kept {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof known === 'object' && known !== null ? (known as Kept) : {};
  } catch {
    return {};
  }
}

/** Null: nothing is known of this device. */
export function paceOf(gpu: GpuReport): Pace | null {
  if (!gpu.supported) return null;
  const own = kept()[deviceKey(gpu)];
  if (typeof own === 'number' && own > 0 && Number.isFinite(own)) return { msPerWork: own, own: true };
  if (gpu.adapter.vendor !== 'processor') return null;
  return { msPerWork: processorPace / Math.max(1, gpu.limits.threads ?? 1), own: false };
}

const latest = 20;

/** Milliseconds of a step, by the newest that trained; null: none did. */
export function recentStepMs(records: readonly StepRecord[]): number | null {
  const times = records
    .slice(-latest)
    .flatMap(({ step, metrics }) => (step > 0 && metrics.stepMs > 0 ? [metrics.stepMs] : []));
  return times.length ? times.reduce((sum, each) => sum + each, 0) / times.length : null;
}

/** Kept for the next experiment on this device. */
export function rememberPace(gpu: GpuReport, experiment: Experiment, records: readonly StepRecord[]): void {
  const [ms, work] = [recentStepMs(records), stepWork(experiment)];
  if (ms === null || !work) return;
  localStorage.setItem(key, JSON.stringify({ ...kept(), [deviceKey(gpu)]: ms / work }));
}

export interface Estimate {
  ms: number;
  own: boolean;
}

/** Of a whole experiment, with all seeds and variants of a sweep left out; null: not known. */
export function estimate(experiment: Experiment, gpu: GpuReport | null): Estimate | null {
  const pace = gpu && paceOf(gpu);
  const work = stepWork(experiment);
  if (!pace || work === null) return null;
  return { ms: experiment.steps * work * pace.msPerWork, own: pace.own };
}
