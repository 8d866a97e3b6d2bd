/**
 * Checkpoint in Hugging Face's layout: `config.json`, `model.safetensors` (one file or several), `tokenizer.json`.
 * Loading checks every expected tensor by name and shape and refuses any other, so the engine never receives a partial
 * model.
 */
import { type ModelConfig, parameterShapes, parseConfig, writeConfig } from '../config.ts';
import type { TensorMap } from '../policy.ts';
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

/**
 * True for tensors that some exporters add without new information: rotary tables, and a tied head that equals the
 * embedding.
 */
function isRedundant(name: string, tensors: ReadonlyMap<string, Tensor>, config: ModelConfig): boolean {
  if (name.endsWith('rotary_emb.inv_freq')) return true;
  if (name !== 'lm_head.weight' || !config.tieWordEmbeddings) return false;
  const head = tensors.get(name)!.data;
  const embedding = tensors.get('model.embed_tokens.weight')?.data;
  return !!embedding && head.length === embedding.length && head.every((value, i) => value === embedding[i]);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CheckpointError(`config.json is not JSON: ${(error as Error).message}`);
  }
}

/** Reads and checks a checkpoint. Returns weights of any float dtype as f32, in the engine's order. */
export function loadCheckpoint(files: CheckpointFiles): Checkpoint {
  const config = parseConfig(parseJson(files.config));
  const found = mergeParts(files.model instanceof Uint8Array ? [files.model] : files.model);
  for (const name of [...found.keys()]) if (isRedundant(name, found, config)) found.delete(name);
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
