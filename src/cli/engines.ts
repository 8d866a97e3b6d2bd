/** Engines of commands that compute without a run of their own: grading, and the tables of objectives. */
import { type EnginesOptions, nodeEngines } from '../library/node/engines.ts';
import { deviceOf } from '../library/trainer.ts';
import { requireDevice } from './node-device.ts';

/** Opens the device of a command. Throws CommandError if there is none. */
export async function openEngines(options: EnginesOptions, print: (line: string) => void) {
  const engines = nodeEngines(options);
  requireDevice(deviceOf(await engines.report()), print);
  return engines;
}
