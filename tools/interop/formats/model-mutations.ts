/** Mutations of a model's folder: config keys, file sets, tensor names, dtypes, and the tokenizer's named tokens. */
import { type WritableTensor, writeSafetensors } from '../../../src/policy/formats/safetensors.ts';
import type { Choices } from './part.ts';

type Tensors = Map<string, WritableTensor>;
type Files = Map<string, Uint8Array | string>;

export interface Draft {
  config: { [field: string]: unknown };
  tensors: Tensors;
  tokenizerConfig: { [field: string]: unknown } | null;
  /** Other files by name. */
  files: Files;
  /** Writes the weights. */
  layout(tensors: Tensors, files: Files): void;
}

type Mutation = (draft: Draft, choices: Choices) => string;

const embedding = 'model.embed_tokens.weight';
const head = 'lm_head.weight';
/** Stands for a field that is removed. */
const absent = Symbol('absent');

const llama3 = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
const ropes = [
  ...[null, {}, [], 4, 'linear', { factor: 4 }, { rope_type: null }, { type: null }, { rope_theta: null }],
  ...[{ rope_theta: 1e6 }, { rope_theta: 1e6, rope_type: 'default' }, { type: 'default', factor: 8 }],
  ...[{ type: 'linear', factor: 2 }, { rope_type: 'linear', factor: 4.5, rope_theta: 500_000 }, { type: 'linear' }],
  ...[
    { type: 'linear', factor: '2' },
    { type: 'linear', rope_type: 'default', factor: 2 },
  ],
  ...[llama3, { ...llama3, original_max_position_embeddings: 64 }, { ...llama3, factor: null }],
  ...[
    { ...llama3, original_max_position_embeddings: 32, rope_theta: 5e5 },
    { ...llama3, high_freq_factor: 0.5 },
  ],
  ...[
    { rope_type: 'yarn', factor: 4 },
    { type: 'dynamic', factor: 2 },
    { rope_type: 'longrope', factor: 2 },
  ],
  ...[
    { rope_type: 'default', partial_rotary_factor: 0.5 },
    { rope_type: 'proportional', factor: 2 },
  ],
  ...[{ full_attention: { rope_theta: 1e6, rope_type: 'default' } }, { type: 'mrope', mrope_section: [1, 1, 2] }],
];

const fields: { readonly [field: string]: readonly unknown[] } = {
  rope_theta: [absent, 1e6, 500_000.5, null, '10000', -1, 0],
  rope_scaling: ropes,
  rope_parameters: ropes,
  original_max_position_embeddings: [64, 2048, null],
  partial_rotary_factor: [0.5, 1, null],
  num_key_value_heads: [absent, null, 1, 2, 32, '1'],
  head_dim: [absent, null, 8, 16, '8', 7],
  hidden_act: [absent, 'swish', 'gelu', 'relu', null, 'SiLU'],
  tie_word_embeddings: [absent, true, false, null, 'true', 1],
  rms_norm_eps: [absent, 1e-6, 0.1, '1e-5', null, -1],
  bos_token_id: [absent, -1, 0, 9999, null, '1', [1], false],
  eos_token_id: [absent, -1, [3, -1], null, '3', [], 9999],
  pad_token_id: [-1, null, 9999, '1'],
  attention_bias: [true, false, null, 1, 'false'],
  mlp_bias: [true, false, null],
  num_experts: [0, null, 8],
  num_local_experts: [0, null, 4],
  n_routed_experts: [0, null],
  use_sliding_window: [true, false, null, 1],
  sliding_window: [4, 2048, 4096, null, 0],
  max_window_layers: [0, 1, 2, 28, null, absent],
  layer_types: [
    ...[null, [], ['full_attention', 'full_attention'], ['attention', 'attention'], ['full_attention']],
    ...[
      ['full_attention', 'sliding_attention'],
      ['sliding_attention', 'sliding_attention'],
      ['mamba', 'mamba'],
    ],
  ],
  max_position_embeddings: [absent, 16, 4096, null, '2048'],
  quantization_config: [null, {}, { quant_method: 'bitsandbytes', load_in_4bit: true }],
  vocab_size: [absent, 601, '600', null],
  hidden_size: [absent, 32, '16'],
  intermediate_size: [absent, 25],
  num_hidden_layers: [absent, 1, 3, '2'],
  num_attention_heads: [absent, 4, 1],
  model_type: ['llama', 'qwen2', 'qwen3', 'mistral', null, 'Qwen2'],
  architectures: [absent, null, ['Qwen2Model'], ['LlamaForCausalLM']],
  transformers_weights: ['other.safetensors', 'model.safetensors', 'model.safetensors.index.json', null, '../x'],
  per_layer_config: [null, { 0: { num_attention_heads: 1 } }],
  logits_scaling: [1, 8],
  final_logit_softcapping: [null, 30],
  attention_multiplier: [null, 0.1],
  residual_multiplier: [1, 0.2],
  rope_interleaved: [false, true, null],
  pretraining_tp: [1, 2],
  use_cache: [false, null],
  attention_dropout: [0.1],
  torch_dtype: [absent, 'bfloat16', 'float16', 'auto'],
  auto_map: [{ AutoModelForCausalLM: 'modeling_x.X' }],
  text_config: [{ hidden_size: 64 }, null],
};

