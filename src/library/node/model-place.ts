/**
 * Place of the language model that a command names: a folder, a `.gguf` file, a listed model, or a repository by its
 * address on a hub. A name of none of these is refused before anything is sent, because a path that does not exist looks
 * like a repository.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hubAddress, listedModel } from '../../models/names.ts';
import { isGguf } from '../../policy/formats/gguf-name.ts';
import { SourceError } from '../../store/weights-source.ts';

export type CommandModel =
  | { kind: 'folder'; folder: string }
  | { kind: 'gguf'; folder: string; file: string }
  | { kind: 'hub'; base: string | null; id: string; revision: string | null; gguf: string | null };

/** Part of a split GGUF file. */
const partName = /-\d{5}-of-\d{5}\.gguf$/;

/** Names of the parts of a GGUF file in its folder: the file itself, or all files of the split model. */
export function ggufNames({ folder, file }: { folder: string; file: string }): string[] {
  if (!partName.test(file)) return [file];
  const stem = file.replace(partName, '');
  return readdirSync(folder).filter((name) => partName.test(name) && name.replace(partName, '') === stem);
}

const hasModel = (folder: string) => existsSync(join(folder, 'config.json')) || readdirSync(folder).some(isGguf);

/** Throws SourceError if a model is at none of the places. */
export function modelAt(model: string): CommandModel {
  const listed = listedModel(model);
  const info = statSync(model, { throwIfNoEntry: false });
  // An empty folder may have a listed model's name.
  if (info?.isDirectory() && (!listed || hasModel(model))) return { kind: 'folder', folder: model };
  if (info?.isFile() && isGguf(model)) return { kind: 'gguf', folder: dirname(model), file: basename(model) };
  if (info?.isFile()) throw new SourceError('unreadable', `${model} is a file. A model is a folder or a .gguf file.`);
  if (listed) return { kind: 'hub', base: null, id: listed.repository, revision: null, gguf: null };
  const address = hubAddress(model);
  if (address) return { kind: 'hub', ...address };
  throw new SourceError('missing', unknown(model));
}

function unknown(model: string): string {
  const [, repository] = /^(https?:\/\/.*)\/(?:blob|resolve)\//.exec(model) ?? [];
  if (repository)
    return `${model} is the address of one file, which is not a .gguf file. Give the address of its repository: ${repository}`;
  const what = isGguf(model) ? 'file' : 'folder';
  const none = `There is no ${what} ${model}, and no listed model has this name.`;
  return /^\w[\w.-]*\/\w[\w.-]*$/.test(model) && what === 'folder'
    ? `${none} For a repository of the Hugging Face hub, give its address: https://huggingface.co/${model}`
    : `${none} Give the path of a folder or .gguf file, a listed model, or the address of a repository.`;
}
