// Adapters in PEFT's layout: reading, writing, and refusals by name.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { type Adapter, loadAdapter, readAdapterAlone, saveAdapter } from '../../src/policy/formats/peft.ts';
import { AdapterError, parsePeftConfig } from '../../src/policy/formats/peft-config.ts';
import { readSafetensors, writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import {
  adapterShapes,
  initAdapter,
  type LoraConfig,
  loraScale,
  type Projection,
  projectionModule,
  projections,
} from '../../src/policy/weights/adapter.ts';
import { normals } from '../../src/policy/weights/init.ts';

const model = parseConfig({
  model_type: 'qwen2',
  vocab_size: 19,
  hidden_size: 12,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 3,
  num_key_value_heads: 1,
  head_dim: 4,
  tie_word_embeddings: true,
});
const lora: LoraConfig = { rank: 3, alpha: 6, targets: ['q_proj', 'up_proj', 'down_proj'] };
const tensors = initAdapter(model, lora, 7);
const written = (change: object = {}) => {
  const files = saveAdapter(model, { lora, tensors }, { name: 'owner/model' });
  const json = { ...JSON.parse(files['adapter_config.json']), ...change };
  return { config: JSON.stringify(json), tensors: files['adapter_model.safetensors'] };
};

it('reads back what it writes, under the names and shapes of PEFT', () => {
  expect(loadAdapter(model, written())).toEqual({ lora, tensors });
  const found = readSafetensors(written().tensors);
  expect(found.size).toBe(2 * 2 * 3);
  const shape = (name: string) => found.get(`base_model.model.model.layers.1.${name}.weight`)!.shape;
  expect(shape('self_attn.q_proj.lora_A')).toEqual([3, 12]);
  expect(shape('self_attn.q_proj.lora_B')).toEqual([12, 3]);
  expect(shape('mlp.down_proj.lora_A')).toEqual([3, 20]);
  expect(shape('mlp.up_proj.lora_B')).toEqual([20, 3]);
  expect(JSON.parse(written().config)).toMatchObject({
    peft_type: 'LORA',
    r: 3,
    lora_alpha: 6,
    target_modules: ['q_proj', 'up_proj', 'down_proj'],
    base_model_name_or_path: 'owner/model',
  });
});

/** An adapted module of PEFT's: layer, projection, rank and scale. */
interface Module {
  layer: number;
  projection: Projection;
  rank: number;
  scale: number;
}

const three = { ...model, numLayers: 3 };

/** `0.q:3x2 1.up:5x0.5`: rank 3 and scale 2 in q_proj of layer 0, rank 5 and scale 0.5 in up_proj of layer 1. */
const modulesFrom = (listed: string): Module[] =>
  listed.split(' ').map((each) => {
    const [, layer, name, rank, scale] = /^(\d)\.(\w+):(\d)x(.+)$/.exec(each)!;
    return { layer: Number(layer), projection: `${name}_proj` as Projection, rank: Number(rank), scale: Number(scale) };
  });

const named = ({ layer, projection }: Module, which: 'A' | 'B') =>
  `base_model.model.${projectionModule(layer, projection)}.lora_${which}.weight`;

/** Random matrices for PEFT's modules, under PEFT's names. */
function matricesOf(modules: readonly Module[]): TensorMap {
  const whole = adapterShapes(three, { rank: 1, alpha: 1, targets: projections });
  const found: TensorMap = new Map();
  for (const module of modules)
    for (const which of ['A', 'B'] as const) {
      const name = named(module, which);
      const [rows, columns] = whole.get(name)!;
      const shape = which === 'A' ? [module.rank, columns] : [rows, module.rank];
      found.set(name, { shape, data: normals(shape[0] * shape[1], 5, name, 1) });
    }
  return found;
}

/** (outputs, inputs) of scale B A, in double precision. */
function productOf(found: TensorMap, module: Module): number[] {
  const [A, B] = [found.get(named(module, 'A')), found.get(named(module, 'B'))];
  if (!A || !B) return [];
  const [rank, inputs] = A.shape;
  return Array.from({ length: B.shape[0] * inputs }, (_, at) => {
    const [row, column] = [Math.floor(at / inputs), at % inputs];
    let sum = 0;
    for (let r = 0; r < rank; r++) sum += B.data[row * rank + r] * A.data[r * inputs + column];
    return module.scale * sum;
  });
}

const unslothRegex = String.raw`(?:.*?(?:vision|image|visual|patch|language|text).*?(?:self_attn|attention|attn|mlp|feed_forward|ffn|dense).*?(?:k_proj|v_proj|q_proj|out_proj|fc1|fc2|o_proj|gate_proj|up_proj|down_proj).*?)|(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn|attention|attn|mlp|feed_forward|ffn|dense)\.(?:(?:q_proj|v_proj)))`;
const everyLayer = (names: string, which = [0, 1, 2]) =>
  which.map((l) => names.replace(/\w+/g, (name) => `${l}.${name}:3x2`)).join(' ');

// The modules with their rank and scale are PEFT 0.21.2's, on a Qwen2 of three layers with r 3 and lora_alpha 6: for each
// module of get_peft_model(model, LoraConfig(r=3, lora_alpha=6, task_type='CAUSAL_LM', **change)).base_model.model.named_modules()
// that is a LoraLayer, f"{layer}.{name}:{module.r['default']}x{module.scaling['default']}".
const cases: [object, string][] = [
  [{ target_modules: 'ALL-linear' }, everyLayer('q k v o gate up down')],
  [
    { target_modules: 'all-linear', exclude_modules: ['o_proj', 'model.layers.1.mlp.up_proj'] },
    `${everyLayer('q k v gate up down', [0])} ${everyLayer('q k v gate down', [1])} ${everyLayer('q k v gate up down', [2])}`,
  ],
  [{ target_modules: null }, everyLayer('q v')],
  [{ target_modules: ['self_attn.q_proj', 'layers.1.mlp.up_proj', 'fc1'] }, '0.q:3x2 1.q:3x2 1.up:3x2 2.q:3x2'],
  [{ target_modules: unslothRegex }, everyLayer('q v')],
  [{ target_modules: String.raw`model\.layers\.[02]\..*(q|k)_proj` }, everyLayer('q k', [0, 2])],
  [
    { target_modules: String.raw`.*\.(?!down|up)\w+_proj`, exclude_modules: String.raw`.*\.mlp\..*` },
    everyLayer('q k v o'),
  ],
  [{ target_modules: ['q_proj', 'model.layers.0.mlp.up_proj'], layers_to_transform: [1, 7] }, '0.up:3x2 1.q:3x2'],
  [{ target_modules: ['v_proj'], layers_to_transform: 2, layers_pattern: 'layers' }, '2.v:3x2'],
  [{ target_modules: ['v_proj'], layers_to_transform: [0, 1], layers_pattern: ['h', 'lay.*'] }, '0.v:3x2 1.v:3x2'],
  [{ target_modules: ['v_proj'], layers_to_transform: [] }, everyLayer('v')],
  [
    {
      target_modules: ['q_proj', 'v_proj'],
      rank_pattern: { q_proj: 2, 'model.layers.0.self_attn.v_proj': 6 },
      alpha_pattern: { '^model\\.layers\\.1\\..*': 16, 'v.proj': 4 },
    },
    '0.q:2x3 0.v:6x0.6667 1.q:2x8 1.v:3x5.3333 2.q:2x3 2.v:3x1.3333',
  ],
  [
    { target_modules: ['q_proj'], rank_pattern: { 'layers.[12].self_attn.q_proj': 5 }, use_rslora: true },
    '0.q:3x3.4641 1.q:5x2.6833 2.q:5x2.6833',
  ],
  // Axolotl's keys.
  [
    {
      target_modules: ['q_proj', 'k_proj', 'up_proj'],
      rank_pattern: { '.*\\.layers\\.2\\..*(q_proj|k_proj|v_proj|o_proj)$': 5 },
      alpha_pattern: { '.*\\.layers\\.2\\..*(q_proj|k_proj|v_proj|o_proj)$': 40 },
    },
    `${everyLayer('q k up', [0, 1])} 2.q:5x8 2.k:5x8 2.up:3x2`,
  ],
  // PEFT sets it to false for linear layers.
  [{ target_modules: ['q_proj'], fan_in_fan_out: true }, everyLayer('q')],
];

describe.each(cases)("%j is read as PEFT's modules, ranks and scales", (change, listed) => {
  const modules = modulesFrom(listed);
  const found = matricesOf(modules);
  const { config } = written(change);
  const files = { config, tensors: writeSafetensors(found) };

  function check({ lora, tensors: read }: Adapter): void {
    expect([...read.keys()].sort()).toEqual([...adapterShapes(three, lora).keys()].sort());
    for (let layer = 0; layer < three.numLayers; layer++)
      for (const projection of projections) {
        const own = modules.find((each) => each.layer === layer && each.projection === projection);
        const module = { layer, projection, rank: lora.rank, scale: loraScale(lora) };
        const product = productOf(read, module);
        if (!own) expect(product.every((value) => value === 0)).toBe(true);
        // The scales above have four digits.
        else
          for (const [i, value] of productOf(found, own).entries())
            expect(Math.abs(product[i] - value)).toBeLessThan(1e-4 * (1 + Math.abs(value)));
      }
  }

  it('for the model', () => check(loadAdapter(three, files)));
  it('without the model', () => check(readAdapterAlone(files, null)));
});

it('reads names with the adapter name of PEFT, and dtypes of 16 bits', () => {
  const renamed = new Map([...tensors].map(([name, each]) => [name.replace('.weight', '.default.weight'), each]));
  expect(loadAdapter(model, { ...written(), tensors: writeSafetensors(renamed) })).toEqual({ lora, tensors });
  const narrow = new Map([...tensors].map(([name, each]) => [name, { ...each, dtype: 'BF16' as const }]));
  const read = loadAdapter(model, { ...written(), tensors: writeSafetensors(narrow) });
  for (const [name, { data }] of read.tensors)
    for (const [i, value] of data.entries())
      expect(Math.abs(value - tensors.get(name)!.data[i])).toBeLessThanOrEqual(2 ** -8 * Math.abs(value));
});

it('a subset of layers is written for PEFT and read back', () => {
  const some: LoraConfig = { ...lora, layers: [1] };
  const own = initAdapter(model, some, 3);
  const files = saveAdapter(model, { lora: some, tensors: own }, { name: 'owner/model' });
  expect(JSON.parse(files['adapter_config.json'])).toMatchObject({ layers_to_transform: [1] });
  const contents = { config: files['adapter_config.json'], tensors: files['adapter_model.safetensors'] };
  expect(loadAdapter(model, contents)).toEqual({ lora: some, tensors: own });
  expect(readAdapterAlone(contents, null)).toEqual({ lora: some, tensors: own });
});

it("an alpha of 0 is replaced by the training's if the ranks are equal, and refused otherwise", () => {
  const files = written({ lora_alpha: 0 });
  expect(readAdapterAlone(files, { rank: 3, alpha: 6 }).lora).toEqual(lora);
  expect(() => readAdapterAlone(files, { rank: 4, alpha: 6 })).toThrow(/lora_alpha is 0.*verl/);
  expect(() => loadAdapter(model, files)).toThrow(/lora_alpha is 0.*verl/);
});

it('ignores fields without an effect on a trained adapter', () => {
  const harmless = {
    auto_mapping: { base_model_class: 'Qwen2ForCausalLM', unsloth_fixed: true },
    unsloth_fixed: true,
    peft_version: '0.21.2',
    init_lora_weights: 'eva',
    eva_config: { rho: 2 },
    loftq_config: { loftq_bits: 4 },
    ensure_weight_tying: true,
    lora_dropout: 0.05,
    note: 'of a later version',
    modules_to_save: [],
    alora_invocation_tokens: null,
  };
  expect(loadAdapter(model, written(harmless))).toEqual({ lora, tensors });
});

describe('refuses by name', () => {
  it.each([
    [{ use_dora: true }, /use_dora/],
    [{ bias: 'all' }, /bias "all"/],
    [{ modules_to_save: ['lm_head'] }, /modules_to_save/],
    [{ trainable_token_indices: [] }, /trainable_token_indices/],
    [{ kasa_config: {} }, /kasa_config/],
    [{ use_future: true }, /use_future \(an unknown field/],
    [{ peft_type: 'IA3' }, /peft_type IA3/],
    [{ peft_type: undefined }, /peft_type is missing/],
    [{ task_type: 'SEQ_CLS' }, /task_type "SEQ_CLS"/],
    [{ init_lora_weights: 'pissa_niter_4' }, /init_lora_weights "pissa_niter_4"/],
    [{ init_lora_weights: 'OLoRA' }, /init_lora_weights "OLoRA"/],
    [{ target_modules: ['q_proj', 'lm_head'] }, /includes lm_head, which cannot be adapted/],
    [{ target_modules: '.*' }, /includes model, model.embed_tokens, .*which cannot be adapted/],
    [{ target_modules: 'q_proj|v_proj' }, /includes none of the modules/],
    [{ target_modules: '(' }, /target_modules: a "\(" without "\)" at character 2/],
    [{ target_modules: '.*_proj', layers_to_transform: [0] }, /need a list in target_modules/],
    [{ layers_pattern: 'layers' }, /layers_pattern is set without/],
    [{ layers_to_transform: ['0'] }, /layers_to_transform is \["0"\]/],
    [{ rank_pattern: { q_proj: 0 } }, /rank_pattern has 0 for q_proj/],
    [{ r: 0 }, /r is 0/],
    [{ lora_alpha: 'big' }, /lora_alpha is big/],
    [{ lora_alpha: -4 }, /lora_alpha is -4/],
    [{ use_rslora: 'yes' }, /use_rslora is "yes"/],
  ])('%j', (change, message) => {
    expect(() => loadAdapter(model, written(change))).toThrow(AdapterError);
    expect(() => loadAdapter(model, written(change))).toThrow(message);
    expect(() => readAdapterAlone(written(change), null)).toThrow(message);
  });

  it('every unsupported field, at once', () => {
    expect(() => loadAdapter(model, written({ use_dora: true, bias: 'lora_only' }))).toThrow(/use_dora.*bias/);
  });

  const extra = (...more: string[]) => {
    const all: TensorMap = new Map(tensors);
    for (const name of more) all.set(name, { shape: [2, 2], data: new Float32Array(4) });
    return { ...written(), tensors: writeSafetensors(all) };
  };

  it.each([
    [
      ['base_model.model.lm_head.weight', 'base_model.model.model.embed_tokens.weight'],
      /values of embed_tokens and lm_head/,
    ],
    [['base_model.model.lm_head.base_layer.weight'], /values of lm_head,/],
    [['base_model.model.lm_head.modules_to_save.weight'], /values of lm_head,/],
    [['base_model.model.model.layers.0.self_attn.k_proj.lora_A.lora.weight'], /not part of .*lora_A.lora.weight/],
    [['base_model.model.model.embed_tokens.lora_embedding_A'], /values of embed_tokens,/],
    [['base_model.model.model.layers.0.self_attn.k_proj.lora_A.weight'], /not part of .*layers.0.self_attn.k_proj/],
    [['base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector'], /not part of .*lora_magnitude_vector/],
    [['base_model.model.model.layers.2.self_attn.q_proj.lora_A.other.weight'], /not part of .*lora_A.other/],
    [['model.layers.0.self_attn.q_proj.lora_A.weight'], /not part of .*: model.layers.0/],
    [['base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight'], /twice/],
  ])('the tensor %s', (more, message) => {
    expect(() => loadAdapter(model, extra(...more))).toThrow(message);
    expect(() => readAdapterAlone(extra(...more), null)).toThrow(message);
  });

  it.each<[string, (name: string) => string]>([
    ['kohya or ComfyUI', (name) => name.replace('base_model.model.', 'lora_te_').replace('lora_A', 'lora_down')],
    ['Diffusers', (name) => name.replace('lora_A', 'lora.down').replace('lora_B', 'lora.up')],
    ['wrapped twice', (name) => `base_model.model.${name}`],
    ['compiled', (name) => name.replace('base_model.model.', 'base_model.model._orig_mod.')],
    ['DistributedDataParallel', (name) => `module.${name}`],
    ['texts and images', (name) => name.replace('.layers', '.language_model.layers')],
    ["without PEFT's prefix", (name) => name.replace('base_model.model.', '')],
  ])('names of another program: %s', (words, rename) => {
    const { config, tensors: bytes } = written();
    const renamed = new Map([...readSafetensors(bytes)].map(([name, tensor]) => [rename(name), tensor]));
    const files = { config, tensors: writeSafetensors(renamed as unknown as Parameters<typeof writeSafetensors>[0]) };
    expect(() => loadAdapter(model, files)).toThrow(words);
  });

  it('matrices that are missing, of another shape, or of another model', () => {
    const [first] = tensors.keys();
    const without = new Map([...tensors].filter(([name]) => name !== first));
    const { config } = written();
    expect(() => loadAdapter(model, { config, tensors: writeSafetensors(without) })).toThrow(
      `missing: ${first} [3,12]`,
    );
    const wide = parseConfig({
      ...JSON.parse('{"model_type":"llama"}'),
      vocab_size: 19,
      hidden_size: 16,
      intermediate_size: 20,
      num_hidden_layers: 2,
      num_attention_heads: 3,
      num_key_value_heads: 1,
      head_dim: 4,
    });
    expect(() => loadAdapter(wide, written())).toThrow(/is \[3,12\], expected \[3,16\]/);
  });
});

it('refuses a rank of one module that would fill the memory at all others', () => {
  const pair = (layer: number, projection: string, rank: number) =>
    (['A', 'B'] as const).map((which) => {
      const shape = which === 'A' ? [rank, 2] : [2, rank];
      const data = new Float32Array(2 * rank);
      return [
        `base_model.model.model.layers.${layer}.self_attn.${projection}.lora_${which}.weight`,
        { shape, data },
      ] as const;
    });
  const layers = Array.from({ length: 1000 }, (_, layer) => pair(layer, 'q_proj', 2)).flat();
  const config = JSON.stringify({
    ...{ peft_type: 'LORA', r: 2, lora_alpha: 4, base_model_name_or_path: 'a/b' },
    target_modules: '.*(q_proj|layers\\.0\\.self_attn\\.k_proj)',
    rank_pattern: { k_proj: 100_000 },
  });
  const files = { config, tensors: writeSafetensors(new Map([...layers, ...pair(0, 'k_proj', 100_000)])) };
  expect(() => readAdapterAlone(files, null)).toThrow(/At its largest rank 100000 this adapter takes \d+ bytes/);
});

it('a pointer of git-lfs in place of the config is named', () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n';
  expect(() => parsePeftConfig(pointer)).toThrow('adapter_config.json is a git-lfs pointer');
});
