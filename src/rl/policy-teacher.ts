/**
 * A policy as a teacher of episodes that another policy played: it scores the tokens that were chosen, under the same
 * valid actions and at temperature 1, and is never trained.
 */
import type { Capacity, PackedBatch, Scores } from '../policy/policy.ts';
import { tokenRows } from './assign-credit.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { scoreRows } from './score-rows.ts';

/** Policy that only scores. */
export interface Teacher {
  readonly capacity: Capacity;
  score(batch: PackedBatch, options: { temperature: number }): Promise<Pick<Scores, 'logprob'>>;
  /** Floating-point operations since creation. Absent: the student counts them. */
  flops?(): number;
}

/** Teachers by the names that a run's settings give them. */
export type Teachers = ReadonlyMap<string, Teacher>;

/** Thrown if a run's teacher is not loaded. */
export class NoTeacherError extends Error {
  override name = 'NoTeacherError';
  constructor(name: string) {
    super(
      `This run learns from the policy ${name} and does not contain it. Choose the teacher in Setup and start a new run.`,
    );
  }
}

const temperature = 1;

/** Log-probability of each trained token under the teacher, in the order of `chosenPositions`. */
export async function policyLogprobs(
  teachers: Teachers,
  name: string,
  trajectories: readonly Trajectory[],
): Promise<Float32Array[]> {
  const teacher = teachers.get(name);
  if (!teacher) throw new NoTeacherError(name);
  const rows = tokenRows(trajectories);
  const { logprob } = await scoreRows(teacher, trajectories, rows, { temperature, weights: 'policy' });
  return trajectories.map((_, b) => Float32Array.from(logprob.subarray(rows.offsets[b], rows.offsets[b + 1])));
}

/** Floating-point operations of all teachers. */
export const teacherFlops = (teachers: Teachers): number =>
  [...teachers.values()].reduce((sum, teacher) => sum + (teacher.flops?.() ?? 0), 0);
