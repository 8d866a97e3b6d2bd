/**
 * PEFT's `adapter_config.json`: which modules of a model have an adapter, and its rank and alpha in each, by the rules of
 * PEFT 0.21 (`check_target_module_exists`, `get_pattern_key`). Features that this engine lacks are refused by name, all
 * at once, so that no adapter is applied in part.
 */
import { cut, parsedJson } from './json-text.ts';
import { type PythonRegex, PythonRegexError, pythonRegex } from './python-regex.ts';

/** Thrown for an adapter that cannot be used here. Lists all unsupported fields. */
export class AdapterError extends Error {
  override name = 'AdapterError';
}

/** The parts of a config that this engine reads. */
export interface PeftConfig {
  /** r, which the experiments of a hand-off know too. */
  rank: number;
  rankStabilized: boolean;
  /** True if the module has an adapter. `model.layers.0.self_attn.q_proj` is such a name. */
  targets(module: string): boolean;
  rankOf(module: string): number;
  alphaOf(module: string): number;
}

type Json = { readonly [field: string]: unknown };
type Matcher = (module: string) => boolean;

/** True for a value without effect: absent, null, false, empty. */
const isUnset = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

/** Fields that change the meaning of an adapter, with the unsupported feature of each. */
const refused: { readonly [field: string]: string } = {
  use_dora: 'the magnitudes of DoRA',
  use_qalora: 'the pooled inputs of QA-LoRA',
  lora_bias: 'a bias in lora_B',
  modules_to_save: 'whole modules trained beside the adapter',
  layer_replication: 'layers that are used twice',
  target_parameters: 'adapted parameters that are not linear layers',
  enable_lora: 'adapters on some parts of a fused layer',
};

/** Fields of the same kind that have an effect with any value but null. */
const refusedUnlessNull: { readonly [field: string]: string } = {
  use_bdlora: 'block-diagonal adapters',
  trainable_token_indices: 'trained rows of the embedding',
  alora_invocation_tokens: 'an adapter that some tokens switch on',
  arrow_config: 'a router of several adapters',
  kasa_config: 'the singular values of KaSA',
  monteclora_config: 'the sampling of MonteCLoRA',
  velora_config: 'the compressed inputs of VeLoRA',
  megatron_config: "the layers of Megatron's model",
};

/**
 * Fields that are read below, or without an effect on a trained adapter: `fan_in_fan_out` belongs to other layers than
 * these models' linear ones (PEFT sets it to false), the settings of initialisations have done their work.
 */
const known = [
  ...['peft_type', 'task_type', 'bias', 'r', 'lora_alpha', 'use_rslora', 'rank_pattern', 'alpha_pattern'],
  ...['target_modules', 'exclude_modules', 'layers_to_transform', 'layers_pattern', 'init_lora_weights'],
  ...['auto_mapping', 'base_model_name_or_path', 'revision', 'inference_mode', 'lora_dropout', 'fan_in_fan_out'],
  ...['loftq_config', 'eva_config', 'corda_config', 'lora_ga_config', 'megatron_core', 'qalora_group_size'],
  ...['ensure_weight_tying', 'runtime_config', 'merge_weights', 'peft_version'],
];

/** Initialisations that leave the base weights as they are. The others change them, or are unknown. */
const plainStarts = ['gaussian', 'eva', 'orthogonal', 'mica'];

function unsupported(json: Json): string[] {
  const problems = [
    ...Object.keys(refused).filter((field) => !isUnset(json[field])),
    ...Object.keys(refusedUnlessNull).filter((field) => json[field] !== undefined && json[field] !== null),
  ].map((field) => `${field} (${refused[field] ?? refusedUnlessNull[field]})`);
  if (json.peft_type !== 'LORA')
    problems.push(`peft_type ${shown(json.peft_type) ?? 'is missing'} (only LORA is read)`);
  if (!isUnset(json.task_type) && json.task_type !== 'CAUSAL_LM')
    problems.push(`task_type ${cut(JSON.stringify(json.task_type) ?? 'absent')} (only CAUSAL_LM is read)`);
  if (json.bias !== undefined && json.bias !== 'none')
    problems.push(`bias ${cut(JSON.stringify(json.bias))} (trained biases)`);
  const start = json.init_lora_weights;
  if (!isUnset(start) && start !== true && !plainStarts.includes(String(start).toLowerCase()))
    problems.push(`init_lora_weights ${cut(JSON.stringify(start))} (it changes the base weights, or is unknown)`);
  return [...problems, ...unknownFields(json)];
}

