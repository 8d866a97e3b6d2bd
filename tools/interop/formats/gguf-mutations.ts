/** Mutations of GGUF files: keys, their types, the tensor table, and bytes of the header. */
import { f32, type GgufDraft, ggufBytes, type Typed, text, u32 } from './gguf-files.ts';
import type { Choices } from './part.ts';

type Mutation = (draft: GgufDraft, choices: Choices) => string;

const bool = (value: boolean): Typed => ({ type: 7, value });
const u64 = (value: number): Typed => ({ type: 10, value });
const i32 = (value: number): Typed => ({ type: 5, value });
const f64 = (value: number): Typed => ({ type: 12, value });

/** Keys of an architecture, with values that matter and values that do not. */
const architectureKeys: { readonly [key: string]: readonly Typed[] } = {
  block_count: [u32(0), u32(2), u64(1), f32(1), i32(-1), text('1'), bool(true)],
  context_length: [u64(4096), u32(0), f64(2048)],
  embedding_length: [u32(64), u64(32), text('32')],
  feed_forward_length: [{ type: 4, value: [32] }, { type: 4, value: [32, 64] }, u32(1)],
  vocab_size: [u32(300), u32(299), u64(300)],
  'attention.head_count': [{ type: 4, value: [2] }, u32(4), u32(1), u64(2)],
  'attention.head_count_kv': [u32(2), { type: 5, value: [1] }, u32(0)],
  'attention.key_length': [u32(16), u32(128), u32(8)],
  'attention.value_length': [u32(16), u32(128), u32(8)],
  'attention.layer_norm_rms_epsilon': [f32(1e-6), f64(1e-5), f32(Number.NaN), f32(0), f32(-1)],
  'attention.scale': [f32(0.5), f32(0), f32(0.25)],
  'attention.causal': [bool(true), bool(false)],
  'attention.sliding_window': [u32(0), u32(64)],
  'attention.clamp_kqv': [f32(8), f32(0)],
  'rope.freq_base': [f32(1e6), f32(500_000), f64(10_000), u32(10_000), f32(0)],
  'rope.dimension_count': [u32(16), u32(128), u32(8)],
  'rope.scaling.type': [text('none'), text('linear'), text('yarn'), text('longrope'), u32(1)],
  'rope.scaling.factor': [f32(4), f32(0), f32(1), f64(2), f32(-2)],
  'rope.scale_linear': [f32(4), f32(0), f32(0.25)],
  'rope.scaling.attn_factor': [f32(1), f32(1.2)],
  'rope.scaling.original_context_length': [u32(512)],
  'rope.scaling.yarn_ext_factor': [f32(1), f32(0)],
  logit_scale: [f32(1), f32(0.25)],
  embedding_scale: [f32(12), f32(1)],
  residual_scale: [f32(0.2), f32(1)],
  final_logit_softcapping: [f32(30), f32(0)],
  expert_count: [u32(0), u32(8)],
  pooling_type: [u32(3)],
  unknown_key: [u32(1)],
};

const otherKeys: { readonly [key: string]: readonly Typed[] } = {
  'general.architecture': [text('llama'), text('qwen2'), text('qwen3'), text('gemma3'), u32(1)],
  'general.alignment': [u32(32), u32(64), u32(24), u32(0), text('32')],
  'general.type': [text('model'), text('adapter')],
  'general.description': [text('x\uFEFFy'), { type: 4, value: [] }],
  'split.count': [u32(1), u32(0), u32(2)],
  'split.no': [u32(0), u32(1)],
  'tokenizer.ggml.model': [text('llama'), text('bert')],
  'tokenizer.ggml.pre': [
    ...[text('default'), text('deepseek-r1-qwen'), text('llama3'), text('llama-v3'), text('tekken'), text('qwen35')],
    ...[text('deepseek_r1_qwen'), text('')],
  ],
  'tokenizer.ggml.bos_token_id': [u32(1), u64(2), u32(300), i32(-1), text('1')],
  'tokenizer.ggml.eos_token_id': [u32(1), u64(2), u32(300), i32(-1), f32(1.5)],
  'tokenizer.ggml.eot_token_id': [u32(5), u64(258)],
  'tokenizer.ggml.add_space_prefix': [bool(false), bool(true)],
  'tokenizer.ggml.token_type': [{ type: 5, value: [1, 2, 3] }],
  'tokenizer.chat_template': [text('\uFEFF{{ x }}'), text('')],
};

const architectureOf = ({ keys }: GgufDraft) =>
  String(keys.find(([key]) => key === 'general.architecture')?.[1].value ?? 'llama');

