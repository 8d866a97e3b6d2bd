/**
 * Estimates the time of a training before it starts: work per step, from the experiment's sizes, times the device's
 * pace. The pace comes from the last steps trained on this device; if there are none, it is derived from a measurement
 * on another machine. Pure functions, except that they store the pace.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { sweptDocuments } from '../../experiment/sweep.ts';
import type { GpuReport, StepRecord } from '../../session/protocol.ts';
import { remember } from '../kit/remember.ts';

/**
 * Multiply-adds of a step, up to a constant factor: tokens times the weights of the policy's layers. Leaves out the
 * head and attention, which are small with tiny vocabularies and contexts; the factor absorbs them. Null if the policy
 * does not state its sizes, or windows have no number of turns to count by.
 */
export function stepWork(experiment: Experiment): number | null {
  const { policy, algorithm } = experiment;
  if (!('layers' in policy) || !('hidden' in policy)) return null;
  const {
    layers,
    hidden,
    intermediate = 3 * hidden,
  } = policy as { layers: number; hidden: number; intermediate?: number };
  const weights = layers * (4 * hidden * hidden + 3 * hidden * intermediate);
  const tokens = episodeTokens(experiment);
  if (tokens === null) return null;
  return weights * algorithm.groups * (experiment.sampling.promptTokens + algorithm.groupSize * tokens);
}

/** Mean limit of the run's steps; null: the oracle's turns set it. */
function meanTurns({ horizon, steps }: Experiment): number | null {
  let [sum, left] = [0, steps];
  for (const [index, stage] of horizon.entries()) {
    if (typeof stage.turns !== 'number') return null;
    const share = index === horizon.length - 1 ? left : Math.min(left, stage.steps);
    sum += share * stage.turns;
    left -= share;
  }
  return steps > 0 ? sum / steps : null;
}

/**
 * Tokens of an episode after its prompt if it fills its room, and its number of turns where windows are read again: each
 * turn after the first window begins one, or with summaries each window that is full. A head is read with its window,
 * unless it is the prompt.
 */
function episodeTokens(experiment: Experiment): number | null {
  const { context, contextTurns, completionTokens, promptTokens } = experiment.sampling;
  if (context === 'all') return completionTokens;
  const turns = meanTurns(experiment);
  if (turns === null) return null;
  const kept = context === 'latest' ? 1 : contextTurns;
  const later = Math.max(0, context === 'summary' ? turns / contextTurns - 1 : turns - kept);
  return completionTokens + later * (completionTokens + (context === 'task' ? 0 : promptTokens));
}

/**
 * Milliseconds per unit of work: experiments/textcraft-first.json took 211 to 360 s for 460 steps on two threads of an
 * AMD EPYC (docs/worlds/textcraft.md), with 3 layers of 64 by 192 and 12 groups of 8.
 */
const measured = { ms: (247_000 / 460) * 2, work: 3 * (4 * 64 * 64 + 3 * 64 * 192) * 12 * (256 + 8 * 128) };
const processorPace = measured.ms / measured.work;

const key = 'tabgym.pace';

interface Pace {
  msPerWork: number;
  /** True if measured on this device, false if taken from the machine above. */
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

/** Null for a GPU on which nothing has trained yet. */
function paceOf(gpu: GpuReport): Pace | null {
  if (!gpu.supported) return null;
  const own = kept()[deviceKey(gpu)];
  if (typeof own === 'number' && own > 0 && Number.isFinite(own)) return { msPerWork: own, own: true };
  if (gpu.adapter.vendor !== 'processor') return null;
  return { msPerWork: processorPace / Math.max(1, gpu.limits.threads ?? 1), own: false };
}

const latest = 20;

/** Mean milliseconds of the newest trained steps; null if there are none. */
export function recentStepMs(records: readonly StepRecord[]): number | null {
  const times = records
    .slice(-latest)
    .flatMap(({ step, metrics }) => (step > 0 && metrics.stepMs > 0 ? [metrics.stepMs] : []));
  return times.length ? times.reduce((sum, each) => sum + each, 0) / times.length : null;
}

/** Stores the pace of this device for the next experiment. */
export function rememberPace(gpu: GpuReport, experiment: Experiment, records: readonly StepRecord[]): void {
  const [ms, work] = [recentStepMs(records), stepWork(experiment)];
  if (ms === null || !work) return;
  remember(key, JSON.stringify({ ...kept(), [deviceKey(gpu)]: ms / work }));
}

export interface Estimate {
  ms: number;
  own: boolean;
}

/** Time of all runs of an experiment, as if each variant of a sweep took as long as the experiment itself; null if unknown. */
export function estimate(experiment: Experiment, gpu: GpuReport | null): Estimate | null {
  const pace = gpu && paceOf(gpu);
  const work = stepWork(experiment);
  if (!pace || work === null) return null;
  return { ms: sweptDocuments(experiment).length * experiment.steps * work * pace.msPerWork, own: pace.own };
}