/**
 * Fields of later versions and of other programs. Texts and numbers are notes and sizes; a switch or settings may turn
 * on a feature that is not known here.
 */
function unknownFields(json: Json): string[] {
  return Object.keys(json)
    .filter((field) => !known.includes(field) && !(field in refused) && !(field in refusedUnlessNull))
    .filter(
      (field) => !field.startsWith('unsloth') && !isUnset(json[field]) && /object|boolean/.test(typeof json[field]),
    )
    .map((field) => `${cut(field)} (an unknown field: take it out if it does not change what the adapter computes)`);
}

/** A value in a message; a text without its quotes. */
const shown = (value: unknown): string | undefined =>
  value === undefined ? undefined : cut(typeof value === 'string' ? value : JSON.stringify(value));

const texts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** A field's regular expression. It and its matches throw AdapterError. */
function regexOf(field: string, pattern: string): PythonRegex {
  const named = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof PythonRegexError) throw new AdapterError(`${field}: ${error.message}.`);
      throw error;
    }
  };
  const regex = named(() => pythonRegex(pattern));
  return { fullmatch: (text) => named(() => regex.fullmatch(text)), match: (text) => named(() => regex.match(text)) };
}

/** `target_modules` or `exclude_modules`: a regular expression for the whole name, or a list of names and their ends. */
function moduleMatcher(field: string, value: unknown): { exactly: Matcher; atEnd: Matcher } {
  const never = () => false;
  if (typeof value === 'string') return { exactly: regexOf(field, value).fullmatch, atEnd: never };
  if (!texts(value))
    throw new AdapterError(
      `${field} is ${cut(JSON.stringify(value) ?? 'absent')}; it must be a list of modules or a regular expression.`,
    );
  const names = new Set(value);
  return { exactly: (module) => names.has(module), atEnd: (module) => value.some((end) => module.endsWith(`.${end}`)) };
}

/** PEFT's targets for Llama, Qwen2 and Qwen3 if a config names none. */
const defaultTargets = ['q_proj', 'v_proj'];
const allLinear = /^model\.layers\.\d+\.(self_attn|mlp)\.\w+_proj$/;

/** From this number of names on, PEFT replaces them by common ends, to which the choice of layers then applies. */
const manyNames = 20;

function targetsOf(json: Json): Matcher {
  const { layers_to_transform: layers, exclude_modules: excluded } = json;
  const value = json.target_modules ?? defaultTargets;
  const restricted = layers !== undefined && layers !== null;
  const patterned = typeof json.layers_pattern === 'string' || !isUnset(json.layers_pattern);
  if (typeof value === 'string' && (restricted || (json.layers_pattern ?? null) !== null))
    throw new AdapterError('layers_to_transform and layers_pattern need a list in target_modules, not a text.');
  if (patterned && !restricted) throw new AdapterError('layers_pattern is set without layers_to_transform.');
  if (restricted && Array.isArray(value) && value.length >= manyNames)
    throw new AdapterError(`layers_to_transform beside ${value.length} target_modules is not supported.`);
  const { exactly, atEnd } =
    typeof value === 'string' && value.toLowerCase() === 'all-linear'
      ? { exactly: (module: string) => allLinear.test(module), atEnd: () => false }
      : moduleMatcher('target_modules', value);
  const inLayer = layerMatcher(layers, json.layers_pattern);
  const out = isUnset(excluded) || excluded === '' ? null : moduleMatcher('exclude_modules', excluded);
  return (module) =>
    !(out?.exactly(module) || out?.atEnd(module)) && (exactly(module) || (atEnd(module) && inLayer(module)));
}

/** `layers_to_transform`: a number or a list; `layers_pattern`: names of the model's list of layers. */
function layerMatcher(layers: unknown, pattern: unknown): Matcher {
  const list = typeof layers === 'number' ? [layers] : (layers ?? []);
  if (!Array.isArray(list) || !list.every((each) => Number.isInteger(each)))
    throw new AdapterError(
      `layers_to_transform is ${cut(JSON.stringify(layers) ?? 'absent')}; it must be a layer or a list of layers.`,
    );
  if (!list.length) return () => true;
  const names = isUnset(pattern) || pattern === '' ? [] : typeof pattern === 'string' ? [pattern] : pattern;
  if (!texts(names))
    throw new AdapterError(
      `layers_pattern is ${cut(JSON.stringify(pattern) ?? 'absent')}; it must be a name or a list of names.`,
    );
  const before = names.map((name) => regexOf('layers_pattern', `(?:^|.*?\\.)${name}\\.\\d+\\.`).match);
  return (module) => {
    const index = /^model\.layers\.(\d+)\./.exec(module)?.[1];
    return (
      index !== undefined && list.includes(Number(index)) && (!before.length || before.some((match) => match(module)))
    );
  };
}

