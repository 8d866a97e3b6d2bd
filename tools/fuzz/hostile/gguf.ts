/** Hostile GGUF files: counts, lengths, types, sizes and places that lie. */
import { config, type Folder, tensorsOf, tokenizerConfig, tokenizerJson } from './model-folder.ts';
import type { Cases } from './tokenizers.ts';

const encode = (text: string) => new TextEncoder().encode(text);

/** A GGUF file written field by field, so that every field may lie. */
class GgufBytes {
  private readonly parts: Uint8Array[] = [];
  private length = 0;
  add(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  u32(value: number): this {
    const out = new Uint8Array(4);
    new DataView(out.buffer).setUint32(0, value, true);
    return this.add(out);
  }
  u64(value: bigint): this {
    const out = new Uint8Array(8);
    new DataView(out.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
    return this.add(out);
  }
  text(value: string): this {
    return this.u64(BigInt(encode(value).length)).add(encode(value));
  }
  pad(): this {
    return this.add(new Uint8Array((32 - (this.length % 32)) % 32));
  }
  join(): Uint8Array {
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

type Value = (out: GgufBytes) => unknown;
const ggufText =
  (value: string): Value =>
  (out) =>
    out.u32(8).text(value);
const u32 =
  (value: number): Value =>
  (out) =>
    out.u32(4).u32(value);
const u64 =
  (value: bigint): Value =>
  (out) =>
    out.u32(10).u64(value);
const f32 =
  (value: number): Value =>
  (out) =>
    out.u32(6).add(new Uint8Array(Float32Array.of(value).buffer));
const f64 =
  (value: number): Value =>
  (out) =>
    out.u32(12).add(new Uint8Array(Float64Array.of(value).buffer));
const bool =
  (value: number): Value =>
  (out) =>
    out.u32(7).add(Uint8Array.of(value));
const texts =
  (list: readonly string[], count = BigInt(list.length)): Value =>
  (out) => {
    out.u32(9).u32(8).u64(count);
    for (const each of list) out.text(each);
  };
const numbers =
  (list: readonly number[], type = 5, count = BigInt(list.length)): Value =>
  (out) => {
    out.u32(9).u32(type).u64(count);
    for (const each of list) out.u32(each);
  };

const names: [RegExp, string][] = [
  [/^model\.embed_tokens\./, 'token_embd.'],
  [/^model\.norm\./, 'output_norm.'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/input_layernorm/, 'attn_norm'],
  [/post_attention_layernorm/, 'ffn_norm'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
];

function goodKeys(): { [key: string]: Value } {
  const { model, added_tokens } = tokenizerJson as unknown as {
    model: { vocab: { [token: string]: number }; merges: string[][] };
    added_tokens: { id: number; content: string }[];
  };
  const tokens = Array.from({ length: config.vocabSize }, (_, id) => `[PAD${id}]`);
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  const types = tokens.map((_, id) => (added_tokens.some((each) => each.id === id) ? 3 : 1));
  return {
    'general.architecture': ggufText('llama'),
    'llama.block_count': u32(1),
    'llama.embedding_length': u32(8),
    'llama.feed_forward_length': u32(12),
    'llama.attention.head_count': u32(2),
    'llama.attention.head_count_kv': u32(1),
    'llama.attention.key_length': u32(4),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'llama.context_length': u32(512),
    'tokenizer.ggml.model': ggufText('gpt2'),
    'tokenizer.ggml.pre': ggufText('smollm'),
    'tokenizer.ggml.tokens': texts(tokens),
    'tokenizer.ggml.token_type': numbers(types),
    'tokenizer.ggml.merges': texts(model.merges.map((pair) => pair.join(' '))),
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.chat_template': ggufText(tokenizerConfig.chat_template as string),
  };
}

interface Info {
  name: string;
  shape: readonly bigint[];
  type: number;
  offset: bigint;
}

function goodInfos(): { infos: Info[]; data: number } {
  let offset = 0;
  const infos = [...tensorsOf()].map(([name, { shape, data }]): Info => {
    const info = {
      name: names.reduce((text, [from, to]) => text.replace(from, to), name),
      shape: [...shape].reverse().map(BigInt),
      type: 0,
      offset: BigInt(offset),
    };
    offset += Math.ceil(data.byteLength / 32) * 32;
    return info;
  });
  return { infos, data: offset };
}

interface Lies {
  keys?: { [key: string]: Value | null };
  keyCount?: bigint;
  tensorCount?: bigint;
  infos?: (infos: Info[]) => Info[];
  version?: number;
  extra?: number;
}

function ggufFile({ keys = {}, keyCount, tensorCount, infos: change, version = 3, extra = 0 }: Lies = {}): Uint8Array {
  const all = Object.entries({ ...goodKeys(), ...keys }).filter((pair): pair is [string, Value] => pair[1] !== null);
  const good = goodInfos();
  const infos = change ? change(good.infos) : good.infos;
  const out = new GgufBytes().u32(0x46554747).u32(version);
  out.u64(tensorCount ?? BigInt(infos.length)).u64(keyCount ?? BigInt(all.length));
  for (const [key, value] of all) value(out.text(key));
  for (const { name, shape, type, offset } of infos) {
    out.text(name).u32(shape.length);
    for (const size of shape) out.u64(size);
    out.u32(type).u64(offset);
  }
  return out
    .pad()
    .add(new Uint8Array(good.data + extra))
    .join();
}

/** Values of every type for every key. */
const oddGguf: readonly Value[] = [
  ...[u32(0), u32(2 ** 32 - 1), u64(2n ** 63n), u64(2n ** 53n), f32(Number.NaN), f64(Infinity), f64(1e308), f32(-1)],
  ...[bool(1), ggufText(''), ggufText('x'.repeat(1e6)), ggufText('constructor'), ggufText('\u202e<script>'), texts([])],
  ...[
    texts(['a', 'a']),
    texts(['__proto__', 'constructor']),
    numbers([]),
    numbers([1, 2, 3]),
    numbers([1], 5, 2n ** 63n),
  ],
  ...[texts(['a'], 2n ** 40n), (out: GgufBytes) => out.u32(9).u32(9).u64(1n), (out: GgufBytes) => out.u32(99)],
  ...[(out: GgufBytes) => out.u32(8).u64(2n ** 63n), (out: GgufBytes) => out.u32(8).u64(1n).add(Uint8Array.of(0xff))],
];

export function* ggufCases(): Cases {
  const withFile = (lies: Lies | (() => Uint8Array)) => (): Folder => ({
    'model.gguf': typeof lies === 'function' ? lies() : ggufFile(lies),
  });
  yield ['GGUF, undamaged', withFile({})];
  for (const key of [
    ...Object.keys(goodKeys()),
    ...['general.alignment', 'general.type', 'split.count', 'split.no'],
  ].concat([
    ...['tokenizer.ggml.add_bos_token', 'tokenizer.ggml.eot_token_id', 'tokenizer.ggml.padding_token_id'],
    ...[
      'llama.rope.freq_base',
      'llama.rope.scaling.type',
      'llama.rope.scaling.factor',
      'llama.vocab_size',
      'llama.nonsense',
    ],
    ...['llama.rope.dimension_count', 'tokenizer.ggml.precompiled_charsmap', 'split.tensors.count'],
  ])) {
    for (const [k, value] of oddGguf.entries())
      yield [`GGUF ${key} = odd value ${k}`, withFile({ keys: { [key]: value } })];
    yield [`GGUF without ${key}`, withFile({ keys: { [key]: null } })];
  }
  for (const count of [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
    yield [`GGUF of ${count} keys`, withFile({ keyCount: count })];
    yield [`GGUF of ${count} tensors`, withFile({ tensorCount: count })];
  }
  for (const version of [0, 1, 4, 2 ** 31, 2 ** 32 - 1]) yield [`GGUF of version ${version}`, withFile({ version })];
  const sizesOf: bigint[] = [0n, 2n ** 31n, 2n ** 40n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
  const first = (change: (info: Info) => Partial<Info>) => (infos: Info[]) =>
    infos.map((info, k) => (k === 0 ? { ...info, ...change(info) } : info));
  for (const size of sizesOf) {
    yield [`GGUF tensor of ${size} rows`, withFile({ infos: first(({ shape }) => ({ shape: [shape[0], size] })) })];
    yield [`GGUF tensor of ${size} columns`, withFile({ infos: first(({ shape }) => ({ shape: [size, shape[1]] })) })];
    yield [`GGUF tensor of ${size} squared`, withFile({ infos: first(() => ({ shape: [size, size] })) })];
    yield [`GGUF tensor of ${size} and none`, withFile({ infos: first(() => ({ shape: [size, 0n] })) })];
    yield [`GGUF tensor at ${size}`, withFile({ infos: first(() => ({ offset: size })) })];
    yield [
      `GGUF rope_freqs of ${size}`,
      withFile({
        infos: (infos) => [
          ...infos,
          { name: 'rope_freqs.weight', shape: [size], type: 0, offset: infos.at(-1)!.offset + 32n },
        ],
      }),
    ];
  }
  for (const type of [1, 2, 3, 4, 5, 8, 14, 21, 30, 39, 99, 2 ** 32 - 1])
    yield [`GGUF tensor of type ${type}`, withFile({ infos: first(() => ({ type })) })];
  for (const name of [
    '',
    'blk.0.attn_q.weight',
    'blk.99999999999999999999.attn_q.weight',
    '__proto__',
    'x'.repeat(1e6),
    'output.weight',
  ])
    yield [`GGUF tensor named ${name.slice(0, 30)}`, withFile({ infos: first(() => ({ name })) })];
  for (const count of [0, 5, 1000])
    yield [`GGUF tensor of ${count} dimensions`, withFile({ infos: first(() => ({ shape: Array(count).fill(1n) })) })];
  yield [
    'GGUF head of 2^31',
    withFile({
      keys: { 'llama.attention.key_length': u32(2 ** 31) },
      infos: (infos) => [
        ...infos,
        { name: 'rope_freqs.weight', shape: [2n], type: 0, offset: infos.at(-1)!.offset + 32n },
      ],
      extra: 64,
    }),
  ];
  yield [
    'GGUF of 30,000 tensors',
    withFile({
      infos: () => Array.from({ length: 3e4 }, (_, k) => ({ name: `t${k}`, shape: [0n], type: 0, offset: 0n })),
    }),
  ];
  yield [
    'GGUF of 30 million bytes in a list',
    withFile({
      keys: { 'general.bytes': (out) => out.u32(9).u32(0).u64(30_000_000n).add(new Uint8Array(30_000_000)) },
    }),
  ];
  yield ['GGUF of nothing', withFile(() => new Uint8Array(0))];
  yield ['GGUF of four bytes', withFile(() => encode('GGUF'))];
  for (let cutAt = 1; cutAt < 60; cutAt++)
    yield [
      `GGUF cut by ${cutAt} sixtieths`,
      withFile(() => ggufFile().slice(0, Math.floor((ggufFile().length * cutAt) / 60))),
    ];
}
