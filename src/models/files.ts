/**
 * Finds a model's files at a source without reading weights: its config, its small files, and the place of every tensor
 * in its weight files (one, or the parts listed in an index, or a GGUF file). Refuses a model that the engine does not
 * run, or whose tensors do not match its config.
 */

import { type ModelConfig, parameterShapes, parseConfig } from '../policy/config.ts';
import { CheckpointError, checkShapes } from '../policy/formats/checkpoint.ts';
import { firstPart, readGguf } from '../policy/formats/gguf.ts';
import { ggufTokenizer } from '../policy/formats/gguf-tokenizer.ts';
import { dataStartOf, readTable } from '../policy/formats/safetensors.ts';
import { type StoredTensor, storedTensor } from '../policy/weights/stored-tensor.ts';
import { type ModelSource, readRange, SourceError, type SourceFile } from '../store/weights-source.ts';

export interface WeightFile {
  file: SourceFile;
  /** Tensors of the model in this file, in byte order. */
  tensors: StoredTensor[];
}

export interface ModelFiles {
  config: ModelConfig;
  /**
   * config.json, tokenizer.json, and those of tokenizer_config.json, chat_template.jinja and generation_config.json
   * that exist.
   */
  texts: { [name: string]: string };
  weights: WeightFile[];
}

const weightsName = 'model.safetensors';
const indexName = 'model.safetensors.index.json';
const optionalTexts = ['tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'];

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CheckpointError(`${name} is not JSON: ${(error as Error).message}`);
  }
}

async function needed(source: ModelSource, name: string, signal: AbortSignal): Promise<string> {
  const text = await source.text(name, signal);
  if (text !== null) return text;
  throw new SourceError('missing', `${source.label} has no ${name}. Is it a language model in Hugging Face's layout?`);
}

async function fileOf(source: ModelSource, name: string, signal: AbortSignal): Promise<SourceFile> {
  const file = await source.file(name, signal);
  if (file) return file;
  throw new SourceError('missing', `${source.label} has no ${name}, which its index lists. The upload is incomplete.`);
}

/** Names of the weight files, in order. */
async function weightNames(source: ModelSource, signal: AbortSignal): Promise<string[]> {
  const index = await source.text(indexName, signal);
  if (index === null) return [weightsName];
  const map = (parseJson(indexName, index) as { weight_map?: { [tensor: string]: unknown } } | null)?.weight_map;
  const names = [...new Set(Object.values(map ?? {}))];
  if (names.length && names.every((name) => typeof name === 'string' && /^[\w.-]+$/.test(name)))
    return (names as string[]).sort();
  throw new CheckpointError(`${indexName} lists no weight files.`);
}

async function tableOf(file: SourceFile, signal: AbortSignal): Promise<StoredTensor[]> {
  const first = await readRange(file, 0, Math.min(8, file.bytes), signal);
  const head = await readRange(file, 0, dataStartOf(first, file.bytes), signal);
  return readTable(head, file.bytes)
    .sort((a, b) => a.start - b.start)
    .map(storedTensor);
}

/**
 * True for tensors that some exporters add without new information: rotary tables, and the head of a model that ties
 * it.
 */
const isRedundant = (name: string, config: ModelConfig) =>
  name.endsWith('rotary_emb.inv_freq') || (name === 'lm_head.weight' && config.tieWordEmbeddings);

/**
 * The files with the model's tensors only. Throws CheckpointError if a tensor is missing, unknown, duplicated or of the
 * wrong shape.
 */
function checked(config: ModelConfig, files: readonly WeightFile[]): WeightFile[] {
  const kept = files.map(({ file, tensors }) => ({
    file,
    tensors: tensors.filter(({ name }) => !isRedundant(name, config)),
  }));
  const all = kept.flatMap(({ tensors }) => tensors);
  const found = new Map(all.map((tensor) => [tensor.name, tensor]));
  const twice = all.find((tensor) => found.get(tensor.name) !== tensor);
  if (twice) throw new CheckpointError(`${twice.name} is in more than one of the ${files.length} weight files`);
  checkShapes(parameterShapes(config), found);
  return kept;
}

/**
 * Largest id in a tokenizer.json, of its vocabulary (an object by token, or a list in id order) or its added tokens.
 */
function largestId(json: unknown): number {
  const { model, added_tokens } = (json ?? {}) as { model?: { vocab?: object }; added_tokens?: { id: number }[] };
  const vocabulary = model?.vocab ?? {};
  const ids = Array.isArray(vocabulary)
    ? [vocabulary.length - 1]
    : Object.values(vocabulary as { [t: string]: number });
  return [...ids, ...(added_tokens ?? []).map(({ id }) => id)].reduce((a, b) => Math.max(a, b), -1);
}

