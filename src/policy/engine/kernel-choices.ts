/**
 * Choice of a form for each kernel: plain data, measured once per adapter, stored in checkpoints and reused on resume,
 * because another form sums in another order.
 */
import type { FormTime } from '../../device/autotune.ts';
import type { Device } from '../../device/device.ts';

/**
 * rows8 and rows4: that many rows a thread, in registers; tiled: 64 x 64 outputs a workgroup, in workgroup memory;
 * blocks: 128 x 64 or 64 x 64, each thread with a block of sums in registers (block-tiles.ts); of packed weights to 32
 * rows 32 x 32 (quant_matmul_nt_few.wgsl).
 */
const matmulForms = ['rows8', 'rows4', 'tiled', 'blocks'] as const;
export type MatmulForm = (typeof matmulForms)[number];
/**
 * Products of few columns and a long sum, as a low-rank adapter's: as wide ones, or the sum shared by the lanes of a
 * workgroup.
 */
const narrowForms = ['wide', 'lanes'] as const;
/** Weight gradients: number of weight rows a thread. rows8 and rows16 give the same bits. */
const weightGradientForms = ['rows8', 'rows16', 'tiled', 'blocks'] as const;

/**
 * thread: one thread a row of scores; tiled: through workgroup memory, in decoding with the keys split over workgroups.
 * With subgroups, a row's maximum is found without a barrier (the same bits); with half, the operands are staged as
 * f16.
 */
export const attentionForms = ['thread', 'tiled', 'tiled-subgroups', 'tiled-half', 'tiled-half-subgroups'] as const;
export type AttentionForm = (typeof attentionForms)[number];

/**
 * registers: several rows a thread; lanes: several threads a column, whose results are summed through workgroup memory
 * or subgroups.
 */
const quantLaneForms = ['registers', 'lanes', 'lanes-subgroups'] as const;
/** tiled: through workgroup memory, with the codes unpacked to f32 or f16; blocks: as of `matmulForms`. */
const quantTileForms = ['registers', 'tiled', 'tiled-half', 'blocks'] as const;
/** Choice for 17 to 64 rows: tiles, or lanes with `quantFewRows` rows at a time. */
const quantSomeForms = [...quantTileForms, 'lanes', 'lanes-subgroups'] as const;

/**
 * Second product of a low-rank adapter: apart, in a kernel that reads and rewrites the output; or fused, where the frozen
 * product stores its sums, if the form of that product is `lanes` or `tiled` of packed weights, or `blocks`. Both add in
 * the same order.
 */
const lowRankForms = ['apart', 'fused'] as const;

/**
 * SwiGLU's activation: apart, in a kernel that reads gates and ups again; or fused, where the packed product of gate and
 * up stores its sums, if its form is `lanes`, or `blocks` in tiles with eight columns a thread. The gradient of the head's logits
 * takes the same form, in any tile of `blocks`.
 */
const activationKernels = ['apart', 'fused'] as const;

/**
 * What follows the product with a packed weight in the backward: an adapter's gradient of the same input, and for the
 * down projection SwiGLU's gradient: apart, in kernels that read and rewrite the result; or fused, where the product
 * stores its sums, if its form is `blocks`.
 */
const gradientKernels = ['apart', 'fused'] as const;

/**
 * Activations in the forward product of packed weights: f32, or 16-bit codes with one scale for 32 values, so that the
 * sums are integers (kernels-wasm/integer.ts). Rollouts and training use the same, so their log-probabilities agree.
 */
const activationForms = ['f32', 'int16'] as const;

/** Largest number of rows for which a matmul uses its `few` form. */
export const fewRows = 64;
/**
 * Maximum number of columns and minimum number of inputs of a product that uses the `narrow` form: an adapter's first
 * (16 to 48 columns).
 */
export const narrowColumns = 64;
export const narrowInputs = 512;
/** Largest number of rows that a quantised matmul keeps in a thread's registers. */
export const quantFewRows = 16;

/**
 * Available forms. The first is the best on every software adapter. `few`: batched decoding, up to `fewRows` rows;
 * `many`: prefill and training. For quantised kernels, `few` covers up to `quantFewRows` rows and `some` from there to
 * `fewRows`.
 */
export const kernelForms = {
  matmul_nt_few: matmulForms,
  matmul_nt_many: matmulForms,
  matmul_nt_narrow: narrowForms,
  matmul_nn_many: matmulForms,
  matmul_tn_many: weightGradientForms,
  /** Decoding: one new token a row. */
  attention_few: attentionForms,
  /** Prefill and training. */
  attention_many: attentionForms,
  quant_nt_few: quantLaneForms,
  quant_nt_some: quantSomeForms,
  quant_nt_many: quantTileForms,
  quant_nn_many: quantTileForms,
  lora_up_few: lowRankForms,
  lora_up_many: lowRankForms,
  swiglu_many: activationKernels,
  input_gradient_many: gradientKernels,
  /** A GPU always uses f32. */
  packed_activations: activationForms,
} as const;

