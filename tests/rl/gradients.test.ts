// Finite differences of every objective, also of each algorithm's own, with respect to log-probabilities, entropies and
// values, on rows of several sequences. A difference across a kink of a clip is not a derivative: such rows are left
// out.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { evaluateObjective, type PlainRows } from '../../src/policy/objective-rows.ts';
import type { ObjectiveSpec } from '../../src/policy/policy.ts';
import { algorithms } from '../../src/rl/algorithms/registry.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { bypassObjective } from '../../src/rl/objective/bypass.ts';
import { preferenceLosses, preferenceObjective } from '../../src/rl/objective/preferences.ts';
import { policySpec, ratioLevels, surrogateForms } from '../../src/rl/objective/surrogate.ts';

const sequences = 6;
const lengths = [3, 5, 1, 4, 2, 6];
const sequence = Int32Array.from(lengths.flatMap((length, b) => Array<number>(length).fill(b)));
const N = sequence.length;
const each = (stream: number, scale = 1, shift = 0) =>
  Float64Array.from({ length: N }, (_, i) => shift + scale * (uniform(stream, i) - 0.5));
const perSequence = (values: readonly number[]) => Float64Array.from(sequence, (b) => values[b]);

const logprob = each(1, 1.5, -1.2);
const columns: { [name: string]: Float64Array } = {
  oldLogprob: logprob.map((value, i) => value + 0.6 * (uniform(2, i) - 0.5)),
  refLogprob: logprob.map((value, i) => value + 0.8 * (uniform(3, i) - 0.5)),
  advantage: each(4, 3),
  coefficient: perSequence(lengths.map((length) => 1 / length / sequences)),
  valueCoefficient: new Float64Array(N).fill(1 / N),
  oldValue: each(5),
  return: each(6, 2),
  preferred: perSequence([1, 0, 1, 0, 1, 0]),
  label: perSequence([1, 0, 1, 0, -1, -1]),
};
const entropy = each(7, 1, 1);
const value = each(8, 1.5);

const ids = {
  sequence,
  turn: new Int32Array(N),
  group: Int32Array.from(sequence, (b) => b >> 1),
  pair: Int32Array.from(sequence, (b) => b >> 1),
};

/** One advantage per episode, as group credit gives it; objectives of whole sequences assume this. */
const episodeAdvantage = perSequence([1.2, -0.7, 0.3, -1.5, 0.9, -0.2]);

const rowsFor = (spec: ObjectiveSpec, changed: { [name: string]: Float64Array } = {}): PlainRows => ({
  logprob: logprob.slice(),
  entropy: entropy.slice(),
  value: value.slice(),
  columns: spec.columns.map((name) => changed[name] ?? columns[name]),
  ids,
});

const step = 1e-6;

/** Derivative of the summed loss with respect to each entry; NaN if the slopes on both sides differ. */
function differences(
  spec: ObjectiveSpec,
  scalars: readonly number[],
  name: 'logprob' | 'entropy' | 'value',
  changed: { [column: string]: Float64Array },
) {
  const total = (change: number, i: number) => {
    const rows = rowsFor(spec, changed);
    (rows[name] as Float64Array)[i] += change;
    return evaluateObjective(spec, rows, scalars).loss.reduce((sum, x) => sum + x, 0);
  };
  return Array.from({ length: N }, (_, i) => {
    const [before, here, after] = [total(-step, i), total(0, i), total(step, i)];
    const sides = [(here - before) / step, (after - here) / step];
    return Math.abs(sides[0] - sides[1]) > 1e-4 * Math.max(1, Math.abs(sides[0]))
      ? Number.NaN
      : (after - before) / (2 * step);
  });
}

function expectGradients(
  spec: ObjectiveSpec,
  scalars: readonly number[],
  changed: { [column: string]: Float64Array } = {},
  /** Objective whose loss is differentiated. */
  ofLoss = spec,
) {
  const result = evaluateObjective(spec, rowsFor(spec, changed), scalars);
  const weights = {
    logprob: result.weight,
    entropy: result.entropyWeight,
    value: result.valueWeight ?? new Float64Array(N),
  };
  let tested = 0;
  for (const name of ['logprob', 'entropy', 'value'] as const)
    differences(ofLoss, ofLoss.scalars.length ? scalars : [], name, changed).forEach((slope, i) => {
      if (Number.isNaN(slope)) return;
      tested += 1;
      expect(Math.abs(weights[name][i] - slope), `${name} ${i}: ${weights[name][i]} for ${slope}`).toBeLessThan(
        1e-5 * Math.max(1, Math.abs(slope)),
      );
    });
  expect(tested).toBeGreaterThan(2.5 * N);
}

/** An algorithm's objective with all of its terms switched on. */
function loudObjective({ name, schema, objective }: (typeof algorithms)[number]) {
  const settings = { ...(v.parse(schema, { name }) as object) };
  const allTerms = {
    ...settings,
    ...('kl' in settings ? { kl: { estimator: 'k3', coefficient: 0.2 } } : {}),
    ...('entropy' in settings ? { entropy: 0.1 } : {}),
  };
  return objective(allTerms as never);
}

