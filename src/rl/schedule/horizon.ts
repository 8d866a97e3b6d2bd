/**
 * ScalingInter-RL's horizon (https://arxiv.org/abs/2509.08755): a schedule of (steps, most turns) stages. The last
 * stage lasts until the run ends. A fixed horizon is a schedule with one stage. It is a pure function of the step, so
 * nothing is saved and a resume skips no stage.
 */

/** Number of turns, or the oracle's turns for the task plus a number. */
export type TurnLimit = number | { oraclePlus: number };

export interface HorizonStage {
  steps: number;
  turns: TurnLimit;
}

class HorizonError extends Error {
  override name = 'HorizonError';
}

/** Stage of a step, counted from 1. Step 0 (before the first update) belongs to the first stage. */
export function stageAt(schedule: readonly HorizonStage[], step: number): { index: number; turns: TurnLimit } {
  if (schedule.length === 0) throw new HorizonError('The horizon has no stage: give at least one.');
  if (!Number.isInteger(step) || step < 0)
    throw new HorizonError(`A step must be a whole number, 0 or more, not ${step}.`);
  let end = 0;
  for (let index = 0; index < schedule.length - 1; index++) {
    end += schedule[index].steps;
    if (step <= end) return { index, turns: schedule[index].turns };
  }
  const index = schedule.length - 1;
  return { index, turns: schedule[index].turns };
}

/** Maximum number of turns for one task under a limit. */
export function turnsFor(limit: TurnLimit, oracleTurns: number | null): number {
  if (typeof limit === 'number') return limit;
  if (oracleTurns === null) {
    throw new HorizonError(
      `The horizon is the oracle's turns plus ${limit.oraclePlus}, but the oracle does not solve this task: give a number of turns.`,
    );
  }
  return oracleTurns + limit.oraclePlus;
}

/** Number that a step's record shows as its stage. */
export function stageNumber(limit: TurnLimit): number {
  return typeof limit === 'number' ? limit : limit.oraclePlus;
}
