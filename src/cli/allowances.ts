/** Permissions of the command line: an experiment's own code, and judges or teachers that would receive its episodes. */
import { customCodeOf } from '../experiment/custom-code.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { servedTeachers } from '../experiment/teacher-names.ts';
import { modelConnection } from '../session/api/model-connection.ts';
import { CommandError } from './command-error.ts';

export interface Allowances {
  /** Allows the experiment's own code to run. */
  allowCode?: boolean;
  /** Address of the judge that may receive the episodes. */
  allowJudge?: string;
  /** Address of the teacher that may receive the episodes. */
  allowTeacher?: string;
}

/** The experiment contains code that was not allowed to run. */
export class CodeNotAllowedError extends CommandError {
  override name = 'CodeNotAllowedError';
  override readonly exitCode = 3;
  constructor(paths: readonly string[]) {
    super(
      `This experiment contains code (${paths.join(', ')}), which was not run. Read it; if you trust it, add --allow-code to run it in a sandbox.`,
    );
  }
}

/** Throws CodeNotAllowedError if an experiment contains code and `allowed` is false. */
export function requireCodeAllowed(experiments: readonly Experiment[], allowed = false): void {
  const carried = experiments.flatMap(customCodeOf);
  if (carried.length && !allowed) throw new CodeNotAllowedError([...new Set(carried.map(({ path }) => path))]);
}

/** The experiment would send its episodes to a judge that was not allowed. */
class JudgeNotAllowedError extends CommandError {
  override name = 'JudgeNotAllowedError';
  constructor(address: string) {
    super(
      `This experiment has a judge and would send its episodes to ${address}. If you trust that server, run npm run train with --allow-judge ${address}.`,
    );
  }
}

const sameAddress = (a: string, b: string) => modelConnection(a) === modelConnection(b);

/** Throws JudgeNotAllowedError if the reward of an experiment has a judge at another address than the allowed one. */
export function requireJudgesAllowed(experiments: readonly Experiment[], allowed = ''): void {
  for (const part of experiments.flatMap(({ reward }) => reward?.parts ?? []))
    if ('address' in part && !sameAddress(part.address, allowed)) throw new JudgeNotAllowedError(part.address);
}

/** The experiment would send its episodes to a teacher that was not allowed. */
class TeacherNotAllowedError extends CommandError {
  override name = 'TeacherNotAllowedError';
  constructor(address: string) {
    super(
      `This experiment has a teacher behind an API and would send its episodes to ${address}. If you trust that server, run npm run train with --allow-teacher ${address}.`,
    );
  }
}

function requireTeachersAllowed(experiments: readonly Experiment[], allowed = ''): void {
  for (const { address } of experiments.flatMap(servedTeachers))
    if (!sameAddress(address, allowed)) throw new TeacherNotAllowedError(address);
}

/** Throws if an experiment contains code, or names a judge or a teacher behind an API, that was not allowed. */
export function requireAllowances(experiments: readonly Experiment[], allowances: Allowances): void {
  requireCodeAllowed(experiments, allowances.allowCode);
  requireJudgesAllowed(experiments, allowances.allowJudge);
  requireTeachersAllowed(experiments, allowances.allowTeacher);
}
