/** Hostile weights: headers of safetensors and GGUF, configs and adapters. */
import { loadAdapter, readAdapterAlone } from '../../../src/policy/formats/peft.ts';
import { writeSafetensors } from '../../../src/policy/formats/safetensors.ts';
import { config, configJson, type Folder, goodFolder, tensorsOf } from './model-folder.ts';
import { type Cases, deep, oddValues } from './tokenizers.ts';

type Json = { [field: string]: unknown };

const sizes = [
  ...['hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads', 'num_key_value_heads'],
  ...['head_dim', 'vocab_size', 'max_position_embeddings', 'rms_norm_eps', 'rope_theta'],
];

/** config.json and model.safetensors.index.json. */
export function* configCases(): Cases {
  const fields = [
    ...sizes,
    'model_type',
    'rope_scaling',
    'rope_parameters',
    'layer_types',
    'eos_token_id',
    'bos_token_id',
  ];
  for (const field of [...fields, 'tie_word_embeddings', 'transformers_weights', 'hidden_act', 'use_sliding_window'])
    for (const [k, value] of [...oddValues, 2 ** 40, 2 ** 53, 1e308].entries())
      yield [
        `config.json ${field} = odd value ${k}`,
        () => ({ ...goodFolder(), 'config.json': JSON.stringify({ ...configJson, [field]: value }) }),
      ];
  for (const text of [
    deep(),
    '',
    'null',
    '[]',
    '5',
    '"x"',
    `{"model_type":${deep()}}`,
    `{"model_type":"llama","a":1e999}`,
  ])
    yield [`config.json is ${text.slice(0, 24)}`, () => ({ ...goodFolder(), 'config.json': text || ' ' })];
  for (const map of [
    '5',
    'null',
    '"x"',
    '[]',
    '{}',
    '{"a":"../../etc/passwd"}',
    '{"a":"/etc/passwd"}',
    '{"a":5}',
    deep(),
  ])
    yield [
      `index with the weight_map ${map.slice(0, 24)}`,
      () => {
        const { 'model.safetensors': _, ...rest } = goodFolder();
        return { ...rest, 'model.safetensors.index.json': `{"weight_map":${map}}` };
      },
    ];
}

const encode = (text: string) => new TextEncoder().encode(text);

/** A safetensors file with this header and so many bytes of data. */
function safetensors(header: string | Uint8Array, dataBytes: number, claimed?: bigint): Uint8Array {
  const text = typeof header === 'string' ? encode(header) : header;
  const out = new Uint8Array(8 + text.length + dataBytes);
  new DataView(out.buffer).setBigUint64(0, claimed ?? BigInt(text.length), true);
  out.set(text, 8);
  return out;
}

const goodHeader = (): { [name: string]: Json } => {
  const bytes = writeSafetensors(tensorsOf());
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  return JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
};
const dataBytes = () =>
  Object.values(goodHeader()).reduce((most, each) => Math.max(most, (each.data_offsets as number[])[1]), 0);

export function* safetensorsCases(): Cases {
  const withFile = (file: () => Uint8Array) => (): Folder => ({ ...goodFolder(), 'model.safetensors': file() });
  for (const claimed of [0n, 1n, 7n, 99_999_999n, 100_000_001n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])
    yield [
      `header of ${claimed} bytes`,
      withFile(() => safetensors(JSON.stringify(goodHeader()), dataBytes(), claimed)),
    ];
  const headers: [string, string | Uint8Array][] = [
    ['deep', deep()],
    ['deep in a tensor', `{"x":${deep()}}`],
    ['deep as a dtype', `{"x":{"dtype":${deep()},"shape":[],"data_offsets":[0,0]}}`],
    ['null', 'null'],
    ['a list', '[]'],
    ['empty', '{}'],
    ['NULs', '\0'.repeat(100)],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)],
    [
      '200,000 tensors',
      `{${Array.from({ length: 2e5 }, (_, k) => `"t${k}":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`).join()}}`,
    ],
    ['a name of a million characters', `{"${'x'.repeat(1e6)}":{"dtype":"F32","shape":[1],"data_offsets":[0,0]}}`],
    ['__proto__', '{"__proto__":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"constructor":5}'],
    [
      'the same name twice',
      '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
    ],
  ];
  for (const [name, header] of headers) yield [`header that is ${name}`, withFile(() => safetensors(header, 0))];
  for (const metadata of ['5', 'null', '[]', '"x"', '{"a":5}', '{"a":{"b":1}}', '{"__proto__":"x"}', deep()])
    yield [
      `__metadata__ ${metadata.slice(0, 24)}`,
      withFile(() => safetensors(`{"__metadata__":${metadata},${JSON.stringify(goodHeader()).slice(1)}`, dataBytes())),
    ];
  const values: { [field: string]: readonly unknown[] } = {
    dtype: [...oddValues, 'F64', 'BF16', 'I8', 'BOOL', 'F8_E4M3', 'f32'],
    shape: [
      ...oddValues,
      [-1],
      [0.5],
      ['8'],
      [2 ** 53],
      [2 ** 40, 2 ** 40],
      [2 ** 40, 0],
      [1e308, 1e308],
      Array(1e5).fill(1),
    ],
    data_offsets: [...oddValues, [0], [0, 0, 0], [5, 1], [-4, 0], [0, 2 ** 53], [0.5, 4.5], ['0', '32'], [0, 1e308]],
  };
  for (const [field, list] of Object.entries(values))
    for (const [k, value] of list.entries())
      yield [
        `${field} = value ${k}`,
        withFile(() => {
          const header = goodHeader();
          header['model.norm.weight'] = { ...header['model.norm.weight'], [field]: value };
          return safetensors(JSON.stringify(header), dataBytes());
        }),
      ];
}

