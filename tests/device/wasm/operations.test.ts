import { expect, it } from 'vitest';
import { DeviceError, f32 } from '../../../src/device/device.ts';
import { checkCall, constantWords, operations } from '../../../src/device/wasm/operations.ts';

const adamw = operations.get('adamw')!;
const buffers = adamw.bindings;
const params = [64, f32(0.1), f32(0.9), f32(0.95), f32(1e-8), f32(0.1), f32(1), f32(1)];

it('accepts a call as specified', () => {
  expect(() => checkCall('adamw', adamw, buffers, params)).not.toThrow();
});

it.each([
  ['a missing buffer', buffers.slice(1), params, 'adamw takes 5 buffers (norm, grad, weight, m, v), got 4.'],
  ['a missing scalar', buffers, params.slice(0, 5), 'adamw needs its scalar weightDecay (f32), got 5 of 8 scalars.'],
  ['a scalar too many', buffers, [...params, 1], 'adamw takes 8 scalars, got 9.'],
  ['an integer for a float', buffers, [64, 1, ...params.slice(2)], 'adamw: its scalar learningRate is f32, got u32.'],
  ['a float for an integer', buffers, [f32(64), ...params.slice(1)], 'adamw: its scalar size is u32, got f32.'],
] as const)('refuses %s by name', (_, given, scalars, message) => {
  expect(() => checkCall('adamw', adamw, given, scalars)).toThrow(new DeviceError(message));
});

it('writes constants in the order of the specification, floats as floats', () => {
  const words = constantWords(operations.get('rope_forward')!, { EPS_F: 0.5, H: 4, D: 16, KV: 2 });
  expect([...words]).toEqual([4, 2, 16, 0, new Uint32Array(new Float32Array([0.5]).buffer)[0], 0]);
});
