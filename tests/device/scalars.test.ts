import { expect, it } from 'vitest';
import { DeviceError } from '../../src/device/device.ts';
import { writeScalars } from '../../src/device/scalars.ts';
import { constantWords, operations } from '../../src/device/wasm/operations.ts';
import { parseScalars, shaderSource } from '../../src/device/webgpu/kernel.ts';

const { scalars } = operations.get('adamw')!;
const values = {
  ...{ size: 64, learningRate: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1 },
  ...{ biasCorrection1: 1, biasCorrection2Sqrt: 0.5 },
};

function written(given: { [name: string]: number }) {
  const bytes = new ArrayBuffer(64);
  const memory = { u32s: new Uint32Array(bytes), f32s: new Float32Array(bytes) };
  writeScalars('adamw', scalars, given, memory, 2);
  return memory;
}

it('scalars are written in the order of the kernel, whatever the order of the call', () => {
  const { u32s, f32s } = written(Object.fromEntries(Object.entries(values).reverse()));
  expect([u32s[1], u32s[2]]).toEqual([0, 64]);
  expect([...f32s.subarray(3, 11)]).toEqual([0.1, 0.9, 0.95, 1e-8, 0.1, 1, 0.5, 0].map(Math.fround));
});

it('a missing one is refused by name', () => {
  const { weightDecay, ...others } = values;
  expect(weightDecay).toBe(0.1);
  expect(() => written(others)).toThrow(new DeviceError('Kernel adamw needs the scalar weightDecay (f32).'));
});

it('one that the kernel lacks is refused by name', () => {
  expect(() => written({ ...values, decay: 1 })).toThrow(
    /^Kernel adamw has no scalar decay\. It takes size, learningRate,/,
  );
});

it('scalars are the same for both devices', () => {
  expect(parseScalars(shaderSource('adamw'))).toEqual(scalars);
});

it('constants of the WebAssembly device follow the specification, floats as floats', () => {
  const words = constantWords(operations.get('rope_forward')!, { EPS_F: 0.5, H: 4, D: 16, KV: 2 });
  expect([...words]).toEqual([4, 2, 16, 0, new Uint32Array(new Float32Array([0.5]).buffer)[0], 0]);
});
