/**
 * Kernels of the WebAssembly device by name, from their specification (kernels-wasm/kernels.mjs). One operation serves
 * all forms of a kernel, because forms differ in how a GPU divides the work and not in the result.
 */
import { type KernelSpecification, kernels } from '../../../kernels-wasm/kernels.mjs';
import type { Constants } from '../device.ts';
import type { ScalarLayout } from '../scalars.ts';

export interface Operation {
  /** Number at the start of a call record: the position in the specification. */
  number: number;
  bindings: readonly string[];
  scalars: ScalarLayout;
  /** Names of the constants, in the order of a call. Names that end with _F are f32. */
  constants: readonly string[];
}

const operationOf = ({ bindings, scalars, constants }: KernelSpecification, number: number): Operation => ({
  number,
  bindings,
  scalars: Object.entries(scalars),
  constants,
});

/** Operations of a specification, by the names of its kernels and their forms. */
function operationsOf(specification: readonly KernelSpecification[]): ReadonlyMap<string, Operation> {
  return new Map(
    specification.flatMap((kernel, number) => {
      const operation = operationOf(kernel, number);
      return [kernel.name, ...(kernel.forms ?? [])].map((name) => [name, operation] as const);
    }),
  );
}

export const operations = operationsOf(kernels);

/** Constants of an operation as the 32-bit words of a call record. A missing constant is 0. */
export function constantWords({ constants }: Operation, given: Constants): Uint32Array {
  const words = new Uint32Array(constants.length);
  const floats = new Float32Array(words.buffer);
  constants.forEach((name, i) => {
    if (name.endsWith('_F')) floats[i] = Number(given[name] ?? 0);
    else words[i] = Number(given[name] ?? 0);
  });
  return words;
}
