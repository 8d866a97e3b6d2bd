// Compares each kernel of kernels-wasm/ with its twin in double precision, in every form that the engine uses. The
// tolerances and their reasons are listed with the twins (src/policy/selftest).
import { beforeAll, describe, expect, it } from 'vitest';
import { gpuOnly } from '../../../kernels-wasm/kernels.mjs';
import type { KernelResult } from '../../../src/device/selftest.ts';
import { operations } from '../../../src/device/wasm/operations.ts';
import { compareKernels, twins } from '../../../src/policy/selftest/selftest.ts';
import { integerVariants, packedVariants, variants } from '../../policy/kernel-variants.ts';
import { useWasm } from '../open.ts';

// The processor adds an adapter's products and applies SwiGLU in kernels of their own.
const all = [...variants, ...packedVariants, ...integerVariants].filter(
  ([name, { LOW_RANK, GATED, SCORED }]) => !gpuOnly.includes(name) && LOW_RANK !== 1 && GATED !== 1 && SCORED !== 1,
);

it('every twin has an operation, except those of custom code', () => {
  expect([...operations.keys()].filter((name) => !['copy', 'clear', 'peak'].includes(name)).sort()).toEqual(
    Object.keys(twins)
      .filter((name) => !gpuOnly.includes(name))
      .sort(),
  );
});

describe.each([1, 2])('with %i threads', (threads) => {
  const open = useWasm({ threads });
  describe.each([1, 3, 8])('at size %i', (size) => {
    let results: KernelResult[] = [];
    beforeAll(async () => {
      const device = await open();
      const handles = all.map(([name, constants]) => device.kernels.request(name, constants));
      await device.kernels.settle();
      results = await compareKernels(
        device,
        handles.map((handle) => handle.get()),
        size,
      );
    });
    it.each(all.map(([name, constants], i) => [name, JSON.stringify(constants), i] as const))('%s %s', (name, _, i) => {
      expect(results[i].kernel).toBe(name);
      expect(results[i].detail).toMatch(/^(equal|largest error)/);
      expect(results[i].ok).toBe(true);
    });
  });
});
