/**
 * Adapter in the layout of Hugging Face's PEFT: `adapter_config.json` and `adapter_model.safetensors`. Every tensor is
 * checked: one that the config or the model has no place for is refused by name, so that no adapter is applied in part.
 *
 * The engine has one rank and one scale for an adapter. Smaller ranks are filled up with zeros, other scales are
 * multiplied into B. Both compute the same, and values that are zero in A and in B stay zero in training, because each
 * is a factor of the other's gradient.
 */

import { type ModelConfig, parameterShapes } from '../config.ts';
import { parametersOf } from '../moments.ts';
import type { TensorMap } from '../policy.ts';
import {
  adapterShapes,
  type LoraConfig,
  loraScale,
  type Projection,
  projectionModule,
  projections,
} from '../weights/adapter.ts';
import { checkShapes } from './checkpoint.ts';
import { cut } from './json-text.ts';
import { AdapterError, type KnownScale, namedBase, type PeftConfig, parsePeftConfig } from './peft-config.ts';
import { readMetadata, readSafetensors, type Tensor, toFloat32, writeSafetensors } from './safetensors.ts';

export interface Adapter {
  lora: LoraConfig;
  tensors: TensorMap;
}

/** Files of an adapter in a checkpoint's folder. */
export interface PeftFiles {
  'adapter_config.json': string;
  'adapter_model.safetensors': Uint8Array<ArrayBuffer>;
}

/** Contents of an adapter's files: the text of the config, and the tensors. */
interface AdapterContents {
  config: string;
  tensors: Uint8Array;
}

/** Inputs and outputs of each projection. */
type Sizes = ReadonlyMap<Projection, { inputs: number; outputs: number }>;

/** Adapted projection of one layer. */
interface AdaptedModule {
  layer: number;
  projection: Projection;
  rank: number;
  scale: number;
}

/** More layers than any model of these families has. */
const mostLayers = 1024;

const matrix = (layer: number, projection: Projection, which: 'A' | 'B') =>
  `base_model.model.${projectionModule(layer, projection)}.lora_${which}.weight`;

const merging =
  'Merge the adapter into its model in Python (PeftModel.from_pretrained(model, FOLDER).merge_and_unload().save_pretrained(MERGED), ' +
  'and the tokenizer beside it), and bring MERGED.';

/** Names that other programs give an adapter's tensors. PEFT passes over them with a warning. */
const foreignNames: readonly (readonly [pattern: RegExp, whose: string])[] = [
  [/lora_(down|up)\b|^lora_(unet|te)/, 'kohya or ComfyUI'],
  [/\.lora\.(down|up)\./, 'Diffusers'],
  [/^base_model\.model\.base_model\./, 'an adapter that was wrapped twice'],
  [/(^|\.)(_orig_mod|_fsdp_wrapped_module)\./, 'a compiled or divided model'],
  [/^module\./, 'a model in DistributedDataParallel'],
  [/\.(language_model|text_model)\./, 'a model of texts and images'],
  [/^model\.layers\./, "an adapter without PEFT's prefix"],
];

function checkNames(names: readonly string[]): void {
  if (names.some((name) => /^base_model\.model\.model\.layers\.\d+\.[\w.]+\.lora_[AB]\./.test(name))) return;
  for (const [pattern, whose] of foreignNames) {
    const name = names.find((each) => pattern.test(each));
    if (name === undefined) continue;
    throw new AdapterError(
      `adapter_model.safetensors names its tensors as ${whose} does (${cut(name)}), not as PEFT does ` +
        '(base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight): rename them, or save the adapter with PEFT.',
    );
  }
}

/** The tensors of a file. Names with PEFT's own name of an adapter, `lora_A.default.weight`, are read without it. */
function tensorsOf(bytes: Uint8Array): Map<string, Tensor> {
  const found = new Map<string, Tensor>();
  for (const [written, tensor] of readSafetensors(bytes)) {
    const name = written.replace(/\.lora_([AB])\.default\.weight$/, '.lora_$1.weight');
    if (found.has(name)) throw new AdapterError(`adapter_model.safetensors has ${name} twice, once as ${written}.`);
    found.set(name, tensor);
  }
  const tables = ['embed_tokens', 'lm_head'].filter((table) =>
    [...found.keys()].some((n) => n.split('.').includes(table)),
  );
  checkNames([...found.keys()]);
  if (tables.length)
    throw new AdapterError(
      `This adapter also contains trained values of ${tables.join(' and ')}, which cannot be used here: only the layers' ` +
        `projections have an adapter. ${merging}`,
    );
  return found;
}

/** Number of layers that the names of the tensors mention. */
function layersIn(names: Iterable<string>): number {
  const layers = [...names].map((name) => Number(/^base_model\.model\.model\.layers\.(\d+)\./.exec(name)?.[1] ?? -1));
  const count = layers.reduce((most, layer) => Math.max(most, layer + 1), 0);
  if (count > mostLayers)
    throw new AdapterError(`This adapter names layer ${count - 1}; at most ${mostLayers} layers are read.`);
  return count;
}