const adapterJson = {
  peft_type: 'LORA',
  r: 2,
  lora_alpha: 4,
  target_modules: ['q_proj'],
  base_model_name_or_path: 'a/b',
};

const pair = (layer: number, projection: string, rank: number, inputs: number, outputs: number) =>
  (['A', 'B'] as const).map((which): [string, { shape: number[]; data: Float32Array }] => {
    const shape = which === 'A' ? [rank, inputs] : [outputs, rank];
    return [
      `base_model.model.model.layers.${layer}.${projection}.lora_${which}.weight`,
      { shape, data: new Float32Array(shape[0] * shape[1]) },
    ];
  });

/** Adapters: reading each with and without its model. */
export function* adapterCases(): Iterable<readonly [name: string, run: () => () => void]> {
  const good = () => writeSafetensors(new Map(pair(0, 'self_attn.q_proj', 2, 8, 8)));
  const both = (text: string, tensors: () => Uint8Array, alone: boolean) => () => () => {
    if (alone) readAdapterAlone({ config: text, tensors: tensors() }, null);
    else loadAdapter(config, { config: text, tensors: tensors() });
  };
  const fields = [
    ...[
      'peft_type',
      'r',
      'lora_alpha',
      'target_modules',
      'exclude_modules',
      'use_rslora',
      'rank_pattern',
      'alpha_pattern',
    ],
    ...[
      'layers_to_transform',
      'layers_pattern',
      'bias',
      'task_type',
      'init_lora_weights',
      'use_dora',
      'modules_to_save',
    ],
    ...['base_model_name_or_path', 'nonsense'],
  ];
  const odd: unknown[] = [
    ...oddValues,
    ['x'.repeat(1e6)],
    '(a+)+$',
    '(.*)*x',
    '(((((',
    ['q_proj', 5],
    { q_proj: 1e9 },
    { '(.*)*x': 2 },
  ];
  for (const alone of [true, false]) {
    const how = alone ? 'alone' : 'with its model';
    for (const field of fields)
      for (const [k, value] of odd.entries())
        yield [
          `adapter ${how}, ${field} = odd value ${k}`,
          both(JSON.stringify({ ...adapterJson, [field]: value }), good, alone),
        ];
    for (const text of [
      deep(),
      'null',
      '[]',
      '5',
      '"x"',
      '{',
      JSON.stringify(adapterJson).replace('4', '1e999'),
      JSON.stringify(adapterJson).replace('4', 'NaN'),
      `{"peft_type":${deep()}}`,
    ])
      yield [`adapter ${how}, config ${text.slice(0, 24)}`, both(text, good, alone)];
    const wide = { ...adapterJson, target_modules: ['q_proj', 'k_proj'], rank_pattern: { k_proj: 1_000_000 } };
    yield [
      `adapter ${how} of a rank of 1,000,000 in one layer of 1,000`,
      both(
        JSON.stringify({ ...wide, target_modules: '.*(q_proj|0.self_attn.k_proj)' }),
        () =>
          writeSafetensors(
            new Map([
              ...Array.from({ length: 1000 }, (_, layer) => pair(layer, 'self_attn.q_proj', 2, 2, 2)).flat(),
              ...Array.from({ length: 1000 }, (_, layer) => layer)
                .filter((layer) => layer % 10 === 0)
                .slice(0, 1)
                .flatMap((layer) => pair(layer, 'self_attn.k_proj', 1_000_000, 2, 2)),
            ]),
          ),
        alone,
      ),
    ];
    yield [
      `adapter ${how} of layer 99999`,
      both(
        JSON.stringify(adapterJson),
        () => writeSafetensors(new Map(pair(99_999, 'self_attn.q_proj', 2, 8, 8))),
        alone,
      ),
    ];
  }
}
