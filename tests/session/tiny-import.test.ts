// A whole policy in Hugging Face's layout as a run.
import { expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { readTiny } from '../../src/session/policies/tiny-import.ts';
import { writePolicy } from '../../src/store/bundle.ts';

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
    'tokenizer.json': new TextEncoder().encode('{"model":{}}'),
  });
  const run = readTiny(zipped, parseExperiment(presets[0]), 'own-head.zip');
  expect(run.experiment).toMatchObject({ policy: { kind: 'tiny', tieEmbeddings: false } });
  expect(JSON.parse(new TextDecoder().decode(run.assets!['config.json'])).tie_word_embeddings).toBe(false);
  expect(decodeState(run.checkpoints![0].bytes, 0).tensors.get('lm_head.weight')!.data).toEqual(head.data);
});
