/**
 * Compares kernels with results from the CPU, any number of them in one submission and one read-back. Some browsers
 * miscompile some kernels; the user should see that as a message instead of wondering why the policy does not learn.
 *
 * A case is plain data: the contents of each buffer, the calls, and the expected contents afterwards. This file depends
 * neither on the kernels nor on the source of the numbers.
 */
import { type BufferSlice, type Device, DeviceError, type Dispatch, type Kernel, slice } from './device.ts';

type Words = Float32Array | Uint32Array;

/** Expected contents of one buffer. `tolerance` is relative to the largest expected value; integers must be equal. */
interface Expected {
  /** Index in `bindings`. */
  binding: number;
  values: ArrayLike<number>;
  tolerance: number;
  /** Decodes integers to values, which are then compared within the tolerance. */
  read?: (words: Uint32Array) => Float64Array;
}

export interface KernelCase {
  /** Initial contents of every buffer in the order of the bindings, including the written ones. */
  bindings: readonly Words[];
  /** Calls on the same buffers, in order. */
  calls: readonly Pick<Dispatch, 'grid' | 'params'>[];
  expected: readonly Expected[];
}

export interface KernelResult {
  kernel: string;
  ok: boolean;
  /** Largest error and its tolerance; if the kernel failed, the wrong value and what the user can do. */
  detail: string;
}

const alignment = 256;

/** Several arrays in one buffer, each aligned as a binding must be. */
class Arena {
  readonly parts: { at: number; words: Words }[] = [];
  bytes = 0;

  add(words: Words): { at: number; size: number } {
    const at = this.bytes;
    this.parts.push({ at, words });
    this.bytes += Math.ceil(words.byteLength / alignment) * alignment;
    return { at, size: words.byteLength };
  }

  contents(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.bytes);
    for (const { at, words } of this.parts)
      all.set(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), at);
    return all;
  }
}

/** Read and written bindings go to two buffers, because one dispatch must not read a buffer that it writes. */
class Placement {
  readonly read = new Arena();
  readonly written = new Arena();

  place(kernel: Kernel, { bindings }: KernelCase) {
    if (bindings.length !== kernel.bindingCount)
      throw new DeviceError(
        `The case of ${kernel.name} has ${bindings.length} buffers; the kernel takes ${kernel.bindingCount}.`,
      );
    return bindings.map((words, i) => {
      const isWritten = kernel.writes(i);
      return { isWritten, ...(isWritten ? this.written : this.read).add(words) };
    });
  }
}

/** Runs all cases. Results are in their order. */
export async function runCases(
  device: Device,
  cases: readonly { kernel: Kernel; test: KernelCase }[],
): Promise<KernelResult[]> {
  if (cases.length === 0) return [];
  const placement = new Placement();
  const places = cases.map(({ kernel, test }) => placement.place(kernel, test));
  const buffers = [placement.read, placement.written].map((arena, i) =>
    device.createBuffer(`Selftest.${i}`, Math.max(arena.bytes, alignment)),
  );
  const [read, written] = buffers;
  const recorder = device.createRecorder(written.size, Number.POSITIVE_INFINITY);
  try {
    recorder.upload(read, 0, placement.read.contents());
    recorder.upload(written, 0, placement.written.contents());
    cases.forEach(({ kernel, test }, i) => {
      const bindings = places[i].map((p): BufferSlice => slice(p.isWritten ? written : read, p.at, p.size));
      for (const call of test.calls)
        recorder.run({ kernel: { name: kernel.name, isReady: true, get: () => kernel }, bindings, ...call });
    });
    const [bytes] = await recorder.read([slice(written, 0, placement.written.bytes)]);
    return cases.map(({ kernel, test }, i) =>
      judge(kernel.name, test, (binding) => view(bytes, places[i], test, binding)),
    );
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
}

function view(bytes: ArrayBuffer, places: readonly { at: number }[], test: KernelCase, binding: number): Words {
  const words = test.bindings[binding];
  const Type = words instanceof Float32Array ? Float32Array : Uint32Array;
  return new Type(bytes, places[binding].at, words.length);
}

/** Largest error of a buffer, and the error that its tolerance allows. */
function compare(words: Words, { values, tolerance, read }: Expected) {
  const got = read && words instanceof Uint32Array ? read(words) : words;
  if (got.length !== values.length)
    throw new RangeError(`${values.length} values are expected, but the buffer has ${got.length}.`);
  const exact = got instanceof Uint32Array;
  let scale = 1e-30;
  for (let i = 0; i < values.length; i++) scale = Math.max(scale, Math.abs(values[i]));
  const allowed = exact ? 0 : tolerance * scale;
  let [worst, at] = [0, -1];
  for (let i = 0; i < values.length; i++) {
    const error = Math.abs(got[i] - values[i]);
    if (error > worst || Number.isNaN(error)) [worst, at] = [Number.isNaN(error) ? Number.POSITIVE_INFINITY : error, i];
  }
  return { ok: worst <= allowed, worst, allowed, at, got: got[at], want: values[at] };
}

function judge(kernel: string, test: KernelCase, read: (binding: number) => Words): KernelResult {
  const results = test.expected.map((expected) => ({ ...compare(read(expected.binding), expected), expected }));
  const wrong = results.find((r) => !r.ok);
  if (wrong) {
    const detail =
      `It computed ${wrong.got} instead of ${wrong.want} (value ${wrong.at} of buffer ${wrong.expected.binding + 1}), ` +
      'so training on this adapter would go wrong. Update the graphics driver or try another browser.';
    return { kernel, ok: false, detail };
  }
  const floats = results.filter(
    ({ expected }) => expected.read || test.bindings[expected.binding] instanceof Float32Array,
  );
  if (floats.length === 0) return { kernel, ok: true, detail: 'equal' };
  const closest = floats.reduce((a, b) => (b.worst / b.allowed > a.worst / a.allowed ? b : a));
  return {
    kernel,
    ok: true,
    detail: `largest error ${closest.worst.toExponential(1)}, allowed ${closest.allowed.toExponential(1)}`,
  };
}
