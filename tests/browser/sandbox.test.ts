// The sandbox in a browser: the same misbehaving code as on Node is stopped with the same errors, and the sandbox stays
// usable.
import { afterAll, describe, expect, it } from 'vitest';
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnSandbox } from '../../src/workers/spawn-sandbox.ts';
import { importing, misbehaving, stillWorks } from '../sandbox/cases.ts';

const sandbox = new Sandbox(spawnSandbox, { ...defaultLimits, deadlineMs: 500 });
const call = (code: string) => sandbox.call({ code, file: 'objective.js', arrays: {}, values: null });

afterAll(() => sandbox.close());

describe('in a browser', () => {
  it('is loaded', async () => {
    expect(await stillWorks(sandbox)).toBe(true);
  });

  it.each(misbehaving)('$what is stopped and named', async ({ code, error, pattern }) => {
    const found = await call(code).catch((failure: Error) => failure);
    expect(found).toBeInstanceOf(error);
    expect((found as Error).message).toMatch(pattern);
    expect(await stillWorks(sandbox)).toBe(true);
  });

  it('import() loads nothing', async () => {
    expect((await call(importing)).values).toBe('nothing');
  });

  it('nothing of the page is reachable', async () => {
    const names = 'export const main = () => ({ values: Object.getOwnPropertyNames(globalThis) });';
    const { values } = await call(names);
    for (const name of [
      'fetch',
      'self',
      'window',
      'document',
      'XMLHttpRequest',
      'WebSocket',
      'indexedDB',
      'importScripts',
      'Date',
    ])
      expect(values).not.toContain(name);
  });
});