function sizesOfModel(model: ModelConfig): Sizes {
  const shapes = parameterShapes(model);
  return new Map(
    projections.map((projection) => {
      const [outputs, inputs] = shapes.get(`${projectionModule(0, projection)}.weight`)!;
      return [projection, { inputs, outputs }];
    }),
  );
}

/** Sizes from the first matrices of each projection, for an adapter without its model. */
function sizesOfTensors(tensors: ReadonlyMap<string, Tensor>, layers: number): Sizes {
  const sizes = new Map<Projection, { inputs: number; outputs: number }>();
  for (const projection of projections)
    for (let layer = 0; layer < layers && !sizes.has(projection); layer++) {
      const [A, B] = (['A', 'B'] as const).map((which) => tensors.get(matrix(layer, projection, which))?.shape);
      if (A?.length === 2 && B?.length === 2) sizes.set(projection, { inputs: A[1], outputs: B[0] });
    }
  return sizes;
}

/** Names of the model's modules that are not projections. PEFT cannot adapt most of them; none can be adapted here. */
function otherModules(layers: number): string[] {
  const inLayer = ['', '.self_attn', '.mlp', '.mlp.act_fn', '.input_layernorm', '.post_attention_layernorm'];
  const each = Array.from({ length: layers }, (_, l) => inLayer.map((name) => `model.layers.${l}${name}`));
  return ['model', 'model.embed_tokens', 'model.layers', ...each.flat(), 'model.norm', 'model.rotary_emb', 'lm_head'];
}

const targetsIn = (config: PeftConfig, layer: number) =>
  projections.filter((projection) => config.targets(projectionModule(layer, projection)));

/** The adapted modules of the first `layers` layers, in the layers' order. Throws AdapterError if there are none. */
function modulesOf(config: PeftConfig, layers: number): AdaptedModule[] {
  const others = otherModules(layers).filter(config.targets);
  if (others.length)
    throw new AdapterError(
      `target_modules includes ${others.slice(0, 3).join(', ')}, which cannot be adapted here: only ${projections.join(', ')} can.`,
    );
  const modules = Array.from({ length: layers }, (_, layer) =>
    targetsIn(config, layer).map((projection) => {
      const name = projectionModule(layer, projection);
      const [rank, alpha] = [config.rankOf(name), config.alphaOf(name)];
      return { layer, projection, rank, scale: loraScale({ ...config, rank, alpha, targets: [] }) };
    }),
  ).flat();
  if (modules.length) return modules;
  throw new AdapterError(
    `target_modules includes none of the modules that can be adapted: ${projections.join(', ')} in the model's layers.`,
  );
}

function expectedShapes(modules: readonly AdaptedModule[], sizes: Sizes): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  for (const { layer, projection, rank } of modules) {
    const size = sizes.get(projection);
    if (!size)
      throw new AdapterError(
        `adapter_model.safetensors has no matrices of ${projection}, which adapter_config.json lists as adapted.`,
      );
    shapes.set(matrix(layer, projection, 'A'), [rank, size.inputs]);
    shapes.set(matrix(layer, projection, 'B'), [size.outputs, rank]);
  }
  return shapes;
}

/**
 * Layers with an adapter; undefined: all. Without the model, all are meant if the config includes the next layer as
 * well; the model's own number of layers then decides.
 */
function layersOf(config: PeftConfig, modules: readonly AdaptedModule[], count: number, model: ModelConfig | null) {
  const layers = [...new Set(modules.map(({ layer }) => layer))];
  const isAll = layers.length === count && (model !== null || targetsIn(config, count).length > 0);
  return isAll ? undefined : layers;
}

/** Rank and scale for all modules: the largest rank, and the most frequent scale. */
function commonScale(config: PeftConfig, modules: readonly AdaptedModule[]): Omit<LoraConfig, 'targets'> {
  const [{ layer, projection, rank, scale }] = modules;
  if (modules.every((each) => each.rank === rank && each.scale === scale)) {
    const alpha = config.alphaOf(projectionModule(layer, projection));
    return { rank, alpha, ...(config.rankStabilized && { rankStabilized: true }) };
  }
  const most = modules.reduce((largest, each) => Math.max(largest, each.rank), 0);
  const counts = new Map<number, number>();
  for (const each of modules) counts.set(each.scale, (counts.get(each.scale) ?? 0) + 1);
  const [[common]] = [...counts].sort((a, b) => b[1] - a[1]);
  return { rank: most, alpha: common * most };
}

/** Values (rows, columns) in the upper left corner of a larger matrix, times `factor`. */
function enlarged(values: Float32Array, from: readonly number[], to: readonly number[], factor: number): Float32Array {
  if (from.join() === to.join() && factor === 1) return values;
  const out = new Float32Array(to[0] * to[1]);
  for (let row = 0; row < from[0]; row++)
    for (let i = 0; i < from[1]; i++) out[row * to[1] + i] = values[row * from[1] + i] * factor;
  return out;
}

