/** Values that code in QuickJS threw, as messages and places. */
import type { CodePlace } from './errors.ts';

/** Longer messages are cut. */
export const longestMessage = 400;

/** A thrown value, as far as it can be read. */
export interface Thrown {
  name?: unknown;
  message?: unknown;
  stack?: unknown;
}

/**
 * First place in the custom file that a QuickJS stack names: `at f (objective.js:2:13)`, or `at objective.js:2:9` for a
 * syntax error.
 */
function placeIn(stack: unknown, file: string): CodePlace | null {
  if (typeof stack !== 'string') return null;
  const at = stack.indexOf(`${file}:`);
  const match = at < 0 ? null : /^(\d+):(\d+)/.exec(stack.slice(at + file.length + 1));
  return match && { line: Number(match[1]), column: Number(match[2]) };
}

/** Place of a thrown value in the custom file; null if it names none. */
export const placeOf = (thrown: unknown, file: string): CodePlace | null =>
  thrown instanceof Object ? placeIn((thrown as Thrown).stack, file) : null;

/**
 * True if QuickJS ran out of memory. It has no error class for this, so the message of JS_ThrowOutOfMemory (quickjs.c)
 * is compared; null is thrown if there is no memory left even for an error. Custom code that throws the same is
 * reported as out of memory, which does no harm.
 */
export const meansNoMemory = (thrown: unknown): boolean => {
  const { name, message } = Object(thrown) as Thrown;
  return thrown === null || (name === 'InternalError' && message === 'out of memory');
};

export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Object)) return `the code threw ${JSON.stringify(thrown) ?? 'undefined'}`;
  const { name = 'Error', message = '' } = thrown as Thrown;
  return `${String(name)}: ${String(message)}`;
}