const show = (value: unknown) => (value === absent ? 'absent' : JSON.stringify(value));

const setField: Mutation = ({ config }, choices) => {
  const field = choices.one(Object.keys(fields));
  const value = choices.one(fields[field]);
  if (value === absent) delete config[field];
  else config[field] = structuredClone(value);
  return `${field} ${show(value)}`;
};

/** All four settings of a window at once, as they act together. */
const setWindow: Mutation = ({ config }, choices) => {
  const names = ['use_sliding_window', 'sliding_window', 'max_window_layers', 'layer_types'];
  return names
    .map((name) => {
      const value = choices.next() < 0.4 ? absent : choices.one(fields[name]);
      if (value === absent) delete config[name];
      else config[name] = value;
      return `${name} ${show(value)}`;
    })
    .join(', ');
};

/** Values of other weights in the same shapes. */
const otherValues = (tensors: Tensors): Tensors =>
  new Map(
    [...tensors].map(([name, { shape, data }]) => [name, { shape, data: (data as Float32Array).map((x) => -x) }]),
  );

const shardNames = (count: number) =>
  Array.from({ length: count }, (_, i) => `model-0000${i + 1}-of-0000${count}.safetensors`);

function writeShards(tensors: Tensors, files: Files, count: number): void {
  const names = shardNames(count);
  const shards = names.map((): Tensors => new Map());
  [...tensors].forEach(([name, tensor], i) => shards[i % count].set(name, tensor));
  shards.forEach((shard, i) => files.set(names[i], writeSafetensors(shard, { format: 'pt' })));
  const map = shards.flatMap((shard, i) => [...shard.keys()].map((name) => [name, names[i]]));
  files.set(
    'model.safetensors.index.json',
    JSON.stringify({ metadata: { total_size: 1 }, weight_map: Object.fromEntries(map) }),
  );
}

const single = (tensors: Tensors, files: Files, name = 'model.safetensors') =>
  files.set(name, writeSafetensors(tensors, { format: 'pt' }));

const layouts: { readonly [what: string]: Draft['layout'] } = {
  'in two shards': (tensors, files) => writeShards(tensors, files, 2),
  'in three shards': (tensors, files) => writeShards(tensors, files, 3),
  'one file and older shards with other values'(tensors, files) {
    writeShards(otherValues(tensors), files, 2);
    single(tensors, files);
  },
  'one file and an index of shards that are gone'(tensors, files) {
    writeShards(tensors, files, 3);
    for (const name of shardNames(3)) files.delete(name);
    single(tensors, files);
  },
  'a shard is missing'(tensors, files) {
    writeShards(tensors, files, 3);
    files.delete(shardNames(3)[1]);
  },
  'shards without an index'(tensors, files) {
    writeShards(tensors, files, 2);
    files.delete('model.safetensors.index.json');
  },
  'an index without shards in it'(tensors, files) {
    writeShards(tensors, files, 2);
    files.set('model.safetensors.index.json', '{"metadata": {}, "weight_map": {}}');
  },
  'older shards of three beside shards of two'(tensors, files) {
    writeShards(otherValues(tensors), files, 3);
    writeShards(tensors, files, 2);
  },
  'a variant beside'(tensors, files) {
    single(otherValues(tensors), files, 'model.fp16.safetensors');
    single(tensors, files);
  },
  'only a variant': (tensors, files) => single(tensors, files, 'model.fp16.safetensors'),
  'other.safetensors beside'(tensors, files) {
    single(otherValues(tensors), files, 'other.safetensors');
    single(tensors, files);
  },
  'consolidated.safetensors beside'(tensors, files) {
    single(otherValues(tensors), files, 'consolidated.safetensors');
    single(tensors, files);
  },
  'pytorch_model.bin beside'(tensors, files) {
    files.set('pytorch_model.bin', 'not a checkpoint');
    single(tensors, files);
  },
  'a broken index beside'(tensors, files) {
    files.set('model.safetensors.index.json', '{');
    single(tensors, files);
  },
};

