/** Writes a run's file, its folder, or an experiment as a folder from which another trainer starts. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type HandoffSource,
  handOffFiles,
  type NamedBytes,
  sourceOfExperiment,
  sourceOfRun,
} from '../library/node/handoff.ts';
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
export const readSource = (path: string): HandoffSource =>
  path.endsWith('.json') ? sourceOfExperiment(readDocument(path)) : sourceOfRun(readPolicyAt(path), path);

/** Refuses a folder that is not empty, so that nothing is overwritten. */
function checkFolder(out: string): void {
  if (existsSync(out) && (!statSync(out).isDirectory() || readdirSync(out).length > 0))
    throw new CommandError(`${out} already exists and is not empty: choose another folder.`);
}

export async function handOff(path: string, { to, out, steps, print }: HandoffOptions): Promise<NamedBytes> {
  checkFolder(out);
  const source = readSource(path);
  const files = await handOffFiles(source, { to, steps });
  writeFolder(out, new Map(Object.entries(files)));
  const bytes = Object.values(files).reduce((sum, each) => sum + each.length, 0);
  print(
    `${basename(path)} after step ${source.done}, for ${to}: ${Object.keys(files).length} files, ${bytes.toLocaleString('en-US')} bytes in ${out}`,
  );
  print(`Read ${join(out, 'README.md')}: it lists what to install and run, and what differs there.`);
  return files;
}
