// The sandbox on Node: every kind of misbehaviour is stopped with a named error and leaves the next call unaffected.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeError, SandboxBrokenError, type SandboxError, SandboxTimeoutError } from '../../src/sandbox/errors.ts';
import type { SandboxPort } from '../../src/sandbox/protocol.ts';
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { buildNodeWorker } from '../envs/helpers.ts';
import { importing, misbehaving, stillWorks } from './cases.ts';

let file = '';
let sandbox: Sandbox;
let spawned = 0;

const limits = { ...defaultLimits, deadlineMs: 500 };
const call = (code: string, more: { values?: unknown; prelude?: string } = {}) =>
  sandbox.call({ code, file: 'objective.js', arrays: {}, values: null, ...more });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: SandboxError) => error,
  );

beforeAll(async () => {
  file = await buildNodeWorker('src/workers/sandbox-worker.ts');
  sandbox = new Sandbox(() => {
    spawned += 1;
    return spawnNodeSandbox(file);
  }, limits);
});
afterAll(() => sandbox.close());

describe('misbehaving code is stopped and named', () => {
  it.each(misbehaving)('$what', async ({ code, error, pattern }) => {
    const found = await failure(call(code));
    expect(found).toBeInstanceOf(error);
    expect(found?.message).toMatch(pattern);
    expect(await stillWorks(sandbox)).toBe(true);
  });

  it('import() loads nothing', async () => {
    expect((await call(importing)).values).toBe('nothing');
  });

  it('a call that cannot be interrupted ends with its worker, and the next call gets a new one', async () => {
    const before = spawned;
    const port = await spawnNodeSandbox(file);
    const deaf: SandboxPort = { ...port, post: () => {} };
    const other = new Sandbox(async () => (spawned++ === before ? deaf : spawnNodeSandbox(file)), {
      ...limits,
      deadlineMs: 50,
    });
    expect(await failure(other.call({ code: '', file: 'x.js', arrays: {}, values: null }))).toBeInstanceOf(
      SandboxTimeoutError,
    );
    expect(await stillWorks(other)).toBe(true);
    expect(spawned).toBe(before + 2);
    await other.close();
  });

  it('a missing worker is reported as missing', async () => {
    const other = new Sandbox(() => spawnNodeSandbox('/nowhere.js'));
    const found = await failure(other.call({ code: '', file: 'x.js', arrays: {}, values: null }));
    expect(found).toBeInstanceOf(SandboxBrokenError);
    expect(found?.message).toContain('/nowhere.js is missing');
    await other.close();
  });
});

describe('a call', () => {
  it('keeps nothing from the previous call', async () => {
    const code =
      'globalThis.n = (globalThis.n ?? 0) + 1; Array.prototype.map = null;\nexport const main = () => ({ values: n });';
    expect([(await call(code)).values, (await call(code)).values]).toEqual([1, 1]);
  });

  it('runs a prelude that the code cannot reach into', async () => {
    const prelude = '(code, arrays, values) => ({ values: [code.f(values), typeof code.g] })';
    expect((await call('export const f = (x) => x + 1;', { prelude, values: 41 })).values).toEqual([42, 'undefined']);
  });

  it('keeps every bit of its numbers', async () => {
    const a = Float64Array.of(0.1, 5e-324, -0, Number.MAX_VALUE, Number.NaN, Number.NEGATIVE_INFINITY);
    const { arrays } = await sandbox.call({
      code: 'export const main = (arrays) => ({ arrays });',
      file: 'x.js',
      arrays: { a },
      values: null,
    });
    a.forEach((x, i) => expect(arrays.a[i]).toBe(x));
  });

  it('waits for the previous call', async () => {
    const slow = 'export function main(_, n) { let s = 0; for (let i = 0; i < n; i++) s += i; return { values: n }; }';
    const order: number[] = [];
    await Promise.all(
      [30_000, 20, 10].map(async (n) => {
        order.push((await call(slow, { values: n })).values as number);
      }),
    );
    expect(order).toEqual([30_000, 20, 10]);
  });

  it('gives the place of an error as numbers too', async () => {
    const found = await failure(call('export function main() {\n  const a = {};\n  return a.b.c;\n}'));
    expect(found).toBeInstanceOf(CodeError);
    expect(found?.place?.line).toBe(3);
  });
});

describe('a result that shapes its own text', () => {
  const shaped = '({ toJSON: () => null, a: [1, { toJSON: () => 5, b: 2 }], c: { toJSON: 3 } })';
  const plain = { a: [1, { b: 2 }], c: { toJSON: 3 } };

  it.each([
    ['toJSON of its objects', ''],
    ['toJSON of all objects', 'Object.prototype.toJSON = () => null;'],
    [
      'toJSON of lists and texts',
      'for (const C of [Array, String, Number, Boolean, Function]) C.prototype.toJSON = () => 5;',
    ],
    ['getters on a prototype', 'Object.defineProperty(Object.prototype, "toJSON", { get: () => () => "x" });'],
  ])('cannot do so by %s', async (_, before) => {
    const code = `${before}\nexport const main = () => ({ values: ${shaped}, arrays: { x: Float64Array.of(1, 2) } });`;
    const { values, arrays } = await call(code);
    expect(values).toEqual(plain);
    expect([...arrays.x]).toEqual([1, 2]);
  });

  it.each([
    ['contains itself', 'const a = {}; a.a = a; return { values: a };'],
    ['is too deep', 'let a = null; for (let k = 0; k < 1000; k++) a = [a]; return { values: a };'],
    ['has a BigInt', 'return { values: [1n] };'],
    ['throws when it is read', 'return { values: { get a() { throw new Error("no"); } } };'],
  ])('is an error of the code if it %s', async (_, body) => {
    expect(await failure(call(`export function main() { ${body} }`))).toBeInstanceOf(CodeError);
  });

  it('keeps numbers that are not finite as null, and the names of its fields', async () => {
    const code =
      'export const main = () => ({ values: { ["__proto__"]: 1, "a\\"b": [NaN, -Infinity, -0], f() {}, u: undefined } });';
    const { values } = await call(code);
    expect(JSON.stringify(values)).toBe('{"__proto__":1,"a\\"b":[null,null,0]}');
  });
});
