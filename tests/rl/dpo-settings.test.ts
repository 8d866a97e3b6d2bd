// Label smoothing of DPO: a loss that does not use it refuses it, by path.
import { describe, expect, it } from 'vitest';
import micro from '../../experiments/micro.json' with { type: 'json' };
import { ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';

const withDpo = (algorithm: object) => ({
  ...micro,
  algorithm: { name: 'dpo', groups: 2, groupSize: 4, ...algorithm },
});

describe('label smoothing', () => {
  it.each(['sigmoid', 'conservative', 'robust'])('is used by %s', (preference) => {
    const parsed = parseExperiment(withDpo({ preference, labelSmoothing: 0.2 }));
    expect(parsed.algorithm).toMatchObject({ preference, labelSmoothing: 0.2 });
  });
  it.each(['ipo', 'hinge', 'apo_zero'])('is refused with %s', (preference) => {
    const parse = (labelSmoothing: number) => parseExperiment(withDpo({ preference, labelSmoothing }));
    expect(() => parse(0.2)).toThrow(ExperimentError);
    expect(() => parse(0.2)).toThrow(/algorithm\.labelSmoothing: must be 0 with the loss/);
    expect(parse(0).algorithm.name).toBe('dpo');
  });
});
