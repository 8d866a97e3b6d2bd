/**
 * Language models that the page lists by name, with repository, licence and `config.json`, so that the memory plan, the
 * model picker and `npm run make-model` have a model's sizes before a byte of it is loaded. Values are copied from each
 * repository's config.json, without the fields that only transformers reads. This file is data and downloads nothing. A
 * model that is not listed can be loaded by its repository.
 */
import { countParameters, type ModelConfig, parseConfig } from './config.ts';

/** Models of one family share their vocabulary, special tokens and chat template. */
export type Family = 'qwen2.5' | 'qwen3' | 'smollm2' | 'llama-3.2';

export interface CatalogueEntry {
  /** Short id, as a person types it: `qwen2.5-0.5b`. */
  id: string;
  family: Family;
  /** `owner/name` on the Hub. */
  repository: string;
  licence: string;
  /** True if the Hub serves the files only to accounts that accepted the licence. */
  gated: boolean;
  /** The fields of config.json that the engine reads. */
  config: { readonly [field: string]: unknown };
}

/** Thrown when an id matches no listed model. */
export class UnknownModelError extends Error {
  override name = 'UnknownModelError';
}

interface Shape {
  hidden: number;
  intermediate: number;
  layers: number;
  heads: number;
  kvHeads: number;
}

const shapeFields = ({ hidden, intermediate, layers, heads, kvHeads }: Shape) => ({
  hidden_size: hidden,
  intermediate_size: intermediate,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kvHeads,
});

function qwen25(size: string, shape: Shape, licence = 'Apache-2.0'): CatalogueEntry {
  return {
    id: `qwen2.5-${size.toLowerCase()}`,
    family: 'qwen2.5',
    repository: `Qwen/Qwen2.5-${size}-Instruct`,
    licence,
    gated: false,
    config: {
      architectures: ['Qwen2ForCausalLM'],
      model_type: 'qwen2',
      vocab_size: 151936,
      ...shapeFields(shape),
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      rms_norm_eps: 1e-6,
      rope_theta: 1_000_000,
      use_sliding_window: false,
      tie_word_embeddings: true,
      bos_token_id: 151643,
      eos_token_id: 151645,
      torch_dtype: 'bfloat16',
    },
  };
}

function qwen3(size: string, shape: Shape): CatalogueEntry {
  return {
    id: `qwen3-${size.toLowerCase()}`,
    family: 'qwen3',
    repository: `Qwen/Qwen3-${size}`,
    licence: 'Apache-2.0',
    gated: false,
    config: {
      architectures: ['Qwen3ForCausalLM'],
      model_type: 'qwen3',
      vocab_size: 151936,
      ...shapeFields(shape),
      head_dim: 128,
      hidden_act: 'silu',
      attention_bias: false,
      max_position_embeddings: 40960,
      rms_norm_eps: 1e-6,
      rope_theta: 1_000_000,
      rope_scaling: null,
      use_sliding_window: false,
      tie_word_embeddings: true,
      bos_token_id: 151643,
      eos_token_id: 151645,
      torch_dtype: 'bfloat16',
    },
  };
}

function smollm2(size: string, shape: Shape): CatalogueEntry {
  return {
    id: `smollm2-${size.toLowerCase()}`,
    family: 'smollm2',
    repository: `HuggingFaceTB/SmolLM2-${size}-Instruct`,
    licence: 'Apache-2.0',
    gated: false,
    config: {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      vocab_size: 49152,
      ...shapeFields(shape),
      hidden_act: 'silu',
      attention_bias: false,
      mlp_bias: false,
      max_position_embeddings: 8192,
      rms_norm_eps: 1e-5,
      rope_theta: 100_000,
      rope_scaling: null,
      rope_interleaved: false,
      tie_word_embeddings: true,
      bos_token_id: 1,
      eos_token_id: 2,
      pad_token_id: 2,
      torch_dtype: 'bfloat16',
    },
  };
}

function llama32(size: string, shape: Shape, headDim: number): CatalogueEntry {
  return {
    id: `llama-3.2-${size.toLowerCase()}`,
    family: 'llama-3.2',
    repository: `meta-llama/Llama-3.2-${size}-Instruct`,
    licence: 'Llama 3.2 Community License',
    gated: true,
    config: {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      vocab_size: 128256,
      ...shapeFields(shape),
      head_dim: headDim,
      hidden_act: 'silu',
      attention_bias: false,
      mlp_bias: false,
      max_position_embeddings: 131072,
      rms_norm_eps: 1e-5,
      rope_theta: 500_000,
      rope_scaling: {
        rope_type: 'llama3',
        factor: 32,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
      },
      tie_word_embeddings: true,
      bos_token_id: 128000,
      eos_token_id: [128001, 128008, 128009],
      torch_dtype: 'bfloat16',
    },
  };
}

export const catalogue: readonly CatalogueEntry[] = [
  qwen25('0.5B', { hidden: 896, intermediate: 4864, layers: 24, heads: 14, kvHeads: 2 }),
  qwen25('1.5B', { hidden: 1536, intermediate: 8960, layers: 28, heads: 12, kvHeads: 2 }),
  qwen25('3B', { hidden: 2048, intermediate: 11008, layers: 36, heads: 16, kvHeads: 2 }, 'Qwen Research License'),
  smollm2('135M', { hidden: 576, intermediate: 1536, layers: 30, heads: 9, kvHeads: 3 }),
  smollm2('360M', { hidden: 960, intermediate: 2560, layers: 32, heads: 15, kvHeads: 5 }),
  qwen3('0.6B', { hidden: 1024, intermediate: 3072, layers: 28, heads: 16, kvHeads: 8 }),
  qwen3('1.7B', { hidden: 2048, intermediate: 6144, layers: 28, heads: 16, kvHeads: 8 }),
  llama32('1B', { hidden: 2048, intermediate: 8192, layers: 16, heads: 32, kvHeads: 8 }, 64),
  llama32('3B', { hidden: 3072, intermediate: 8192, layers: 28, heads: 24, kvHeads: 8 }, 128),
];

/** Finds a listed model by short id or repository. Throws UnknownModelError, which lists the known ids. */
export function findModel(id: string): CatalogueEntry {
  const wanted = id.toLowerCase();
  const found = catalogue.find((entry) => entry.id === wanted || entry.repository.toLowerCase() === wanted);
  if (found) return found;
  throw new UnknownModelError(
    `No listed model is called "${id}". Listed are ${catalogue.map((e) => e.id).join(', ')}.`,
  );
}

/** Sizes and switches of a listed model. */
export const configOf = (entry: CatalogueEntry): ModelConfig => parseConfig(entry.config);

/** Size of the model's bf16 weights on the Hub, in bytes. */
export const downloadBytes = (entry: CatalogueEntry): number => 2 * countParameters(configOf(entry));
