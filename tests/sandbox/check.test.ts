// The check of an edited objective: the code of every algorithm agrees with its own gradient, a wrong gradient is
// reported with its row and column, and failing code with its error. Also run in the sandbox itself, as the page does.
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyAlgorithmSettings, algorithms } from '../../src/rl/algorithms/registry.ts';
import { klEstimators } from '../../src/rl/objective/kl.ts';
import { checkObjective } from '../../src/rl/objective-code/check.ts';
import { ObjectiveShapeError, ObjectiveValueError } from '../../src/rl/objective-code/code.ts';
import { objectiveText } from '../../src/rl/objective-code/text/index.ts';
import { CodeError } from '../../src/sandbox/errors.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { buildNodeWorker } from '../envs/helpers.ts';
import { inRealm } from './in-realm.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  const file = await buildNodeWorker('src/workers/sandbox-worker.ts');
  sandbox = new Sandbox(() => spawnNodeSandbox(file));
});
afterAll(() => sandbox.close());

const parsed = (name: string, change: object = {}): AnyAlgorithmSettings => {
  const { schema } = algorithms.find((each) => each.name === name)!;
  const entries = (schema as unknown as { entries: object }).entries;
  const regularized = 'kl' in entries ? { kl: { estimator: 'k3', coefficient: 0.2 }, entropy: 0.1 } : {};
  return v.parse(schema, { name, ...regularized, ...change }) as AnyAlgorithmSettings;
};
const grpo = parsed('grpo');
const text = objectiveText(grpo);
const check = (code: string, settings = grpo) => checkObjective(sandbox, { code, settings });

describe('the gradient of an unedited objective agrees with its loss', () => {
  it.each([
    ...algorithms.map(({ name }) => [name, parsed(name)] as const),
    ['a ratio of the sequence', parsed('gspo', { clipLow: 0.2, clipHigh: 0.3 })] as const,
    ['a ratio of the sum', parsed('grpo', { ratio: 'sequence-sum' })] as const,
    ['cispo', parsed('grpo', { surrogate: 'cispo' })] as const,
    ...klEstimators.map((estimator) => [estimator, parsed('grpo', { kl: { estimator, coefficient: 0.5 } })] as const),
  ])('%s', async (_, settings) => {
    const { differences, compared, rows, flat } = await checkObjective(inRealm, {
      code: objectiveText(settings),
      settings,
    });
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(2 * rows);
    expect(flat).toBe(false);
  });
});

it('gradient and loss agree in the sandbox too', async () => {
  expect((await check(text)).differences).toEqual([]);
});

describe('errors are found', () => {
  it('a wrong gradient in one row, with the row and the difference', async () => {
    const { differences } = await check(
      text.replace('  return { loss, weight', '  weight[4] += 0.5;\n  return { loss, weight'),
    );
    expect(differences.map(({ row, column }) => [row, column])).toEqual([[4, 'weight']]);
    expect(differences[0].claimed - differences[0].found).toBeCloseTo(0.5, 6);
  });

  it('a forgotten sign, in every row', async () => {
    const { differences, rows } = await check(
      text.replace('= -coefficient[i] * settings.entropy', '= coefficient[i] * settings.entropy'),
    );
    expect(differences).toHaveLength(rows);
    expect(new Set(differences.map(({ column }) => column))).toEqual(new Set(['entropyWeight']));
    for (const { claimed, found } of differences) expect(claimed).toBeCloseTo(-found, 6);
  });

  it('a loss that was changed without its gradient', async () => {
    const { differences } = await check(text.replace('policy.loss +', '2 * policy.loss +'));
    expect(differences.every(({ column }) => column === 'weight')).toBe(true);
    expect(differences.length).toBeGreaterThan(10);
  });

  it('a wrong gradient of the critic', async () => {
    const ppo = parsed('ppo');
    const { differences } = await check(objectiveText(ppo).replace('valueCoefficient[i] * term.weight', '0'), ppo);
    expect(new Set(differences.map(({ column }) => column))).toEqual(new Set(['valueWeight']));
  });

  it('an objective that teaches nothing', async () => {
    const nothing =
      'export const objective = ({ count }) => ({ loss: Array(count).fill(1), weight: Array(count).fill(0) });';
    expect(await check(nothing)).toMatchObject({ differences: [], flat: true });
  });

  it.each([
    [
      'a mistake in the text',
      text.replace('weight[i] =', 'weigth[i] ='),
      CodeError,
      /line \d+, column \d+: ReferenceError/,
    ],
    [
      'NaN, with its row',
      text.replace('loss[i] = coefficient', 'loss[i] = (i - 3 ? 1 : NaN) * coefficient'),
      ObjectiveValueError,
      /loss is NaN in row 3/,
    ],
    [
      'infinity',
      text.replace('entropyWeight[i] =', 'entropyWeight[i] = 1 / (i - 5) +'),
      ObjectiveValueError,
      /entropyWeight is Infinity in row 5/,
    ],
    [
      'more than single precision holds',
      text.replace('flags[i] = policy.flags', 'flags[i] = i === 6 ? 1e39 : 0'),
      ObjectiveValueError,
      /aux\.flags is 1e\+39 in row 6/,
    ],
    ['no function', 'export const x = 1;', ObjectiveShapeError, /export a function named objective/],
    ['an async function', text.replace('export function', 'export async function'), ObjectiveShapeError, /async/],
    [
      'a number in place of a list',
      'export const objective = () => ({ loss: 1, weight: 1 });',
      ObjectiveShapeError,
      /loss is number/,
    ],
    [
      'no weight',
      'export const objective = (rows) => ({ loss: rows.logprob });',
      ObjectiveShapeError,
      /weight is undefined/,
    ],
    [
      'a word in a list',
      'export const objective = (rows) => ({ loss: rows.logprob, weight: Array.from(rows.logprob, () => "1") });',
      ObjectiveValueError,
      /weight is NaN in row 0/,
    ],
    [
      'an unknown aux',
      text.replace('aux: { policyLoss,', 'aux: { policyLos: policyLoss,'),
      ObjectiveShapeError,
      /policyLos/,
    ],
  ])('%s', async (_, code, error, pattern) => {
    const found = await check(code).catch((failure: Error) => failure);
    expect(found).toBeInstanceOf(error);
    expect((found as Error).message).toMatch(pattern);
  });
});
