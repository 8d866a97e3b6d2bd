// Each kernel of shaders/ compared with its twin in double precision: every variant that the engine's sizes choose, odd
// sizes, grids folded into two dimensions. The tolerances and their reasons are listed with the twins
// (src/policy/selftest/twins-*.ts).
import { beforeAll, describe, expect, it } from 'vitest';
import type { Constants, Kernel } from '../../src/device/device.ts';
import { type KernelResult, runCases } from '../../src/device/selftest.ts';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { givenWeights, requestObjective } from '../../src/policy/engine/objective.ts';
import { floats } from '../../src/policy/selftest/fixture.ts';
import { compareKernels, selfTest, twins } from '../../src/policy/selftest/selftest.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { useGpu } from '../device/open.ts';
import { daily, repeated, variants } from './kernel-variants.ts';

const open = useGpu();
const sources = import.meta.glob<string>('../../shaders/*.wgsl', { query: '?raw', import: 'default', eager: true });

/** Files with an entry point of the same name; those on packed weights are tested in quantized-kernels.test.ts. */
const entryPoints = Object.entries(sources).flatMap(([path, text]) => {
  const name = path.split('/').at(-1)!.replace('.wgsl', '');
  return text.includes(`fn ${name}(`) && text.includes('@compute') && !name.startsWith('quant_') ? [name] : [];
});

async function compiled(gpu: Gpu, variants: readonly [string, Constants][]): Promise<Kernel[]> {
  const cache = gpu.kernels;
  const handles = variants.map(([name, constants]) => cache.request(name, constants));
  await cache.settle();
  return handles.map((handle) => handle.get());
}

it('every kernel has a twin, and every twin a kernel', () => {
  expect(entryPoints.length).toBeGreaterThan(30);
  // Kernels with integer activations exist on the processor only (device/wasm/kernels.test.ts).
  const own = Object.keys(twins).filter((name) => !/^(quant|integer)_/.test(name));
  expect(own.sort()).toEqual(entryPoints.sort());
  const tried = new Set(variants.map(([name]) => name)).add('objective_kernel');
  expect([...tried].sort()).toEqual(entryPoints.sort());
});

describe.each([
  ['kernels', 1, daily, []],
  ['kernels', 3, daily, []],
  ['further forms of tiled kernels', 1, repeated, 'slow'],
  ['further forms of tiled kernels', 3, repeated, 'slow'],
] as const)('%s at size %i', (_title, size, variants, tags) => {
  let results: KernelResult[] = [];
  beforeAll(async () => {
    const gpu = await open();
    results = await compareKernels(gpu, await compiled(gpu, variants), size);
    // A software adapter compiles them for a minute, and for several on a busy machine.
  }, 600_000);
  it.each(variants.map(([name, constants], i) => [name, JSON.stringify(constants), i] as const))(
    '%s %s',
    { tags: tags === 'slow' ? tags : [] },
    (name, _, i) => {
      expect(results[i].kernel).toBe(name);
      expect(results[i].detail).toMatch(/^(equal|largest error)/);
      expect(results[i].ok).toBe(true);
    },
  );
});

describe('self-test', () => {
  it('reports the wrong kernel with a message', async () => {
    const gpu = await open();
    const cache = gpu.kernels;
    const handle = cache.request('swiglu_forward', { WIDTH: 1 });
    await cache.settle();
    const good = twins.swiglu_forward({ WIDTH: 1 }, 1, '')!;
    const [expected] = good.expected;
    const values = Float64Array.from(expected.values);
    values[5] += 0.01;
    const wrong = { ...good, expected: [{ ...expected, values }] };
    const results = await runCases(
      gpu,
      [good, wrong].map((test) => ({ kernel: handle.get(), test })),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, false]);
    expect(results[1].detail).toContain('value 5');
    expect(results[1].detail).toContain('graphics driver');
  });

  it('finds a kernel that computes something else', async () => {
    const gpu = await open();
    const cache = gpu.kernels;
    // The wrong kernel is a correct one with another epsilon, or without the residual.
    const pairs: [string, Constants, Constants][] = [
      ['rmsnorm_forward', { LANES: 1, EPS_F: 1e-5 }, { LANES: 1, EPS_F: 1e-2 }],
      ['rmsnorm_backward', { LANES: 1, HAS_RESIDUAL: 0 }, { LANES: 1, HAS_RESIDUAL: 1 }],
      ['matmul_tn', { FOURS: 2, LANES: 8, ACCUMULATE: 0 }, { FOURS: 2, LANES: 16, ACCUMULATE: 0 }],
    ];
    const handles = pairs.map(([name, wrong]) => cache.request(name, wrong));
    await cache.settle();
    const cases = pairs.map(([name, , right], i) => ({ kernel: handles[i].get(), test: twins[name](right, 1, '')! }));
    expect((await runCases(gpu, cases)).map(({ kernel, ok }) => [kernel, ok])).toEqual(
      pairs.map(([name]) => [name, false]),
    );
  });

  it('does not accept NaN as a correct result', async () => {
    const gpu = await open();
    const cache = gpu.kernels;
    const handle = cache.request('swiglu_forward', { WIDTH: 1 });
    await cache.settle();
    const good = twins.swiglu_forward({ WIDTH: 1 }, 1, '')!;
    const poisoned = floats(good.bindings[0].length, 'poisoned');
    poisoned[0] = Number.NaN;
    const [result] = await runCases(gpu, [
      { kernel: handle.get(), test: { ...good, bindings: [poisoned, good.bindings[1]] } },
    ]);
    expect(result.ok).toBe(false);
  });

  it('covers every kernel of a model, compiles nothing and tests nothing twice', async () => {
    const gpu = await open();
    const config = parseConfig({
      model_type: 'qwen3',
      vocab_size: 16,
      hidden_size: 8,
      intermediate_size: 12,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      head_dim: 8,
    });
    const capacity = { rows: 2, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: 8, batchScored: 8 };
    const weights = initWeights(config, { seed: 1, std: 0.1 });
    const model = await Model.create(gpu, config, { capacity, weights, trainable: true, reference: false });
    const kernels = model.kernels.all();
    const names = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name));
    const first = await selfTest(gpu);
    expect(first.filter(({ ok }) => !ok)).toEqual([]);
    expect(new Set(first.map(({ kernel }) => kernel))).toEqual(names(kernels));
    const created = gpu.buffersCreated;
    expect(await selfTest(gpu)).toEqual(first);
    expect(gpu.buffersCreated).toBe(created);
    expect(model.kernels.all().length).toBe(kernels.length);
    // An objective without a twin here is left to the tests of rl/.
    requestObjective(model.ops, {
      ...givenWeights,
      wgsl: givenWeights.wgsl!.replace('column(0u, i) * logprob', 'logprob'),
    });
    await model.kernels.settle();
    expect(await selfTest(gpu)).toEqual(first);
    model.destroy();
  });
});
