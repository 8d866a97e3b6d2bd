import { describe, expect, it } from 'vitest';
import { kernels } from '../../kernels-wasm/kernels.mjs';
import { callsSource, kernelProblems, operationsSource, readSources } from '../../scripts/kernel-tables.mjs';

const sources = readSources();
const without = (name: string) => kernels.filter((kernel) => kernel.name !== name);
const changed = (name: string, change: object) =>
  kernels.map((kernel) => (kernel.name === name ? { ...kernel, ...change } : kernel));

it('the specification agrees with the shaders and with the functions', () => {
  expect(kernelProblems(kernels, sources)).toEqual([]);
});

describe('names the kernel of', () => {
  it.each([
    ['a missing entry', without('adamw'), 'Kernel adamw: shaders/adamw.wgsl has no entry in kernels-wasm/kernels.mjs.'],
    [
      'two entries of one name',
      [...kernels, kernels.find(({ name }) => name === 'peak')!],
      'Kernel peak: two entries of kernels-wasm/kernels.mjs have this name.',
    ],
    [
      'a shader that does not exist',
      changed('peak', { shader: undefined }),
      'Kernel peak: shaders/peak.wgsl does not exist. Add it, or mark the entry of kernels-wasm/kernels.mjs with shader: false.',
    ],
    [
      'a missing scalar',
      changed('clip_coefficient', { scalars: { count: 'u32' } }),
      'Kernel clip_coefficient: kernels-wasm/kernels.mjs lists the scalars (count: u32), shaders/clip_coefficient.wgsl has (count: u32, maxNorm: f32).',
    ],
    [
      'a scalar that its function reads and the specification does not list',
      changed('clip_coefficient', { scalars: { count: 'u32' } }),
      'Kernel clip_coefficient: kernels-wasm/elementwise.ts reads maxNorm, which kernels-wasm/kernels.mjs does not list.',
    ],
    [
      'a scalar of another type',
      changed('clip_coefficient', { scalars: { count: 'u32', maxNorm: 'u32' } }),
      'Kernel clip_coefficient: kernels-wasm/kernels.mjs lists the scalars (count: u32, maxNorm: u32), shaders/clip_coefficient.wgsl has (count: u32, maxNorm: f32).',
    ],
    [
      'bindings in another order, also of a form',
      changed('matmul_nn', { bindings: ['weight', 'dout', 'dinp'] }),
      'Kernel matmul_nn_tiled: kernels-wasm/kernels.mjs lists the bindings (weight, dout, dinp), shaders/matmul_nn_tiled.wgsl has (dout, weight, dinp).',
    ],
    [
      'a missing function',
      changed('adamw', { module: 'rows' }),
      'Kernel adamw: kernels-wasm/rows.ts does not export its function adamw(call, chunk).',
    ],
    [
      'a missing module',
      changed('adamw', { module: 'optimiser' }),
      'Kernel adamw: its module kernels-wasm/optimiser.ts does not exist.',
    ],
    [
      'chunks by an unknown function',
      changed('adamw', { chunks: 'weightChunks(size)' }),
      'Kernel adamw: its chunks call weightChunks, which kernels-wasm/elementwise.ts does not export.',
    ],
    [
      'chunks by an unknown size',
      changed('adamw', { chunks: 'parameterChunks(count)' }),
      'Kernel adamw: its chunks depend on count, which is neither a scalar nor a constant of it.',
    ],
    [
      'one name for two things',
      changed('rmsnorm_forward', { constants: ['EPS_F', 'C'] }),
      'Kernel rmsnorm_forward: C stands for two of its bindings, scalars and constants. Rename one.',
    ],
    [
      'more bindings than a call record holds',
      changed('peak', { bindings: Array.from({ length: 9 }, (_, i) => `b${i}`) }),
      'Kernel peak: 9 bindings; a call record has room for 8.',
    ],
  ])('%s', (_, specification, sentence) => {
    expect(kernelProblems(specification as typeof kernels, sources)).toContain(sentence);
  });
});

describe('the generated tables', () => {
  const specification = kernels.filter(({ name }) => ['adamw', 'lora_up', 'lora_up_backward'].includes(name));

  it('read bindings, scalars and constants at their words', () => {
    const source = callsSource(specification);
    expect(source).toContain('export namespace Adamw {');
    expect(source).toContain('export function normAt(call: usize): usize { return load<u32>(call, 16); }');
    expect(source).toContain('export function learningRate(call: usize): f32 { return load<f32>(call, 52); }');
  });

  it('share in a group what lies at the same word in all its kernels', () => {
    const lora = callsSource(specification).split('export namespace Lora {')[1];
    expect(lora).toContain('function scale(');
    expect(lora).toContain('function BAt(');
    expect(lora).not.toContain('function midAt(');
  });

  it('dispatch by position', () => {
    const source = operationsSource(specification);
    expect(source).toContain('case 0: return <i32>(elementwise.parameterChunks(calls.Adamw.size(call)));');
    expect(source).toContain('case 2: lora.loraUpBackward(call, chunk); break;');
  });
});
