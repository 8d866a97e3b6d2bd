/**
 * Checkpoint in Hugging Face's layout: `config.json`, `model.safetensors` (one file or several), `tokenizer.json`.
 * Loading checks every expected tensor by name and shape and refuses any other, so the engine never receives a partial
 * model.
 */
import { type ModelConfig, parameterShapes, parseConfig, writeConfig } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { parsedJson } from './json-text.ts';
import { readSafetensors, type Tensor, toFloat32, type WritableTensor, writeSafetensors } from './safetensors.ts';

export interface CheckpointFiles {
  /** Text of config.json. */
  config: string;
  /** Content of model.safetensors, or of its parts. */
  model: Uint8Array | readonly Uint8Array[];
  /** Text of tokenizer.json, if there is one. */
  tokenizer?: string | null;
}

export interface Checkpoint {
  config: ModelConfig;
  tensors: TensorMap;
  tokenizer: string | null;
}

/** Thrown for weights that do not match their config. Lists each tensor with the found and the expected shape. */
export class CheckpointError extends Error {
  override name = 'CheckpointError';
}

/** Largest number of names listed in a message; the rest are counted. */
const mostListed = 6;

function list(what: string, problems: readonly string[]): string[] {
  if (!problems.length) return [];
  const more = problems.length > mostListed ? ` and ${problems.length - mostListed} more` : '';
  return [`${what}: ${problems.slice(0, mostListed).join(', ')}${more}`];
}

const sameShape = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((n, i) => n === b[i]);

export const embeddingName = 'model.embed_tokens.weight';
export const headName = 'lm_head.weight';

export interface NamedParameters {
  /** The model's name of every stored tensor that it needs, by its stored name. Unknown tensors keep their name. */
  names: Map<string, string>;
  /** True if the config ties head and embedding but both are stored: the head's values decide. */
  hasTiedHead: boolean;
}

/**
 * Finds the parameters that stored tensors are, as transformers does: a base model's names get the prefix `model.`, and
 * a tied model's only table, `lm_head.weight`, is its embedding. Rotary tables are left out. Throws CheckpointError if
 * two stored tensors are the same parameter.
 */
export function namedParameters(config: ModelConfig, stored: Iterable<string>): NamedParameters {
  const parameters = parameterShapes({ ...config, tieWordEmbeddings: false });
  const names = new Map<string, string>();
  const found = new Map<string, string>();
  for (const name of stored) {
    if (name.endsWith('rotary_emb.inv_freq')) continue;
    const bare = name.replace(/^model\./, '');
    const own = parameters.has(bare) ? bare : parameters.has(`model.${name}`) ? `model.${name}` : name;
    const other = found.get(own);
    if (other !== undefined) throw new CheckpointError(`${other} and ${name} are the same parameter of the model`);
    found.set(own, name);
    names.set(name, own);
  }
  const { tieWordEmbeddings } = config;
  const head = found.get(headName);
  if (tieWordEmbeddings && head !== undefined && !found.has(embeddingName)) names.set(head, embeddingName);
  return { names, hasTiedHead: tieWordEmbeddings && head !== undefined && found.has(embeddingName) };
}

/**
 * Throws CheckpointError listing every tensor that is missing, unexpected, or of another shape than the config
 * requires.
 */
export function checkShapes(
  expected: ReadonlyMap<string, number[]>,
  found: ReadonlyMap<string, { shape: number[] }>,
  what = 'These weights do not fit their config.json.',
): void {
  const missing = [...expected].filter(([name]) => !found.has(name)).map(([name, shape]) => `${name} [${shape}]`);
  const extra = [...found].filter(([name]) => !expected.has(name)).map(([name, { shape }]) => `${name} [${shape}]`);
  const wrong = [...expected]
    .filter(([name, shape]) => found.has(name) && !sameShape(found.get(name)!.shape, shape))
    .map(([name, shape]) => `${name} is [${found.get(name)!.shape}], expected [${shape}]`);
  const problems = [
    ...list('wrong shape', wrong),
    ...list('missing', missing),
    ...list('not part of this model', extra),
  ];
  if (problems.length) throw new CheckpointError(`${what} ${problems.join('. ')}`);
}

function mergeParts(parts: readonly Uint8Array[]): Map<string, Tensor> {
  const all = new Map<string, Tensor>();
  for (const part of parts)
    for (const [name, tensor] of readSafetensors(part)) {
      if (all.has(name)) throw new CheckpointError(`${name} is in more than one of the ${parts.length} weight files`);
      all.set(name, tensor);
    }
  return all;
}

const parseJson = (text: string): unknown =>
  parsedJson(text, (problem) => new CheckpointError(`config.json ${problem}`));

function sameValues(a: Tensor, b: Tensor): boolean {
  if (!sameShape(a.shape, b.shape)) return false;
  const [ours, theirs] = [toFloat32(a, headName), toFloat32(b, embeddingName)];
  return ours.every((value, i) => value === theirs[i]);
}

/** Reads and checks a checkpoint. A head of its own makes the config's tied embeddings untied. Returns weights of any float dtype as f32, in the engine's order. */
export function loadCheckpoint(files: CheckpointFiles): Checkpoint {
  const stated = parseConfig(parseJson(files.config));
  const all = mergeParts(files.model instanceof Uint8Array ? [files.model] : files.model);
  const { names, hasTiedHead } = namedParameters(stated, all.keys());
  const found = new Map([...names].map(([stored, name]) => [name, all.get(stored)!]));
  const hasOwnHead = hasTiedHead && !sameValues(found.get(headName)!, found.get(embeddingName)!);
  if (hasTiedHead && !hasOwnHead) found.delete(headName);
  const config = hasOwnHead ? { ...stated, tieWordEmbeddings: false } : stated;
  const expected = parameterShapes(config);
  checkShapes(expected, found);
  const tensors: TensorMap = new Map();
  for (const [name, shape] of expected) tensors.set(name, { shape, data: toFloat32(found.get(name)!, name) });
  return { config, tensors, tokenizer: files.tokenizer ?? null };
}

export interface SavedCheckpoint {
  'config.json': string;
  'model.safetensors': Uint8Array<ArrayBuffer>;
  'tokenizer.json'?: string;
}

/** Files of a checkpoint. bf16 rounds to nearest even. */
export function saveCheckpoint(
  config: ModelConfig,
  tensors: TensorMap,
  tokenizer: string | null,
  dtype: 'float32' | 'bfloat16' = 'float32',
): SavedCheckpoint {
  const expected = parameterShapes(config);
  checkShapes(expected, tensors);
  const stored = new Map<string, WritableTensor>();
  for (const name of expected.keys()) {
    const { shape, data } = tensors.get(name)!;
    stored.set(name, dtype === 'bfloat16' ? { shape, data, dtype: 'BF16' } : { shape, data });
  }
  return {
    'config.json': writeConfig(config, dtype),
    'model.safetensors': writeSafetensors(stored, { format: 'pt' }),
    ...(tokenizer === null ? {} : { 'tokenizer.json': tokenizer }),
  };
}