function setKey(draft: GgufDraft, name: string, typed: Typed): string {
  const at = draft.keys.findIndex(([key]) => key === name);
  if (at < 0) draft.keys.push([name, typed]);
  else draft.keys[at] = [name, typed];
  return `${name} is ${JSON.stringify(typed.value).slice(0, 40)} in type ${typed.type}`;
}

const keyMutation =
  (values: { readonly [key: string]: readonly Typed[] }, prefixed: boolean): Mutation =>
  (draft, choices) => {
    const key = choices.one(Object.keys(values));
    return setKey(draft, prefixed ? `${architectureOf(draft)}.${key}` : key, choices.one(values[key]));
  };

const tensorMutations: readonly Mutation[] = [
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    tensor.type = choices.below(42);
    return `${tensor.name} in type ${tensor.type}`;
  },
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    tensor.sizes.reverse();
    return `${tensor.name} with sizes in another order`;
  },
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    tensor.sizes = [...tensor.sizes, choices.one([1, 2])];
    return `${tensor.name} with one more size`;
  },
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    tensor.offset = choices.one([0, 32, 64, 33, 1024, 2 ** 40]);
    return `${tensor.name} at offset ${tensor.offset}`;
  },
  (draft, choices) => {
    const [one, other] = [choices.one(draft.tensors), choices.one(draft.tensors)];
    [one.name, other.name] = [other.name, one.name];
    return `${one.name} and ${other.name} with exchanged names`;
  },
  (draft, choices) => {
    const [tensor] = draft.tensors.splice(choices.below(draft.tensors.length), 1);
    return `no ${tensor.name}`;
  },
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    draft.tensors.push({ ...tensor, name: choices.one([tensor.name, 'blk.0.attn_rot_embd.weight', 'output.bias']) });
    return `a copy of ${tensor.name}`;
  },
  (draft, choices) => {
    const moved = draft.tensors.splice(choices.below(draft.tensors.length), 1);
    draft.tensors.splice(choices.below(draft.tensors.length + 1), 0, ...moved);
    return `${moved[0].name} at another place`;
  },
  (draft, choices) => {
    const tensor = choices.one(draft.tensors);
    tensor.name = choices.one([tensor.name.toUpperCase(), `${tensor.name} `, tensor.name.replace('0', '00'), '']);
    return `a tensor named "${tensor.name}"`;
  },
  (draft, choices) => {
    draft.alignment = choices.one([16, 64, 256]);
    if (choices.next() < 0.7) setKey(draft, 'general.alignment', u32(draft.alignment));
    return `data aligned to ${draft.alignment}`;
  },
];

const keyMutations: readonly Mutation[] = [
  keyMutation(architectureKeys, true),
  keyMutation(architectureKeys, true),
  keyMutation(otherKeys, false),
  (draft, choices) => {
    const [key] = draft.keys.splice(choices.below(draft.keys.length), 1);
    return `no ${key[0]}`;
  },
  (draft, choices) => {
    const key = choices.one(draft.keys);
    draft.keys.splice(choices.below(draft.keys.length), 0, key);
    return `${key[0]} twice`;
  },
  (draft, choices) => {
    draft.version = choices.one([1, 2, 3, 4, 0x03000000]);
    return `version ${draft.version}`;
  },
];

/** Changes bytes of the whole file, mostly of its header. */
function damage(bytes: Uint8Array, header: number, choices: Choices): { bytes: Uint8Array; said: string } {
  const at = choices.below(
    choices.next() < 0.9 ? Math.min(header, choices.one([64, 600, header, header])) : bytes.length,
  );
  const kind = choices.below(7);
  if (kind === 0) return { bytes: bytes.slice(0, at), said: `cut at byte ${at}` };
  if (kind === 1)
    return { bytes: Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(at + 1)]), said: `no byte ${at}` };
  const changed = bytes.slice();
  if (kind === 2) changed[at] ^= 1 << choices.below(8);
  else changed[at] = kind === 3 ? 0 : choices.below(256);
  return { bytes: changed, said: `byte ${at} is ${changed[at]} instead of ${bytes[at]}` };
}

/** Applies one to three mutations. Returns the file and the mutations in words. */
export function mutatedGguf(draft: GgufDraft, choices: Choices): { bytes: Uint8Array; said: string[] } {
  const said = [architectureOf(draft)];
  const ofBytes = choices.next() < 0.4;
  const count = choices.one(ofBytes ? [0, 0, 1] : [1, 1, 1, 2, 3]);
  for (let i = 0; i < count; i++)
    said.push(choices.one(choices.next() < 0.7 ? keyMutations : tensorMutations)(draft, choices));
  const whole = ggufBytes(draft);
  if (!ofBytes) return { bytes: whole.bytes, said };
  const damaged = damage(whole.bytes, whole.header, choices);
  return { bytes: damaged.bytes, said: [...said, damaged.said] };
}
