/**
 * Adapter in the layout of Hugging Face's PEFT: `adapter_config.json` and `adapter_model.safetensors`. PEFT features
 * that this engine lacks (DoRA, trained biases, ranks by layer, ...) are refused by name, so that no adapter is applied
 * in part.
 */

import type { ModelConfig } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { adapterShapes, type LoraConfig, type Projection, projections } from '../weights/adapter.ts';
import { checkShapes } from './checkpoint.ts';
import { readMetadata, readSafetensors, toFloat32, writeSafetensors } from './safetensors.ts';

/** Thrown for an adapter that cannot be used here. Lists all unsupported fields. */
export class AdapterError extends Error {
  override name = 'AdapterError';
}

export interface Adapter {
  lora: LoraConfig;
  tensors: TensorMap;
}

/** Files of an adapter in a checkpoint's folder. */
export interface PeftFiles {
  'adapter_config.json': string;
  'adapter_model.safetensors': Uint8Array<ArrayBuffer>;
}

type Json = { readonly [field: string]: unknown };

/** True for a value without effect: absent, null, false, empty. */
const isUnset = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

/** Fields of adapter_config.json that change the meaning of an adapter, with the unsupported feature of each. */
const refused: { readonly [field: string]: string } = {
  use_dora: 'the magnitudes of DoRA',
  use_qalora: 'the pooled inputs of QA-LoRA',
  use_bdlora: 'block-diagonal adapters',
  lora_bias: 'a bias in lora_B',
  modules_to_save: 'whole modules trained beside the adapter',
  rank_pattern: 'a rank of its own for some modules',
  alpha_pattern: 'an alpha of its own for some modules',
  layers_to_transform: 'an adapter on some layers only',
  layer_replication: 'layers that are used twice',
  exclude_modules: 'modules that are left out by name',
  target_parameters: 'adapted parameters that are no linear layer',
  trainable_token_indices: 'trained rows of the embedding',
  fan_in_fan_out: 'transposed weights',
  alora_invocation_tokens: 'an adapter that some tokens switch on',
};

/** Initialisations that also change the base weights, so that the adapter alone does not define the model. */
const changesBase = /^(pissa|olora|corda|loftq|lora_ga)/i;

function unsupported(json: Json): string[] {
  const problems = Object.entries(refused)
    .filter(([field]) => !isUnset(json[field]))
    .map(([field, what]) => `${field} (${what})`);
  if (json.peft_type !== undefined && json.peft_type !== 'LORA') problems.push(`peft_type ${json.peft_type}`);
  if (json.bias !== undefined && json.bias !== 'none') problems.push(`bias "${json.bias}" (trained biases)`);
  if (typeof json.init_lora_weights === 'string' && changesBase.test(json.init_lora_weights))
    problems.push(`init_lora_weights "${json.init_lora_weights}" (it changes the base weights)`);
  return problems;
}

/** Reads `target_modules`: a list of the seven projections, or "all-linear". */
function readTargets(value: unknown): Projection[] {
  if (value === 'all-linear') return [...projections];
  if (!Array.isArray(value) || value.length === 0)
    throw new AdapterError(
      `target_modules ${JSON.stringify(value)} must be a list of modules; known are ${projections.join(', ')}.`,
    );
  const unknown = value.filter((name) => !projections.includes(name as Projection));
  if (unknown.length)
    throw new AdapterError(
      `target_modules names ${unknown.join(', ')}, which cannot be adapted here; known are ${projections.join(', ')}.`,
    );
  return projections.filter((name) => value.includes(name));
}

/** Parses the text of adapter_config.json. Throws AdapterError. */
export function parseAdapterConfig(text: string): LoraConfig {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch (error) {
    throw new AdapterError(`adapter_config.json is not JSON: ${(error as Error).message}`);
  }
  const problems = unsupported(json);
  if (problems.length) throw new AdapterError(`This adapter uses unsupported features: ${problems.join('; ')}.`);
  const { r, lora_alpha: alpha } = json;
  if (!Number.isInteger(r) || (r as number) < 1)
    throw new AdapterError(`r is ${r}; it must be a whole number, 1 or more.`);
  if (typeof alpha !== 'number' || !Number.isFinite(alpha))
    throw new AdapterError(`lora_alpha is ${alpha}; it must be a number.`);
  const lora = { rank: r as number, alpha, targets: readTargets(json.target_modules) };
  return json.use_rslora ? { ...lora, rankStabilized: true } : lora;
}

/** Reads and checks an adapter for a model. Returns matrices of any float dtype as f32. */
export function loadAdapter(model: ModelConfig, files: { config: string; tensors: Uint8Array }): Adapter {
  const lora = parseAdapterConfig(files.config);
  const found = readSafetensors(files.tensors);
  const expected = adapterShapes(model, lora);
  checkShapes(expected, found, 'This adapter does not fit its adapter_config.json and the model.');
  const tensors: TensorMap = new Map();
  for (const [name, shape] of expected) tensors.set(name, { shape, data: toFloat32(found.get(name)!, name) });
  return { lora, tensors };
}

/** Base model of an adapter. */
export interface AdapterBase {
  /** Repository or folder. */
  name: string | null;
  /** Revision of the repository; null for the main one. */
  revision?: string | null;
  /**
   * Tabgym's own name of the model, if it is more specific. Stored in the tensors' metadata, which other programs
   * ignore.
   */
  key?: string;
}

/** Metadata key of `AdapterBase.key` in adapter_model.safetensors. */
const keyField = 'tabgym.model';

/**
 * Reads the base model from adapter_config.json. `otherwise` is used if the file names none, as in adapters merged by
 * verl. Throws AdapterError if neither is given.
 */
export function readAdapterBase(
  config: string,
  tensors: Uint8Array,
  otherwise: string | null = null,
): { name: string } & AdapterBase {
  const { base_model_name_or_path: name, revision } = JSON.parse(config) as Json;
  if ((typeof name !== 'string' || !name) && otherwise !== null) return { name: otherwise, revision: null };
  if (typeof name !== 'string' || !name)
    throw new AdapterError('This adapter names no base model: add base_model_name_or_path to its adapter_config.json.');
  const known = typeof revision === 'string' && revision && revision !== 'main' ? revision : null;
  return { name, revision: known, key: readMetadata(tensors)[keyField] };
}

/** Writes an adapter's files. Tensors outside the adapter are left out. */
export function saveAdapter(
  model: ModelConfig,
  { lora, tensors }: Adapter,
  { name, revision = null, key }: AdapterBase,
): PeftFiles {
  const expected = adapterShapes(model, lora);
  const own: TensorMap = new Map([...tensors].filter(([name]) => expected.has(name)));
  checkShapes(expected, own, 'These tensors are not the whole adapter.');
  const json = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: name,
    ...(revision ? { revision } : {}),
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    target_modules: [...lora.targets],
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    modules_to_save: null,
    use_dora: false,
    use_rslora: lora.rankStabilized ?? false,
    rank_pattern: {},
    alpha_pattern: {},
  };
  return {
    'adapter_config.json': `${JSON.stringify(json, null, 2)}\n`,
    'adapter_model.safetensors': writeSafetensors(own, { format: 'pt', ...(key ? { [keyField]: key } : {}) }),
  };
}
