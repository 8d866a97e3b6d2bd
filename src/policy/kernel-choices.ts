/**
 * Which form of a kernel runs, by the number of rows: plain data that is measured once an adapter, stored in a checkpoint and
 * reused by a resume, since another form adds in another order.
 */
/** rows8 and rows4: so many rows a thread, from registers; tiled: 64 x 64 outputs a workgroup, from workgroup memory. */
export const matmulForms = ['rows8', 'rows4', 'tiled'] as const;
export type MatmulForm = (typeof matmulForms)[number];

/** registers: several rows a thread; lanes: several threads a column, added up by way of workgroup memory or subgroups. */
export const quantLaneForms = ['registers', 'lanes', 'lanes-subgroups'] as const;
/** tiled: from workgroup memory, the codes as f32 or as f16. */
export const quantTileForms = ['registers', 'tiled', 'tiled-half'] as const;

/** Rows up to which a matmul counts as one of few. */
export const fewRows = 64;
/** Rows up to which a quantised matmul keeps all of them in a thread's registers. */
export const quantFewRows = 16;

/**
 * The forms there are, the best on every software adapter first. `few`: batched decoding, up to `fewRows` rows; `many`: prefill
 * and training. Of the quantised ones `few` is up to `quantFewRows` rows, and `some` from there to `fewRows`.
 */
export const kernelForms = {
  matmul_nt_few: matmulForms,
  matmul_nt_many: matmulForms,
  matmul_nn_many: matmulForms,
  /** Eight rows a thread, or tiled. */
  matmul_tn_many: matmulForms,
  quant_nt_few: quantLaneForms,
  quant_nt_some: quantTileForms,
  quant_nt_many: quantTileForms,
  quant_nn_many: quantTileForms,
} as const;

export type KernelChoice = keyof typeof kernelForms;
export type KernelChoices = { [choice in KernelChoice]: (typeof kernelForms)[choice][number] };

const names = Object.keys(kernelForms) as KernelChoice[];

/** Choices that were stored, as far as they are known here. */
export function parseChoices(stored: { readonly [kernel: string]: unknown }): KernelChoices {
  const choose = (name: KernelChoice) => {
    const forms: readonly string[] = kernelForms[name];
    return forms.includes(stored[name] as string) ? stored[name] : forms[0];
  };
  return Object.fromEntries(names.map((name) => [name, choose(name)])) as KernelChoices;
}

export const defaultChoices: KernelChoices = parseChoices({});

/** Whether every choice was made, so that nothing is left to measure. */
export const isComplete = (stored: { readonly [kernel: string]: unknown }) => names.every((name) => name in stored);
