// A whole policy in Hugging Face's layout as a run.
import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import { buildTokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { readTiny } from '../../src/session/policies/tiny-import.ts';
import { writePolicy } from '../../src/store/bundle.ts';
import { mutatedPolicy, policyVerdict, sources } from '../../tools/fuzz/policy-files.ts';

const tokenizer = JSON.stringify(buildTokenizerJson(['get wood']));

it("keeps a head of the file's own beside a tied embedding", () => {
  const config = parseConfig({
    ...{ model_type: 'qwen3', vocab_size: 11, hidden_size: 16, intermediate_size: 16, num_hidden_layers: 1 },
    ...{ num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, tie_word_embeddings: true },
  });
  const tensors = initWeights(config, { seed: 1, std: 0.1 });
  const { 'config.json': text } = saveCheckpoint(config, tensors, null);
  const { shape, data } = tensors.get('model.embed_tokens.weight')!;
  const head = { shape, data: data.map((value) => -value) };
  const zipped = writePolicy({
    'config.json': new TextEncoder().encode(text),
    'model.safetensors': writeSafetensors(new Map([...tensors, ['lm_head.weight', head]])),
    'tokenizer.json': new TextEncoder().encode(tokenizer),
  });
  const run = readTiny(zipped, parseExperiment(presets[0]), 'own-head.zip');
  expect(run.experiment).toMatchObject({ policy: { kind: 'tiny', tieEmbeddings: false } });
  expect(JSON.parse(new TextDecoder().decode(run.assets!['config.json'])).tie_word_embeddings).toBe(false);
  expect(decodeState(run.checkpoints![0].bytes, 0).tensors.get('lm_head.weight')!.data).toEqual(head.data);
});

describe('a policy from anybody', () => {
  const config = parseConfig({
    ...{ model_type: 'qwen3', vocab_size: 11, hidden_size: 16, intermediate_size: 16, num_hidden_layers: 1 },
    ...{ num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, tie_word_embeddings: true },
  });
  const tensors = initWeights(config, { seed: 1, std: 0.1 });
  const { 'config.json': text } = saveCheckpoint(config, tensors, null);
  const imported = (changes: { config?: string; tokenizer?: string; weight?: number }) => {
    const [[name, { shape, data }], ...others] = tensors;
    const changed = data.map((value, k) => (k === 5 ? (changes.weight ?? value) : value));
    const zipped = writePolicy({
      'config.json': new TextEncoder().encode(changes.config ?? text),
      'model.safetensors': writeSafetensors(new Map([[name, { shape, data: changed }], ...others])),
      'tokenizer.json': new TextEncoder().encode(changes.tokenizer ?? tokenizer),
    });
    return () => readTiny(zipped, parseExperiment(presets[0]), 'a.zip');
  };
  const withAdded = (entry: unknown) => JSON.stringify({ ...JSON.parse(tokenizer), added_tokens: entry });
  const withVocabulary = (vocab: unknown) =>
    JSON.stringify({ ...JSON.parse(tokenizer), model: { ...JSON.parse(tokenizer).model, vocab } });

  it('opens if it is sound', () => expect(imported({})().name).toBe('a.zip'));

  it.each([1e38, -1e38, 1e16, Infinity, NaN])('is refused for a weight of %d', (weight) => {
    expect(imported({ weight })).toThrow(/weights cannot be used: model\.embed_tokens\.weight contains /);
  });

  it.each([
    ['config.json that is not JSON', { config: '{' }, /config\.json in this zip is not JSON/],
    ['tokenizer.json that is not JSON', { tokenizer: '{"a":' }, /tokenizer\.json in this zip is not JSON/],
    ['tokenizer.json of null', { tokenizer: 'null' }, /it has no object/],
    [
      'an added token of id 2,147,483,647',
      { tokenizer: withAdded([{ id: 2_147_483_647, content: 'a' }]) },
      /id from 0 to/,
    ],
    ['an added token of id -1', { tokenizer: withAdded([{ id: -1, content: 'a' }]) }, /id from 0 to/],
    ['an added token without a text', { tokenizer: withAdded([{ id: 1 }]) }, /without a text/],
    ['added tokens of null', { tokenizer: withAdded(null) }, /added_tokens that are not a list/],
    [
      'a vocabulary with the id 2,147,483,647',
      { tokenizer: withVocabulary({ a: 2_147_483_647 }) },
      /token "a" has no id/,
    ],
    ['a vocabulary with a text for an id', { tokenizer: withVocabulary({ a: 'x' }) }, /token "a" has no id/],
    ['a vocabulary of null', { tokenizer: withVocabulary(null) }, /without a vocabulary/],
  ])('is refused by name for %s', (_, changes, message) => {
    expect(imported(changes)).toThrow(message);
  });

  it('is refused by name or opened, over 60 mutations', () => {
    const all = sources();
    const found = Array.from({ length: 60 }, (_, n) => policyVerdict(mutatedPolicy(all.file, 1, n), all));
    expect(found.filter(({ verdict }) => verdict === 'unnamed')).toEqual([]);
  });
});
