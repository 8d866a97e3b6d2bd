// The WebAssembly device: memory is allocated and freed, work runs in order, any number of threads gives the same bits,
// and the device is lost after a trap or the death of a thread.
import { describe, expect, it } from 'vitest';
import {
  type BufferSlice,
  DeviceError,
  DeviceLostError,
  DeviceUnavailableError,
  whole,
} from '../../../src/device/device.ts';
import { WasmDevice, type WasmOptions } from '../../../src/device/wasm/device.ts';
import { unshared } from '../../../src/device/wasm/module.ts';
import { parameterShapes, parseConfig } from '../../../src/policy/config.ts';
import { Model } from '../../../src/policy/engine/model.ts';
import { givenWeights } from '../../../src/policy/engine/objective.ts';
import { gumbelBits } from '../../../src/policy/engine/random.ts';
import type { PackedBatch, TensorMap } from '../../../src/policy/policy.ts';
import { begin, wholeTurns } from '../../../tools/turns.ts';
import { useWasm } from '../open.ts';

const open = useWasm({ threads: 2 });

async function withDevice(options: WasmOptions, work: (device: WasmDevice) => Promise<void>) {
  const device = await WasmDevice.open(options);
  try {
    await work(device);
  } finally {
    device.destroy();
  }
}

const floats = (values: number[]) => Float32Array.from(values);

describe('memory', () => {
  it('is zeroed when allocated again, and adjacent freed blocks are joined', async () => {
    const device = await open();
    const held = device.memory.buffer.byteLength;
    const recorder = device.createRecorder(1 << 16, 1e9);
    for (let round = 0; round < 50; round++) {
      const buffers = [1000, 70_000, 16].map((bytes) => device.createBuffer('piece', bytes));
      const [bytes] = await recorder.read([{ ...whole(buffers[0]), size: 1000 }]);
      expect(new Uint8Array(bytes).every((byte) => byte === 0)).toBe(true);
      recorder.upload(buffers[0], 0, new Uint8Array(1000).fill(7));
      for (const i of [1, 0, 2]) device.destroyBuffer(buffers[i]);
    }
    recorder.destroy();
    expect(device.memory.buffer.byteLength).toBeLessThanOrEqual(held + (1 << 20));
  });

  it('is refused with a message when none is left', async () => {
    await withDevice({ threads: 1, mostBytes: 32 << 20 }, async (device) => {
      const take = () => device.allocating('a policy', () => device.createBuffer('large', 64 << 20));
      await expect(take()).rejects.toThrow(DeviceUnavailableError);
      expect(device.failure?.message).toMatch(/Out of memory while allocating a policy: large needs \d+ MB more/);
    });
  });

  it('cannot be allocated in a sealed phase', async () => {
    const device = await open();
    device.seal('update');
    expect(() => device.createBuffer('late', 64)).toThrow(/late \(64 bytes\) was created during update/);
    device.unseal();
  });

  it('need not be shared: the same module runs without the flag', async () => {
    const limits = [3, 1, 1];
    const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 2, 9, 1, 1, 101, 1, 109, 2, ...limits]);
    const plain = unshared(bytes);
    expect([...plain.subarray(-3)]).toEqual([1, 1, 1]);
    expect([...bytes.subarray(-3)]).toEqual(limits);
    expect(WebAssembly.validate(plain)).toBe(true);
  });
});

