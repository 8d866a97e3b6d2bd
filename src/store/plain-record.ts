/** Schema of an object with any keys, each of whose values is checked. */
import * as v from 'valibot';

/** Keys that valibot's `record` leaves out, unchecked (github.com/fabian-hiller/valibot, `_isValidObjectKey`). */
const unchecked = ['__proto__', 'prototype', 'constructor'];
const hasCheckedKeys = (value: unknown) => !unchecked.some((key) => Object.hasOwn(Object(value), key));

/** As `v.record`, and refuses the keys that it would not check. */
export const plainRecord = <K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(key: K, value: V) =>
  v.pipe(v.custom<{ [name: string]: v.InferInput<V> }>(hasCheckedKeys), v.record(key, value));
