/** Small random models as folders in Hugging Face's layout, and the mutations of model-mutations.ts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parameterShapes, parseConfig } from '../../../src/policy/config.ts';
import { type WritableTensor, writeSafetensors } from '../../../src/policy/formats/safetensors.ts';
import { syntheticTokenizer } from '../../../src/policy/text/synthetic-tokenizer.ts';
import { normals } from '../../../src/policy/weights/init.ts';
import { type Draft, mutations } from './model-mutations.ts';
import type { Choices } from './part.ts';

const vocabulary = 600;
const made = syntheticTokenizer('qwen2.5', vocabulary);

/** A template that shows every named token. */
const template =
  '[{{ bos_token }}|{{ eos_token }}|{{ pad_token }}|{{ unk_token }}]' +
  "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}" +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

function baseConfig(type: string, tied: boolean): { [field: string]: unknown } {
  return {
    architectures: [{ llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' }[type]],
    model_type: type,
    vocab_size: vocabulary,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 8,
    hidden_act: 'silu',
    max_position_embeddings: 2048,
    rms_norm_eps: 1e-5,
    rope_theta: 10_000,
    tie_word_embeddings: tied,
    bos_token_id: null,
    eos_token_id: made.eosTokens[0],
    torch_dtype: 'float32',
  };
}

const tensorOf = (name: string, shape: readonly number[]): WritableTensor => {
  const data = normals(
    shape.reduce((a, b) => a * b, 1),
    3,
    name,
    0.4,
  );
  if (name.includes('norm')) for (let i = 0; i < data.length; i++) data[i] += 1;
  return { shape, data };
};

/** A model of any of the families. */
export function draftOf(choices: Choices): Draft {
  const config = baseConfig(choices.one(['llama', 'qwen2', 'qwen3']), choices.next() < 0.5);
  const tensors = new Map(
    [...parameterShapes(parseConfig(config))].map(([name, shape]) => [name, tensorOf(name, shape)]),
  );
  const { bos_token: _, ...rest } = made.config;
  return {
    config,
    tensors,
    tokenizerConfig: { ...rest, chat_template: template },
    files: new Map<string, Uint8Array | string>([['tokenizer.json', JSON.stringify(made.tokenizer)]]),
    layout: (all, files) => files.set('model.safetensors', writeSafetensors(all, { format: 'pt' })),
  };
}

/** Applies one to three mutations and returns them in words. */
export function mutated(draft: Draft, choices: Choices): string[] {
  const said = [`${draft.config.model_type}${draft.config.tie_word_embeddings ? ' tied' : ''}`];
  const count = 1 + choices.below(3);
  for (let i = 0; i < count; i++) said.push(choices.one(mutations)(draft, choices));
  return said;
}

export function writeDraft({ config, tensors, tokenizerConfig, files, layout }: Draft, folder: string): void {
  layout(tensors, files);
  files.set('config.json', JSON.stringify(config));
  if (tokenizerConfig) files.set('tokenizer_config.json', JSON.stringify(tokenizerConfig));
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
