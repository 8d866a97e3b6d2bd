// The editable code of every algorithm's objective gives the same numbers as its function, bit for bit, and so do the
// code's exp, expm1 and log.
import { createContext, runInContext } from 'node:vm';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exp, expm1, log } from '../../src/policy/elementary.ts';
import { evaluateObjective } from '../../src/policy/objective-rows.ts';
import type { ObjectiveResult } from '../../src/policy/policy.ts';
import { type AnyAlgorithmSettings, algorithms, longestCode } from '../../src/rl/algorithms/registry.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { metrics } from '../../src/rl/metrics/metrics.ts';
import { klEstimators } from '../../src/rl/objective/kl.ts';
import { preferenceLosses } from '../../src/rl/objective/preferences.ts';
import { ratioLevels, surrogateForms } from '../../src/rl/objective/surrogate.ts';
import { codeObjective, objectiveMetrics } from '../../src/rl/objective-code/code.ts';
import { objectiveText } from '../../src/rl/objective-code/text/index.ts';
import prelude from '../../src/rl/objective-code/text/prelude.js?raw';
import { inRealm } from './in-realm.ts';
import { rowsOf } from './rows.ts';

interface Case {
  what: string;
  settings: AnyAlgorithmSettings;
}

const parsed = (name: string, change: object = {}): AnyAlgorithmSettings => {
  const { schema } = algorithms.find((each) => each.name === name)!;
  return v.parse(schema, { name, ...change }) as AnyAlgorithmSettings;
};

const allTerms = { kl: { estimator: 'k3', coefficient: 0.2 }, entropy: 0.1, dualClip: 1.5 };
const takes = (name: string, field: string) =>
  field in (algorithms.find((each) => each.name === name)!.schema as unknown as { entries: object }).entries;

const cases: Case[] = [
  ...algorithms.map(({ name }) => ({ what: name, settings: parsed(name) })),
  ...algorithms
    .filter(({ name }) => takes(name, 'kl'))
    .map(({ name }) => ({ what: `${name}, with KL, entropy and dual clip`, settings: parsed(name, allTerms) })),
  ...ratioLevels.flatMap((ratio) =>
    surrogateForms.map((surrogate) => ({
      what: `${ratio} ${surrogate}`,
      settings: parsed('grpo', { ...allTerms, ratio, surrogate }),
    })),
  ),
  ...klEstimators.map((estimator) => ({
    what: estimator,
    settings: parsed('grpo', { ...allTerms, kl: { estimator, coefficient: 0.5 } }),
  })),
  ...preferenceLosses.map((preference) => ({
    what: preference,
    settings: parsed('dpo', { preference, labelSmoothing: 0.1 }),
  })),
  ...(['paper', 'code'] as const).flatMap((rule) =>
    (['gross', 'net'] as const).map((denominator) => ({
      what: `bapo ${rule} ${denominator}`,
      settings: parsed('bapo', { rule, denominator, weighted: rule === 'code' }),
    })),
  ),
  { what: 'kto against nothing', settings: parsed('kto', { form: 'apo_zero_unpaired', undesirableWeight: 2 }) },
];

function expectSameBits(text: ObjectiveResult, own: ObjectiveResult) {
  for (const name of ['loss', 'weight', 'entropyWeight'] as const)
    expect(Array.from(text[name]), name).toEqual(Array.from(own[name]));
  expect(text.valueWeight && Array.from(text.valueWeight)).toEqual(own.valueWeight && Array.from(own.valueWeight));
  for (const [name, column] of Object.entries(own.aux))
    expect(Array.from(text.aux[name]), name).toEqual(Array.from(column));
  expect(text.metrics ?? {}).toEqual(own.metrics ?? {});
}

describe('the code of an objective', () => {
  it.each(cases)('$what gives the numbers of the function', async ({ settings }) => {
    const algorithm = algorithms.find(({ name }) => name === settings.name)!;
    const { spec, scalars } = algorithm.objective(settings);
    const remote = codeObjective(inRealm, { code: objectiveText(settings), settings }, spec);
    for (const [spread, seed] of [
      [0.5, 1],
      [3, 2],
    ]) {
      const rows = rowsOf(spec, 64, spread, seed);
      const own = evaluateObjective(spec, rows, scalars);
      // Two functions that return only zeros would agree as well.
      expect(own.weight.some((weight) => weight !== 0)).toBe(true);
      expectSameBits(await evaluateObjective(remote, rows, []), own);
    }
  });

  it('is short enough to be stored', () => {
    for (const { settings } of cases) expect(objectiveText(settings).length).toBeLessThan(longestCode / 2);
  });
});

describe('the mathematics of the realm', () => {
  const realm = createContext({});
  runInContext(prelude, realm);
  const theirs = runInContext('Math', realm) as Math;
  const edges = [
    0,
    -0,
    1,
    -1,
    0.35,
    -0.35,
    709.78,
    709.79,
    -708.4,
    -745.1,
    -745.2,
    5e-324,
    1e-310,
    Infinity,
    -Infinity,
    NaN,
    Math.SQRT2,
  ];
  const random = Array.from(
    { length: 20_000 },
    (_, i) => 2 ** (20 * (uniform(1, i) - 0.7)) * (uniform(2, i) < 0.5 ? -1 : 1),
  );

  it.each([
    ['exp', exp],
    ['expm1', expm1],
    ['log', log],
  ] as const)('%s is the project’s own, bit for bit', (name, own) => {
    const wrong = [...edges, ...random].filter((x) => !Object.is(theirs[name](x), own(x)));
    expect(wrong).toEqual([]);
  });
});

it('every count that an objective may report is a listed metric', () => {
  const known = metrics.map(({ name }) => name);
  for (const name of objectiveMetrics) expect(known).toContain(name);
});