/** True if the name equals the key or ends with a dot and the key. A dot in the key matches any character. */
function endsWithKey(name: string, key: string): boolean {
  const start = name.length - key.length;
  if (start < 0 || (start > 0 && name[start - 1] !== '.')) return false;
  return [...key].every((char, i) => char === '.' || char === name[start + i]);
}

/** `rank_pattern` or `alpha_pattern`: the value of the first key whose regular expression matches the end of a name. */
function patternOf(json: Json, field: string, allowed: (value: number) => boolean) {
  const value = json[field] ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new AdapterError(
      `${field} is ${cut(JSON.stringify(value) ?? 'absent')}; it must have a number for each pattern.`,
    );
  const entries = Object.entries(value as Json).map(([key, number]) => {
    if (typeof number !== 'number' || !allowed(number))
      throw new AdapterError(
        `${field} has ${cut(JSON.stringify(number) ?? 'absent')} for ${cut(key)}, which is not possible.`,
      );
    const plain = /^[\w.]+$/.test(key);
    const matches: Matcher = plain ? (module) => endsWithKey(module, key) : regexOf(field, `(.*\\.)?(${key})$`).match;
    return { matches, number };
  });
  return (module: string) => entries.find(({ matches }) => matches(module))?.number;
}

function parseJson(text: string): Json {
  const json = parsedJson(text, (problem) => new AdapterError(`adapter_config.json ${problem}`));
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new AdapterError('adapter_config.json is not a JSON object.');
}

const noAlpha =
  "lora_alpha is 0, with which an adapter has no effect. verl's model merger writes 0 where the checkpoint has no " +
  'lora_train_meta.json. Write the alpha of the training into adapter_config.json, or bring the adapter with its ' +
  'experiment: npm run train -- EXPERIMENT --from FOLDER.';

/** Rank and alpha of a training, known from its own settings. */
export type KnownScale = { rank: number; alpha: number };

const isRank = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1;

/**
 * Parses the text of adapter_config.json. `own` replaces an alpha of 0 if the ranks are equal. Throws AdapterError.
 */
export function parsePeftConfig(text: string, own: KnownScale | null = null): PeftConfig {
  const json = parseJson(text);
  const problems = unsupported(json);
  if (problems.length) throw new AdapterError(`This adapter uses unsupported features: ${problems.join('; ')}.`);
  // Absent fields have PEFT's defaults.
  const { r: rank = 8, lora_alpha: written = 8 } = json;
  const rankStabilized = json.use_rslora ?? false;
  if (!isRank(rank)) throw new AdapterError(`r is ${cut(JSON.stringify(rank))}; it must be a whole number, 1 or more.`);
  if (typeof written !== 'number' || written < 0 || !Number.isFinite(written))
    throw new AdapterError(`lora_alpha is ${shown(written)}; it must be a finite number above 0.`);
  if (typeof rankStabilized !== 'boolean')
    throw new AdapterError(
      `use_rslora is ${cut(JSON.stringify(rankStabilized) ?? 'absent')}; it must be true or false.`,
    );
  const alpha = written === 0 && own?.rank === rank ? own.alpha : written;
  const [rankIn, alphaIn] = [
    patternOf(json, 'rank_pattern', isRank),
    patternOf(json, 'alpha_pattern', (n) => n > 0 && Number.isFinite(n)),
  ];
  return {
    rank,
    rankStabilized,
    targets: targetsOf(json),
    rankOf: (module) => rankIn(module) ?? rank,
    alphaOf: (module) => {
      const found = alphaIn(module) ?? alpha;
      if (found === 0) throw new AdapterError(noAlpha);
      return found;
    },
  };
}

/** Repository or folder of the base model, and its revision unless that is the main one. */
export function namedBase(text: string): { name: string | null; revision: string | null } {
  const { base_model_name_or_path: name, revision } = parseJson(text);
  return {
    name: typeof name === 'string' && name ? name : null,
    revision: typeof revision === 'string' && revision && revision !== 'main' ? revision : null,
  };
}
