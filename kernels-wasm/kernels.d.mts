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
export const gpuOnly: readonly string[];
