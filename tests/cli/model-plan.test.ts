// Memory plans of the listed models on the command line: every part, a refusal where the plan does not fit, and the
// change that makes it fit.
import { describe, expect, it } from 'vitest';
import { type PlanSettings, parseTargets, planLines, planModel, refusal } from '../../src/cli/model-plan.ts';
import { catalogue, configOf } from '../../src/policy/catalogue.ts';
import { countParameters } from '../../src/policy/config.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import { changeThatFits } from '../../src/policy/plan/fit.ts';
import { projections } from '../../src/policy/weights/adapter.ts';

const large = 2 ** 30;
const settings: PlanSettings = {
  model: 'qwen2.5-0.5b',
  rank: 16,
  targets: projections,
  weights: 'f32',
  group: 8,
  groups: 1,
  prompt: 1024,
  completion: 512,
  tokens: 2048,
};
const anywhere = { bindingBytes: large, totalBytes: Number.POSITIVE_INFINITY };
const bytesOf = (change: Partial<PlanSettings>) => totalBytes(planModel({ ...settings, ...change }, anywhere));

it.each(catalogue.map((entry) => [entry.id, entry] as const))(
  '%s: weights, adapter and moments have their exact sizes',
  (model, entry) => {
    const config = configOf(entry);
    const part = (name: string) =>
      totalBytes(planModel({ ...settings, model }, anywhere).filter((each) => each.part === name));
    const weights = countParameters(config) * 4;
    expect(part('weights')).toBeGreaterThanOrEqual(weights);
    expect(part('weights')).toBeLessThan(weights * 1.001);
    const { hiddenSize: h, intermediateSize: I, headDim: D, numHeads: H, numKvHeads: KV, numLayers: L } = config;
    const adapter = 4 * 16 * L * (2 * (h + H * D) + 2 * (h + KV * D) + 3 * (h + I));
    expect(part('adapter')).toBe(adapter);
    expect(part('optimizer')).toBe(3 * adapter);
    expect(part('reference')).toBe(0);
  },
);

it('prints every part, and the parts add up to the total', () => {
  const lines = planLines(planModel(settings, anywhere), false);
  const sum = lines.reduce((total, line) => total + Number(/(\d+)$/.exec(line)![1]), 0);
  expect(sum).toBe(bytesOf({}));
  expect(lines.map((line) => line.replace(/ +\d+$/, ''))).toContain('KV cache');
});

it('counts a K/V cache in bytes, and in fewer pages', () => {
  const caches = (change: Partial<PlanSettings>) =>
    planModel({ ...settings, ...change }, anywhere).filter(({ name }) => name.startsWith('cache.'));
  const config = configOf(catalogue.find(({ id }) => id === settings.model)!);
  const of = (pages: number, headBytes: number) =>
    Array(config.numLayers).fill((pages + 1) * 16 * 2 * config.numKvHeads * headBytes);
  const bytes = (change: Partial<PlanSettings>) => caches(change).map((each) => each.bytes);
  expect(bytes({})).toEqual(of(64 + 8 * 32, 4 * config.headDim));
  expect(bytes({ kv: 'int8' })).toEqual(of(64 + 8 * 32, config.headDim + 4));
  expect(bytes({ kv: 'int8', pages: 100 })).toEqual(of(100, config.headDim + 4));
  expect(() => planModel({ ...settings, pages: 95 }, anywhere)).toThrow(/95 pages .* need 96/);
});

