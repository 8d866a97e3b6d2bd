// The choice of a model's files in a folder, and their kinds, by the rules of transformers 5.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeModel } from '../../src/cli/random-model.ts';
import { prepareModel } from '../../src/models/loader.ts';
import { wholeTensors } from '../../src/models/whole-tensors.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { readSafetensors, type WritableTensor, writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { FolderSource, nodeFiles } from '../../src/store/weights-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shape = { layers: 1, hidden: 16, intermediate: 24, heads: 2, kvHeads: 1, headDim: 8, vocab: 600 };
const make = (name: string, seed: number, shardBytes?: number) =>
  makeModel(findModel('qwen2.5-0.5b'), {
    ...{ out: join(folder, name), seed, dtype: 'f32', overrides: shape },
    ...(shardBytes && { shardBytes }),
  });

beforeAll(async () => {
  await make('one', 1);
  await make('shards', 2, 20_000);
});

let copies = 0;
/** A copy of a folder, changed. */
function copyOf(name: string, change: (at: string) => void): string {
  const at = join(folder, `copy-${copies++}`);
  cpSync(join(folder, name), at, { recursive: true });
  change(at);
  return at;
}

async function open(at: string) {
  const source = await FolderSource.open('made', await nodeFiles(at));
  return prepareModel(source, { precision: 'f32', cache: null, signal: new AbortController().signal });
}

const tensorsOf = async (at: string) => wholeTensors(await open(at));
const single = 'model.safetensors';
const index = 'model.safetensors.index.json';
const embedding = 'model.embed_tokens.weight';
const head = 'lm_head.weight';

function editWeights(at: string, edit: (tensors: Map<string, WritableTensor>) => void): void {
  const path = join(at, single);
  const tensors = readSafetensors(new Uint8Array(readFileSync(path))) as unknown as Map<string, WritableTensor>;
  edit(tensors);
  writeFileSync(path, writeSafetensors(tensors));
}

function editJson(at: string, name: string, change: object): void {
  const path = join(at, name);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
}

describe('the weight files', () => {
  it('are the single file before older shards and their index', async () => {
    const at = copyOf('shards', (to) => cpSync(join(folder, 'one', single), join(to, single)));
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
    const leftOver = copyOf('one', (to) => cpSync(join(folder, 'shards', index), join(to, index)));
    expect(await tensorsOf(leftOver)).toEqual(await tensorsOf(join(folder, 'one')));
  });

  it('are refused in words if only a pickle is there', async () => {
    const at = copyOf('one', (to) => renameSync(join(to, single), join(to, 'pytorch_model.bin')));
    await expect(open(at)).rejects.toThrow(/its weights in pytorch_model\.bin.*safetensors/);
  });

  it('are refused in words if the index names a file of another folder', async () => {
    const at = copyOf('one', (to) => {
      renameSync(join(to, single), join(to, 'other.safetensors'));
      writeFileSync(join(to, index), JSON.stringify({ weight_map: { [embedding]: 'sub/model.safetensors' } }));
    });
    await expect(open(at)).rejects.toThrow(/lists "sub\/model\.safetensors"; it must be the name of a file beside/);
  });

  it('are read in a folder with a link that leads nowhere', async () => {
    const at = copyOf('one', (to) => symlinkSync(join(to, 'gone'), join(to, 'pytorch_model.bin')));
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
  });

  it('are missing in a folder of an adapter', async () => {
    const at = copyOf('one', (to) => {
      rmSync(join(to, 'config.json'));
      renameSync(join(to, single), join(to, 'adapter_model.safetensors'));
      writeFileSync(join(to, 'adapter_config.json'), '{}');
    });
    await expect(open(at)).rejects.toThrow(/is an adapter, not a model: name its base/);
  });

  it('are those that config.json names', async () => {
    const at = copyOf('one', (to) => {
      renameSync(join(to, single), join(to, 'other.safetensors'));
      editJson(to, 'config.json', { transformers_weights: 'other.safetensors' });
    });
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
    editJson(at, 'config.json', { transformers_weights: '../one/model.safetensors' });
    await expect(open(at)).rejects.toThrow(/names "\.\.\/one\/model\.safetensors" as transformers_weights/);
  });

  it.each([
    [
      'shards without an index',
      /model-00001-of-0000\d\.safetensors; its index/,
      (at: string) => rmSync(join(at, index)),
    ],
    [
      'a missing shard',
      /has no model-00002-of-0000\d\.safetensors, which model\.safetensors\.index\.json lists/,
      (at: string) => {
        const parts = Object.values(JSON.parse(readFileSync(join(at, index), 'utf8')).weight_map) as string[];
        rmSync(join(at, parts.find((name) => name.includes('-00002-'))!));
      },
    ],
  ])('are refused by name: %s', async (_, message, change) => {
    await expect(open(copyOf('shards', change))).rejects.toThrow(message);
  });

  it('are refused if a part holds a tensor that the index assigns to another', async () => {
    const at = copyOf('shards', (to) => {
      const map = JSON.parse(readFileSync(join(to, index), 'utf8')).weight_map as { [name: string]: string };
      const other = Object.values(map).find((part) => part !== map[embedding])!;
      const read = (part: string) => readSafetensors(new Uint8Array(readFileSync(join(to, part))));
      const tensors = read(other).set(embedding, read(map[embedding]).get(embedding)!);
      writeFileSync(join(to, other), writeSafetensors(tensors as unknown as Map<string, WritableTensor>));
    });
    await expect(open(at)).rejects.toThrow(
      /embed_tokens\.weight is in more than one of the \d weight files: model-0000\d.* and model-0000\d/,
    );
  });

  it('are refused if only a variant is there, or an adapter lies beside', async () => {
    const variant = copyOf('one', (at) => renameSync(join(at, single), join(at, 'model.fp16.safetensors')));
    await expect(open(variant)).rejects.toThrow(/model\.fp16\.safetensors; it is a variant/);
    const beside = copyOf('one', (at) => writeFileSync(join(at, 'adapter_config.json'), '{}'));
    await expect(open(beside)).rejects.toThrow(/holds an adapter \(adapter_config\.json\) beside a model/);
  });
});

