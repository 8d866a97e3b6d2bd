/**
 * Imitation of a fixed set of demonstrations, drawn once by the run's seed from the training goals, with early stopping
 * (Prechelt 1998, https://doi.org/10.1007/3-540-49430-8_3) on training goals that are kept apart from the set. No
 * held-out goal takes part.
 *
 * Its numbers are kept beside the weights, so that a resumed run stops at the same step.
 */
import type { CollectedPlay, Collector, Memory } from './algorithm.ts';

export interface Stopping {
  /** Training goals kept apart from the demonstrations; 0: imitation never stops early. */
  goals: number;
  /** Steps between checks. */
  every: number;
  /** Checks in a row without improvement before imitation stops. */
  patience: number;
}

/** Numbers kept between steps: least loss so far, checks since then, 1 once imitation has stopped. */
const names = { best: 'imitation.best', since: 'imitation.since', stopped: 'imitation.stopped' } as const;

/** One check: the loss on the goals kept apart, and the numbers to keep. */
async function checked(collecting: Collector, shown: number, { goals, patience }: Stopping) {
  const { stageStep, memory } = collecting;
  const loss = await collecting.oracleLoss(collecting.fixedTasks(shown + goals).slice(shown));
  const best = stageStep === 1 ? Number.POSITIVE_INFINITY : (memory[names.best] ?? Number.POSITIVE_INFINITY);
  const since = loss < best ? 0 : (memory[names.since] ?? 0) + 1;
  const kept: Memory = {
    [names.best]: Math.min(best, loss),
    [names.since]: since,
    [names.stopped]: since >= patience ? 1 : 0,
  };
  return { loss, kept };
}

/** This step's share of `shown` fixed demonstrations; nothing once imitation has stopped. */
export async function fewDemonstrations(
  collecting: Collector,
  count: number,
  { shown, stopping, trainsOnWorldText }: { shown: number; stopping: Stopping; trainsOnWorldText: boolean },
): Promise<CollectedPlay> {
  const { stageStep, memory } = collecting;
  const isCheck = stopping.goals > 0 && (stageStep - 1) % stopping.every === 0;
  const wasStopped = stageStep > 1 && memory[names.stopped] === 1;
  const check = isCheck && !wasStopped ? await checked(collecting, shown, stopping) : null;
  const stopped = wasStopped || check?.kept[names.stopped] === 1;
  const tasks = stopped ? [] : collecting.share(collecting.fixedTasks(shown), count);
  const { trajectories, skipped } = tasks.length
    ? await collecting.demonstrate(tasks, { trainsOnWorldText })
    : { trajectories: [], skipped: 0 };
  return {
    trajectories,
    played: [],
    tasks: [],
    metrics: {
      demonstrations: trajectories.length,
      demonstrationsSkipped: skipped,
      ...(check && { keptApartLoss: check.loss }),
      ...(stopping.goals > 0 && { imitationStopped: stopped ? 1 : 0 }),
    },
    ...(check && { memory: check.kept }),
  };
}
