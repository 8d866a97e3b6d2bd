/**
 * `npm run plan -- experiments/NAME.json`: prints the parts of an experiment's run and their memory on this machine's
 * adapter.
 */

import type { Experiment } from '../experiment/experiment.ts';
import { kindLabel } from '../experiment/guide.ts';
import { nodeEngines } from '../library/node/engines.ts';
import type { OpenOptions } from '../session/engine.ts';
import { worldModule } from '../worlds/registry.ts';
import type { DeviceOptions } from './node-device.ts';

const row = (name: string, value: string) => `${name.padEnd(26)}${value}`;
const bytesRow = (name: string, bytes: number) => row(name, `${bytes.toLocaleString('en').padStart(16)} bytes`);

/** Prints the plan. Returns false if the run does not fit; throws if there is no device to plan for. */
export async function planExperiment(
  { experiment, assets = null }: { experiment: Experiment; assets?: OpenOptions['assets'] },
  print: (line: string) => void,
  options: DeviceOptions = {},
): Promise<boolean> {
  const { parts, total, fits, advice } = await nodeEngines(options).plan(experiment, assets);
  print(row('worlds', experiment.worlds.map(({ name }) => worldModule(name).title).join(', ')));
  print(row('algorithm', kindLabel('algorithm.name', experiment.algorithm.name)));
  print(row('policy', kindLabel('policy.kind', experiment.policy.kind)));
  for (const { name, bytes } of parts) print(bytesRow(name, bytes));
  print(bytesRow('total', total));
  if (!fits) print(advice);
  return fits;
}
