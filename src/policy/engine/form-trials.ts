/**
 * Trials of a run: for each choice that its kernels depend on, the work by which the forms are compared, with the run's
 * sizes. Choices that a run's kernels do not depend on have none.
 */
import type { Device } from '../../device/device.ts';
import { canTile } from './attention.ts';
import { epilogueTrials } from './epilogue-trials.ts';
import {
  attentionFormRuns,
  attentionForms,
  formRuns,
  type KernelChoice,
  type KernelChoices,
  kernelForms,
} from './kernel-choices.ts';
import { lowRankTrials } from './low-rank-trials.ts';
import { type AttentionSizes, decodedAttention, trainedAttention } from './measured-buffers.ts';
import { productTrials } from './product-trials.ts';
import type { RunSizes } from './run-sizes.ts';
import type { Trial } from './trial.ts';

function attentionTrials({ config }: RunSizes, sizes: { train: AttentionSizes; decode: AttentionSizes }): Trial[] {
  const { numHeads: heads, numKvHeads: kvHeads, headDim } = config;
  if (!canTile({ heads, kvHeads, headDim })) return [];
  const text = ([prompt, own, rows]: AttentionSizes) =>
    `H ${heads}, KV ${kvHeads}, D ${headDim}, T ${prompt} + ${rows} × ${own}`;
  return [
    {
      choice: 'attention_many',
      sizes: text(sizes.train),
      record: (measuring) => measuring.buffers.training.train(measuring, measuring.choices.attention_many),
    },
    {
      choice: 'attention_few',
      sizes: text(sizes.decode),
      record: (measuring) => measuring.buffers.decoding.decode(measuring, measuring.choices.attention_few),
    },
  ];
}

/** Trials that depend on no other choice, those first that decide most of a step's time. */
export const firstTrials = (sizes: RunSizes): Trial[] => [
  ...productTrials(sizes),
  ...attentionTrials(sizes, { train: trainedAttention(sizes), decode: decodedAttention(sizes) }),
];

/** Trials of what follows the products, in the forms that were chosen for these. */
export const laterTrials = (sizes: RunSizes, choices: KernelChoices): Trial[] => [
  ...epilogueTrials(sizes, choices),
  ...lowRankTrials(sizes, choices),
];

/** From this size of heads on, the gradients of `thread` need more registers than a GPU has (docs/gpu.md). */
const spillingHead = 64;

/** Forms of a choice that this device can run, the given one first. */
export function formsOf(choice: KernelChoice, first: string, { config }: RunSizes, device: Device): string[] {
  const { features, info } = device;
  const isAttention = choice === 'attention_many' || choice === 'attention_few';
  // Attention's half forms suit only models with weights of that precision, and are selected by name.
  const forms: readonly string[] = isAttention
    ? attentionForms.filter((form) => !form.includes('half') && attentionFormRuns(form, features, info.subgroupMinSize))
    : kernelForms[choice].filter((form) => formRuns(form, features));
  const spills = (form: string) => choice === 'attention_many' && form === 'thread' && config.headDim >= spillingHead;
  return [first, ...forms.filter((form) => form !== first && !spills(form))];
}
