// Kernels that have a form for several columns or tokens at once: it gives the bits of the form for one.
import { expect, it } from 'vitest';
import { type BufferSlice, slice, whole } from '../../../src/device/device.ts';
import type { WasmDevice } from '../../../src/device/wasm/device.ts';
import { floats } from '../../../src/policy/selftest/fixture.ts';
import { useWasm } from '../open.ts';

const open = useWasm({ threads: 1 });
type Floats = Float32Array<ArrayBuffer>;

/** Buffers with these contents, in one arena of the device. */
function filled(device: WasmDevice, arrays: readonly (Floats | Uint32Array<ArrayBuffer>)[]) {
  const recorder = device.createRecorder(1 << 20);
  const buffers = arrays.map((data, i) => device.createBuffer(`test.${i}`, data.byteLength));
  for (const [i, data] of arrays.entries()) recorder.upload(buffers[i], 0, data);
  /** Reads some of the buffers and destroys all. */
  const end = async (parts: readonly BufferSlice[]) => {
    const read = (await recorder.read(parts)).map((bytes) => new Float32Array(bytes));
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
    return read;
  };
  return { recorder, buffers, end };
}

it.each([8, 16])('lora_up of rank %i: many tokens equal single ones', async (rank) => {
  const device = await open();
  const [T, N, stride, width] = [37, 300, 310, 2 * rank];
  const mid = floats(T * width, 'mid') as Floats;
  const before = floats(T * stride, 'out') as Floats;
  const all = [mid, floats(N * rank, 'B') as Floats, before];
  const scalars = {
    N,
    rank,
    width,
    stride,
    end0: 141,
    end1: N,
    shift0: 0,
    shift1: 10,
    shift2: 0,
    scale: 0.75,
    chunk: 0,
  };
  const kernel = device.kernels.request('lora_up', { ROWS: 4 });
  const run = async (tokens: number) => {
    const { recorder, buffers, end } = filled(device, all);
    for (let t = 0; t < T; t += tokens) {
      const row = (buffer: number, words: number) => slice(buffers[buffer], t * words * 4, tokens * words * 4);
      const bindings = [row(0, width), whole(buffers[1]), row(2, stride)];
      recorder.run({ kernel, bindings, grid: [1], params: { ...scalars, T: Math.min(tokens, T - t) } });
    }
    return (await end([whole(buffers[2])]))[0];
  };
  expect(await run(T)).toEqual(await run(1));
});

it.each([0, 0.7])('sample_scan at temperature %f: four tokens at once equal single ones', async (temperature) => {
  const device = await open();
  const W = 203;
  const logits = floats(W, 'logits') as Floats;
  const rows = Uint32Array.from([5, 7, 100, 2, 11, 0, 0, 1234, 0, 0, 0, 0]);
  const kernel = device.kernels.request('sample_scan');
  const inverseTemperature = temperature && 1 / temperature;
  const { recorder, buffers, end } = filled(device, [logits, rows, new Float32Array(8), new Float32Array(8)]);
  const scan = (from: number, count: number, state: number) =>
    recorder.run({
      kernel,
      bindings: [slice(buffers[0], from * 4, count * 4), whole(buffers[1]), whole(buffers[state])],
      grid: [1],
      params: { R: 1, W: count, first: from, seed: 9, stream: 3, inverseTemperature },
    });
  scan(0, W, 2);
  for (let v = 0; v < W; v++) scan(v, 1, 3);
  const [together, alone] = await end([whole(buffers[2]), whole(buffers[3])]);
  // Key, logit and token; the sums of the softmax are added in another order.
  expect(together.subarray(0, 3)).toEqual(alone.subarray(0, 3));
  expect(together[2]).toBeGreaterThanOrEqual(0);
});
