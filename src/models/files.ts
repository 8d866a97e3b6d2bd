/**
 * Finds a model's files at a source without reading weights: its config, its small files, and the place of every tensor
 * in its weight files (one, or the parts listed in an index, or a GGUF file). Refuses a model that the engine does not
 * run, or whose tensors do not match its config.
 */

import { type ModelConfig, parameterShapes, parseConfig } from '../policy/config.ts';
import {
  CheckpointError,
  checkShapes,
  embeddingName,
  headName,
  namedParameters,
} from '../policy/formats/checkpoint.ts';
import { firstPart, readGguf } from '../policy/formats/gguf.ts';
import { isGguf } from '../policy/formats/gguf-name.ts';
import { ggufTokenizer } from '../policy/formats/gguf-tokenizer.ts';
import { cut, parsedJson } from '../policy/formats/json-text.ts';
import { dataStartOf, readTable } from '../policy/formats/safetensors.ts';
import { checkShape } from '../policy/text/hf/shape.ts';
import { withNamedTokens } from '../policy/text/named-tokens.ts';
import { type StoredTensor, storedTensor } from '../policy/weights/stored-tensor.ts';
import { type ModelSource, readRange, SourceError, type SourceFile } from '../store/weights-source.ts';
import { headDiffers } from './tied-head.ts';
import { chooseWeights } from './weight-files.ts';

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
  /** True if the files repeat a tied embedding as the head. It is compared while the weights are loaded. */
  hasHeadCopy: boolean;
}

const optionalTexts = [
  ...['tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'],
  ...['special_tokens_map.json', 'added_tokens.json', 'adapter_config.json'],
];
/**
 * A folder's template that precedes all others, and that of conversations with tools, as in transformers. They are read
 * from folders only.
 */
const defaultTemplate = 'additional_chat_templates/default.jinja';
const toolTemplate = 'additional_chat_templates/tool_use.jinja';

const parseJson = (name: string, text: string): unknown =>
  parsedJson(text, (problem) => new CheckpointError(`${name} ${problem}`));

type Fields = { [field: string]: unknown };