/** The matrices at a common rank and scale; zeros for a projection that is adapted in other layers only. */
function commonTensors(lora: LoraConfig, layers: readonly number[], sizes: Sizes, valuesOf: ValuesOf): TensorMap {
  const tensors: TensorMap = new Map();
  for (const layer of layers)
    for (const projection of lora.targets) {
      const { inputs, outputs } = sizes.get(projection)!;
      for (const which of ['A', 'B'] as const) {
        const shape = which === 'A' ? [lora.rank, inputs] : [outputs, lora.rank];
        const data = valuesOf(layer, projection, which, shape) ?? new Float32Array(shape[0] * shape[1]);
        tensors.set(matrix(layer, projection, which), { shape, data });
      }
    }
  return tensors;
}

const [alwaysAllowed, usualGrowth] = [256 * 1024 * 1024, 16];

/** Refuses an adapter whose modules differ so much that a common rank takes many times its file's memory. */
function checkSize({ rank, targets }: LoraConfig, layers: number, sizes: Sizes, fileBytes: number): void {
  const widths = targets.map((projection) => sizes.get(projection)!).map(({ inputs, outputs }) => inputs + outputs);
  const bytes = 4 * layers * rank * widths.reduce((a, b) => a + b, 0);
  const most = Math.max(alwaysAllowed, usualGrowth * fileBytes);
  if (bytes <= most) return;
  throw new AdapterError(
    `At its largest rank ${rank} this adapter takes ${bytes} bytes; for a file of its size at most ${most} are taken. Its modules ` +
      'have very different ranks or sizes: train it with one rank.',
  );
}

type ValuesOf = (layer: number, projection: Projection, which: 'A' | 'B', shape: number[]) => Float32Array | null;

function read({ config: text, tensors: bytes }: AdapterContents, model: ModelConfig | null, own: KnownScale | null) {
  const config = parsePeftConfig(text, own);
  const found = tensorsOf(bytes);
  const count = model?.numLayers ?? layersIn(found.keys());
  const modules = modulesOf(config, count);
  const sizes = model ? sizesOfModel(model) : sizesOfTensors(found, count);
  checkShapes(
    expectedShapes(modules, sizes),
    found,
    `This adapter does not fit its adapter_config.json${model ? ' and the model' : ''}.`,
  );
  const layers = layersOf(config, modules, count, model);
  const targets = projections.filter((projection) => modules.some((each) => each.projection === projection));
  const lora: LoraConfig = { ...commonScale(config, modules), targets, ...(layers && { layers }) };
  const scales = new Map(modules.map(({ layer, projection, scale }) => [projectionModule(layer, projection), scale]));
  const common = loraScale(lora);
  const valuesOf: ValuesOf = (layer, projection, which, shape) => {
    const name = matrix(layer, projection, which);
    const tensor = found.get(name);
    const factor = which === 'A' ? 1 : scales.get(projectionModule(layer, projection))! / common;
    return tensor ? enlarged(toFloat32(tensor, name), tensor.shape, shape, factor) : null;
  };
  const all = layers ?? Array.from({ length: count }, (_, layer) => layer);
  checkSize(lora, all.length, sizes, bytes.length);
  return { lora, tensors: commonTensors(lora, all, sizes, valuesOf) };
}

/** Reads and checks an adapter for a model. Returns matrices of any float dtype as f32. */
export const loadAdapter = (model: ModelConfig, files: AdapterContents): Adapter => read(files, model, null);

/**
 * Reads and checks an adapter without its model: everything but the number of layers and their sizes, which
 * are checked when the model is opened. `own` is the scale of its training, used where the file's alpha is 0.
 */
export const readAdapterAlone = (files: AdapterContents, own: KnownScale | null): Adapter => read(files, null, own);

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
  const { name, revision } = namedBase(config);
  if (name === null && otherwise !== null) return { name: otherwise, revision: null };
  if (name === null)
    throw new AdapterError('This adapter names no base model: add base_model_name_or_path to its adapter_config.json.');
  return { name, revision, key: readMetadata(tensors)[keyField] };
}

/**
 * Writes an adapter's files, without the optimiser's moments. Throws CheckpointError unless the tensors are exactly the
 * adapter's for the model. `model` null: they were checked when they were read.
 */
export function saveAdapter(
  model: ModelConfig | null,
  { lora, tensors }: Adapter,
  { name, revision = null, key }: AdapterBase,
): PeftFiles {
  const own = parametersOf(tensors);
  if (model) checkShapes(adapterShapes(model, lora), own, 'These tensors are not the whole adapter.');
  const json = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: name,
    ...(revision ? { revision } : {}),
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    target_modules: [...lora.targets],
    ...(lora.layers ? { layers_to_transform: [...lora.layers] } : {}),
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