describe('a recorder', () => {
  it('runs its work in order, including uploads and copies', async () => {
    const device = await open();
    const recorder = device.createRecorder(1 << 12, 1e9);
    const [a, b] = ['a', 'b'].map((label) => device.createBuffer(label, 64));
    const kernel = device.kernels.request('reduce_partials');
    await device.kernels.settle();
    const add = (from: BufferSlice, to: BufferSlice) =>
      recorder.run({ kernel, bindings: [from, to], grid: [1], params: { size: 4, chunks: 1 } });
    recorder.upload(a, 0, floats([1, 2, 3, 4]));
    add(whole(a), whole(b));
    recorder.copy(whole(b), a, 0, 8);
    recorder.upload(b, 8, floats([10, 20]));
    add(whole(a), whole(b));
    recorder.clear(a, 0, 8);
    const read = await recorder.read([whole(a), whole(b)]);
    const [left, right] = read.map((bytes) => [...new Float32Array(bytes).subarray(0, 4)]);
    expect(left).toEqual([0, 0, 3, 4]);
    expect(right).toEqual([2, 4, 13, 24]);
    expect([...recorder.shared(whole(b)).subarray(0, 4)]).toEqual(right);
    recorder.destroy();
    for (const buffer of [a, b]) device.destroyBuffer(buffer);
  });

  it('refuses bindings that do not fit and unknown kernels', async () => {
    const device = await open();
    const recorder = device.createRecorder(64, 1e9);
    const buffer = device.createBuffer('small', 64);
    expect(() => recorder.upload(buffer, 32, new Uint8Array(64))).toThrow(/64 bytes at 32 do not fit small/);
    await expect(recorder.read([whole(buffer), whole(buffer)])).rejects.toThrow(/exceeds staging/);
    const kernel = device.kernels.request('adamw');
    expect(() => recorder.run({ kernel, bindings: [whole(buffer)], grid: [1] })).toThrow(
      /adamw takes 5 buffers \(norm, grad, weight, m, v\), got 1/,
    );
    device.kernels.request('no_such_kernel');
    await expect(device.kernels.settle()).rejects.toThrow(DeviceError);
    recorder.destroy();
    device.destroyBuffer(buffer);
  });
});

/** Numbers of about 1, made from integers, so that every engine gives the same. */
const made = (count: number, stream: number) =>
  Float32Array.from({ length: count }, (_, i) => (gumbelBits([1, stream, i, 0], i) >>> 8) / 2 ** 23 - 1);

const config = parseConfig({
  model_type: 'qwen3',
  vocab_size: 70,
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 12,
});
const tokens = Int32Array.from({ length: 150 }, (_, i) => (i * 31 + 7) % 70);
const batch: PackedBatch = {
  tokens,
  segments: [
    { start: 0, end: 40, parent: -1 },
    { start: 40, end: 95, parent: 0 },
    { start: 95, end: 150, parent: 0 },
  ],
  scored: Int32Array.from({ length: 100 }, (_, i) => i + 45),
  allowed: null,
};
const hash = (values: Uint32Array, from: number) =>
  values.reduce((h, word) => Math.imul(h ^ word, 16777619) >>> 0, from);

/**
 * The same in every engine. If this hash changes, the arithmetic has changed, and old runs cannot be resumed exactly.
 */
const RUN_HASH = 'a77fc356';

/** Hash of two training steps and some sampled tokens. */
async function runHash(device: WasmDevice): Promise<number> {
  const weights: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(config)) {
    const size = shape.reduce((a, b) => a * b, 1);
    weights.set(name, { shape, data: made(size, name.length).map((x) => (shape.length === 1 ? 1 + x / 8 : x / 4)) });
  }
  const capacity = { rows: 4, groups: 2, promptTokens: 8, completionTokens: 24, batchTokens: 160, batchScored: 128 };
  const model = await Model.create(device, config, { capacity, weights, trainable: true, reference: false });
  const optimizer = { learningRate: 0.01, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };
  const N = batch.scored.length;
  for (let step = 0; step < 2; step++) {
    const columns = [made(N, 50 + step), new Float32Array(N).fill(0.01)];
    await model.update(
      { batches: [{ batch, columns }], objective: givenWeights, scalars: [], optimizer },
      { temperature: 0.9 },
    );
  }
  const prompt = (first: number) => Int32Array.from({ length: 6 }, (_, i) => first + i);
  await begin(model, [
    { prompt: prompt(3), slots: [0, 1], rowKeys: [5, 6] },
    { prompt: prompt(30), slots: [2, 3], rowKeys: [7, 8] },
  ]);
  const rows = [0, 1, 2, 3].map((slot) => ({ slot, append: [], constraint: null }));
  const sampling = { temperature: 1, seed: 3, stream: 1, maxTokens: 12, stopTokens: [] };
  const turns = await wholeTurns(model, rows as unknown as Parameters<Model['generate']>[0], sampling);
  let h = 2166136261;
  for (const { tokens: sampled, logprobs } of turns)
    h = hash(new Uint32Array(logprobs.buffer), hash(new Uint32Array(sampled.buffer), h));
  for (const { data } of (await model.save()).tensors.values()) h = hash(new Uint32Array(data.buffer), h);
  model.destroy();
  return h;
}

