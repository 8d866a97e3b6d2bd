/** The compared models, named by width and depth. Their weights are random, so that none has to be downloaded. */
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';

export const shapes: { [name: string]: ModelConfig } = {
  /** The size of the page's tiny policies. */
  tiny: parseConfig({
    model_type: 'qwen3',
    vocab_size: 512,
    hidden_size: 64,
    intermediate_size: 192,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    rope_theta: 10_000,
    tie_word_embeddings: true,
  }),
  wide: parseConfig({
    model_type: 'qwen3',
    vocab_size: 1024,
    hidden_size: 256,
    intermediate_size: 768,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 64,
    rope_theta: 10_000,
    tie_word_embeddings: true,
  }),
  /** SmolLM2-135M's widths and vocabulary, with two of its thirty layers. */
  '135M width, 2 layers': parseConfig({
    model_type: 'llama',
    vocab_size: 49_152,
    hidden_size: 576,
    intermediate_size: 1536,
    num_hidden_layers: 2,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    head_dim: 64,
    rope_theta: 100_000,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
  }),
};

const made = new Map<string, TensorMap>();

/** Random weights with a spread wide enough that greedy choices are not tied. */
export function weightsOf(shape: string): TensorMap {
  const known = made.get(shape) ?? initWeights(shapes[shape], { seed: 7, std: shape === 'tiny' ? 0.1 : 0.04 });
  made.set(shape, known);
  return known;
}

/** (rows, length) token ids, each row its own. */
export function idsOf(shape: string, rows: number, length: number): Int32Array[] {
  const { vocabSize } = shapes[shape];
  const row = (r: number) => Int32Array.from({ length }, (_, i) => (i * 7919 + r * 104_729 + 17) % vocabSize);
  return Array.from({ length: rows }, (_, r) => row(r));
}

export interface Decoded {
  /** Time of tokens - 1 steps; the first token comes from the prompt, which is not timed. */
  ms: number;
  tokens: number[][];
  /** (S, V) logits of the first row's prompt. */
  promptLogits: Float32Array;
}
