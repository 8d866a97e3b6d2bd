// The check-up of a world: each fault is found by name, and the templates have none.
import { beforeAll, describe, expect, it } from 'vitest';
import { type CheckedHorizon, type CheckFinding, checkUp } from '../../src/envs/check-up.ts';
import type { World } from '../../src/envs/env.ts';
import { templateNames, templates } from '../../src/worlds/own-world/templates.ts';
import { openWorld } from '../../src/worlds/registry.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('own-world');
});

const settings = { episodes: 40, turns: 30, longText: 2000, horizon: 30 };
const look = (code: string) => checkUp(world, { code }, settings);

/** A world of one turn, in which "yes" is right, with some functions replaced. */
const small = (other: { [name: string]: string } = {}) =>
  Object.entries({
    tasks: '() => Array.from({ length: 20 }, (_, n) => ({ n }))',
    reset: "(task) => 'case ' + task.n",
    step: "(action) => ({ text: 'over', reward: action === 'yes' ? 1 : 0, done: true })",
    validActions: "() => ['yes', 'no']",
    oracle: "() => 'yes'",
    ...other,
  })
    .map(([name, value]) => `export const ${name} = ${value};`)
    .join('\n');

const faults: readonly [kind: CheckFinding['kind'], other: { [name: string]: string }, detail: RegExp][] = [
  ['fails', { step: '() => { throw new Error("oh"); }' }, /world\.js, line 3.*oh/],
  ['never-ends', { step: "(action) => ({ text: 'on', reward: action === 'yes' ? 1 : 0 })" }, /^30$/],
  ['unreachable', { step: "(action) => ({ text: 'over', reward: action === 'yes' ? 0.5 : 0, done: true })" }, /^\d+$/],
  ['same-reward', { step: "() => ({ text: 'over', done: true })" }, /^0$/],
  ['oracle-fails', { oracle: "() => (Math.random() < 0.5 ? 'yes' : 'no')" }, /^\d+$/],
  ['easy', { validActions: "() => ['yes']" }, /^100$/],
  ['no-actions', { validActions: '() => null' }, /^$/],
  ['unlisted', { oracle: "() => 'yes please'" }, /^yes please$/],
  [
    'refused',
    { step: "(action) => ({ text: 'over', valid: action === 'yes', reward: action === 'yes' ? 1 : 0, done: true })" },
    /^no$/,
  ],
  ['overlap', { reset: "() => 'a case'" }, /^100$/],
  ['few-tasks', { tasks: '() => [1, 2, 3]', reset: '(task) => String(task)' }, /^2$/],
  ['long-text', { reset: "(task) => 'long '.repeat(500) + task.n" }, /^25\d\d$/],
  ['no-oracle', { oracle: '() => null' }, /^$/],
];

describe('the check-up', () => {
  it.each(faults)('finds %s', async (kind, other, detail) => {
    const found = (await look(small(other))).findings.find((each) => each.kind === kind);
    expect(found?.detail).toMatch(detail);
  });

  it('finds a view that changes the world', async () => {
    const code = `let seen = 0;\n${small({ step: "() => ({ text: 'seen ' + seen, done: true })", view: '() => String(++seen)' })}`;
    expect((await look(code)).findings).toContainEqual({ kind: 'not-deterministic', detail: 'seen 1', note: false });
  });

  it('finds nothing in a world without faults, and counts its episodes', async () => {
    const report = await look(small());
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ tasks: { train: 16, test: 4 }, oracle: { episodes: 40, success: 1, turns: 1 } });
    expect(report.chance.success).toBeGreaterThan(0.2);
    expect(report.texts).toContain('case 3');
  });

  it('counts success within the horizon, as in training', async () => {
    // One of ten actions is right, and any number of tries is allowed.
    const code = small({
      step: "(action) => ({ text: 'no', reward: action === 'a3' ? 1 : 0, done: action === 'a3' })",
      validActions: "() => Array.from({ length: 10 }, (_, k) => 'a' + k)",
      oracle: "() => 'a3'",
    });
    const under = (horizon: CheckedHorizon) => checkUp(world, { code }, { episodes: 200, turns: 60, horizon });
    const [long, short, relative] = [await under(60), await under(1), await under({ oraclePlus: 1 })];
    expect(long.chance.success).toBeGreaterThan(0.95);
    expect(long.findings).toContainEqual(expect.objectContaining({ kind: 'easy' }));
    // 0.1 and 0.19, with three standard errors of 200 episodes.
    expect(Math.abs(short.chance.success - 0.1)).toBeLessThan(0.064);
    expect(Math.abs(relative.chance.success - 0.19)).toBeLessThan(0.084);
    expect(short.chance.turns).toBe(1);
    expect(short.oracle).toMatchObject({ success: 1, turns: 1 });
    expect(short.findings).toEqual([]);
  });

  it.each(templateNames)('finds no problem in the template %s under the horizon of its experiment', async (name) => {
    const found = await checkUp(world, { code: templates[name] }, { episodes: 60, horizon: { oraclePlus: 1 } });
    const { findings, chance, oracle } = found;
    expect(findings.filter(({ note }) => !note)).toEqual([]);
    expect(chance.success).toBeLessThan(0.3);
    expect(oracle?.success).toBe(1);
  });
});