/** Throws CheckpointError if a token has no row in the embedding. */
function checkTokenizer(config: ModelConfig, text: string): void {
  const largest = largestId(parseJson('tokenizer.json', text));
  if (largest < config.vocabSize) return;
  throw new CheckpointError(
    `The largest token id of tokenizer.json is ${largest}, but the embedding has ${config.vocabSize} rows, for ids up to ` +
      `${config.vocabSize - 1}. The tokenizer belongs to another model: take both from one repository.`,
  );
}

async function optional(source: ModelSource, signal: AbortSignal): Promise<{ [name: string]: string }> {
  const found = await Promise.all(optionalTexts.map(async (name) => [name, await source.text(name, signal)] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** Text files needed for a conversation, for a model whose weights are read elsewhere. */
export async function conversationTexts(source: ModelSource, signal: AbortSignal): Promise<{ [name: string]: string }> {
  const texts = ['config.json', 'tokenizer.json'].map(
    async (name) => [name, await needed(source, name, signal)] as const,
  );
  const found = Object.fromEntries(await Promise.all(texts));
  parseJson('config.json', found['config.json']);
  return { ...found, ...(await optional(source, signal)) };
}

async function safetensorsModel(source: ModelSource, signal: AbortSignal): Promise<ModelFiles> {
  const configText = await needed(source, 'config.json', signal);
  // The config comes first, so that an unsupported model is refused before its larger files are requested.
  const config = parseConfig(parseJson('config.json', configText));
  const tokenizer = await needed(source, 'tokenizer.json', signal);
  checkTokenizer(config, tokenizer);
  const texts = { 'config.json': configText, 'tokenizer.json': tokenizer, ...(await optional(source, signal)) };
  const weights: WeightFile[] = [];
  for (const name of await weightNames(source, signal)) {
    const file = name === weightsName ? await onlyFile(source, signal) : await fileOf(source, name, signal);
    weights.push({ file, tensors: await tableOf(file, signal) });
  }
  return { config, texts, weights: checked(config, weights) };
}

async function onlyFile(source: ModelSource, signal: AbortSignal): Promise<SourceFile> {
  const file = await source.file(weightsName, signal);
  if (file) return file;
  throw new SourceError(
    'missing',
    `${source.label} has no ${weightsName}. Other formats (pytorch_model.bin) are not read; for GGUF, name the file.`,
  );
}

/** Model in a GGUF file, or in the parts of a split model, of which `chosen` names any. */
async function ggufModel(source: ModelSource, chosen: string, signal: AbortSignal): Promise<ModelFiles> {
  const files = new Map<string, SourceFile>();
  const open = async (name: string) => {
    const file = await source.file(name, signal);
    if (!file) return null;
    files.set(name, file);
    return { name, bytes: file.bytes, read: (start: number, end: number) => readRange(file, start, end, signal) };
  };
  const name = firstPart(chosen);
  const first = await open(name);
  if (!first) throw new SourceError('missing', `${source.label} has no ${name}. Check the spelling.`);
  const { config, json, metadata, parts } = await readGguf(first, open);
  const made = ggufTokenizer(metadata);
  const texts = {
    'config.json': JSON.stringify(json, null, 1),
    'tokenizer.json': JSON.stringify(made.tokenizer),
    'tokenizer_config.json': JSON.stringify(made.config, null, 1),
  };
  checkTokenizer(config, texts['tokenizer.json']);
  const weights = parts.map((part) => ({ file: files.get(part.name)!, tensors: part.tensors }));
  return { config, texts, weights: checked(config, weights) };
}

/** Name of the only GGUF model in a folder without safetensors, or null. A split model counts once. */
function onlyGguf(source: ModelSource): string | null {
  const names = source.names();
  if (!names || names.some((name) => name.endsWith('.safetensors'))) return null;
  const found = [...new Set(names.filter((name) => name.endsWith('.gguf')).map(firstPart))];
  if (found.length > 1)
    throw new SourceError(
      'unreadable',
      `${source.label} holds ${found.length} GGUF files: choose one (${found.join(', ')}).`,
    );
  return found[0] ?? null;
}

/**
 * Finds a model's files. `gguf` names a GGUF file to read instead of the safetensors. Rejects with messages written for
 * a person.
 */
export function findModelFiles(source: ModelSource, gguf: string | null, signal: AbortSignal): Promise<ModelFiles> {
  const name = gguf ?? onlyGguf(source);
  return name ? ggufModel(source, name, signal) : safetensorsModel(source, signal);
}