describe('a plan that does not fit is refused with the change that makes it fit', () => {
  const room = (total: number, binding = large) => ({ bindingBytes: binding, totalBytes: total });

  it('accepts a plan that fits', () => expect(refusal(settings, room(bytesOf({})))).toBeNull());

  it('keeps fewer activations where --kept is not given, and refuses a number that does not fit', () => {
    // Short batches, so that several layers fit in the default.
    const short = { ...settings, prompt: 128, completion: 64, tokens: 192 };
    const bytes = (kept?: number) => totalBytes(planModel({ ...short, kept }, anywhere));
    const [none, least] = [bytes(0), bytes() - 1];
    expect(bytes()).toBe(bytes(128));
    expect(least).toBeGreaterThan(none);
    expect(refusal(short, room(least))).toBeNull();
    const fewer = totalBytes(planModel(short, room(least)));
    expect(fewer).toBeLessThanOrEqual(least);
    expect(fewer).toBeGreaterThan(none);
    expect(totalBytes(planModel(short, room(none)))).toBe(none);
    const refused = `it needs ${bytes(128)} bytes in all, but only ${least} are available. --kept 64 would make it fit.`;
    expect(refusal({ ...short, kept: 128 }, room(least))).toContain(refused);
  });

  it('proposes one change where one is enough', () => {
    const message = refusal({ ...settings, groups: 4 }, room(bytesOf({ groups: 2 })))!;
    expect(message).toMatch(/needs \d+ bytes in all.*--(groups 2|weights int8) would make it fit/);
    expect(refusal({ ...settings, groups: 2 }, room(bytesOf({ groups: 2 })))).toBeNull();
  });

  it('proposes several changes where one is not enough, each as small as possible', () => {
    const halve = (name: 'a' | 'b') => ({
      apply: (s: { a: number; b: number }) => (s[name] > 1 ? { ...s, [name]: s[name] / 2 } : null),
      describe: (s: { a: number; b: number }) => [`${name} ${s[name]}`],
    });
    const change = (most: number) =>
      changeThatFits({ a: 8, b: 8 }, [halve('a'), halve('b')], ({ a, b }) => a + b <= most);
    expect(change(12)).toBe('a 4');
    expect(change(5)).toBe('a 1 and b 4');
    expect(change(1)).toBeNull();
  });

  it('takes an earlier change back where a later one is enough, and names each setting once', () => {
    const less = (name: 'a' | 'b', by: number) => ({
      apply: (s: { a: number; b: number }) => (s[name] > by ? { ...s, [name]: s[name] - by } : null),
      describe: (s: { a: number; b: number }) => [`${name} ${s[name]}`, `sum ${s.a + s.b}`],
    });
    const change = changeThatFits({ a: 4, b: 40 }, [less('a', 1), less('b', 20)], ({ a, b }) => a + b <= 23 && b <= 20);
    expect(change).toBe('a 3 and sum 23 and b 20');
    const both = changeThatFits({ a: 4, b: 40 }, [less('a', 1), less('b', 20)], ({ a, b }) => a * b <= 40 && a < 4);
    expect(both).toBe('a 1 and sum 41');
  });

  /** Applies the settings that a refusal proposes. */
  const taking = (requested: PlanSettings, message: string): PlanSettings => {
    const advice = /([^.]*) would make it fit\.$/.exec(message)![1];
    const flags = [...advice.matchAll(/--(\w+) (\S+)/g)].map(([, name, value]) => [name, value] as const);
    expect(new Set(flags.map(([name]) => name)).size, message).toBe(flags.length);
    return { ...requested, ...Object.fromEntries(flags.map(([k, value]) => [k, Number(value) || value])) };
  };
  const larger: PlanSettings = { ...settings, model: 'qwen2.5-1.5b', weights: 'int4' };

  it.each([1.4e9, 1.5e9, 1.7e9, 2e9])('the proposed settings fit in %i bytes', (total) => {
    const limits = room(total, 2 ** 27);
    const message = refusal(larger, limits)!;
    expect(refusal(taking(larger, message), limits)).toBeNull();
  });

  it('reduces a group no further than needed', () => {
    const limits = room(1.5e9, 2 ** 27);
    const chosen = taking(larger, refusal(larger, limits)!);
    for (const name of ['group', 'completion', 'prompt', 'rank'] as const) {
      const wider = { ...chosen, [name]: Math.min(larger[name], chosen[name] * 2) };
      const tokens = Math.max(wider.tokens, wider.prompt + wider.completion);
      if (wider[name] > chosen[name]) expect(refusal({ ...wider, tokens }, limits), name).not.toBeNull();
    }
  });

  it('refuses a matrix that is too large for a binding', () => {
    const message = refusal({ ...settings, model: 'qwen2.5-3b' }, room(1e12, 2 ** 27));
    expect(message).toMatch(/^layers\.0\.gateUp needs \d+ bytes.*\. --weights int8 would make it fit\.$/);
  });

  it('refuses trajectories longer than the model reads, with both numbers and shorter lengths', () => {
    const long = { ...settings, model: 'smollm2-135m', prompt: 20_000, completion: 4_000, tokens: 24_000 };
    const message = refusal(long, room(Number.POSITIVE_INFINITY))!;
    expect(message).toMatch(
      /^smollm2-135m reads at most 8192 tokens, but a trajectory may have 24000 \(--prompt 20000 and/,
    );
    const taken = taking(long, message);
    expect(taken.prompt + taken.completion).toBeLessThanOrEqual(8192);
    expect(refusal(taken, room(Number.POSITIVE_INFINITY))).toBeNull();
    const most = { ...long, prompt: 7_000, completion: 1_192, tokens: 8_192 };
    expect(refusal(most, room(Number.POSITIVE_INFINITY))).toBeNull();
    expect(refusal({ ...most, completion: 1_193, tokens: 8_193 }, room(Number.POSITIVE_INFINITY))).toMatch(
      /8192.*8193/,
    );
  });

  it('proposes a smaller model where no change is enough', () =>
    expect(refusal(settings, room(1e8))).toMatch(/No change of these settings makes it fit: choose a smaller model/));

  it('refuses a buffer that is too large for a binding', () => {
    const wide = { ...settings, tokens: 65_536 };
    expect(refusal(wide, room(1e12, 2 ** 27))).toMatch(
      /needs \d+ bytes in one binding.*--tokens \d+ would make it fit/,
    );
  });
});

it('reads target names, and lists the valid ones for an unknown name', () => {
  expect(parseTargets('v_proj, q_proj')).toEqual(['q_proj', 'v_proj']);
  expect(parseTargets('all')).toEqual(projections);
  expect(() => parseTargets('q_proj,lm_head')).toThrow(/no lm_head\. Choose from q_proj/);
});
