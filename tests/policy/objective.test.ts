// The objective's shader compared with its double-precision twin, over every branch: both clips, the dual clip, the
// cap, all KL estimators with and without clamps, and differences far beyond them.
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/rl/common/random.ts';
import { type ClippedSettings, clippedObjective, clippedScalarValues, Flag } from '../../src/rl/objective/clipped.ts';
import { klEstimators } from '../../src/rl/objective/kl.ts';
import { likelihoodObjective } from '../../src/rl/objective/likelihood.ts';
import { useGpu } from '../device/open.ts';
import { type ClippedInputs, clippedReference, onRows } from '../rl/on-rows.ts';
import { objectiveOnGpu } from './run-objective.ts';

const gpu = useGpu();
const rows = 400;

/** Differences of every size; the last rows lie beyond the clamps. */
function inputs(): { [name in keyof ClippedInputs]: Float32Array } {
  const make = (read: (i: number) => number) => Float32Array.from({ length: rows }, (_, i) => read(i));
  const signed = (stream: number, i: number) => 2 * uniform(stream, i) - 1;
  const scale = (i: number) => [0.001, 0.1, 1, 4, 25][i % 5];
  const logprob = make((i) => -3 * uniform(1, i));
  return {
    logprob,
    entropy: make((i) => 2 * uniform(2, i)),
    oldLogprob: make((i) => logprob[i] + scale(i) * signed(3, i)),
    refLogprob: make((i) => logprob[i] + scale(i + 1) * signed(4, i)),
    advantage: make((i) => (i % 7 === 0 ? 0 : 2 * signed(5, i))),
    coefficient: make((i) => uniform(6, i)),
  };
}

const base: ClippedSettings = {
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: 3,
  ratioCap: null,
  klEstimator: 'k3',
  klCoefficient: 0.04,
  klClamp: true,
  entropyCoefficient: 0.01,
};

const cases: [string, Partial<ClippedSettings>][] = [
  ...klEstimators.map((klEstimator): [string, Partial<ClippedSettings>] => [klEstimator, { klEstimator }]),
  ['no dual clip', { dualClip: null }],
  ['capped ratio', { ratioCap: 1.5, dualClip: null }],
];

/** f32 compared with f64, relative to the magnitude of the value: ratios reach exp(20). */
function expectClose(actual: Float32Array, expected: Float64Array, what: string) {
  actual.forEach((value, i) => {
    const allowed = 3e-5 * Math.max(1e-3, Math.abs(expected[i]));
    expect(Math.abs(value - expected[i]), `${what} of row ${i}: ${value} for ${expected[i]}`).toBeLessThanOrEqual(
      allowed,
    );
  });
}

describe('the clipped objective on the GPU', () => {
  it.each(cases)('%s', async (_, change) => {
    const [given, settings] = [inputs(), { ...base, ...change }];
    const columns = [given.oldLogprob, given.refLogprob, given.advantage, given.coefficient];
    const scalars = clippedScalarValues(settings);
    const expected = clippedReference(given, settings);
    const { logprob, entropy } = given;
    const got = await objectiveOnGpu(await gpu(), clippedObjective, { logprob, entropy, columns, scalars });
    expectClose(got.loss, expected.loss, 'loss');
    expectClose(got.weight, expected.weight, 'weight');
    expectClose(got.seed, expected.weight, 'seed');
    expectClose(got.entropyWeight, expected.entropyWeight, 'entropy weight');
    expect(Object.keys(got.aux)).toEqual(['policyLoss', 'kl', 'flags', 'ratio']);
    for (const [name, column] of Object.entries(got.aux)) expectClose(column, expected.aux[name], name);
  });

  it('reaches every branch', () => {
    const flags = clippedReference(inputs(), base).aux.flags;
    for (const flag of [Flag.clippedLow, Flag.clippedHigh, Flag.dualClipped]) {
      expect(flags.some((value) => value & flag)).toBe(true);
      expect(flags.some((value) => !(value & flag))).toBe(true);
    }
  });
});

describe('the imitation objective on the GPU', () => {
  it('agrees with its twin', async () => {
    const { logprob, entropy, advantage } = inputs();
    const columns = [advantage];
    const got = await objectiveOnGpu(await gpu(), likelihoodObjective, { logprob, entropy, columns, scalars: [] });
    const expected = onRows(likelihoodObjective, [], { logprob, coefficient: advantage });
    expectClose(got.loss, expected.loss, 'loss');
    expectClose(got.seed, expected.weight, 'seed');
    expectClose(got.entropyWeight, new Float64Array(rows), 'entropy weight');
    expectClose(
      got.aux.policyLoss,
      Float64Array.from(logprob, (value) => -value),
      'policy loss',
    );
  });
});
