/**
 * Imports a policy that was trained elsewhere: a PEFT folder (also verl's, inside its merged model), a tiny policy as a
 * Hugging Face checkpoint, or a whole language model, for which training starts a new adapter. Settings come from the
 * hand-off that the policy started from.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { adapterOf } from '../experiment/policies/adapted.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import { presets } from '../experiment/presets.ts';
import { importedRun } from '../library/node/policy.ts';
import { forLanguageModel } from '../models/draft.ts';
import { isGguf } from '../policy/formats/gguf-name.ts';
import { specialTokens, Tokenizer } from '../policy/text/tokenizer.ts';
import type { HandoffSource } from '../store/run.ts';
import type { NewRun } from '../store/run-store.ts';
import { zip } from '../store/zip.ts';
import { adapterFilesIn, adapterFolder, modelAround, policyFilesIn, refuseFolder } from './policy-folder.ts';
import { CommandError, readDocument } from './training-run.ts';

/** Levels to search upwards: a trained policy lies a few folders below its hand-off. */
const folders = 5;
const handoffFiles = ['handoff.json', 'experiment.json'] as const;

/** The nearest folder, from this one upwards, with a hand-off's files; null if there is none. */
function handoffAbove(folder: string): string | null {
  let at = resolve(folder);
  for (let i = 0; i < folders; i++) {
    if (handoffFiles.every((name) => existsSync(join(at, name)))) return at;
    at = dirname(at);
  }
  return null;
}

/**
 * True if a folder's weights are a language model's: in GGUF alone, or with a vocabulary that is not a tiny policy's.
 */
function isLanguageModel(folder: string): boolean {
  const path = join(folder, 'tokenizer.json');
  const names = readdirSync(folder);
  if (!names.includes('config.json') && names.some(isGguf)) return true;
  if (!existsSync(join(folder, 'config.json')) || !existsSync(path)) refuseFolder(folder);
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(path, 'utf8')));
  return !specialTokens.every((token) => tokenizer.has(token));
}

interface Settings {
  experiment: Experiment;
  from: HandoffSource | null;
}

/** Settings from the named experiment, else from the hand-off, else from the first preset. */
function settingsFor(folder: string, file: string | null): Settings {
  const handoff = handoffAbove(folder);
  const from = handoff ? (JSON.parse(readFileSync(join(handoff, 'handoff.json'), 'utf8')) as HandoffSource) : null;
  if (file) return { experiment: readDocument(file), from };
  return { experiment: handoff ? readDocument(join(handoff, 'experiment.json')) : parseExperiment(presets[0]), from };
}

/** Keeps a whole model frozen and trains an adapter beside it. */
function adapterRun(folder: string, { experiment, from }: Settings): NewRun {
  const { policy } = experiment;
  const weights = factsOf(policy).ownWeights || !('weights' in policy) ? 'int4' : policy.weights;
  const settings = forLanguageModel(experiment, adapterOf(policy, resolve(folder), weights));
  const file = basename(folder);
  return { name: experiment.name, experiment: settings, origin: { kind: 'import', file, ...(from && { from }) } };
}

/** A run at step 0 that contains the policy of a folder, or one with a GGUF file's model and a new adapter. */
export function returnedRun(folder: string, file: string | null): NewRun {
  if (isGguf(folder)) {
    if (!existsSync(folder)) throw new CommandError(`There is no file ${folder}.`);
    return adapterRun(folder, settingsFor(dirname(folder), file));
  }
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new CommandError(`There is no folder ${folder}.`);
  const settings = settingsFor(folder, file);
  const adapter = adapterFolder(folder);
  if (!adapter && isLanguageModel(folder)) return adapterRun(folder, settings);
  const { experiment, from } = settings;
  const files = adapter ? adapterFilesIn(adapter) : policyFilesIn(folder);
  const zipped = zip(Object.entries(files).map(([name, bytes]) => ({ name, bytes, stored: true })));
  const run = importedRun(zipped, experiment, basename(folder), adapter && modelAround(adapter));
  return from ? { ...run, origin: { kind: 'import', file: basename(folder), from } } : run;
}
