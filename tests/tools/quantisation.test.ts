// Error caused by quantised weights: the measures on hand-made logits, and the stated bounds on a small random model
// and, where it is available, on the trained one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Model } from '../../src/policy/engine/model.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { packSequences } from '../../tools/golden/case.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { compareLogits, costsOf, exceeded, type LogitsOf } from '../../tools/quantisation/costs.ts';
import { useDevice } from '../device/open.ts';
import { goldenModelDir } from '../policy/golden-files.ts';

const gpu = useDevice();

describe('the comparison', () => {
  const p = Float32Array.from([0, 3, 1, 2, 2.5, 0]);

  it('finds no difference between equal logits, whatever constant is added to a row', () => {
    const shifted = p.map((x, i) => x + (i < 3 ? 0 : 1));
    const { relativeError, divergence, agreement } = compareLogits(p, shifted, 3);
    expect(relativeError).toBeLessThan(1e-6);
    expect(Math.abs(divergence)).toBeLessThan(1e-6);
    expect(agreement).toBe(1);
  });

  it('counts first tokens, and separately those with a clear margin', () => {
    const other = Float32Array.from([0, 3, 1, 2.6, 2.5, 0]);
    expect(compareLogits(p, other, 3)).toMatchObject({ positions: 2, agreement: 0.5, clearAgreement: 1 });
    const swapped = Float32Array.from([3, 0, 1, 2, 2.5, 0]);
    expect(compareLogits(p, swapped, 3)).toMatchObject({ agreement: 0.5, clearAgreement: 0, largestError: 3 });
  });

  it('computes the divergence', () => {
    const [a, b] = [
      Float32Array.from([Math.log(0.5), Math.log(0.5)]),
      Float32Array.from([Math.log(0.9), Math.log(0.1)]),
    ];
    expect(compareLogits(a, b, 2).divergence).toBeCloseTo(0.5 * Math.log(0.5 / 0.9) + 0.5 * Math.log(0.5 / 0.1), 6);
  });

  it('names each measure that exceeds its bound', () => {
    const cost = {
      name: 'x',
      random: false,
      precision: 'int8',
      positions: 1,
      largestError: 0,
      divergence: 0,
      agreement: 1,
    } as const;
    expect(exceeded({ ...cost, relativeError: 0.01, clearAgreement: 1 })).toEqual([]);
    expect(exceeded({ ...cost, relativeError: Number.NaN, clearAgreement: 0.5 })).toHaveLength(2);
  });
});

const trained = join(goldenModelDir, 'stories260k');

it.skipIf(!existsSync(trained))('int8 and int4 of a trained model stay within their bounds', async () => {
  const device = await gpu();
  const read = (name: string) => new Uint8Array(readFileSync(join(trained, name)));
  const { config, tensors } = loadCheckpoint({
    config: new TextDecoder().decode(read('config.json')),
    model: read('model.safetensors'),
  });
  const ids: number[] = JSON.parse(new TextDecoder().decode(read('expected.json'))).greedy_ids;
  const batch = packSequences(Int32Array.from(ids), [0, ids.length]);
  const T = ids.length;
  const logitsOf: LogitsOf = async (_, weights, precision) => {
    const capacity = { rows: 1, groups: 1, promptTokens: 1, completionTokens: 1, batchTokens: T, batchScored: T };
    const model = inspected(
      await Model.create(device, config, {
        capacity,
        weights,
        precision,
        trainable: false,
        reference: false,
      }),
    );
    try {
      return await model.logits(batch);
    } finally {
      model.destroy();
    }
  };
  const costs = await costsOf({ name: 'stories260k', config, weights: tensors, batch, random: false }, logitsOf);
  expect(costs.flatMap(exceeded)).toEqual([]);
  // Fewer bits lose more accuracy.
  expect(costs[1].relativeError).toBeGreaterThan(2 * costs[0].relativeError);
});
