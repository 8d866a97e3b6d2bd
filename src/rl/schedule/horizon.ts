/**
 * ScalingInter-RL's horizon (https://arxiv.org/abs/2509.08755): a schedule of (steps, most turns) stages, the last of which stays. A fixed
 * horizon is a schedule of one stage. A pure function of the step: nothing to save, nothing to skip on resume.
 */

/** A number of turns, or the oracle's turns for the task plus some. */
export type TurnLimit = number | { oraclePlus: number };

export interface HorizonStage {
  steps: number;
  turns: TurnLimit;
}

export class HorizonError extends Error {
  override name = 'HorizonError';
}

/** The stage of a step, counted from 1. Step 0 (before the first update) is under the first stage. */
export function stageAt(schedule: readonly HorizonStage[], step: number): { index: number; turns: TurnLimit } {
  if (schedule.length === 0) throw new HorizonError('The horizon has no stage: give at least one.');
  if (!Number.isInteger(step) || step < 0) throw new HorizonError(`Step ${step} is not a whole number from 0.`);
  let end = 0;
  for (let index = 0; index < schedule.length - 1; index++) {
    end += schedule[index].steps;
    if (step <= end) return { index, turns: schedule[index].turns };
  }
  const index = schedule.length - 1;
  return { index, turns: schedule[index].turns };
}

/** Most turns for one task under a limit. */
export function turnsFor(limit: TurnLimit, oracleTurns: number | null): number {
  if (typeof limit === 'number') return limit;
  if (oracleTurns === null) {
    throw new HorizonError(
      `The horizon is the oracle's turns plus ${limit.oraclePlus}, but the oracle does not solve this task: give a number of turns.`,
    );
  }
  return oracleTurns + limit.oraclePlus;
}

/** What a step's record shows as its stage. */
export function stageNumber(limit: TurnLimit): number {
  return typeof limit === 'number' ? limit : limit.oraclePlus;
}
