/** A run's file, its folder, or an experiment, as the folder that another trainer starts from. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Experiment, parseRun } from '../experiment/experiment.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import { type HandoffSource, handoffFiles } from '../session/handoff/handoff.ts';
import type { NamedBytes } from '../session/handoff/target.ts';
import { policyFiles } from '../session/service/policy-files.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { readPolicyAt } from './served-policy.ts';
import { CommandError, readDocument } from './training-run.ts';

export interface HandingOff {
  to: string;
  out: string;
  steps?: number;
  /** The experiment whose settings a bare policy is handed over with. */
  print(line: string): void;
}

/** A run with its last step, or an experiment before its first. */
export function readSource(path: string): HandoffSource {
  if (path.endsWith('.json')) {
    const experiment = parseRun(readDocument(path));
    return { name: experiment.name, experiment, done: 0, files: null };
  }
  const run = readPolicyAt(path);
  const experiment: Experiment = parseRun(run.experiment);
  const last = (run.checkpoints ?? []).toSorted((a, b) => a.meta.step - b.meta.step).at(-1);
  if (!last && factsOf(experiment.policy).exports)
    throw new CommandError(`${path} holds no checkpoint: export the run again, with its last step.`);
  const { 'config.json': config, 'tokenizer.json': tokenizer } = run.assets ?? {};
  const files = last && config ? policyFiles(experiment.policy, { checkpoint: last.bytes, config, tokenizer }) : null;
  return { name: run.name, experiment, done: last?.meta.step ?? 0, files };
}

/** Nothing that is there is written over. */
function checkFolder(out: string): void {
  if (existsSync(out) && (!statSync(out).isDirectory() || readdirSync(out).length > 0))
    throw new CommandError(`${out} is there already and is not empty: name another folder.`);
}

export function writeFolderOf(files: NamedBytes, out: string): void {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    if (name.endsWith('.sh')) chmodSync(path, 0o755);
  }
}

export async function handOff(path: string, { to, out, steps, print }: HandingOff): Promise<NamedBytes> {
  checkFolder(out);
  const source = readSource(path);
  const files = await handoffFiles(source, { to, steps }, openGuardedWorld);
  writeFolderOf(files, out);
  const bytes = Object.values(files).reduce((sum, each) => sum + each.length, 0);
  print(
    `${basename(path)} after step ${source.done}, for ${to}: ${Object.keys(files).length} files, ${bytes.toLocaleString('en-US')} bytes in ${out}`,
  );
  print(`Read ${join(out, 'README.md')}: what to install and run, and what is not the same there.`);
  return files;
}