const layOut: Mutation = (draft, choices) => {
  const what = choices.one(Object.keys(layouts));
  draft.layout = layouts[what];
  return what;
};

function rename(tensors: Tensors, to: (name: string) => string): void {
  const all = [...tensors];
  tensors.clear();
  for (const [name, tensor] of all) tensors.set(to(name), tensor);
}

const bare = (name: string) => name.replace(/^model\./, '');

const names: { readonly [what: string]: (tensors: Tensors, choices: Choices) => void } = {
  'names without model.': (tensors) => rename(tensors, bare),
  'one name without model.'(tensors, choices) {
    const one = choices.one([...tensors.keys()]);
    rename(tensors, (name) => (name === one ? bare(name) : name));
  },
  'a head under model.': (tensors) => rename(tensors, (name) => (name === head ? `model.${name}` : name)),
  'names under _orig_mod.': (tensors) => rename(tensors, (name) => `_orig_mod.${name}`),
  'names under model.model.': (tensors) => rename(tensors, (name) => `model.${name}`),
  'no head': (tensors) => void tensors.delete(head),
  'no embedding': (tensors) => void tensors.delete(embedding),
  'only a head'(tensors) {
    const table = tensors.get(embedding);
    tensors.delete(embedding);
    if (table) tensors.set(head, table);
  },
  'a head equal to the embedding': (tensors) =>
    void (tensors.has(embedding) && tensors.set(head, tensors.get(embedding)!)),
  'a head that differs from the embedding'(tensors, choices) {
    const table = tensors.get(embedding);
    if (!table) return;
    const data = (table.data as Float32Array).slice();
    const all = choices.next() < 0.5;
    for (let i = all ? 0 : data.length - 16; i < data.length; i++) data[i] = -data[i];
    tensors.set(head, { shape: table.shape, data });
  },
  'a tensor is missing': (tensors, choices) => void tensors.delete(choices.one([...tensors.keys()])),
  'a rotary table': (tensors) =>
    void tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', { shape: [4], data: new Float32Array(4) }),
  'an unknown tensor': (tensors) => void tensors.set('model.extra.weight', { shape: [4], data: new Float32Array(4) }),
  'a bias of o_proj'(tensors) {
    const data = new Float32Array(16).fill(0.5);
    tensors.set('model.layers.0.self_attn.o_proj.bias', { shape: [16], data });
  },
  'a bias of q_proj'(tensors) {
    const data = new Float32Array(16).fill(0.5);
    tensors.set('model.layers.0.self_attn.q_proj.bias', { shape: [16], data });
  },
  'a name twice, with and without model.'(tensors) {
    const norm = tensors.get('model.norm.weight');
    if (norm) tensors.set('norm.weight', { shape: norm.shape, data: (norm.data as Float32Array).map((x) => 2 * x) });
  },
  'a transposed matrix'(tensors) {
    const name = 'model.layers.1.mlp.up_proj.weight';
    const up = tensors.get(name);
    if (up) tensors.set(name, { ...up, shape: [...up.shape].reverse() });
  },
};

const changeNames: Mutation = ({ tensors }, choices) => {
  const what = choices.one(Object.keys(names));
  names[what](tensors, choices);
  return what;
};

function withDtype({ shape, data }: WritableTensor, dtype: string): WritableTensor {
  if (dtype === 'F64') return { shape, data: Float64Array.from(data) };
  if (dtype === 'I32') return { shape, data: Int32Array.from(data, (x) => Math.round(10 * x)) };
  return { shape, data: Float32Array.from(data), dtype: dtype as 'BF16' | 'F16' };
}

const changeDtype: Mutation = ({ tensors }, choices) => {
  const dtype = choices.one(['BF16', 'F16', 'F64', 'I32']);
  const one = choices.next() < 0.5 ? choices.one([...tensors.keys()]) : null;
  for (const [name, tensor] of tensors) if (!one || name === one) tensors.set(name, withDtype(tensor, dtype));
  return `${one ?? 'all'} in ${dtype}`;
};

const someTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|box_start|>'] as const;
const namedTokens = ['bos_token', 'eos_token', 'pad_token', 'unk_token'] as const;

/** A token as a text, as an entry with flags, or null. */
function tokenValue(choices: Choices, typed: boolean): unknown {
  const content = choices.one(someTokens);
  const flags = { lstrip: false, normalized: false, rstrip: false, single_word: false };
  return choices.one([content, { ...(typed ? { __type: 'AddedToken' } : {}), content, ...flags }, null]);
}

const tokens: { readonly [what: string]: (draft: Draft, choices: Choices) => string } = {
  'in tokenizer_config.json'({ tokenizerConfig }, choices) {
    const name = choices.one(namedTokens);
    const value = tokenValue(choices, true);
    if (tokenizerConfig) tokenizerConfig[name] = value;
    return `${name} ${show(value)}`;
  },
  'absent from tokenizer_config.json'({ tokenizerConfig }, choices) {
    const name = choices.one(namedTokens);
    delete tokenizerConfig?.[name];
    return name;
  },
  'in special_tokens_map.json'({ files }, choices) {
    const before = JSON.parse((files.get('special_tokens_map.json') as string | undefined) ?? '{}');
    const name = choices.one(namedTokens);
    const value = tokenValue(choices, false);
    files.set('special_tokens_map.json', JSON.stringify({ ...before, [name]: value }));
    return `${name} ${show(value)}`;
  },
  'added_tokens_decoder in tokenizer_config.json'({ tokenizerConfig, files }) {
    const { added_tokens } = JSON.parse(files.get('tokenizer.json') as string);
    const entries = added_tokens.map(({ id, ...rest }: { id: number }) => [id, rest]);
    if (tokenizerConfig) tokenizerConfig.added_tokens_decoder = Object.fromEntries(entries);
    return '';
  },
  'a tokenizer class'({ tokenizerConfig }, choices) {
    const name = choices.one(['Qwen2Tokenizer', 'Qwen2TokenizerFast', 'LlamaTokenizerFast', 'GPT2Tokenizer', null]);
    if (tokenizerConfig) tokenizerConfig.tokenizer_class = name;
    if (name === null) delete tokenizerConfig?.tokenizer_class;
    return `${name}`;
  },
  'no tokenizer_config.json, a template file'(draft) {
    const template = draft.tokenizerConfig?.chat_template;
    if (typeof template === 'string') draft.files.set('chat_template.jinja', template);
    draft.tokenizerConfig = null;
    return '';
  },
  'a template file beside another template'({ tokenizerConfig, files }) {
    const template = tokenizerConfig?.chat_template;
    if (!tokenizerConfig || typeof template !== 'string') return '';
    files.set('chat_template.jinja', template);
    tokenizerConfig.chat_template = `old ${template}`;
    return '';
  },
  'named templates'({ tokenizerConfig }, choices) {
    const template = tokenizerConfig?.chat_template;
    if (!tokenizerConfig || typeof template !== 'string') return '';
    const name = choices.one(['default', 'tool_use', 'rag']);
    const entry = { name, template };
    const other = { name: 'tool_use', template: `tools ${template}` };
    tokenizerConfig.chat_template = choices.one([[entry, other], [entry], { [name]: template }]);
    return show(tokenizerConfig.chat_template).slice(0, 40);
  },
  'a template in additional_chat_templates'({ tokenizerConfig, files }, choices) {
    const name = choices.one(['tool_use', 'default']);
    files.set(`additional_chat_templates/${name}.jinja`, `added ${tokenizerConfig?.chat_template ?? ''}`);
    return name;
  },
  'an empty template'({ tokenizerConfig }) {
    if (tokenizerConfig) tokenizerConfig.chat_template = '';
    return '';
  },
  'an adapter beside'({ files }) {
    files.set('adapter_config.json', '{"peft_type": "LORA", "base_model_name_or_path": "x/y"}');
    return '';
  },
};

const changeTokens: Mutation = (draft, choices) => {
  const what = choices.one(Object.keys(tokens));
  return `${what} ${tokens[what](draft, choices)}`;
};

/** By weight: config keys are the largest group. */
export const mutations: readonly Mutation[] = [
  ...[setField, setField, setField, setField, setWindow, layOut, layOut],
  ...[changeNames, changeNames, changeDtype, changeTokens, changeTokens, changeTokens],
];