describe('the numbers', () => {
  it.each([1, 2, 3, 8])('are the same bits from %i threads', async (threads) => {
    await withDevice({ threads }, async (device) => {
      expect(device.threads).toBeLessThanOrEqual(threads);
      expect((await runHash(device)).toString(16)).toBe(RUN_HASH);
    });
  });
});

describe('slices', () => {
  it.each([1, 2, 3])('of one chunk for %i threads give the same bits', async (threads) => {
    await withDevice({ threads, mostMsWithoutTurn: 0 }, async (device) => {
      expect((await runHash(device)).toString(16)).toBe(RUN_HASH);
    });
  });

  it.each([1, 2])(
    'end inside a long call of %i threads, so that other events are handled while it runs',
    async (threads) => {
      await withDevice({ threads, mostMsWithoutTurn: 0 }, async (device) => {
        const recorder = device.createRecorder(256);
        const chunks = 50;
        const out = device.createBuffer('peak', 4 * chunks);
        const kernel = device.kernels.request('peak');
        // Chunks of a good part of a millisecond: a thread that waits for a core misses few of them.
        recorder.run({ kernel, bindings: [whole(out)], grid: [1], params: { chunks, rounds: 100_000 } });
        let turns = 0;
        recorder.gate = () => void turns++;
        await recorder.finish();
        // A slice ends after the first chunk of this thread, however many the other has computed by then.
        expect(turns).toBeGreaterThanOrEqual(chunks - device.helpedChunks);
        recorder.destroy();
      });
    },
  );

  it('stand still while the gate is closed, and go on with the same bits', async () => {
    await withDevice({ threads: 2, mostMsWithoutTurn: 0 }, async (device) => {
      const recorder = device.createRecorder(256);
      const [from, to] = ['from', 'to'].map((label) => device.createBuffer(label, 1 << 20));
      recorder.upload(from, 0, made(1 << 18, 4));
      recorder.copy(whole(from), to, 0, 1 << 20);
      let open = () => {};
      let waits = 0;
      recorder.gate = () => {
        waits++;
        return new Promise((resolve) => (open = resolve));
      };
      let done = false;
      const finished = recorder.finish().then(() => (done = true));
      while (!done) {
        await new Promise((resolve) => setTimeout(resolve));
        open();
      }
      await finished;
      expect(waits).toBeGreaterThan(0);
      recorder.gate = null;
      const [copied] = await recorder.read([{ ...whole(to), size: 256 }]);
      expect(new Float32Array(copied)).toEqual(made(64, 4));
      recorder.destroy();
    });
  });

  it('discard the recorded work if the gate rejects', async () => {
    await withDevice({ threads: 1, mostMsWithoutTurn: 0 }, async (device) => {
      const recorder = device.createRecorder(256);
      const buffer = device.createBuffer('b', 1 << 20);
      const kernel = device.kernels.request('peak');
      recorder.run({ kernel, bindings: [whole(buffer)], grid: [1], params: { chunks: 8, rounds: 10 } });
      recorder.upload(buffer, 0, floats([7]));
      recorder.gate = () => Promise.reject(new Error('stopped'));
      await expect(recorder.finish()).rejects.toThrow('stopped');
      recorder.gate = null;
      const [bytes] = await recorder.read([{ ...whole(buffer), size: 16 }]);
      expect(new Float32Array(bytes)[0]).not.toBe(7);
      recorder.destroy();
    });
  });
});

