/**
 * `npm run plan -- experiments/NAME.json`: prints the parts of an experiment's run and their memory on this machine's
 * adapter.
 */

import type { Experiment } from '../experiment/experiment.ts';
import { kindLabel } from '../experiment/guide.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
import { Assembly } from '../session/service/assembly.ts';
import { openWorldPool } from '../workers/spawn-world.ts';
import { worldModule } from '../worlds/registry.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';

const row = (name: string, value: string) => `${name.padEnd(26)}${value}`;
const bytesRow = (name: string, bytes: number) => row(name, `${bytes.toLocaleString('en').padStart(16)} bytes`);

/** Prints the plan. Returns false if the run does not fit; throws if there is no device to plan for. */
export async function planExperiment(
  experiment: Experiment,
  print: (line: string) => void,
  options: DeviceOptions = {},
): Promise<boolean> {
  const machine = { open: () => openDevice(options) };
  const engines = new Assembly({ machine, openWorld: openWorldPool, models: new NodeBaseModels() });
  const { parts, total, fits, advice } = await engines.plan(experiment);
  print(row('worlds', experiment.worlds.map(({ name }) => worldModule(name).title).join(', ')));
  print(row('algorithm', kindLabel('algorithm.name', experiment.algorithm.name)));
  print(row('policy', kindLabel('policy.kind', experiment.policy.kind)));
  for (const { name, bytes } of parts) print(bytesRow(name, bytes));
  print(bytesRow('total', total));
  if (!fits) print(advice);
  return fits;
}
