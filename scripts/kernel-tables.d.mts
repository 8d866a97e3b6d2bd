import type { KernelSpecification } from '../kernels-wasm/kernels.mjs';

/** Texts of the shaders and of the AssemblyScript modules, by name without the extension. */
export interface KernelSources {
  shaders: { readonly [name: string]: string };
  modules: { readonly [name: string]: string };
}
export function readSources(): KernelSources;
/** Everything wrong with a specification, as sentences that name the kernel. */
export function kernelProblems(
  specification: readonly KernelSpecification[],
  sources: KernelSources,
  withoutKernel?: readonly string[],
): string[];
/** Text of build/kernels/calls.ts. */
export function callsSource(specification: readonly KernelSpecification[]): string;
/** Text of build/kernels/operations.ts. */
export function operationsSource(specification: readonly KernelSpecification[]): string;
/** Checks the specification and writes both tables; throws if there is a problem. */
export function writeKernelTables(): void;
