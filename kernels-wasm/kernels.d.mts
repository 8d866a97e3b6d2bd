/** Specification of one kernel; kernels.mjs documents the fields. */
export interface KernelSpecification {
  readonly name: string;
  readonly forms?: readonly string[];
  readonly group?: string;
  readonly shader?: false;
  readonly module: string;
  readonly chunks: string;
  readonly bindings: readonly string[];
  readonly scalars: { readonly [name: string]: 'u32' | 'f32' };
  readonly constants: readonly string[];
}

export const kernels: readonly KernelSpecification[];
/** A part of a call record: its first 32-bit word, and the number of its words. */
export interface RecordPart {
  readonly at: number;
  readonly most: number;
}

export const recordLayout: {
  readonly bindings: RecordPart;
  readonly scalars: RecordPart;
  readonly constants: RecordPart;
};
export const gpuOnly: readonly string[];