it('a released thread takes no more work, and the bits stay the same', async () => {
  await withDevice({ threads: 3 }, async (device) => {
    const before = device.threads;
    const left = device.giveBackThread();
    expect(left).toBe(before > 1 ? before - 1 : null);
    expect((await runHash(device)).toString(16)).toBe(RUN_HASH);
    for (let i = 1; i < before - 1; i++) device.giveBackThread();
    expect([device.threads, device.giveBackThread()]).toEqual([1, null]);
    // With one thread left, `helped` would still grow if the other threads took work.
    const helped = device.helpedChunks;
    expect((await runHash(device)).toString(16)).toBe(RUN_HASH);
    expect(device.helpedChunks).toBe(helped);
  });
});

it('the other threads take a share of the work', async () => {
  const device = await open();
  const recorder = device.createRecorder(256, Number.POSITIVE_INFINITY);
  const out = device.createBuffer('peak', 4 * 640);
  const kernel = device.kernels.request('peak');
  // About 30 ms, long enough for a sleeping helper to wake up.
  for (let i = 0; i < 20 && device.helpedChunks === 0; i++) {
    recorder.run({ kernel, bindings: [whole(out)], grid: [1], params: { chunks: 640, rounds: 20_000 } });
    recorder.submit();
  }
  recorder.destroy();
  device.destroyBuffer(out);
  if (device.threads > 1) expect(device.helpedChunks).toBeGreaterThan(0);
  else expect(device.helpedChunks).toBe(0);
});

it('without shared memory there is one thread, with the same bits', async () => {
  await withDevice({ threads: 4, shared: false }, async (device) => {
    expect(device.threads).toBe(1);
    expect(device.memory.buffer).toBeInstanceOf(ArrayBuffer);
    expect((await runHash(device)).toString(16)).toBe(RUN_HASH);
  });
});

describe('loss', () => {
  /** Makes a kernel trap: a token's segment claims more keys than its buffer holds. */
  async function trap(device: WasmDevice) {
    const recorder = device.createRecorder(256, 1e9);
    const kernel = device.kernels.request('attention_forward', { H: 1, KV: 1, D: 4, SCALE_F: 0.5 });
    const buffers = Array.from({ length: 6 }, (_, i) => device.createBuffer(`b${i}`, 1 << 12));
    recorder.upload(buffers[0], 0, Uint32Array.from([0, 0, 0, 0, 0, 1 << 20, 0, 0]));
    recorder.run({ kernel, bindings: buffers.map(whole), grid: [1], params: { T: 1, pageBits: 0 } });
    await recorder.finish();
  }

  it.each([1, 2])('a trap loses the device with a message, with %i threads', async (threads) => {
    await withDevice({ threads }, async (device) => {
      await expect(trap(device)).rejects.toThrow(DeviceLostError);
      expect(device.failure?.message).toMatch(/^The WebAssembly device was lost: a (kernel|thread) stopped/);
      await expect(device.lost).rejects.toThrow(DeviceLostError);
      expect(() => device.createBuffer('after', 16)).toThrow(DeviceLostError);
    });
  });

  it('the death of a thread loses the device', async () => {
    await withDevice({ threads: 2 }, async (device) => {
      if (device.threads === 1) return expect(typeof crossOriginIsolated).toBe('boolean');
      device.killHelpers();
      await expect(device.lost).rejects.toThrow(/a thread stopped: the thread ended/);
      expect(() => device.check()).toThrow(DeviceLostError);
    });
  });

  it('scalars keep their bits', async () => {
    const device = await open();
    const recorder = device.createRecorder(64, 1e9);
    const [sums, norm] = ['sums', 'norm'].map((label) => device.createBuffer(label, 16));
    recorder.upload(sums, 0, floats([9, 16]));
    const kernel = device.kernels.request('clip_coefficient');
    recorder.run({ kernel, bindings: [whole(sums), whole(norm)], grid: [1], params: { count: 2, maxNorm: 2.5 } });
    const [bytes] = await recorder.read([whole(norm)]);
    expect(new Float32Array(bytes)[0]).toBe(5);
    expect(new Float32Array(bytes)[1]).toBeCloseTo(0.5, 6);
    recorder.destroy();
    for (const buffer of [sums, norm]) device.destroyBuffer(buffer);
  });
});
