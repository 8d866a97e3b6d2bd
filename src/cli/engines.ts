/** Engines of commands that compute without a run of their own: grading, and the tables of objectives. */
import { type EnginesOptions, nodeEngines } from '../library/node/engines.ts';
import { CommandError } from './command-error.ts';

/** Opens the device of a command. Throws CommandError if there is none. */
export async function openEngines(options: EnginesOptions, print: (line: string) => void) {
  const engines = nodeEngines(options);
  const { supported, problem, adapter } = await engines.report();
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${adapter.description}${adapter.isFallback ? ' (software)' : ''}`);
  return engines;
}
