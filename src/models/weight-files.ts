/**
 * Choice of a model's weight files, by the rules of transformers 5 (`from_pretrained`): the file that config.json names,
 * else model.safetensors, else the parts that model.safetensors.index.json lists. An index beside a single file is
 * taken for a leftover of an earlier save: its parts are not read.
 */
import { CheckpointError } from '../policy/formats/checkpoint.ts';
import { cut, parsedJson } from '../policy/formats/json-text.ts';
import { type ModelSource, SourceError, type SourceFile } from '../store/weights-source.ts';

const singleName = 'model.safetensors';
const indexName = 'model.safetensors.index.json';
const isPlain = (name: unknown): name is string => typeof name === 'string' && /^[\w.-]+$/.test(name);

/** The parts that an index lists, or null if there is no index. */
async function partsIn(source: ModelSource, name: string, signal: AbortSignal): Promise<SourceFile[] | null> {
  const text = await source.text(name, signal);
  if (text === null) return null;
  const names = [...new Set(Object.values(weightMap(name, text)))];
  if (!names.length) throw new CheckpointError(`${name} lists no weight files.`);
  if (!names.every(isPlain)) {
    const odd = names.find((part) => !isPlain(part));
    throw new CheckpointError(
      `${name} lists ${cut(JSON.stringify(odd))}; it must be the name of a file beside the index.`,
    );
  }
  const parts: SourceFile[] = [];
  for (const part of names.sort()) {
    const file = await source.file(part, signal);
    if (!file)
      throw new SourceError(
        'missing',
        `${source.label} has no ${part}, which ${name} lists. The upload is incomplete.`,
      );
    parts.push(file);
  }
  return parts;
}

function weightMap(name: string, text: string): { [tensor: string]: unknown } {
  const json = parsedJson(text, (problem) => new CheckpointError(`${name} ${problem}`));
  const { weight_map: map = {} } = (json ?? {}) as { weight_map?: unknown };
  if (typeof map === 'object' && map !== null) return map as { [tensor: string]: unknown };
  throw new CheckpointError(`${name} has a weight_map that is not an object.`);
}

/** The file, or the index, that `transformers_weights` of config.json names. */
async function namedFiles(source: ModelSource, name: unknown, signal: AbortSignal): Promise<SourceFile[]> {
  if (!isPlain(name) || !/\.safetensors(\.index\.json)?$/.test(name))
    throw new CheckpointError(
      `config.json names ${cut(JSON.stringify(name))} as transformers_weights; it must be a .safetensors file of this folder, or its index.`,
    );
  const file = name.endsWith('.json') ? null : await source.file(name, signal);
  const found = file ? [file] : name.endsWith('.json') ? await partsIn(source, name, signal) : null;
  if (found) return found;
  throw new SourceError('missing', `${source.label} has no ${name}, which config.json names as its weights.`);
}

/** Weights in forms that are not read, and what to do about each. */
const others: readonly { readonly pattern: RegExp; readonly remedy: string }[] = [
  { pattern: /^model-\d+-of-\d+\.safetensors$/, remedy: `its index, ${indexName}, is missing: copy it too` },
  { pattern: /^model\.[\w-]+\.safetensors$/, remedy: `it is a variant: rename it to ${singleName} to use it` },
  { pattern: /^adapter_model\./, remedy: 'it is an adapter: name its base as the model, or continue it with --from' },
  { pattern: /^consolidated.*\.safetensors$/, remedy: 'its tensors have other names: convert it with transformers' },
  { pattern: /\.(bin|pt|pth|ckpt|msgpack|h5)$/, remedy: 'save it as safetensors with transformers (save_pretrained)' },
];

function missing(source: ModelSource): SourceError {
  const names = source.names() ?? [];
  for (const { pattern, remedy } of others) {
    const found = names.find((name) => pattern.test(name));
    if (found) return new SourceError('missing', `${source.label} has no ${singleName}, but ${found}; ${remedy}.`);
  }
  return new SourceError(
    'missing',
    `${source.label} has no ${singleName} and no ${indexName}. Other formats (pytorch_model.bin) are not read; for GGUF, name the file.`,
  );
}

/** The weight files, in order. `json`: config.json, parsed. Rejects with a SourceError or a CheckpointError. */
export async function chooseWeights(source: ModelSource, json: unknown, signal: AbortSignal): Promise<SourceFile[]> {
  const named = (json as { transformers_weights?: unknown } | null)?.transformers_weights;
  if (named != null) return namedFiles(source, named, signal);
  const single = await source.file(singleName, signal);
  if (single) return [single];
  const parts = await partsIn(source, indexName, signal);
  if (parts) return parts;
  throw missing(source);
}
