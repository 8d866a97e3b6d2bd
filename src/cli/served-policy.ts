/** Opens the policy of a run, or an exported one, under its name. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openRunPolicy, policyRun } from '../library/node/policy.ts';
import { type Policy, policyOver } from '../library/policy-over.ts';
import type { NewRun } from '../store/run-store.ts';
import { CommandError } from './command-error.ts';
import type { DeviceOptions } from './node-device.ts';
import { returnedRun } from './returning.ts';

/** The policy of a folder. A whole language model has none of its own. */
function returnedPolicy(folder: string): NewRun {
  const run = returnedRun(folder, null);
  if (run.checkpoints) return run;
  throw new CommandError(
    `${folder} is a whole language model without an adapter. Train one first: npm run train -- --from ${folder}`,
  );
}

/** Reads a run's file, the folder it was written to, or a policy in Hugging Face's layout as a folder or a zip. */
export function readPolicyAt(path: string): NewRun {
  if (!existsSync(path)) throw new CommandError(`There is no ${path}.`);
  const isFolder = statSync(path).isDirectory();
  const run = isFolder ? join(path, 'run.tabgym') : path;
  if (isFolder && !existsSync(run)) return returnedPolicy(path);
  return policyRun(new Uint8Array(readFileSync(run)), run);
}

/** The id appears in addresses, so it has only letters, digits, dots, underscores and dashes. */
export const idOf = (name: string) =>
  name
    .replace(/\.(zip|tabgym)$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'policy';

/** A policy, and the name by which requests choose it. */
export async function openServedPolicy(
  path: string,
  { device, threads }: DeviceOptions,
): Promise<{ id: string; policy: Policy }> {
  const run = readPolicyAt(path);
  return { id: idOf(run.name), policy: policyOver(await openRunPolicy(run, { device, threads, name: path })) };
}