describe('a tied model', () => {
  /** With a head whose rows from `row` on are the embedding's, negated. */
  const withHead =
    (row: number, vocab = shape.vocab) =>
    (tensors: Map<string, WritableTensor>) => {
      const table = tensors.get(embedding)!;
      const data = (table.data as Float32Array).map((value, i) => (i >= row * shape.hidden ? -value : value));
      tensors.set(head, { shape: [vocab, shape.hidden], data });
    };

  it("uses a head of the file's own, and its config states it", async () => {
    const at = copyOf('one', (to) => editWeights(to, withHead(599)));
    const model = await open(at);
    expect(model.config.tieWordEmbeddings).toBe(false);
    expect(JSON.parse(model.texts['config.json']).tie_word_embeddings).toBe(false);
    const tensors = await wholeTensors(model);
    expect(tensors.get(head)!.data.at(-1)).toBe(-tensors.get(embedding)!.data.at(-1)!);
  });

  it('leaves out a head that repeats the embedding', async () => {
    const at = copyOf('one', (to) => editWeights(to, withHead(600)));
    expect((await open(at)).config.tieWordEmbeddings).toBe(true);
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
  });

  it('with a head that differs in rows that are not compared before loading is refused while it loads', async () => {
    await makeModel(findModel('qwen2.5-0.5b'), {
      ...{ out: join(folder, 'tall'), seed: 4, dtype: 'f32' },
      overrides: { ...shape, vocab: 140_000 },
    });
    const at = copyOf('tall', (to) =>
      editWeights(to, (tensors) => {
        withHead(140_000, 140_000)(tensors);
        (tensors.get(head)!.data as Float32Array)[20_000 * shape.hidden] += 1;
      }),
    );
    const model = await open(at);
    expect(model.config.tieWordEmbeddings).toBe(true);
    await expect(wholeTensors(model)).rejects.toThrow(/lm_head\.weight differs from model\.embed_tokens\.weight/);
  });

  it('takes its only table as the embedding, under either name', async () => {
    const at = copyOf('one', (to) =>
      editWeights(to, (tensors) => {
        tensors.set(head, tensors.get(embedding)!);
        tensors.delete(embedding);
      }),
    );
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
  });

  it("has a base model's names, without model.", async () => {
    const at = copyOf('one', (to) =>
      editWeights(to, (tensors) => {
        const all = [...tensors];
        tensors.clear();
        for (const [name, tensor] of all) tensors.set(name.replace(/^model\./, ''), tensor);
      }),
    );
    expect(await tensorsOf(at)).toEqual(await tensorsOf(join(folder, 'one')));
  });
});

describe('named tokens', () => {
  const named = async (modelType: string, config: object | null, map: object | null) => {
    const at = copyOf('one', (to) => {
      // Qwen2's tensors in another family would be refused; only the texts count here.
      if (config) writeFileSync(join(to, 'tokenizer_config.json'), JSON.stringify(config));
      else rmSync(join(to, 'tokenizer_config.json'));
      if (map) writeFileSync(join(to, 'special_tokens_map.json'), JSON.stringify(map));
      editJson(to, 'config.json', { model_type: modelType });
      if (modelType !== 'qwen2')
        editWeights(to, (tensors) =>
          [...tensors.keys()].filter((name) => name.endsWith('bias')).forEach((name) => tensors.delete(name)),
        );
    });
    const { bos_token, eos_token, pad_token } = JSON.parse((await open(at)).texts['tokenizer_config.json'] ?? '{}');
    return [bos_token, eos_token, pad_token];
  };
  const [end, start] = ['<|endoftext|>', '<|im_start|>'];

  // AutoTokenizer of transformers 5.24, with the same files beside a byte-level tokenizer.json.
  it.each([
    ['llama', { bos_token: start }, { bos_token: end }, [end, undefined, undefined]],
    ['llama', { bos_token: start }, { bos_token: null }, [null, undefined, undefined]],
    ['llama', { added_tokens_decoder: {} }, { bos_token: end }, [undefined, undefined, undefined]],
    ['llama', null, { bos_token: { content: end } }, [{ content: end }, undefined, undefined]],
    ['llama', { tokenizer_class: 'GPT2Tokenizer' }, null, [end, end, undefined]],
    ['llama', { tokenizer_class: 'LlamaTokenizerFast' }, null, [undefined, undefined, undefined]],
    ['qwen2', { tokenizer_class: 'PreTrainedTokenizerFast' }, null, [undefined, end, end]],
    ['qwen2', { eos_token: null, pad_token: start }, null, [undefined, null, start]],
  ])('%s: %o, %o', async (modelType, config, map, expected) => {
    expect(await named(modelType, config, map)).toEqual(expected);
  });
});

