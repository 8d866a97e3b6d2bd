/** Permissions of the command line: an experiment's own code, and judges or teachers that would receive its episodes. */
import { customCodeOf } from '../experiment/custom-code.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { refusedReceiver } from '../session/api/receivers.ts';
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

/** The experiment would send its episodes to a judge or a teacher that was not allowed. */
class ServerNotAllowedError extends CommandError {
  override name = 'ServerNotAllowedError';
  constructor(role: string, address: string) {
    super(
      `This experiment would send its episodes to the ${role} at ${address}. If you trust that server, run npm run train with --allow-${role} ${address}.`,
    );
  }
}

/** Throws if an experiment contains code, or names a judge or a teacher behind an API, that was not allowed. */
export function requireAllowances(experiments: readonly Experiment[], allowances: Allowances): void {
  const { allowCode, allowJudge, allowTeacher } = allowances;
  requireCodeAllowed(experiments, allowCode);
  for (const experiment of experiments) {
    const refused = refusedReceiver(experiment, { judge: allowJudge, teacher: allowTeacher });
    if (refused) throw new ServerNotAllowedError(refused.role, refused.address);
  }
}
