/** Writes a run's file, its folder, or an experiment as a folder from which another trainer starts. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Experiment, parseRun } from '../experiment/experiment.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import { lastFinite } from '../session/finite-weights.ts';
import { type HandoffSource, handoffFiles } from '../session/handoff/handoff.ts';
import type { NamedBytes } from '../session/handoff/target.ts';
import { keptPolicy, policyFiles } from '../session/service/policy-files.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { readPolicyAt } from './served-policy.ts';
import { CommandError, readDocument } from './training-run.ts';
import { writeFolder } from './whole-files.ts';

export interface HandoffOptions {
  to: string;
  out: string;
  steps?: number;
  print(line: string): void;
}

/** Reads a run at its last step, or an experiment before its first. */
export function readSource(path: string): HandoffSource {
  if (path.endsWith('.json')) {
    const experiment = parseRun(readDocument(path));
    return { name: experiment.name, experiment, done: 0, files: null };
  }
  const run = readPolicyAt(path);
  const experiment: Experiment = parseRun(run.experiment);
  const last = lastFinite(run.checkpoints);
  if (!last && factsOf(experiment.policy).exports)
    throw new CommandError(`${path} contains no checkpoint: export the run again, with its last step.`);
  const files = last ? policyFiles(experiment.policy, keptPolicy(last.bytes, run.assets ?? {})) : null;
  return { name: run.name, experiment, done: last?.meta.step ?? 0, files };
}

/** Refuses a folder that is not empty, so that nothing is overwritten. */
function checkFolder(out: string): void {
  if (existsSync(out) && (!statSync(out).isDirectory() || readdirSync(out).length > 0))
    throw new CommandError(`${out} already exists and is not empty: choose another folder.`);
}

export async function handOff(path: string, { to, out, steps, print }: HandoffOptions): Promise<NamedBytes> {
  checkFolder(out);
  const source = readSource(path);
  const files = await handoffFiles(source, { to, steps }, openGuardedWorld);
  writeFolder(out, new Map(Object.entries(files)));
  const bytes = Object.values(files).reduce((sum, each) => sum + each.length, 0);
  print(
    `${basename(path)} after step ${source.done}, for ${to}: ${Object.keys(files).length} files, ${bytes.toLocaleString('en-US')} bytes in ${out}`,
  );
  print(`Read ${join(out, 'README.md')}: it lists what to install and run, and what differs there.`);
  return files;
}
