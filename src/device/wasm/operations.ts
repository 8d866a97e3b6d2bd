/**
 * Kernels of the WebAssembly device by name, from their specification (kernels-wasm/kernels.mjs). One operation serves
 * all forms of a kernel, because forms differ in how a GPU divides the work and not in the result.
 */
import { type KernelSpecification, kernels } from '../../../kernels-wasm/kernels.mjs';
import { type Constants, DeviceError, type FloatParam } from '../device.ts';

export interface Operation {
  /** Number at the start of a call record: the position in the specification. */
  number: number;
  bindings: readonly string[];
  /** Names and types of the scalars, in the order of a call. */
  scalars: readonly (readonly [name: string, type: 'u32' | 'f32'])[];
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
export function operationsOf(specification: readonly KernelSpecification[]): ReadonlyMap<string, Operation> {
  return new Map(
    specification.flatMap((kernel, number) => {
      const operation = operationOf(kernel, number);
      return [kernel.name, ...(kernel.forms ?? [])].map((name) => [name, operation] as const);
    }),
  );
}

export const operations = operationsOf(kernels);

/** Throws if the buffers or scalars of a call differ from the kernel's specification in number or type. */
export function checkCall(
  name: string,
  { bindings, scalars }: Operation,
  buffers: readonly unknown[],
  params: readonly (number | FloatParam)[],
): void {
  if (buffers.length !== bindings.length)
    throw new DeviceError(`${name} takes ${bindings.length} buffers (${bindings.join(', ')}), got ${buffers.length}.`);
  if (params.length > scalars.length)
    throw new DeviceError(`${name} takes ${scalars.length} scalars, got ${params.length}.`);
  scalars.forEach(([scalar, type], i) => {
    if (i >= params.length)
      throw new DeviceError(
        `${name} needs its scalar ${scalar} (${type}), got ${params.length} of ${scalars.length} scalars.`,
      );
    const given = typeof params[i] === 'number' ? 'u32' : 'f32';
    if (given !== type) throw new DeviceError(`${name}: its scalar ${scalar} is ${type}, got ${given}.`);
  });
}

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
