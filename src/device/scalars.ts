/** Scalars of a kernel call: passed by name, stored in the order and with the types that the kernel declares. */
import { DeviceError } from './device.ts';

export type ScalarType = 'u32' | 'f32';

/** Declared scalars of a kernel, in the order of a call. */
export type ScalarLayout = readonly (readonly [name: string, type: ScalarType])[];

/** A piece of memory as integers and as floats. */
export interface ScalarMemory {
  readonly u32s: Uint32Array;
  readonly f32s: Float32Array;
}

/** Writes the scalars of one call, from index `at` on. Throws if their names are not those that the kernel declares. */
export function writeScalars(
  kernel: string,
  layout: ScalarLayout,
  values: { readonly [name: string]: number },
  { u32s, f32s }: ScalarMemory,
  at: number,
): void {
  layout.forEach(([name, type], i) => {
    const value = values[name];
    if (value === undefined) throw new DeviceError(`Kernel ${kernel} needs the scalar ${name} (${type}).`);
    if (type === 'f32') f32s[at + i] = value;
    else u32s[at + i] = value;
  });
  const extra =
    Object.keys(values).length > layout.length && Object.keys(values).find((name) => !declares(layout, name));
  if (extra)
    throw new DeviceError(
      `Kernel ${kernel} has no scalar ${extra}. It takes ${layout.map(([name]) => name).join(', ')}.`,
    );
}

const declares = (layout: ScalarLayout, name: string) => layout.some(([declared]) => declared === name);
