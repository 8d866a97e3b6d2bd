/**
 * A policy as a teacher of episodes that another policy played: it scores the tokens that were chosen, under the same
 * valid actions and at temperature 1, and is never trained. A model behind a server scores them among all tokens.
 */
import type { Capacity, PackedBatch, Scores, TokenDistributions } from '../policy/policy.ts';
import { tokenRows } from './assign-credit.ts';
import { workAll } from './common/work-all.ts';
import { distributionRows, type TeacherLabels } from './episode/choice-rows.ts';
import { chosenPositions, contextsOf, pack } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { scoreRows } from './score-rows.ts';

/** Policy that only scores. */
export interface Teacher {
  readonly capacity: Capacity;
  score(batch: PackedBatch, options: { temperature: number }): Promise<Pick<Scores, 'logprob'>>;
  /** Distribution of each scored token over its allowed tokens. */
  distributions(batch: PackedBatch, options: { temperature: number }): Promise<TokenDistributions>;
  /** Floating-point operations since creation. Absent: the student counts them. */
  flops?(): number;
}

/** Model behind a server, which reads whole contexts. */
export interface ServedTeacher {
  /** (T) log-probability at temperature 1 of each token after those before it; NaN: none, as for the first. */
  tokenLogprobs(tokens: Int32Array): Promise<Float32Array>;
}

/** Teachers by the names that a run's settings give them. */
export type Teachers = ReadonlyMap<string, Teacher | ServedTeacher>;

/** Thrown if a run's teacher is not loaded. */
export class NoTeacherError extends Error {
  override name = 'NoTeacherError';
  constructor(name: string) {
    super(
      `This run learns from the policy ${name} and does not contain it. Choose the teacher in Setup and start a new run.`,
    );
  }
}

/** Thrown if a served teacher is asked for more than the chosen tokens; an experiment's checks refuse it before. */
class NoDistributionError extends Error {
  override name = 'NoDistributionError';
  constructor(name: string) {
    super(`${name} gives the log-probability of the chosen tokens alone: set algorithm.divergence to "sampled".`);
  }
}

const temperature = 1;

function teacherOf(teachers: Teachers, name: string): Teacher | ServedTeacher {
  const teacher = teachers.get(name);
  if (!teacher) throw new NoTeacherError(name);
  return teacher;
}

/** Log-probability of each trained token under the teacher, in the order of `chosenPositions`. */
export async function policyLogprobs(
  teachers: Teachers,
  name: string,
  trajectories: readonly Trajectory[],
): Promise<Float32Array[]> {
  const teacher = teacherOf(teachers, name);
  if ('tokenLogprobs' in teacher) return servedLogprobs(teacher, trajectories);
  const rows = tokenRows(trajectories);
  const { logprob } = await scoreRows(teacher, trajectories, rows, { temperature, weights: 'policy' });
  return trajectories.map((_, b) => Float32Array.from(logprob.subarray(rows.offsets[b], rows.offsets[b + 1])));
}

/** Requests to a server at a time. */
const atOnce = 8;

/** One request for each context that a policy chose tokens in. If one fails, no further ones are sent. */
async function servedLogprobs(teacher: ServedTeacher, trajectories: readonly Trajectory[]): Promise<Float32Array[]> {
  const out = trajectories.map((each) => new Float32Array(chosenPositions(each).length));
  await workAll(contextsOf(trajectories), atOnce, async (context) => {
    const { index, trajectory, head, from, positions, firstChoice, length } = context;
    const tokens = new Int32Array(head.length + length);
    tokens.set(head);
    tokens.set(trajectory.tokens.subarray(from, from + length), head.length);
    const logprobs = await teacher.tokenLogprobs(tokens);
    positions.forEach((position, k) => {
      out[index][firstChoice + k] = logprobs[head.length + position - from];
    });
  });
  return out;
}

/** The same with the teacher's distribution at each trained token. */
export async function policyLabels(
  teachers: Teachers,
  name: string,
  trajectories: readonly Trajectory[],
): Promise<TeacherLabels[]> {
  const teacher = teacherOf(teachers, name);
  if ('tokenLogprobs' in teacher) throw new NoDistributionError(name);
  const counts = trajectories.map((each) => chosenPositions(each).length);
  const logprobs = counts.map((count) => new Float32Array(count));
  const rows = counts.map((count): Float32Array[] => Array.from({ length: count }));
  for (const { batch, trajectory, choice } of pack(trajectories, teacher.capacity)) {
    const found = await teacher.distributions(batch, { temperature });
    trajectory.forEach((b, row) => {
      const distribution = found.logprobs.subarray(found.offsets[row], found.offsets[row + 1]);
      rows[b][choice[row]] = distribution;
      logprobs[b][choice[row]] = distribution[indexOfScored(batch, row)];
    });
  }
  return rows.map((own, b) => ({ logprobs: logprobs[b], distributions: distributionRows(own) }));
}

/** Index of a row's token among those that it allows. */
function indexOfScored({ tokens, scored, allowed }: PackedBatch, row: number): number {
  const token = tokens[scored[row]];
  const list = allowed?.tokens.subarray(allowed.offsets[row], allowed.offsets[row + 1]);
  return list?.length ? list.indexOf(token) : token;
}

/** Floating-point operations of all teachers. */
export const teacherFlops = (teachers: Teachers): number =>
  [...teachers.values()].reduce((sum, each) => sum + (('flops' in each && each.flops?.()) || 0), 0);