/** The fields of a JSON file. */
function fieldsIn(name: string, text: string): Fields {
  const json = parseJson(name, text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Fields;
  throw new CheckpointError(`${name} must be an object of JSON.`);
}

async function needed(source: ModelSource, name: string, signal: AbortSignal): Promise<string> {
  const text = await source.text(name, signal);
  if (text !== null) return text;
  if (name === 'config.json' && source.names()?.includes('adapter_config.json'))
    throw new SourceError(
      'missing',
      `${source.label} is an adapter, not a model: name its base as the model, or continue it with --from.`,
    );
  throw new SourceError('missing', `${source.label} has no ${name}. Is it a language model in Hugging Face's layout?`);
}

async function tableOf(file: SourceFile, signal: AbortSignal): Promise<StoredTensor[]> {
  const first = await readRange(file, 0, Math.min(8, file.bytes), signal);
  const head = await readRange(file, 0, dataStartOf(first, file.bytes), signal);
  return readTable(head, file.bytes)
    .sort((a, b) => a.start - b.start)
    .map(storedTensor);
}

function twiceStored(name: string, files: readonly WeightFile[]): string {
  const [first, second] = files.filter(({ tensors }) => tensors.some((tensor) => tensor.name === name));
  return (
    `${name} is in more than one of the ${files.length} weight files: ${first.file.name} and ${second.file.name}. ` +
    'Save the model into an empty folder.'
  );
}

/** The config, its text and the weights with the model's tensors only. */
type Placed = Omit<ModelFiles, 'texts'> & { configText: string };

/**
 * Names the stored tensors as the model's parameters, and reads a head that differs from a tied embedding as the
 * model's own. Rejects with a CheckpointError if a tensor is missing, unknown, duplicated or of the wrong shape.
 */
async function placed(
  configText: string,
  stated: ModelConfig,
  files: readonly WeightFile[],
  signal: AbortSignal,
): Promise<Placed> {
  const stored = files.flatMap(({ tensors }) => tensors);
  const found = new Map(stored.map((tensor) => [tensor.name, tensor]));
  const twice = stored.find((tensor) => found.get(tensor.name) !== tensor);
  if (twice) throw new CheckpointError(twiceStored(twice.name, files));
  const { names, hasTiedHead } = namedParameters(stated, found.keys());
  const weights = files.map(({ file, tensors }) => ({
    file,
    tensors: tensors.flatMap((tensor) =>
      names.has(tensor.name) ? [{ ...tensor, name: names.get(tensor.name)! }] : [],
    ),
  }));
  const all = new Map(weights.flatMap(({ file, tensors }) => tensors.map((tensor) => [tensor.name, { file, tensor }])));
  const hasOwnHead = hasTiedHead && (await headDiffers(all.get(embeddingName)!, all.get(headName)!, signal));
  const config = hasOwnHead ? { ...stated, tieWordEmbeddings: false } : stated;
  const hasHeadCopy = hasTiedHead && !hasOwnHead;
  const parameters = new Map([...all].map(([name, { tensor }]) => [name, tensor]));
  if (hasHeadCopy) parameters.delete(headName);
  checkShapes(parameterShapes(config), parameters);
  const untied = () => JSON.stringify({ ...JSON.parse(configText), tie_word_embeddings: false }, null, 1);
  return { config, configText: hasOwnHead ? untied() : configText, weights, hasHeadCopy };
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
  const json = parseJson('tokenizer.json', text);
  try {
    checkShape(json);
  } catch (error) {
    throw new CheckpointError(`tokenizer.json has ${(error as Error).message}, which is not read.`);
  }
  const largest = largestId(json);
  if (largest < config.vocabSize) return;
  throw new CheckpointError(
    `The largest token id of tokenizer.json is ${largest}, but the embedding has ${config.vocabSize} rows, for ids up to ` +
      `${config.vocabSize - 1}. The tokenizer belongs to another model: take both from one repository.`,
  );
}

/** Ids by text. Throws CheckpointError for another value. */
function addedTokensIn(json: Fields | null) {
  const wrong = Object.entries(json ?? {}).find(([, id]) => !Number.isInteger(id) || (id as number) < 0);
  if (!wrong) return json;
  throw new CheckpointError(
    `added_tokens.json has ${JSON.stringify(wrong[1])} for ${cut(wrong[0])}; it must be an id.`,
  );
}

/** tokenizer_config.json with a folder's template for tools beside the other one, as a list. */
function withToolTemplate(config: Fields | null, texts: { [name: string]: string }): Fields | null {
  const template = texts[toolTemplate];
  if (template === undefined) return config;
  const plain = texts['chat_template.jinja'] ?? config?.chat_template;
  delete texts['chat_template.jinja'];
  const named = (name: string, text: unknown) => ({ name, template: text });
  return { ...config, chat_template: [named('default', plain), named('tool_use', template)] };
}

/** Settings of a generation that force or exclude tokens, with values that change nothing. */
const constraints: { readonly [field: string]: readonly unknown[] } = {
  ...{ forced_bos_token_id: [], forced_eos_token_id: [], min_length: [0], min_new_tokens: [0] },
  ...{ suppress_tokens: [], begin_suppress_tokens: [], bad_words_ids: [], sequence_bias: [], force_words_ids: [] },
  ...{ constraints: [], exponential_decay_length_penalty: [], guidance_scale: [1], num_beams: [1] },
};

/**
 * Throws CheckpointError for settings of generation_config.json that replies here would not follow, and for end tokens that are no ids. Temperature, top_p,
 * top_k and penalties are defaults, which the experiment's sampling replaces.
 */
function checkGeneration(json: Fields): void {
  const { eos_token_id: ends } = json;
  if (ends != null && ![ends].flat().every((id) => Number.isInteger(id)))
    throw new CheckpointError(
      `generation_config.json has ${cut(JSON.stringify(ends))} for eos_token_id; it must be a token id or a list of token ids.`,
    );
  const isEmpty = (value: unknown) => value == null || (typeof value === 'object' && Object.keys(value).length === 0);
  const found = Object.keys(constraints).filter(
    (name) => !isEmpty(json[name]) && !constraints[name].includes(json[name]),
  );
  if (!found.length) return;
  throw new CheckpointError(
    `generation_config.json sets ${found.map((name) => `${name} ${cut(JSON.stringify(json[name]))}`).join(', ')}, which replies here would not follow: ` +
      'take it out to use the model without.',
  );
}

/**
 * The optional texts that exist. tokenizer_config.json has all named tokens, from whichever file they come. Throws
 * SourceError if an adapter lies beside the model.
 */
async function optional(
  source: ModelSource,
  configText: string,
  tokenizer: string,
  signal: AbortSignal,
): Promise<{ [name: string]: string }> {
  const further = [defaultTemplate, toolTemplate].filter((name) => source.names()?.includes(name));
  const names = [...optionalTexts, ...further];
  const found = await Promise.all(names.map(async (name) => [name, await source.text(name, signal)] as const));
  const texts = Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
  if (texts['adapter_config.json'] !== undefined)
    throw new SourceError(
      'unreadable',
      `${source.label} holds an adapter (adapter_config.json) beside a model, and transformers would add it to the model. ` +
        'Move one of them to a folder of its own.',
    );
  if (texts[defaultTemplate] !== undefined) texts['chat_template.jinja'] = texts[defaultTemplate];
  const json = (name: string) => (name in texts ? fieldsIn(name, texts[name]) : null);
  checkGeneration(json('generation_config.json') ?? {});
  const config = withToolTemplate(json('tokenizer_config.json'), texts);
  const named = withNamedTokens({
    tokenizer,
    config,
    specialTokensMap: json('special_tokens_map.json'),
    addedTokens: addedTokensIn(json('added_tokens.json')),
    modelType: (parseJson('config.json', configText) as { model_type?: unknown } | null)?.model_type,
  });
  if (named && (named !== config || toolTemplate in texts))
    texts['tokenizer_config.json'] = JSON.stringify(named, null, 2);
  delete texts['special_tokens_map.json'];
  delete texts['added_tokens.json'];
  for (const name of further) delete texts[name];
  return texts;
}

/** Text files needed for a conversation, for a model whose weights are read elsewhere. */
export async function conversationTexts(source: ModelSource, signal: AbortSignal): Promise<{ [name: string]: string }> {
  const texts = ['config.json', 'tokenizer.json'].map(
    async (name) => [name, await needed(source, name, signal)] as const,
  );
  const found = Object.fromEntries(await Promise.all(texts));
  return { ...found, ...(await optional(source, found['config.json'], found['tokenizer.json'], signal)) };
}

/** Options of a search for a model's files. */
export interface FindOptions {
  /** GGUF file to read instead of the safetensors. */
  gguf: string | null;
  tokenizer: 'needed' | 'optional';
  signal: AbortSignal;
}

async function tokenizerOf(source: ModelSource, config: ModelConfig, { tokenizer, signal }: FindOptions) {
  const text =
    tokenizer === 'needed'
      ? await needed(source, 'tokenizer.json', signal)
      : await source.text('tokenizer.json', signal);
  if (text !== null) checkTokenizer(config, text);
  return text;
}

async function safetensorsModel(source: ModelSource, options: FindOptions): Promise<ModelFiles> {
  const { signal } = options;
  const stated = await needed(source, 'config.json', signal);
  const json = parseJson('config.json', stated);
  // The config comes first, so that an unsupported model is refused before its larger files are requested.
  const statedConfig = parseConfig(json);
  const tokenizer = await tokenizerOf(source, statedConfig, options);
  const others = await optional(source, stated, tokenizer ?? '', signal);
  const weights: WeightFile[] = [];
  for (const file of await chooseWeights(source, json, signal))
    weights.push({ file, tensors: await tableOf(file, signal) });
  const { configText, ...found } = await placed(stated, statedConfig, weights, signal);
  const texts = {
    'config.json': configText,
    ...(tokenizer === null ? {} : { 'tokenizer.json': tokenizer }),
    ...others,
  };
  return { ...found, texts };
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
    'tokenizer.json': JSON.stringify(made.tokenizer),
    'tokenizer_config.json': JSON.stringify(made.config, null, 1),
  };
  checkTokenizer(config, texts['tokenizer.json']);
  const weights = parts.map((part) => ({ file: files.get(part.name)!, tensors: part.tensors }));
  const { configText, ...found } = await placed(JSON.stringify(json, null, 1), config, weights, signal);
  return { ...found, texts: { 'config.json': configText, ...texts } };
}

/** Name of the only GGUF model in a folder without safetensors, or null. A split model counts once. */
function onlyGguf(source: ModelSource): string | null {
  const names = source.names();
  if (!names || names.some((name) => name.endsWith('.safetensors'))) return null;
  const found = [...new Set(names.filter(isGguf).map(firstPart))];
  if (found.length > 1)
    throw new SourceError(
      'unreadable',
      `${source.label} holds ${found.length} GGUF files: choose one (${found.join(', ')}).`,
    );
  return found[0] ?? null;
}

/** Finds a model's files. Rejects with messages written for a person. */
export function findModelFiles(source: ModelSource, options: FindOptions): Promise<ModelFiles> {
  const name = options.gguf ?? onlyGguf(source);
  return name ? ggufModel(source, name, options.signal) : safetensorsModel(source, options);
}
