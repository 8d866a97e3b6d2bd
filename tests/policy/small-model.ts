/** A model that runs very fast and has all parts of a Qwen2. */
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';

/** `change`: other values of its `config.json`. */
export const smallConfig = (change: object = {}): ModelConfig =>
  parseConfig({
    model_type: 'qwen2',
    vocab_size: 24,
    hidden_size: 16,
    intermediate_size: 20,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 8,
    tie_word_embeddings: true,
    ...change,
  });
