/** Commands that fail: the line that they print and the code that they end with. */
import { describeFileError } from './whole-files.ts';

/** A command that cannot be carried out, reported in one line. */
export class CommandError extends Error {
  override name = 'CommandError';
  /** Exit code of the command. */
  readonly exitCode: number = 1;
}

/** Errors without a name of their own are faults of the program: their stack is printed. */
const unnamed = ['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'];

/** Line or stack that a failed command prints. */
export function failureText(error: Error): string {
  const described = describeFileError(error);
  if (described) return described;
  return unnamed.includes(error.name) ? (error.stack ?? error.message) : error.message;
}

/** Ends a command that failed: prints the reason, and exits with its code. Dawn and workers keep a process alive. */
export function fail(error: Error, code = error instanceof CommandError ? error.exitCode : 1): never {
  console.error(failureText(error));
  process.exit(code);
}