describe('further templates of a folder', () => {
  it('are those of additional_chat_templates, before the one of tokenizer_config.json', async () => {
    const at = copyOf('one', (to) => {
      mkdirSync(join(to, 'additional_chat_templates'));
      writeFileSync(join(to, 'additional_chat_templates/tool_use.jinja'), 'with tools');
      writeFileSync(join(to, 'chat_template.jinja'), 'plain');
    });
    const { texts } = await open(at);
    expect(texts).not.toHaveProperty('chat_template.jinja');
    const [plain, tools] = JSON.parse(texts['tokenizer_config.json']).chat_template;
    expect([plain, tools]).toEqual([
      { name: 'default', template: 'plain' },
      { name: 'tool_use', template: 'with tools' },
    ]);
  });
});

// github.com/ultralytics/hub/issues/89
it('files of attributes of macOS are no weights', async () => {
  const files = ['model.gguf', '._model.gguf', '._model.safetensors'].map((name) => ({
    name,
    size: 1,
    lastModified: 0,
    read: async () => new Uint8Array(1),
  }));
  expect((await FolderSource.open('disk', files)).names()).toEqual(['model.gguf']);
});

describe('generation_config.json', () => {
  const opened = (fields: object) =>
    open(copyOf('one', (to) => writeFileSync(join(to, 'generation_config.json'), JSON.stringify(fields))));

  it.each([
    { suppress_tokens: [1] },
    { begin_suppress_tokens: [1] },
    { forced_bos_token_id: 0 },
    { forced_eos_token_id: 2 },
    { bad_words_ids: [[3]] },
    { sequence_bias: [[[3], -1]] },
    { min_new_tokens: 5 },
    { num_beams: 4 },
  ])('with %o is refused by the name of the setting', async (fields) => {
    await expect(opened(fields)).rejects.toThrow(`sets ${Object.keys(fields)[0]} `);
  });

  // Other values were passed over, and replies did not end there (github.com/InfiniTensor/InfiniLM/pull/387 has a list).
  it.each(['"2"', '[2, "3"]', '{"id": 2}', '1.5'])('with the end tokens %s is refused', async (ends) => {
    await expect(opened({ eos_token_id: JSON.parse(ends) })).rejects.toThrow(
      `generation_config.json has ${JSON.stringify(JSON.parse(ends))} for eos_token_id`,
    );
  });

  it('may list end tokens', async () => {
    await expect(opened({ eos_token_id: [2, 3] })).resolves.toBeDefined();
  });

  it('may set what changes nothing, and defaults of sampling', async () => {
    const fields = { suppress_tokens: null, bad_words_ids: [], min_length: 0, num_beams: 1, repetition_penalty: 1.1 };
    await expect(opened(fields)).resolves.toBeDefined();
  });
});

describe('added_tokens.json', () => {
  const encoded = async (added: object, config: object, text: string) => {
    const at = copyOf('one', (to) => {
      writeFileSync(join(to, 'tokenizer_config.json'), JSON.stringify(config));
      writeFileSync(join(to, 'added_tokens.json'), JSON.stringify(added));
    });
    const { texts } = await open(at);
    expect(texts).not.toHaveProperty('added_tokens.json');
    return [
      ...new Tokenizer(JSON.parse(texts['tokenizer.json']), JSON.parse(texts['tokenizer_config.json'])).encode(text),
    ];
  };

  // transformers 5.24, with the same files.
  it('adds its tokens, unless tokenizer_config.json lists them', async () => {
    const { model, added_tokens } = JSON.parse(readFileSync(join(folder, 'one', 'tokenizer.json'), 'utf8'));
    const next = Object.keys(model.vocab).length + added_tokens.length;
    const added = { '<tool>': next, '<|im_start|>': added_tokens[1].id, '<Other one>': next + 1 };
    const plain = (await encoded({}, {}, '<tool>')).length;
    expect(plain).toBeGreaterThan(1);
    expect(await encoded(added, {}, '<tool><Other one>')).toEqual([next, next + 1]);
    expect(await encoded(added, { eos_token: '<tool>' }, '<tool>')).toEqual([next]);
    expect(await encoded(added, { added_tokens_decoder: {} }, '<tool>')).toHaveLength(plain);
  });

  it('is refused by name for other values than ids', async () => {
    await expect(encoded({ '<tool>': 'last' }, {}, '')).rejects.toThrow('added_tokens.json has "last" for <tool>');
  });
});
