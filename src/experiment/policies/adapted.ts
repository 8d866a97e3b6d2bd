/** A frozen language model with a trained low-rank adapter. */
import * as v from 'valibot';
import { choice, listOf, option, real, whole } from '../../fields/fields.ts';
import { defaultKeptMiB } from '../../policy/plan/kept-memory.ts';
import { projections } from '../../policy/weights/adapter.ts';
import { definePolicy } from './kind.ts';
import { kvShare } from './kv-share.ts';
import { modelField } from './language-model.ts';

const restart = { change: 'restart' } as const;

const lora = v.strictObject({
  rank: option(whole(1, 256), 16, {
    label: 'Rank',
    sentence: 'Rank of the adapter. A larger rank can change more and needs more memory for gradients and moments.',
    level: 'basic',
    step: 1,
    ...restart,
  }),
  // The bound covers rsLoRA, whose alpha is multiplied by the root of the rank here: 4,096 at rank 256 becomes 65,536.
  alpha: option(real(0.01, 65_536), 32, {
    label: 'Alpha',
    sentence:
      "The adapter's output is scaled by alpha over rank: with a larger alpha the same optimiser step has more effect.",
    step: 1,
    ...restart,
  }),
  targets: option(listOf('projections', choice(projections)), [...projections], {
    label: 'Adapted projections',
    sentence: 'Matrices of each layer that have an adapter.',
    ...restart,
  }),
  // No setting of the page: adapters that were trained elsewhere have it. Absent: all layers.
  layers: v.optional(listOf('layers', whole(0, 1023))),
});

const schema = v.strictObject({
  kind: v.literal('lora'),
  model: modelField,
  weights: option(choice(['int4', 'int8', 'f32']), 'int4', {
    label: 'Weights',
    sentence: 'Precision of the frozen matrices: fewer bits take less memory and are slightly less exact.',
    level: 'basic',
    ...restart,
  }),
  kvCache: option(choice(['f32', 'int8']), 'f32', {
    label: 'Keys and values',
    sentence:
      'Precision of the key-value cache: int8 takes about a quarter of the memory, and sampled probabilities then differ slightly from trained ones.',
    change: 'fork',
  }),
  kvShare,
  keptMiB: option(v.nullable(whole(0, 65_536)), null, {
    label: 'Memory for activations',
    sentence:
      'As many layers as fit keep their activations for the backward pass, which computes those of the others again. More memory makes an update faster and changes none of its numbers.',
    unit: 'MiB',
    step: 128,
    nullMeans: `${defaultKeptMiB}, or less if that does not fit`,
    change: 'fork',
  }),
  lora: v.optional(lora, { rank: 16, alpha: 32, targets: [...projections] }),
});

export type LoraPolicy = v.InferOutput<typeof schema>;

/**
 * Settings of an adapter for another model: those of the present policy if it has an adapter, otherwise the defaults.
 * The present adapter's layers are those of its own model.
 */
export function adapterOf(policy: { kind: string }, model: string, weights: LoraPolicy['weights']) {
  if (policy.kind !== 'lora') return { kind: 'lora' as const, model, weights };
  const own = policy as LoraPolicy;
  const { layers: _, ...lora } = own.lora;
  return { ...own, lora: own.model === model ? own.lora : lora, model, weights };
}

export const adapted = definePolicy({
  facts: {
    label: 'Language model with an adapter',
    sentence: 'A language model stays frozen, and an adapter beside it is trained.',
    summary: '{model}, adapter of rank {lora.rank}',
    trains: true,
    exports: true,
    ownWeights: false,
    languageModel: true,
    planned: true,
  },
  schema,
  start: () => v.parse(schema, { kind: 'lora', model: 'qwen2.5-0.5b' }),
  problems: () => [],
});
