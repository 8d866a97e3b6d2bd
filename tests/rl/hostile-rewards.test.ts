// Reward functions that misbehave, in the real sandbox: each is named, and the next function gets fresh memory.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPart, partOf } from '../../src/rl/rewards/registry.ts';
import { RewardValueError } from '../../src/rl/rewards/sandboxed.ts';
import { SandboxError } from '../../src/sandbox/errors.ts';
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { buildNodeWorker } from '../envs/helpers.ts';
import { trajectory } from '../session/fakes.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  const file = await buildNodeWorker('src/workers/sandbox-worker.ts');
  sandbox = new Sandbox(() => spawnNodeSandbox(file), { ...defaultLimits, deadlineMs: 2000 });
});
afterAll(() => sandbox.close());

const episodes = [trajectory({ score: 1 }), trajectory({ score: 0.25 })];
const valuesOf = async (code: string): Promise<readonly number[]> => {
  const part = { ...newPart('function'), code } as never;
  return partOf(part).values(episodes, part, { runner: sandbox });
};
const doing = (body: string) => `export function reward(episode) {\n  ${body}\n}`;

const named: readonly [what: string, body: string, message: RegExp][] = [
  ['never ends', 'for (;;);', /reward\.js, near line 1: .*did not end/],
  ['catches its own end', 'for (;;) try { for (;;); } catch {}', /did not end/],
  ['requests 4 GB', 'new ArrayBuffer(4e9);', /reward\.js, line 2/],
  ['keeps allocating', 'const all = []; for (;;) all.push(new Float64Array(1e6));', /64 MB/],
  ['calls itself without end', 'return reward(episode) + 1;', /reward\.js, line 2.*stack/],
  ['throws null', 'throw null;', /reward\.js/],
  ['throws a trap', 'throw new Proxy({}, { get() { throw 1; } });', /reward\.js/],
  ['throws markup', 'throw new Error("<img src=x onerror=alert(1)>");', /Error: <img src=x onerror=alert\(1\)>/],
  ['returns infinity', 'return 1 / 0;', /episode 1: reward returned Infinity/],
  ['returns a getter', 'return { get value() { throw new Error("hidden"); } };', /episode 1: reward returned object/],
  ['returns megabytes', 'return "x".repeat(5e6);', /episode 1: reward returned string/],
  ['uses the network', 'return fetch("/");', /ReferenceError/],
  ['uses dice', 'return Math.random();', /not available/],
];

describe('a reward that', () => {
  it.each(named)('%s is named, and the next one works', async (_, body, message) => {
    const error = await valuesOf(doing(body)).then(
      () => null,
      (each: Error) => each,
    );
    expect(error instanceof RewardValueError || error instanceof SandboxError).toBe(true);
    expect(error!.message).toMatch(message);
    expect(await valuesOf(doing('return 2 * episode.score;'))).toEqual([2, 0.5]);
  });

  it.each([
    ['the prototype of lists', 'Array.prototype.push = () => 9; Array.prototype.map = () => [9];'],
    ['the prototype of objects', 'Object.prototype.score = 9; ({}).__proto__.problem = "none";'],
    ['JSON', 'JSON.parse = JSON.stringify = () => 9;'],
    ['the typed arrays', 'Float64Array.prototype.fill = null; globalThis.Float64Array = Array;'],
    ['the bound itself', 'Number.isFinite = () => true; Math.abs = () => 0;'],
  ])('changes %s reaches no other function and no other program', async (_, body) => {
    const values = await valuesOf(doing(`${body} return 1;`)).catch((error: Error) => error);
    if (values instanceof Error)
      expect(values instanceof RewardValueError || values instanceof SandboxError).toBe(true);
    else expect(values.every((each) => Number.isFinite(each))).toBe(true);
    expect(({} as { score?: number }).score).toBeUndefined();
    expect(await valuesOf(doing('return [episode.score].map((each) => each)[0];'))).toEqual([1, 0.25]);
  });
});
