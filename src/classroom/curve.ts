/** Compares each step's record with the step's own episodes: rates, turns and endings follow from them. */
import type { Trajectory } from '../rl/episode/trajectory.ts';
import { isPlayed } from '../rl/episode/unplayed.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { rolloutMetrics } from '../rl/metrics/step-metrics.ts';
import { RefusedError } from './refused.ts';

/** Metrics that need the credit of a step, which its episodes alone do not have. */
const ofCredit = ['return', 'groupsWithoutSignal', 'advantageMagnitude'];

/** Metrics that runs of earlier versions lack. */
const mayLack = ['replyTokens', 'cutReplies'];

/** Metrics of a step that follow from its episodes. */
function followingFrom(episodes: readonly Trajectory[]): { [metric: string]: number } {
  const metrics = rolloutMetrics(episodes, { groups: 1, withoutSignal: 0, returns: [] });
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => !ofCredit.includes(name)));
}

/** JSON has no NaN: it is read back as null. */
const same = (a: number | null | undefined, b: number) => a === b || (!Number.isFinite(b) && (a ?? null) === null);

/** Throws RefusedError at the first record that its step's episodes contradict. */
export function checkCurve(
  records: readonly StepRecord[],
  trajectories: ReadonlyMap<number, readonly Trajectory[]>,
): void {
  for (const { step, metrics } of records) {
    const episodes = trajectories.get(step);
    if (!episodes?.some(isPlayed) || metrics.success === undefined) continue;
    for (const [name, value] of Object.entries(followingFrom(episodes)))
      if (!same(metrics[name], value) && !(mayLack.includes(name) && metrics[name] === undefined))
        throw new RefusedError(
          'curve',
          `The record of step ${step} has ${name} ${metrics[name] ?? 'missing'}; its episodes give ${value}.`,
        );
  }
}
