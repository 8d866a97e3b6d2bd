// The list of kernel forms that tools/isa gives to a compiler, the calls that it counts, and its model on a compiled
// kernel. Needs no driver.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type KernelChoice, kernelForms } from '../../src/policy/engine/kernel-choices.ts';
import { noCounts, readAssembly } from '../../tools/isa/assembly.ts';
import { threadsOf } from '../../tools/isa/compile.ts';
import { withDriver } from '../../tools/isa/driver.ts';
import { allChoices, engineForms } from '../../tools/isa/forms.ts';
import type { Call, Form } from '../../tools/isa/recording-device.ts';
import { boundBy, sharesOf, turnOf } from '../../tools/isa/shares.ts';
import { bytesOf, callTime, cards, excessOf, stepTime, tileShare } from '../../tools/isa/step-model.ts';
import { gpuChoices, recordSteps, type Step } from '../../tools/isa/steps.ts';
import { beginningWith } from '../../tools/isa/table.ts';
import { packedVariants, variants } from '../policy/kernel-variants.ts';

const kernelsOfShaders = readdirSync('shaders')
  .filter((file) => /@compute/.test(readFileSync(`shaders/${file}`, 'utf8')))
  .map((file) => file.replace('.wgsl', ''));

describe('the forms of kernels', () => {
  let forms: Form[];
  beforeAll(async () => {
    forms = await engineForms();
  }, 120_000);

  it('contain every shader', () => {
    const named = new Set(forms.map(({ name }) => name));
    expect(kernelsOfShaders.filter((name) => !named.has(name))).toEqual([]);
  });

  it('have constants of the names with which the tests of the kernels compile them', () => {
    // A test may give a kernel a constant that it does not read.
    const matches = (form: Form, name: string, given: object) =>
      form.name === name && Object.keys(form.constants).every((key) => key in given);
    const tested = [...variants, ...packedVariants];
    const missing = tested.filter(([name, given]) => !forms.some((form) => matches(form, name, given)));
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('come from settings in which each choice has each of its forms', () => {
    for (const [name, all] of Object.entries(kernelForms))
      expect(new Set(allChoices().map((choices) => choices[name as KernelChoice]))).toEqual(new Set(all));
  });
});

describe('the calls of a step', () => {
  const total = ({ calls }: Step) => calls.reduce((sum, { flops }) => sum + flops, 0);

  it('use only kernels that were requested before the first one, in each form', async () => {
    // `RecordingDevice` throws for a kernel that a model did not compile in advance.
    for (const choices of allChoices()) await recordSteps(1, choices);
  });

  it('grow with the layers by the operations of one layer', async () => {
    const [one, two, three] = [await recordSteps(1), await recordSteps(2), await recordSteps(3)];
    one.forEach((step, i) => {
      expect(total(two[i]) - total(step)).toBeCloseTo(total(three[i]) - total(two[i]), -3);
      expect(three[i].calls.length - two[i].calls.length).toBe(two[i].calls.length - step.calls.length);
    });
    // A token's products: two operations a weight of a layer, here without the adapter's.
    const [C, kv, I, rank] = [896, 128, 4864, 16];
    const weights = C * (2 * C + 2 * kv) + 3 * C * I;
    const adapter = rank * (2 * (C + C) + 2 * (C + kv) + 3 * (C + I));
    const products = two[1].calls.filter(({ form }) => /matmul|lora/.test(form.name));
    const less = one[1].calls.filter(({ form }) => /matmul|lora/.test(form.name));
    const sum = (calls: typeof products) => calls.reduce((all, { flops }) => all + flops, 0);
    // The products of a token also normalise their inputs twice, and activate.
    const [norms, activation] = [2 * 4 * C, 5 * I];
    expect(sum(products) - sum(less)).toBe(2 * (weights + adapter) + norms + activation);
  });

  it('of an update are those of its own passes', async () => {
    const [{ calls }] = await recordSteps(3);
    // Each layer forward, and again in the backward but for the last one.
    expect(calls.filter(({ form }) => form.name === 'attention_forward_tiled').length).toBe(3 + 2);
  });

  it('are those of the forms that a GPU chooses', async () => {
    const [update] = await recordSteps(1, gpuChoices);
    const names = new Set(update.calls.map(({ form }) => form.name));
    expect([...names]).toContain('attention_backward_key_tiled');
    expect([...names]).not.toContain('attention_backward_key');
  });

  it('are those of an update with the given tokens', async () => {
    const tokensOf = async (tokens?: number) => {
      const [{ calls }] = await recordSteps(1, gpuChoices, tokens);
      return calls.find(({ form }) => form.name === 'quant_embed')!.params.T;
    };
    expect([await tokensOf(), await tokensOf(512)]).toEqual([2048, 512]);
  });
});

describe("an adapter's second product, added by the frozen product", () => {
  it('has the same operations in fewer dispatches and bytes', async () => {
    // A product that does not add its adapter does not activate, either.
    const choices = { ...gpuChoices, swiglu_many: 'apart' } as const;
    const apart = await recordSteps(1, { ...choices, lora_up_few: 'apart', lora_up_many: 'apart' });
    const fused = await recordSteps(1, choices);
    const sum = (step: Step, of: (call: Call) => number) => step.calls.reduce((all, call) => all + of(call), 0);
    apart.forEach((step, i) => {
      const second = step.calls.filter(({ form }) => form.name === 'lora_up_fours');
      expect(second.length).toBe(step.calls.length - fused[i].calls.length);
      expect(sum(fused[i], ({ flops }) => flops)).toBe(sum(step, ({ flops }) => flops));
      expect(sum(fused[i], (call) => bytesOf(call) ?? 0)).toBeLessThan(sum(step, (call) => bytesOf(call) ?? 0));
    });
    // A token: qkv, output, gate with up, down.
    for (const i of [1, 2, 3]) expect(apart[i].calls.length - fused[i].calls.length).toBe(4);
  });
});

describe("SwiGLU, the logits' gradient and an adapter's gradient of its input, computed by the packed products", () => {
  it('have the same operations in fewer dispatches and bytes', async () => {
    const [apart] = await recordSteps(2, { ...gpuChoices, swiglu_many: 'apart', input_gradient_many: 'apart' });
    const [fused] = await recordSteps(2, gpuChoices);
    const sum = (step: Step, of: (call: Call) => number) => step.calls.reduce((all, call) => all + of(call), 0);
    const removed = apart.calls.filter(({ form }) => /^(swiglu|matmul_nn|head_dlogits)/.test(form.name)).length;
    expect(removed).toBeGreaterThan(0);
    expect(apart.calls.length - fused.calls.length).toBe(removed);
    expect(sum(fused, ({ flops }) => flops)).toBe(sum(apart, ({ flops }) => flops));
    // Of each call of SwiGLU and of an adapter's gradient, all but what the product does not have yet.
    const bytes = (step: Step) => sum(step, (call) => bytesOf(call) ?? 0);
    expect(bytes(fused)).toBeLessThan(bytes(apart));
  });
});

describe('a token of few rows', () => {
  it('has no kernels of their own for norms before an adapter and for SwiGLU', async () => {
    const [, ...tokens] = await recordSteps(2);
    for (const { calls } of tokens) {
      const count = (name: string) => calls.filter(({ form }) => form.name === name).length;
      expect(count('swiglu_forward')).toBe(0);
      // Before q, k and v, and before gate and up; the last norm is that of the head.
      expect(count('lora_norm_down')).toBe(2 * 2);
      expect(count('rmsnorm_forward')).toBe(1);
    }
    const [M, N, K] = [8, 48, 896];
    const norm = tokens[1].calls.find(({ form, params }) => form.name === 'lora_norm_down' && params.N === N)!;
    expect(norm.params).toEqual({ M, N, K });
    expect(bytesOf(norm)).toBe(4 * (2 * M * K + N * K + M * N));
  });
});

describe('both backward products of an adapter in one kernel', () => {
  it('read the gradient of gates and ups once', async () => {
    const [{ calls }] = await recordSteps(1);
    const of = (name: string) => calls.filter(({ form }) => form.name === name);
    // Two pieces of 1,024 tokens: 4 chunks, and 19 blocks of 256 rows in each of two parts.
    const both = of('lora_up_backward_both');
    expect(both.map(({ workgroups }) => workgroups)).toEqual([4 * 38, 4 * 38]);
    const [T, N, rank, width] = [1024, 9728, 16, 32];
    for (const call of both) {
      expect(call.flops).toBe(4 * T * N * rank);
      expect(bytesOf(call)).toBe(4 * (T * N + 19 * T * width + 4 * N * rank));
    }
    expect(of('lora_sum_blocks').map(bytesOf)).toEqual([4 * 20 * T * width, 4 * 20 * T * width]);
    // The narrower operands keep two kernels: qkv, output, and down in two pieces.
    expect(of('lora_up_backward_lanes').length).toBe(4);
    expect(of('lora_up_backward_weight_lanes').length).toBe(4);
  });
});

/** A kernel with a loop of two staging loads and an inner loop of eight multiply-adds, as RADV prints it. */
const compiled = `executable compute subgroup 64
stat VGPRs = 24
stat Spilled VGPRs = 1
stat LDS size = 512
stat Subgroups per SIMD = 16
@@@ Assembly
BB0:
	v_mov_b32_e32 v1, 0                                         ; 7e020280
	s_mov_b32 s0, 0                                             ; be800080
BB1:
	buffer_load_b128 v[4:7], v0, s[0:3], 0 offen                ; e05c0000
	buffer_load_b32 v8, v0, s[0:3], 0 offen                     ; e0500000
	s_waitcnt vmcnt(0)                                          ; bf8903f7
	ds_store_b128 v2, v[4:7]                                    ; db7c0000
	ds_load_2addr_stride64_b32 v[4:5], v2 offset1:1             ; d8e00100
	ds_load_2addr_b64 v[4:7], v2 offset1:1                      ; d9dc0100
	s_barrier                                                   ; bfbd0000
BB2:
	ds_load_b128 v[12:15], v2                                   ; dbfc0000
	v_fmac_f32_e32 v1, v4, v12                                  ; 56020000
	v_dual_fmac_f32 v1, v4, v12 :: v_dual_fmac_f32 v3, v5, v13  ; c8000000
	v_min_u32_e32 v9, v9, v10                                   ; 26120000
	v_mul_lo_u32 v9, v9, v10                                    ; d72c0000
	s_cbranch_scc1 BB2                                          ; bfa20000
BB3:
	s_cbranch_scc1 BB1                                          ; bfa20000
BB4:
	buffer_store_b32 v1, v0, s[0:3], 0                          ; e0680000
	s_endpgm                                                    ; bfb00000
`;

describe('a compiled kernel', () => {
  it('is read as statistics and loops with what they count', () => {
    const { registers, spilled, ldsBytes, waves, lanes, loops } = readAssembly(compiled, 11);
    expect([registers, spilled, ldsBytes, waves, lanes]).toEqual([24, 1, 512, 16, 64]);
    expect(loops.map(({ depth }) => depth)).toEqual([0, 1]);
    const [outer, inner] = loops.map(({ own }) => own);
    // A store of 16 bytes, and reads of two values of 4 and of 8 bytes.
    expect(outer).toMatchObject({ fma: 0, loads: 2, loadBytes: 20, waits: 1, others: 2 });
    expect(outer).toMatchObject({ ldsWrites: 1, ldsReads: 2, ldsBytes: 16 + 8 + 16 });
    // One clock for a multiply-add, two for a pair and for a minimum, eight for a product of integers.
    expect(inner).toMatchObject({ fma: 3, valu: 4, valuClocks: 13, integer: 2, clamps: 1, ldsReads: 1, ldsBytes: 16 });
    expect(readAssembly(compiled, 10.3).loops[1].own.valuClocks).toBe(14);
    expect(readAssembly(compiled, 9).loops[1].own.valuClocks).toBe(28);
  });

  it('has shares by the clocks of what it issues and moves', () => {
    const counts = { ...noCounts(), mac: 256, fma: 256, valuClocks: 320, ldsBytes: 512, loadBytes: 32, ldsReads: 32 };
    // RDNA3: 64 multiply-adds a clock, 128 bytes of workgroup memory and 64 of the first cache for two SIMDs.
    const shares = sharesOf(counts, 64, 11);
    expect(shares).toMatchObject({ valu: 0.8, lds: 0.5, l0: 4, bound: 0.5 });
    expect(shares.issue).toBeCloseTo(256 / 352);
    expect(boundBy(shares)).toBe('workgroup memory');
  });

  it('runs inner loops as often as its useful multiply-adds need', () => {
    const form = { name: 'matmul_tn', constants: { FOURS: 3 }, extra: '' };
    // 48 multiply-adds of a turn, three in the inner loop: sixteen turns of it.
    expect(turnOf(form, readAssembly(compiled, 11))).toMatchObject({ mac: 48, fma: 48, valu: 64, loads: 2, waits: 1 });
    expect(
      threadsOf('const THREADS = TILE_M * TILE_N / 16u;\n@workgroup_size(THREADS)', { TILE_M: 64, TILE_N: 32 }),
    ).toBe(128);
  });
});

describe('the time of a call', () => {
  const call = (name: string, constants: object, params: Call['params'], workgroups: number): Call => {
    const form = { name, constants: constants as Form['constants'], extra: '' };
    return { form, params, workgroups, flops: 2 * params.M * params.N * params.K };
  };
  const tiled = call('matmul_nt_tiled', { HAS_BIAS: 0 }, { M: 100, N: 128, K: 64 }, 4);

  it('counts the bytes of operands and result, and the outputs of tiles at an edge', () => {
    expect(bytesOf(tiled)).toBe(4 * (100 * 64 + 128 * 64 + 100 * 128));
    expect(tileShare(tiled)).toBeCloseTo((100 * 128) / (4 * 64 * 64));
    const packed = call('quant_matmul_nt_tiled', { BITS: 4, MINIMUM: 1 }, { M: 1, N: 32, K: 64 }, 1);
    // 4 bits a code, and two numbers of 16 bits for 32 of them.
    expect(bytesOf(packed)).toBe(4 * (64 + 32) + 32 * 64 * (0.5 + 4 / 32));
  });

  // RDNA3: 64 multiply-adds a clock, so 256 clocks for 256 of 64 lanes are the peak.
  const turn = { ...noCounts(), mac: 256, fma: 256, valuClocks: 256, waits: 2 };
  const speed = { turn, threads: 256, lanes: 64 };
  const dispatchMs = 3e-3;
  const big = call('matmul_nt_tiled', { HAS_BIAS: 0 }, { M: 4096, N: 4096, K: 4096 }, 64 * 64);

  it('is that of its operations at their share of the peak, where these take longest', () => {
    for (const card of cards) {
      const peakMs = (2 * 4096 ** 3) / card.gflops / 1e6;
      expect(callTime(big, speed, card).ms).toBeCloseTo(peakMs + dispatchMs, 9);
      const half = { ...speed, turn: { ...turn, valuClocks: 512 } };
      expect(callTime(big, half, card).ms).toBeCloseTo(2 * peakMs + dispatchMs, 9);
      // A quarter of the units are busy.
      const few = { ...call('without_tiles', {}, {}, card.computeUnits / 4), flops: 1e9 };
      expect(callTime(few, speed, card).ms).toBeCloseTo(4 * (1e9 / card.gflops / 1e6) + dispatchMs, 9);
    }
  });

  it('is that of its bytes, where these take longest', () => {
    const row = call('quant_matmul_nt_lanes', { BITS: 4, MINIMUM: 1 }, { M: 1, N: 4096, K: 4096 }, 4096);
    const bytes = 4 * 2 * 4096 + 4096 ** 2 * (0.5 + 4 / 32);
    for (const card of cards)
      expect(callTime(row, { ...speed, turn: { ...turn, waits: 0 } }, card).ms).toBeCloseTo(
        bytes / card.gigabytesPerSecond / 1e6 + dispatchMs,
        9,
      );
  });

  it('of a step is that of its operations at the peak and what exceeds it', () => {
    const row = call('quant_matmul_nt_lanes', { BITS: 4, MINIMUM: 1 }, { M: 1, N: 4096, K: 4096 }, 4096);
    const step = { name: 'two', calls: [big, row, row] };
    const [card] = cards;
    const list = excessOf(step, card, () => speed);
    const flops = step.calls.reduce((sum, each) => sum + each.flops, 0);
    const above = list.reduce((sum, { aboveMs }) => sum + aboveMs, 0);
    expect(above).toBeCloseTo(stepTime(step, card, () => speed).ms - flops / card.gflops / 1e6, 9);
    expect(list.map(({ calls, sizes }) => [calls, sizes])).toContainEqual([2, 'M 1, N 4096, K 4096']);
  });

  it('of a product that adds to its result counts the reading of it', () => {
    const sizes = { M: 8, N: 16, K: 32 };
    const bytes = (ACCUMULATE: number) => bytesOf(call('matmul_nn_blocks', { ACCUMULATE }, sizes, 1))!;
    expect(bytes(1) - bytes(0)).toBe(4 * 8 * 32);
  });

  it('is that of the waits of a thread, where these take longest', () => {
    // 4096 ^ 3 multiply-adds by 4,096 workgroups of 256 threads, 256 a turn: 256 turns of 1,000 waits of 0.2 us.
    const waiting = { ...speed, turn: { ...turn, waits: 1000 } };
    for (const card of cards) expect(callTime(big, waiting, card).ms).toBeCloseTo(256 * 1000 * 0.2e-3 + dispatchMs, 9);
  });

  it('counts the bytes of every kernel of a step except some of few bytes', async () => {
    const steps = await recordSteps(1);
    const short = ['clip_coefficient', 'head_finish', 'objective_kernel', 'sample_finish', 'sample_merge_tiles'];
    const without = new Set(
      steps.flatMap(({ calls }) => calls.filter((each) => bytesOf(each) === null)).map((each) => each.form.name),
    );
    expect([...without].sort()).toEqual([...short, 'square_sum']);
  });
});

describe('the driver', () => {
  it('is missing by name where TABGYM_MESA names a folder without one', async () => {
    vi.stubEnv('TABGYM_MESA', tmpdir());
    const work = vi.fn();
    await expect(withDriver(work)).rejects.toThrow(`TABGYM_MESA is ${tmpdir()}`);
    expect(work).not.toHaveBeenCalled();
    vi.unstubAllEnvs();
  });

  it('compiles the kernels of a name, and refuses a name of none', () => {
    const forms = ['matmul_nt', 'rope_forward'].map((name) => ({ name, constants: {}, extra: '' }));
    expect(beginningWith(forms, 'matmul')).toEqual([forms[0]]);
    expect(beginningWith(forms, undefined)).toEqual(forms);
    expect(() => beginningWith(forms, 'matmull')).toThrow('No kernel begins with matmull.');
  });
});