/**
 * CISPO's loss with the clipped ratio held constant (2506.13585, equation 4: sg), written independently. Its gradient
 * equals that of the objective; the objective's own value has another gradient.
 */
function heldCispo(scalars: readonly number[]): ObjectiveSpec {
  const [low, high, , , , klCoefficient, , entropyCoefficient] = scalars;
  const held = logprob.map((value, i) =>
    Math.min(Math.max(Math.exp(value - columns.oldLogprob[i]), 1 - low), 1 + high),
  );
  return {
    name: 'held-cispo',
    columns: ['refLogprob', 'advantage', 'coefficient'],
    scalars: [],
    evaluate: (rows) => {
      const { refLogprob, advantage, coefficient } = rows.columns;
      const k3 = (i: number) => Math.exp(refLogprob[i] - rows.logprob[i]) - (refLogprob[i] - rows.logprob[i]) - 1;
      const term = (i: number) =>
        -held[i] * advantage[i] * rows.logprob[i] + klCoefficient * k3(i) - entropyCoefficient * rows.entropy[i];
      const none = new Float64Array(N);
      const loss = Float64Array.from({ length: N }, (_, i) => coefficient[i] * term(i));
      return { loss, weight: none, entropyWeight: none, aux: {} };
    },
  };
}

/** Objectives whose gradient is not that of their own value, each with the comparison that holds instead. */
const stopped: { [objective: string]: (spec: ObjectiveSpec, scalars: readonly number[]) => void } = {
  'token-cispo': (spec, scalars) => expectGradients(spec, scalars, {}, heldCispo(scalars)),
  // One ratio per sequence: with one advantage per sequence, the stopped gradients of its tokens add up to the whole
  // gradient.
  'sequence-clip': (spec, scalars) => expectGradients(spec, scalars, { advantage: episodeAdvantage }),
};

describe('the gradient of every algorithm’s objective is that of its loss', () => {
  it.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
    const { spec, scalars } = loudObjective(algorithm);
    const test = stopped[spec.name] ?? ((own: ObjectiveSpec) => expectGradients(own, scalars));
    test(spec, scalars);
  });

  it('and only two have a form in WGSL, both tested in tests/policy/objective.test.ts', () => {
    const forms = algorithms.map(loudObjective).filter(({ spec }) => spec.wgsl !== undefined);
    expect([...new Set(forms.map(({ spec }) => spec.name))].sort()).toEqual(['clipped', 'imitation']);
  });
});

describe('preferences', () => {
  it.each(preferenceLosses)('%s', (loss) =>
    expectGradients(preferenceObjective({ loss, beta: 0.7, labelSmoothing: 0.1 }), []),
  );
});

const scalars = [0.2, 0.28, 3, 0, 3, 0.1, 1, 0.02];

describe('objectives that hold a part constant', () => {
  it('the sum over a sequence has the whole gradient', () => {
    // Equal advantages give all tokens of a sequence the same loss, so their mean is that loss.
    expectGradients(policySpec('sequence-sum', 'clip'), scalars, { advantage: episodeAdvantage });
  });

  it('the mean over a sequence has the gradient of one ratio per episode, spread over its tokens', () => {
    const spec = policySpec('sequence', 'clip');
    // Wide clips, so that no row is at a kink.
    const wide = [0.99, 9, 0, 0, 3, 0, 1, 0];
    expectGradients(spec, wide, { advantage: episodeAdvantage });
  });

  it('cispo’s weight is the clipped ratio, whatever its loss', () => {
    const spec = policySpec('token', 'cispo');
    const { weight } = evaluateObjective(spec, rowsFor(spec), [0.2, 0.28, 0, 0, 3, 0, 1, 0]);
    weight.forEach((w, i) => {
      const ratio = Math.exp(logprob[i] - columns.oldLogprob[i]);
      const held = Math.min(Math.max(ratio, 0.8), 1.28);
      expect(w).toBeCloseTo(-columns.coefficient[i] * held * columns.advantage[i], 10);
    });
  });

  it('bypass: the clipped ratio to the sampling policy, over the kept rows', () => {
    const correction = {
      weights: 'none',
      outside: 'truncate',
      low: null,
      high: 2,
      normalize: false,
      reject: [],
    } as const;
    expectGradients(bypassObjective({ loss: 'ppo_clip', correction, aggregation: { mode: 'token-mean' } }), scalars);
  });

  it('every level and form has a weight of -A at the sampling policy', () => {
    for (const level of ratioLevels)
      for (const form of surrogateForms) {
        const spec = policySpec(level, form);
        const rows = { ...rowsFor(spec), logprob: columns.oldLogprob };
        const { weight } = evaluateObjective(spec, rows, [0.2, 0.2, 0, 0, 3, 0, 1, 0]);
        const n = (i: number) => (level === 'sequence-sum' && form === 'clip' ? lengths[sequence[i]] : 1);
        weight.forEach((w, i) => {
          expect(w).toBeCloseTo(-columns.coefficient[i] * columns.advantage[i] * n(i), 10);
        });
      }
  });
});
