/**
 * Which form of a matmul runs, by the number of rows: plain data that is measured once an adapter, stored in a checkpoint and
 * reused by a resume, since another form adds in another order.
 */
/** rows8 and rows4: so many rows a thread, from registers; tiled: 64 x 64 outputs a workgroup, from workgroup memory. */
export const matmulForms = ['rows8', 'rows4', 'tiled'] as const;
export type MatmulForm = (typeof matmulForms)[number];

/** Rows up to which a matmul counts as one of few. */
export const fewRows = 64;

/** `few`: batched decoding, up to `fewRows` rows; `many`: prefill and training. */
export type KernelChoices = {
  matmul_nt_few: MatmulForm;
  matmul_nt_many: MatmulForm;
  matmul_nn_many: MatmulForm;
  /** Eight rows a thread, or tiled. */
  matmul_tn_many: MatmulForm;
};

/** The best on every software adapter measured. */
export const defaultChoices: KernelChoices = {
  matmul_nt_few: 'rows8',
  matmul_nt_many: 'rows8',
  matmul_nn_many: 'rows8',
  matmul_tn_many: 'rows8',
};

/** Choices that were stored, as far as they are known here. */
export function parseChoices(stored: { readonly [kernel: string]: unknown }): KernelChoices {
  const choices = { ...defaultChoices };
  for (const name of Object.keys(choices) as (keyof KernelChoices)[])
    if (matmulForms.includes(stored[name] as MatmulForm)) choices[name] = stored[name] as MatmulForm;
  return choices;
}
