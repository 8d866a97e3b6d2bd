/** Measures the forms of each kernel on typical sizes of a policy, once per adapter. */

import type { fastest } from '../../device/autotune.ts';
import { type Device, whole } from '../../device/device.ts';
import { AttentionTrial, groupSegments } from './attention-trial.ts';
import { measureEpilogues } from './epilogue-choices.ts';
import { FormChooser } from './form-chooser.ts';
import {
  attentionFormRuns,
  attentionForms,
  type FormTimes,
  type KernelChoices,
  kernelForms,
  processorChoices,
  softwareChoices,
} from './kernel-choices.ts';
import { measureLowRank } from './low-rank-choices.ts';
import { deepest, layerWeights, manyRows, type Weight, widest } from './measured-sizes.ts';
import { Operations } from './operations.ts';
import { measureQuantized } from './quantized-choices.ts';

type MatmulChoice = Extract<keyof KernelChoices, `matmul_${string}`>;

/** Measured products of each choice, with M rows. */
const measurements: { choice: MatmulChoice; kind: 'NT' | 'NN' | 'TN'; M: number; weights: readonly Weight[] }[] = [
  { choice: 'matmul_nt_few', kind: 'NT', M: 32, weights: layerWeights },
  { choice: 'matmul_nt_many', kind: 'NT', M: manyRows, weights: layerWeights },
  // The first product of a low-rank adapter of rank 16, for a decoding step. Its choice is also that of many rows and of
  // the adapter's two backward sums (low-rank-forms.ts), which are not measured.
  { choice: 'matmul_nt_narrow', kind: 'NT', M: 8, weights: [{ N: 16, K: 896 }] },
  { choice: 'matmul_nn_many', kind: 'NN', M: manyRows, weights: layerWeights },
  { choice: 'matmul_tn_many', kind: 'TN', M: manyRows, weights: layerWeights },
];

/**
 * Takes well under a second on a GPU, beside the compilation of every form. Software adapters are not measured, because
 * their best forms are known. Adds the measured times to `times`. `compare`: measures the forms of one choice.
 */
export async function measureChoices(
  device: Device,
  times?: FormTimes,
  compare?: typeof fastest,
): Promise<KernelChoices> {
  if (!device.compiles) return processorChoices;
  if (device.info.isFallback) return softwareChoices(device.info);
  const chooser = new FormChooser(device, times, compare);
  await measureMatmuls(chooser);
  await measureQuantized(chooser);
  await measureLowRank(chooser);
  await measureEpilogues(chooser);
  await measureAttention(chooser);
  return chooser.choices;
}

async function measureMatmuls(chooser: FormChooser): Promise<void> {
  const { device, choices } = chooser;
  const buffers = ['inp', 'weight', 'out', 'partials'].map((name) =>
    device.createBuffer(`Autotune.${name}`, manyRows * Math.max(widest, deepest) * 4),
  );
  const recorder = device.createRecorder(256, 5e9);
  const kernels = device.kernels;
  try {
    for (const { choice, kind, M, weights } of measurements) {
      const [inp, weight, out, partials] = buffers.map(whole);
      const candidates = kernelForms[choice].map((form) => {
        const ops = new Operations(kernels, recorder, { ...choices, [choice]: form });
        const product = {
          NT: ({ N, K }: Weight) => ops.matmulNT(inp, weight, out, M, N, K),
          NN: ({ N, K }: Weight) => ops.matmulNN(out, weight, inp, M, N, K),
          TN: ({ N, K }: Weight) => ops.matmulTN(out, inp, weight, partials, M, N, K),
        }[kind];
        return { name: form, record: () => weights.forEach(product) };
      });
      await chooser.choose(choice, recorder, candidates);
    }
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
}

/** Measures training (forward and backward of a group after a prompt) and decoding separately. */
async function measureAttention(chooser: FormChooser): Promise<void> {
  const { device } = chooser;
  // The half forms are not candidates: they suit only models with weights of that precision, and are selected by name.
  const forms = attentionForms.filter(
    (form) => !form.includes('half') && attentionFormRuns(form, device.features, device.info.subgroupMinSize),
  );
  const recorder = device.createRecorder(256, 5e9);
  const kernels = device.kernels;
  const shape = { heads: 8, kvHeads: 2, headDim: 64, eps: 0 };
  const trial = new AttentionTrial(device, shape, groupSegments(256, 32, 8));
  try {
    trial.upload(recorder);
    const choose = async (choice: 'attention_many' | 'attention_few', work: 'train' | 'decode') => {
      // At this head size the gradients of `thread` need more registers than a GPU has (docs/gpu.md).
      const able = forms.filter((form) => work === 'decode' || form !== 'thread');
      const candidates = able.map((form) => ({ name: form, record: () => trial[work]({ kernels, recorder }, form) }));
      await chooser.choose(choice, recorder, candidates);
    };
    await choose('attention_many', 'train');
    await choose('attention_few', 'decode');
  } finally {
    recorder.destroy();
    trial.destroy();
  }
}
