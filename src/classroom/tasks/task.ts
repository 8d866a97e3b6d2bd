/** Interface of a kind of task: its schema, the part that pupils do not receive, and its check. */
import * as v from 'valibot';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { Rate, StepRecord } from '../../rl/evaluation/evaluation.ts';
import { textSchema } from '../words.ts';

/** Fields that every task has. */
export const taskFields = {
  /** Name of the task's answer in a handed-in file. */
  id: v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and -')),
  text: textSchema,
  hint: v.optional(textSchema),
  points: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)), 1),
};

export interface CommonTask {
  kind: string;
  id: string;
  text: v.InferOutput<typeof textSchema>;
  hint?: v.InferOutput<typeof textSchema>;
  points: number;
}

/** Settings of a played suite. */
export interface SuiteAsked {
  suite: string;
  /** Number of held-out tasks; null: as many as the assignment's experiment evaluates. */
  items: number | null;
}

/** Facts of a run and its answers that a check reads. */
export interface Given {
  answer: unknown;
  records: readonly StepRecord[];
  /** Number of trained weights. */
  parameters: number;
  /** Trajectories of a step; null: the file has none. */
  trajectories(step: number): readonly Trajectory[] | null;
  /** Plays a suite with the run's last weights; null: it cannot be played here. */
  suite(asked: SuiteAsked): Promise<Rate | null>;
}

/** `passed` null: a person decides. */
export interface Verdict {
  passed: boolean | null;
  measured: string;
  needed: string;
  /** Success on held-out tasks, from 0 to 1; absent: the task measures none. */
  rate?: number;
}

export interface TaskKind<T extends CommonTask> {
  readonly schema: v.GenericSchema<unknown, T>;
  /** The task as pupils receive it. Absent: as it is. */
  forPupils?(task: T): CommonTask;
  check(task: T, given: Given): Verdict | Promise<Verdict>;
}

export const percent = (rate: number): string => `${(100 * rate).toFixed(1)}%`;

/** A rate with its interval. */
export const rateWords = ({ rate, low, high, episodes }: Rate): string =>
  `${percent(rate)} [${percent(low)}, ${percent(high)}] of ${episodes}`;
