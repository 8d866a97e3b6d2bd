/**
 * Which form of a kernel runs: plain data that is measured once an adapter, stored in a checkpoint and
 * reused by a resume, since another form adds in another order.
 */
/** rows8 and rows4: so many rows a thread, from registers; tiled: 64 x 64 outputs a workgroup, from workgroup memory. */
export const matmulForms = ['rows8', 'rows4', 'tiled'] as const;
export type MatmulForm = (typeof matmulForms)[number];

/**
 * thread: one thread a row of scores; tiled: through workgroup memory, in decoding with the keys split over workgroups. With
 * subgroups a row's maximum is found without a barrier (the same bits); with half the operands are staged as f16.
 */
export const attentionForms = ['thread', 'tiled', 'tiled-subgroups', 'tiled-half', 'tiled-half-subgroups'] as const;
export type AttentionForm = (typeof attentionForms)[number];

/** Rows up to which a matmul counts as one of few. */
export const fewRows = 64;

/** `few`: batched decoding, up to `fewRows` rows; `many`: prefill and training. */
export type KernelChoices = {
  matmul_nt_few: MatmulForm;
  matmul_nt_many: MatmulForm;
  matmul_nn_many: MatmulForm;
  /** Eight rows a thread, or tiled. */
  matmul_tn_many: MatmulForm;
  /** Decoding: one new token a row. */
  attention_few: AttentionForm;
  /** Prefill and training. */
  attention_many: AttentionForm;
};

/** The best on every software adapter measured. */
export const defaultChoices: KernelChoices = {
  matmul_nt_few: 'rows8',
  matmul_nt_many: 'rows8',
  matmul_nn_many: 'rows8',
  matmul_tn_many: 'rows8',
  attention_few: 'thread',
  attention_many: 'thread',
};

const formsOf = (name: keyof KernelChoices): readonly string[] =>
  name.startsWith('attention') ? attentionForms : matmulForms;

/** Whether an adapter has what a form needs. A row's eight threads must lie in one subgroup. */
export function attentionFormRuns(
  form: AttentionForm,
  features: ReadonlySet<string>,
  subgroupMinSize: number,
): boolean {
  if (form.includes('half') && !features.has('shader-f16')) return false;
  return !form.includes('subgroups') || (features.has('subgroups') && subgroupMinSize >= 8);
}

/** The same choices where this adapter has what they need; else the form without. A run may go on on another machine. */
export function runnableChoices(
  choices: KernelChoices,
  { features, info }: { features: ReadonlySet<string>; info: { subgroupMinSize: number } },
): KernelChoices {
  const runnable = (form: AttentionForm) => (attentionFormRuns(form, features, info.subgroupMinSize) ? form : 'tiled');
  const { attention_few, attention_many } = choices;
  return { ...choices, attention_few: runnable(attention_few), attention_many: runnable(attention_many) };
}

/** Choices that were stored, as far as they are known here. */
export function parseChoices(stored: { readonly [kernel: string]: unknown }): KernelChoices {
  const choices: { [kernel: string]: string } = { ...defaultChoices };
  for (const name of Object.keys(defaultChoices) as (keyof KernelChoices)[])
    if (formsOf(name).includes(stored[name] as string)) choices[name] = stored[name] as string;
  return choices as KernelChoices;
}
