/**
 * Names of a language model: in an experiment (a short id, a repository, or the key of a kept model), and in an
 * exported adapter, where Python expects a repository and, unless it is `main`, a revision.
 */
import type { Experiment } from '../experiment/experiment.ts';
import { type CatalogueEntry, catalogue } from '../policy/catalogue.ts';
import { isGguf } from '../policy/formats/gguf-name.ts';
import { publicHub } from '../store/weights-http.ts';

export { type CatalogueEntry, catalogue, downloadBytes } from '../policy/catalogue.ts';
export { publicHub } from '../store/weights-http.ts';

/** Model name in PEFT's form. */
export interface BaseName {
  /** `owner/name`, or the name of a folder. */
  name: string;
  /** Branch, tag or commit; null for main, or for a folder. */
  revision: string | null;
}

const repository = /^[\w.-]+\/[\w.-]+$/;
/**
 * `https://HUB/owner/name@revision`, followed by `#FILE` for a GGUF file. An address as a browser shows it has
 * `/tree/revision` or nothing after the name.
 */
const hubKey = /^(https?:\/\/.*?)\/([\w.-]+\/[\w.-]+?)(?:(?:@|\/tree\/)([^@#]+?))?\/?(?:#(.+))?$/;
/** Address of one file of a repository, as a hub's page for it and its download link have. */
const fileAddress = /^(https?:\/\/.*?\/[\w.-]+\/[\w.-]+)\/(?:blob|resolve)\/([^/#]+)\/([^#]+)$/;
/** `folder/LABEL@HASH`. */
const folderKey = /^folder\/(.+)@[0-9a-f]+(?:#.+)?$/;

/** A repository on a hub. */
export interface HubAddress {
  /** Address of the hub; null for the public one. */
  base: string | null;
  id: string;
  /** Null for main. */
  revision: string | null;
  /** A GGUF file of the repository. */
  gguf: string | null;
}

/** The text without percent escapes; unchanged if they are malformed. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Key for an address as a browser shows it: drops the query, and puts the path of a GGUF file after `#`. */
function keyOfAddress(address: string): string {
  const plain = address.replace(/^([^?#]*)\?[^#]*/, '$1');
  const [, repository, revision, file] = fileAddress.exec(plain) ?? [];
  return file && isGguf(file) ? `${repository}@${unescaped(revision)}#${unescaped(file)}` : plain;
}

/**
 * The repository that a key or an address names; null for other names. The address may be of a repository, of one of
 * its revisions, or of a GGUF file.
 */
export function hubAddress(model: string): HubAddress | null {
  const address = keyOfAddress(model);
  if (fileAddress.test(address)) return null;
  const [, hub, id, revision, gguf] = hubKey.exec(address) ?? [];
  if (!id) return null;
  return {
    base: hub === publicHub ? null : hub,
    id,
    revision: !revision || revision === 'main' ? null : revision,
    gguf: gguf ?? null,
  };
}

/** The listed model with this id or repository, in any case. */
export const listedModel = (model: string): CatalogueEntry | undefined =>
  catalogue.find(({ id, repository: name }) => [id, name.toLowerCase()].includes(model.toLowerCase()));

/** Path of a GGUF file: the file's name without extension and part number. */
const ggufPath = /^(?:.*[\\/])?([^\\/]+?)(?:-\d{5}-of-\d{5})?\.gguf$/i;

/**
 * Repository of an experiment's model. For a model from a folder, the folder's name; for a GGUF file, the file's name
 * without its path, which Python could not load; otherwise the name unchanged.
 */
export function baseNameOf(model: string): BaseName {
  const listed = catalogue.find(({ id }) => id === model.toLowerCase());
  if (listed) return { name: listed.repository, revision: null };
  const address = hubAddress(model);
  if (address) return { name: address.id, revision: address.revision };
  return { name: folderKey.exec(model)?.[1] ?? ggufPath.exec(model)?.[1] ?? model, revision: null };
}

/**
 * Where the page finds a model of an experiment. listed: by its name; repository: on the public hub; loaded: among the
 * models that were loaded here from a mirror, a folder or a file; path: nowhere, for a path of another computer.
 */
export function placeOf(model: string): 'listed' | 'repository' | 'loaded' | 'path' {
  if (listedModel(baseNameOf(model).name)) return 'listed';
  if (publicRepository(model) || repository.test(model)) return 'repository';
  return hubAddress(model) || folderKey.test(model) ? 'loaded' : 'path';
}

const same = (a: BaseName, b: BaseName) => a.name === b.name && a.revision === b.revision;

/**
 * Name for experiments of the model that an adapter names. `key` is the name in the experiment from which the adapter
 * was exported. It identifies a mirror, a folder or a file, and is used if it is a key of the named model.
 */
export function modelNamed(base: BaseName, key?: string): string {
  if (key && same(baseNameOf(key), base)) return key;
  const { name, revision } = base;
  if (revision && repository.test(name)) return `${publicHub}/${name}@${revision}`;
  return catalogue.find((entry) => entry.repository === name)?.id ?? name;
}

/** Repository and revision of a public hub's key; null for other keys and for those of a GGUF file. */
export function publicRepository(key: string): { id: string; revision: string } | null {
  if (!key.startsWith(`${publicHub}/`)) return null;
  const [id, revision, more] = key.slice(publicHub.length + 1).split('@');
  return repository.test(id) && revision && more === undefined && !revision.includes('#') ? { id, revision } : null;
}

/** The experiment with another name for its language model; unchanged if its policy has none. */
export const withModelName = (experiment: Experiment, model: string | null): Experiment =>
  model !== null && 'model' in experiment.policy
    ? { ...experiment, policy: { ...experiment.policy, model } }
    : experiment;