/** Raised when forms or the way of measuring change, so that adapters are measured again. */
export const measurement = 12;

export type KernelChoice = keyof typeof kernelForms;
/**
 * Times of forms, by `timesKey`. None: the adapter is too slow for a measurement. The first form is the one that is used
 * unless another is clearly faster.
 */
export type FormTimes = Map<string, FormTime[]>;
export const timesKey = (choice: KernelChoice, sizes: string) => `${choice} ${sizes}`;
export type KernelChoices = { [choice in KernelChoice]: (typeof kernelForms)[choice][number] };

/** A choice of a run's kernels: the form in use, the sizes by which forms are compared, and the time of each. */
export interface MeasuredForm {
  choice: KernelChoice;
  form: string;
  sizes: string;
  /** Empty where the adapter is too slow to be measured; null: not measured yet. */
  times: FormTime[] | null;
}

const names = Object.keys(kernelForms) as KernelChoice[];

/** True if the adapter has the features of a form. */
export const formRuns = (form: string, features: ReadonlySet<string>) =>
  (!form.includes('half') || features.has('shader-f16')) && (!form.includes('subgroups') || features.has('subgroups'));

/** True if the adapter supports a form of attention. The eight threads of a row must lie in one subgroup. */
export function attentionFormRuns(
  form: AttentionForm,
  features: ReadonlySet<string>,
  subgroupMinSize: number,
): boolean {
  return formRuns(form, features) && (!form.includes('subgroups') || subgroupMinSize >= 8);
}

/** Replaces forms that this adapter does not support. Needed when a run resumes on another machine. */
export function runnableChoices(
  choices: KernelChoices,
  { features, info }: { features: ReadonlySet<string>; info: { subgroupMinSize: number } },
): KernelChoices {
  const runnable = (form: AttentionForm) => (attentionFormRuns(form, features, info.subgroupMinSize) ? form : 'tiled');
  const { attention_few, attention_many } = choices;
  return { ...choices, attention_few: runnable(attention_few), attention_many: runnable(attention_many) };
}

/** True if a product of M rows adds an adapter's second product where its form can. The processor adds it apart. */
export const fusesLowRank = ({ lora_up_few, lora_up_many }: KernelChoices, M: number, compiles: boolean): boolean =>
  compiles && (M <= fewRows ? lora_up_few : lora_up_many) === 'fused';

/** Reads stored choices. Unknown forms are replaced by the default. */
export function parseChoices(stored: { readonly [kernel: string]: unknown }): KernelChoices {
  const choose = (name: KernelChoice) => {
    const forms: readonly string[] = kernelForms[name];
    return forms.includes(stored[name] as string) ? stored[name] : forms[0];
  };
  return Object.fromEntries(names.map((name) => [name, choose(name)])) as KernelChoices;
}

export const defaultChoices: KernelChoices = parseChoices({});

/**
 * Best forms on a software adapter, as measured on SwiftShader and lavapipe (docs/log.md): those that use registers.
 */
export const softwareChoices = ({ architecture }: { architecture: string }): KernelChoices => ({
  ...defaultChoices,
  ...(/swiftshader/i.test(architecture) ? { matmul_tn_many: 'rows16' } : {}),
});

/**
 * Forms that a GPU is expected to run fastest, by measurements on an H200 and by the model of tools/isa (docs/gpu.md). They
 * are compiled and measured first, and used where nothing was measured.
 */
export function expectedChoices({ features, info }: Pick<Device, 'features' | 'info'>): KernelChoices {
  const attention = attentionFormRuns('tiled-subgroups', features, info.subgroupMinSize) ? 'tiled-subgroups' : 'tiled';
  return {
    ...{ ...defaultChoices, attention_few: attention, attention_many: attention },
    ...{ matmul_nt_few: 'blocks', matmul_nt_many: 'blocks', matmul_nn_many: 'blocks', matmul_tn_many: 'blocks' },
    ...{ matmul_nt_narrow: 'lanes', quant_nt_some: 'blocks', quant_nt_many: 'blocks', quant_nn_many: 'blocks' },
    quant_nt_few: formRuns('lanes-subgroups', features) ? 'lanes-subgroups' : 'lanes',
    ...{ lora_up_few: 'fused', lora_up_many: 'fused', swiglu_many: 'fused', input_gradient_many: 'fused' },
  };
}

/** Best forms on the processor, where one operation serves all forms but those of `packed_activations`. */
export const processorChoices: KernelChoices = { ...defaultChoices, packed_activations: 'int16' };
