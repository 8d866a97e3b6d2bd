// Tests the golden program itself: it must agree with a correct policy and disagree with each wrong one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import type { InspectablePolicy, OpenPolicy } from '../../tools/golden/case.ts';
import { checkModels } from '../../tools/golden/model.ts';
import { GoldenReport, maxError } from '../../tools/golden/report.ts';
import { goldenModelDir, hasGolden } from './golden-files.ts';
import { fixtureConfigs, writeFixture } from './golden-fixture.ts';
import { ReferencePolicy } from './reference-policy.ts';

let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-golden-'));
  for (const [name, config] of Object.entries(fixtureConfigs))
    await writeFixture(join(folder, name), parseConfig(config), 11);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open: OpenPolicy = async (config, tensors, capacity, adapter) =>
  new ReferencePolicy(config, tensors, capacity, adapter);

/** A correct policy with one method changed. */
const broken =
  (change: (policy: InspectablePolicy) => Partial<InspectablePolicy>): OpenPolicy =>
  async (...args) => {
    const policy = await open(...args);
    return Object.assign(policy, change(policy));
  };

async function run(opener: OpenPolicy, where = folder, only: string[] = []) {
  const lines: string[] = [];
  const report = new GoldenReport((line) => lines.push(line));
  await checkModels(where, opener, report, only);
  report.close();
  return { report, lines, failures: lines.filter((line) => line.startsWith('FAIL')) };
}

describe('the golden program', () => {
  it('agrees with the reference in every comparison', async () => {
    const { report, lines, failures } = await run(open);
    expect(failures).toEqual([]);
    expect(report.total).toBeGreaterThan(80);
    expect(lines.at(-1)).toBe(`agree ${report.total} of ${report.total}, skipped 0`);
  });

  it.each<[string, OpenPolicy, RegExp]>([
    [
      'a logit off by 2e-4',
      broken((right) => {
        const logits = right.logits.bind(right);
        return { logits: async (batch) => (await logits(batch)).map((x, i) => (i === 5 ? x + 2e-4 : x)) };
      }),
      / logits:/,
    ],
    [
      'one gradient off by a thousandth of its largest',
      broken((right) => {
        const gradients = right.gradients.bind(right);
        return {
          gradients: async (...args) => {
            const all = await gradients(...args);
            const { data } = all.get('model.norm.weight')!;
            data[0] += 1e-3 * Math.max(...data.map(Math.abs));
            return all;
          },
        };
      }),
      /gradient (entropy\.)?model\.norm\.weight:/,
    ],
    [
      'a wrong token',
      broken((right) => {
        const generate = right.generate.bind(right);
        return {
          generate: async (...args) => {
            const turns = await generate(...args);
            turns[1]!.tokens[Math.min(5, turns[1]!.tokens.length - 1)] ^= 1;
            return turns;
          },
        };
      }),
      /generation .*tokens:/,
    ],
    [
      'entropy in bits',
      broken((right) => {
        const score = right.score.bind(right);
        return {
          score: async (...args) => {
            const { logprob, entropy } = await score(...args);
            return { logprob, entropy: entropy.map((x) => x / Math.LN2) };
          },
        };
      }),
      / entropy:/,
    ],
    [
      'an optimiser with another weight decay',
      broken((right) => {
        const update = right.update.bind(right);
        return {
          update: (request, options) =>
            update({ ...request, optimizer: { ...request.optimizer, weightDecay: 10 } }, options),
        };
      }),
      /parameters after AdamW|share of parameters/,
    ],
    [
      'an adapter whose scale is off by a thousandth',
      (config, tensors, capacity, adapter) => {
        const wrong = adapter && { ...adapter, lora: { ...adapter.lora, alpha: adapter.lora.alpha * 1.001 } };
        return open(config, tensors, capacity, wrong);
      },
      /lora .*gradient .*lora_A/,
    ],
    [
      'a reference that has the adapter on',
      broken((right) => {
        const score = right.score.bind(right);
        return { score: (batch, options) => score(batch, { ...options, weights: 'policy' }) };
      }),
      /lora .*logp of the reference/,
    ],
    [
      'weights that save drops',
      broken((right) => {
        const save = right.save.bind(right);
        return {
          save: async () => {
            const state = await save();
            state.tensors.delete('model.norm.weight');
            return state;
          },
        };
      }),
      /missing: model\.norm\.weight/,
    ],
  ])('disagrees with %s', async (_, opener, complaint) => {
    const { report, failures } = await run(opener, folder, ['qwen3_untied']);
    expect(report.ok).toBe(false);
    expect(failures.join('\n')).toMatch(complaint);
  });

  it('names unknown files', async () => {
    writeFileSync(join(folder, 'qwen2_tied', 'mystery.bin'), '');
    const { lines, report } = await run(open, folder, ['qwen2_tied']);
    expect(report.ok).toBe(true);
    expect(report.skipped).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^skip unknown-file qwen2_tied\/mystery\.bin/));
  });

  it('counts the skip of a required kind as a failure', () => {
    const report = new GoldenReport(() => {});
    report.skip('generation', 'x', 'too hard');
    expect([report.ok, report.total, report.skipped]).toEqual([false, 1, 0]);
  });

  it('counts NaN and a wrong length as an infinite error', () => {
    expect(maxError([Number.NaN, 0], [0, 0])).toBe(Number.POSITIVE_INFINITY);
    expect(maxError([0], [0, 0])).toBe(Number.POSITIVE_INFINITY);
  });

  it.skipIf(!hasGolden)(
    'agrees with the reference on the recorded models (skipped without TABGYM_GOLDEN)',
    async () => {
      const { failures, report } = await run(open, goldenModelDir, ['modelfwd_f_llama3_rope']);
      expect(failures).toEqual([]);
      expect(report.total).toBeGreaterThan(10);
    },
  );
});
