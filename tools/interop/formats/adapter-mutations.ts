/** Random adapters in PEFT's layout that fit their config, and mutations of their config fields and tensors. */
import type { ModelConfig } from '../../../src/policy/config.ts';
import type { WritableTensor } from '../../../src/policy/formats/safetensors.ts';
import { adapterShapes, type Projection, projectionModule, projections } from '../../../src/policy/weights/adapter.ts';
import { normals } from '../../../src/policy/weights/init.ts';
import type { Choices } from './part.ts';

export interface Draft {
  config: { [field: string]: unknown };
  tensors: Map<string, WritableTensor>;
}

/** A choice of modules, as config fields and as a rule. */
interface Spec {
  fields: { [field: string]: unknown };
  has(layer: number, projection: Projection): boolean;
  rank?(layer: number, projection: Projection): number;
}

const attention = (_: number, projection: Projection) => /^[qkvo]_/.test(projection);
const everything = () => true;
const one =
  (...wanted: Projection[]) =>
  (_: number, projection: Projection) =>
    wanted.includes(projection);

const unsloth = String.raw`(?:.*?(?:vision|language|text).*?(?:self_attn|attn|mlp|ffn).*?(?:k_proj|v_proj|q_proj).*?)|(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn|attn|mlp|ffn)\.(?:(?:q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)))`;

const rank = 3;
const specs: readonly Spec[] = [
  { fields: { target_modules: [...projections] }, has: everything },
  { fields: { target_modules: ['q_proj', 'v_proj', 'fc1'] }, has: one('q_proj', 'v_proj') },
  { fields: { target_modules: null }, has: one('q_proj', 'v_proj') },
  { fields: { target_modules: 'all-linear' }, has: everything },
  {
    fields: { target_modules: 'all-linear', exclude_modules: ['o_proj', 'mlp.up_proj'] },
    has: (_, p) => !one('o_proj', 'up_proj')(_, p),
  },
  { fields: { target_modules: 'All-Linear', exclude_modules: String.raw`.*\.mlp\..*` }, has: attention },
  { fields: { target_modules: unsloth }, has: everything },
  { fields: { target_modules: String.raw`.*\.self_attn\.\w+_proj` }, has: attention },
  {
    fields: { target_modules: String.raw`model\.layers\.[02]\..*(q|down)_proj` },
    has: (l, p) => l !== 1 && one('q_proj', 'down_proj')(l, p),
  },
  { fields: { target_modules: '^(?!.*mlp).*_proj$' }, has: attention },
  {
    fields: { target_modules: ['self_attn.q_proj', 'layers.1.mlp.up_proj'] },
    has: (l, p) => p === 'q_proj' || (p === 'up_proj' && l === 1),
  },
  {
    fields: { target_modules: ['q_proj', 'up_proj'], layers_to_transform: [0, 2] },
    has: (l, p) => l !== 1 && one('q_proj', 'up_proj')(l, p),
  },
  {
    fields: { target_modules: ['v_proj'], layers_to_transform: 1, layers_pattern: 'layers' },
    has: (l, p) => l === 1 && p === 'v_proj',
  },
  {
    fields: { target_modules: ['q_proj', 'gate_proj'], rank_pattern: { q_proj: 2, 'layers.1.mlp.gate_proj': 5 } },
    has: one('q_proj', 'gate_proj'),
    rank: (l, p) => (p === 'q_proj' ? 2 : l === 1 ? 5 : rank),
  },
  {
    fields: {
      target_modules: [...projections],
      rank_pattern: { '^model\\.layers\\.2\\..*': 4 },
      alpha_pattern: { '.*(k|v)_proj': 10, down_proj: 1 },
    },
    has: everything,
    rank: (l) => (l === 2 ? 4 : rank),
  },
];

const nameOf = (layer: number, projection: Projection, which: 'A' | 'B') =>
  `base_model.model.${projectionModule(layer, projection)}.lora_${which}.weight`;

export function draftOf(model: ModelConfig, choices: Choices): Draft {
  const spec = choices.one(specs);
  const whole = adapterShapes(model, { rank: 1, alpha: 1, targets: projections });
  const tensors = new Map<string, WritableTensor>();
  for (let layer = 0; layer < model.numLayers; layer++)
    for (const projection of projections.filter((each) => spec.has(layer, each)))
      for (const which of ['A', 'B'] as const) {
        const name = nameOf(layer, projection, which);
        const own = spec.rank?.(layer, projection) ?? rank;
        const [rows, columns] = whole.get(name)!;
        const shape = which === 'A' ? [own, columns] : [rows, own];
        tensors.set(name, { shape, data: normals(shape[0] * shape[1], 7, name, 0.5) });
      }
  const config = { peft_type: 'LORA', task_type: 'CAUSAL_LM', base_model_name_or_path: 'owner/base', r: rank };
  return { config: { ...config, lora_alpha: 6, bias: 'none', inference_mode: true, ...spec.fields }, tensors };
}

