/** Permissions of the command line: an experiment's own code, and judges that would receive its episodes. */
import { customCodeOf } from '../experiment/custom-code.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { modelConnection } from '../session/api/model-connection.ts';
import { CommandError } from './command-error.ts';

export interface Allowances {
  /** Allows the experiment's own code to run. */
  allowCode?: boolean;
  /** Address of the judge that may receive the episodes. */
  allowJudge?: string;
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

/** Throws if an experiment contains code, or names a judge, that was not allowed. */
export function requireAllowances(experiments: readonly Experiment[], { allowCode, allowJudge }: Allowances): void {
  requireCodeAllowed(experiments, allowCode);
  requireJudgesAllowed(experiments, allowJudge);
}
