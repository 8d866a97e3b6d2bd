/** Estimates the remaining time of a sweep from its committed steps. Pure. */
import type { Experiment } from '../../experiment/experiment.ts';
import { stageAt } from '../../rl/schedule/horizon.ts';
import { evaluates } from '../run/schedule.ts';

/** The part of a run that the estimate needs. */
export interface RunPace {
  experiment: Experiment;
  /** Number of committed steps. */
  step: number;
  variant: number;
  /** Times of the latest steps, in milliseconds. */
  recent: readonly { step: number; ms: number }[];
}

/**
 * Turns that a step allows: its time is about proportional to them. For a horizon relative to the oracle, the oracle's
 * own turns are unknown here and count as one.
 */
function turnsAt({ horizon }: Experiment, step: number): number {
  const { turns } = stageAt(horizon, step);
  return typeof turns === 'number' ? turns : 1 + turns.oraclePlus;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Milliseconds of a step per allowed turn; null: no step is committed. */
function pace({ experiment, recent }: RunPace): number | null {
  return recent.length ? mean(recent.map(({ step, ms }) => ms / turnsAt(experiment, step))) : null;
}

function known(run: RunPace, all: readonly RunPace[]): number | null {
  const own = pace(run);
  if (own !== null) return own;
  const of = (runs: readonly RunPace[]) => runs.map(pace).filter((each) => each !== null);
  const alike = of(all.filter(({ variant }) => variant === run.variant));
  const any = alike.length ? alike : of(all);
  return any.length ? mean(any) : null;
}

/** Remaining work of a run: turns of its steps, and evaluations. */
function left({ experiment, step }: RunPace): { turns: number; evaluations: number } {
  const found = { turns: 0, evaluations: 0 };
  for (let next = step + 1; next <= experiment.steps; next++) {
    found.turns += turnsAt(experiment, next);
    if (evaluates(experiment, next)) found.evaluations++;
  }
  return found;
}

/**
 * Remaining milliseconds of all runs; null if no step is committed. `evaluationMs`: milliseconds of one evaluation, as
 * far as known.
 */
export function remainingMs(runs: readonly RunPace[], evaluationMs: number): number | null {
  let sum = 0;
  for (const run of runs) {
    const { turns, evaluations } = left(run);
    if (turns === 0) continue;
    const each = known(run, runs);
    if (each === null) return null;
    sum += turns * each + evaluations * evaluationMs;
  }
  return sum;
}