/** Stands for a field that is removed. */
const absent = Symbol('absent');
const switches = [absent, true, false, null];

/** Values of config fields. Each field may be set in any draft. */
const fields: { readonly [field: string]: readonly unknown[] } = {
  peft_type: [absent, 'LORA', 'IA3', 'ADALORA', 'lora', null],
  task_type: [absent, null, 'CAUSAL_LM', 'SEQ_CLS', 'FEATURE_EXTRACTION', 'OTHER'],
  r: [absent, 3, 8, 4, 1, 0, -1, 3.5, '3', null, true],
  lora_alpha: [absent, 6, 16, 0.5, 0, -4, '16', null, 1e-3, true],
  use_rslora: [...switches, 1, 'yes', 0],
  use_dora: [...switches, 1],
  lora_bias: switches,
  fan_in_fan_out: [...switches, 'x'],
  use_qalora: switches,
  bias: [absent, 'none', 'all', 'lora_only', null, 'other'],
  lora_dropout: [absent, 0, 0.1, 1],
  init_lora_weights: [
    ...[absent, true, false, null, 'gaussian', 'Gaussian', 'eva', 'orthogonal', 'mica', 'pissa', 'pissa_niter_2'],
    ...['olora', 'OLoRA', 'corda', 'loftq', 'lora_ga', 'unknown', 1, 0],
  ],
  target_modules: [
    ...[absent, null, [], ['q_proj'], ['q_proj', 'lm_head'], ['q_proj', 'embed_tokens'], ['self_attn'], ['proj']],
    ...['all-linear', 'q_proj', '.*', '.*q_proj', '.*(', '(?i).*Q_PROJ', '.*_proj', '.*(lm_head|q_proj)', 3, { a: 1 }],
    ...[['model.layers.0.self_attn.q_proj', 'v_proj'], ['norm', 'q_proj'], [''], ['q_proj', 7]],
  ],
  exclude_modules: [
    absent,
    null,
    [],
    '',
    'q_proj',
    ['q_proj'],
    '.*q_proj',
    ['layers.1'],
    '.*1.*',
    ['o_proj', 'lm_head'],
  ],
  layers_to_transform: [absent, null, [], 0, 1, [0], [0, 1, 2], [9], [0, 9], ['0'], -1, 0.5],
  layers_pattern: [absent, null, '', [], 'layers', ['layers'], 'h', ['h', 'layers'], '.*', 'model.layers'],
  rank_pattern: [
    absent,
    null,
    {},
    { q_proj: 3 },
    { q_proj: 2 },
    { nothing: 9 },
    { '.*': 3 },
    { '(': 2 },
    [],
    { q_proj: 0 },
  ],
  alpha_pattern: [
    ...[absent, null, {}, { q_proj: 3 }, { '.*': 12 }, { nothing: 9 }, { 'v_proj|q_proj': 1 }, { q_proj: 0 }],
    ...[{ '.*layers.1.*': 24 }, { 'layers.0.self_attn.q_proj': 5, q_proj: 7 }, { q_proj: '3' }, { _proj: 2 }],
  ],
  modules_to_save: [absent, null, [], ['lm_head'], ['embed_tokens'], ['nothing'], ['q_proj']],
  trainable_token_indices: [absent, null, [], [0, 1], { embed_tokens: [1] }],
  layer_replication: [
    absent,
    null,
    [],
    [[0, 3]],
    [
      [0, 2],
      [1, 3],
    ],
  ],
  target_parameters: [absent, null, [], ['q_proj.weight']],
  alora_invocation_tokens: [absent, null, [], [1, 2]],
  ensure_weight_tying: switches,
  loftq_config: [absent, null, {}, { loftq_bits: 4 }],
  eva_config: [absent, null, { rho: 2 }],
  corda_config: [absent, null, { corda_method: 'ipm' }],
  kasa_config: [absent, null, {}],
  velora_config: [absent, null, { num_groups: 4 }],
  arrow_config: [absent, null, { top_k: 1 }],
  use_bdlora: [absent, null, { nblocks: 1 }],
  monteclora_config: [absent, null, {}],
  megatron_config: [absent, null, {}],
  megatron_core: [absent, 'megatron.core', 'other'],
  auto_mapping: [absent, null, { base_model_class: 'Qwen2ForCausalLM', unsloth_fixed: true }],
  unsloth_fixed: [true],
  peft_version: ['0.21.2', '9.9.9'],
  runtime_config: [{ ephemeral_gpu_offload: false }],
  unknown_note: ['text', 4, null, false, {}],
  unknown_switch: [true, { a: 1 }],
  revision: [null, 'main', 'v2'],
};

type Mutation = (draft: Draft, choices: Choices) => string;

const named = (draft: Draft, choices: Choices) => choices.one([...draft.tensors.keys(), 'nothing']);

function renamed(draft: Draft, change: (name: string) => string, only?: string): void {
  const entries = [...draft.tensors].map(
    ([name, tensor]) => [only && only !== name ? name : change(name), tensor] as const,
  );
  draft.tensors = new Map(entries);
}

