/**
 * ScalingInter-RL's horizon (https://arxiv.org/abs/2509.08755): a schedule of (steps, most turns) stages. The last
 * stage lasts until the run ends. A fixed horizon is a schedule with one stage. An adaptive schedule has stages that
 * may end early, when the policy succeeds; the steps at which their successors began are saved with its weights.
 */
import type { Suite } from '../../envs/suite.ts';
import { type Notes, readList, writeList } from '../common/note-list.ts';
import { mean } from '../common/numbers.ts';

/** Number of turns, or the oracle's turns for the task plus a number. */
export type TurnLimit = number | { oraclePlus: number };

/** Limits of a mixture: of the worlds that have one of their own, by name, and of the others. */
export type PlayLimit = TurnLimit | MixedLimit;

interface MixedLimit {
  worlds: { readonly [name: string]: TurnLimit };
  others: TurnLimit;
}

const isMixed = (limit: PlayLimit): limit is MixedLimit => typeof limit === 'object' && 'worlds' in limit;

/** Limit of a world. */
export const limitIn = (limit: PlayLimit, world: string): TurnLimit =>
  isMixed(limit) ? (limit.worlds[world] ?? limit.others) : limit;

/** Limits of a mixture, `others` for worlds without one of their own. */
export function mixedLimit(
  worlds: readonly { name: string; turns?: TurnLimit | null }[],
  others: TurnLimit,
): PlayLimit {
  const own = worlds.flatMap(({ name, turns }) => (turns === undefined || turns === null ? [] : [[name, turns]]));
  return own.length ? { worlds: Object.fromEntries(own), others } : others;
}

/** Limit of a suite of one world, or of the several entries of its worlds. */
export const suiteLimit = ({ entries, turns }: Pick<Suite, 'entries' | 'turns'>): PlayLimit =>
  entries ? mixedLimit(entries, entries[0].turns) : turns!;

/** All limits in use. */
const limitsIn = (limit: PlayLimit): TurnLimit[] =>
  isMixed(limit) ? [...Object.values(limit.worlds), limit.others] : [limit];

/** Greatest number of turns; null if a limit depends on the oracle. */
export function mostTurns(limit: PlayLimit): number | null {
  const limits = limitsIn(limit);
  return limits.every((each) => typeof each === 'number') ? Math.max(...limits) : null;
}

export interface HorizonStage {
  steps: number;
  turns: TurnLimit;
  /** Share of the oracle's success at which the next stage begins before `steps` have passed; null: it never does. */
  advanceAt?: number | null;
}

class HorizonError extends Error {
  override name = 'HorizonError';
}

/** First steps of stages that began early. */
export type EarlyStarts = readonly { stage: number; step: number }[];

/**
 * Stage of a step, counted from 1, and its first step. Step 0 (before the first update) belongs to the first stage.
 * `early`: see `EarlyStarts`.
 */
export function stageAt(
  schedule: readonly HorizonStage[],
  step: number,
  early: EarlyStarts = [],
): { index: number; turns: TurnLimit; first: number } {
  if (schedule.length === 0) throw new HorizonError('The horizon has no stage: give at least one.');
  if (!Number.isInteger(step) || step < 0)
    throw new HorizonError(`A step must be a whole number, 0 or more, not ${step}.`);
  let [index, first] = [0, 1];
  for (; index < schedule.length - 1; index++) {
    const started = early.find(({ stage }) => stage === index + 1)?.step ?? Number.POSITIVE_INFINITY;
    const next = Math.min(first + schedule[index].steps, started);
    if (step < next) break;
    first = next;
  }
  return { index, turns: schedule[index].turns, first };
}

/** Whether a stage may end early. */
export const isAdaptive = (schedule: readonly HorizonStage[]): boolean =>
  schedule.slice(0, -1).some(({ advanceAt }) => typeof advanceAt === 'number');

const [startsNote, measuredNote] = ['horizon.start', 'horizon.measured'];

/** Turn limit of a run's last step; if stages may end early, that of the last stage. */
export const lastTurns = (schedule: readonly HorizonStage[], steps: number): TurnLimit =>
  isAdaptive(schedule) ? schedule[schedule.length - 1].turns : stageAt(schedule, steps).turns;

/** First steps of the stages that began early, as far as the policy's notes tell. */
export const earlyStarts = (schedule: readonly HorizonStage[], notes: ReadonlyMap<string, number>): EarlyStarts =>
  isAdaptive(schedule) ? readList(notes, startsNote, ['stage', 'step']) : [];

/** Number of steps over which the success of a stage is averaged: 40 to 640 episodes at usual sizes. */
const measuredSteps = 5;

/**
 * Notes the success of step `k`, and ends its stage if the mean over the stage's last five steps is at least
 * `advanceAt`. `oracle`: success of the oracle on the same tasks under the same horizon; a stage in which it never
 * succeeds ends too, for nothing can be learnt there. Absent: the world has no oracle, and success itself counts.
 */
export function observeStage(
  schedule: readonly HorizonStage[],
  notes: Notes,
  k: number,
  { success, oracle = 1 }: { success?: number; oracle?: number },
): void {
  if (!isAdaptive(schedule) || success === undefined) return;
  const early = earlyStarts(schedule, notes);
  const { index, first } = stageAt(schedule, k, early);
  const share = oracle > 0 ? success / oracle : 1;
  const measured = [...readList(notes, measuredNote, ['step', 'share']), { step: k, share }]
    .filter(({ step }) => step >= first)
    .slice(-measuredSteps);
  writeList(notes, measuredNote, ['step', 'share'], measured);
  const { advanceAt } = schedule[index];
  if (index === schedule.length - 1 || typeof advanceAt !== 'number') return;
  if (measured.length < measuredSteps || mean(measured.map((each) => each.share)) < advanceAt) return;
  writeList(notes, startsNote, ['stage', 'step'], [...early, { stage: index + 1, step: k + 1 }]);
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
export function stageNumber(limit: PlayLimit): number {
  const others = isMixed(limit) ? limit.others : limit;
  return typeof others === 'number' ? others : others.oraclePlus;
}
