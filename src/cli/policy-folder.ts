/** Finds a policy's files in a folder that another program wrote: an adapter, or a checkpoint with a tokenizer. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { missingWeights, policyFileNames } from '../library/policy-files.ts';
import { adapterFileNames, insideMerged, pickledAdapter } from '../store/adapter-files.ts';
import { CommandError } from './training-run.ts';

const has = (folder: string, ...names: string[]) => names.every((name) => existsSync(join(folder, name)));
const isAdapter = (folder: string) => has(folder, 'adapter_config.json');

/** The folder itself if it is an adapter's, its `lora_adapter` if it is a merged folder of verl; null: neither. */
export function adapterFolder(folder: string): string | null {
  const inside = join(folder, insideMerged);
  return isAdapter(folder) ? folder : isAdapter(inside) ? inside : null;
}

/** The model in the folder around an adapter's, as verl's merger writes it; null: there is none. */
export function modelAround(adapter: string): string | null {
  const around = dirname(resolve(adapter));
  const weights = has(around, 'config.json') && readdirSync(around).some((name) => /\.safetensors$/.test(name));
  return weights ? around : null;
}

function filesIn(folder: string, names: readonly string[]): { [name: string]: Uint8Array } {
  const found = names.filter((name) => has(folder, name) && statSync(join(folder, name)).isFile());
  return Object.fromEntries(found.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
}

/** An adapter's files, with its own tokenizer and chat template. Throws CommandError without readable weights. */
export function adapterFilesIn(folder: string): { [name: string]: Uint8Array } {
  const files = filesIn(folder, adapterFileNames);
  if (files['adapter_model.safetensors']) return files;
  throw new CommandError(missingWeights(has(folder, pickledAdapter), folder));
}

/** The files of a checkpoint with its tokenizer. */
export const policyFilesIn = (folder: string) => filesIn(folder, policyFileNames);

/** Throws CommandError, naming the policies in the folders inside, such as a trainer's checkpoints. */
export function refuseFolder(folder: string): never {
  const inside = readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isDirectory())
    .filter((name) => adapterFolder(join(folder, name)) || has(join(folder, name), 'config.json', 'tokenizer.json'));
  if (inside.length)
    throw new CommandError(
      `${folder} contains no policy itself, but its folders ${inside.join(', ')} do: name one of them.`,
    );
  throw new CommandError(
    `${folder} contains no policy: adapter_config.json and adapter_model.safetensors are needed, or config.json, model.safetensors and tokenizer.json.`,
  );
}