const withoutBase = (name: string) => name.replace(/^base_model\.model\./, '');
const renames: readonly ((name: string) => string)[] = [
  (name) => name.replace('.weight', '.default.weight'),
  (name) => name.replace('.weight', '.policy.weight'),
  (name) => name.replace('.weight', '.default.default.weight'),
  withoutBase,
  (name) => `base_model.model.${withoutBase(withoutBase(name))}`.replace('.model.model.', '.model.'),
  (name) => name.replace('lora_A', 'lora_a'),
  (name) => name.replace('layers.2', 'layers.3'),
  (name) => name.replace('self_attn', 'attention'),
  (name) => name.replace('model.layers', 'model.language_model.layers'),
  (name) => name.replace('.weight', ''),
];

const square = (rows: number, columns: number): WritableTensor => ({
  shape: [rows, columns],
  data: normals(rows * columns, 9, 'extra', 0.3),
});

const extras: readonly [string, number, number][] = [
  ['base_model.model.lm_head.weight', 40, 16],
  ['base_model.model.model.embed_tokens.weight', 40, 16],
  ['base_model.model.model.layers.0.self_attn.q_proj.base_layer.weight', 16, 16],
  ['base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector', 16, 1],
  ['base_model.model.model.layers.1.self_attn.k_proj.lora_A.weight', 3, 16],
  ['base_model.model.model.layers.5.self_attn.q_proj.lora_A.weight', 3, 16],
  ['base_model.model.model.layers.0.self_attn.q_proj.bias', 16, 1],
  ['base_model.model.model.norm.weight', 16, 1],
  ['base_model.model.model.embed_tokens.lora_embedding_A', 3, 40],
  ['base_model.model.model.layers.0.self_attn.q_proj.lora_B.bias', 16, 1],
  ['unrelated', 2, 2],
];

const shapes: readonly ((tensor: WritableTensor) => WritableTensor)[] = [
  ({ shape: [a, b], data, dtype }) => ({ shape: [b, a], data, ...(dtype && { dtype }) }),
  ({ shape: [a, b] }) => square(a + 1, b),
  ({ shape: [a, b] }) => square(a, Math.max(1, b - 1)),
  ({ shape: [a, b], data, dtype }) => ({ shape: [a, b, 1], data, ...(dtype && { dtype }) }),
];

const dtypes: readonly ((tensor: WritableTensor) => WritableTensor)[] = [
  ({ shape, data }) => ({ shape, data, dtype: 'BF16' }),
  ({ shape, data }) => ({ shape, data, dtype: 'F16' }),
  ({ shape, data }) => ({ shape, data: Float64Array.from(data) }),
  ({ shape, data }) => ({ shape, data: Int32Array.from(data, (value) => Math.round(4 * value)) }),
];

const mutations: readonly Mutation[] = [
  ...Object.keys(fields).map(
    (field): Mutation =>
      (draft, choices) => {
        const value = choices.one(fields[field]);
        if (value === absent) delete draft.config[field];
        else draft.config[field] = value;
        return `${field}: ${value === absent ? 'absent' : JSON.stringify(value)}`;
      },
  ),
  ...renames.flatMap((change): Mutation[] => [
    (draft) => {
      renamed(draft, change);
      return `all names as ${[...draft.tensors.keys()][0]}`;
    },
    (draft, choices) => {
      const name = named(draft, choices);
      renamed(draft, change, name);
      return `${name} as ${change(name)}`;
    },
  ]),
  (draft, choices) => {
    const name = named(draft, choices);
    draft.tensors.delete(name);
    return `without ${name}`;
  },
  (draft, choices) => {
    const [name, rows, columns] = choices.one(extras);
    draft.tensors.set(name, columns === 1 ? { shape: [rows], data: square(rows, 1).data } : square(rows, columns));
    return `with ${name}`;
  },
  (draft, choices) => {
    const name = named(draft, choices);
    const tensor = draft.tensors.get(name);
    if (tensor) draft.tensors.set(name, choices.one(shapes)(tensor));
    return `shape of ${name}: ${draft.tensors.get(name)?.shape}`;
  },
  ...dtypes.map(
    (change, i): Mutation =>
      (draft, choices) => {
        const only = choices.next() < 0.5 ? named(draft, choices) : null;
        for (const [name, tensor] of draft.tensors)
          if (!only || only === name)
            draft.tensors.set(name, change({ ...tensor, data: Float32Array.from(tensor.data) }));
        return `dtype ${i} of ${only ?? 'all'}`;
      },
  ),
];

/** Applies none to two mutations and returns them in words. */
export function mutated(draft: Draft, choices: Choices): string[] {
  const said = [JSON.stringify(draft.config.target_modules).slice(0, 60)];
  const count = choices.below(3);
  for (let i = 0; i < count; i++) said.push(choices.one(mutations)(draft, choices));
  return said;
}
