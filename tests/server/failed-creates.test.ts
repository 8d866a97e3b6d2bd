/** A world that fails while a session is created: nobody learns the session's id, so it must not stay open. */
import { describe, expect, it } from 'vitest';
import type { Feedback } from '../../src/envs/env.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { get, post, startServer } from './helpers.ts';

/** A world whose every start fails. */
async function failing(name: string) {
  const world = await openWorld(name);
  const failed: Feedback = {
    observation: '',
    reward: 0,
    done: true,
    valid: false,
    validActions: null,
    failure: 'broken',
  };
  return new Proxy(world, {
    get(target, key) {
      if (key === 'reset') return async (slots: readonly number[]) => slots.map(() => failed);
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a session whose world fails', () => {
  it.each([
    ['textcraft', '/create', {}],
    ['wordle', '/wordle/create', {}],
    ['phone', '/create', {}],
    ['shop', '/create', {}],
    ['search', '/create', { id: 0 }],
    ['tools-todo', '/create', { id: 0 }],
  ])('%s: is closed', async (name, path, body) => {
    const server = await startServer([name], { openWorld: failing, sessions: 3 });
    const answers = await Promise.all(Array.from({ length: 3 }, () => post(server, path, body)));
    for (const { status, json } of answers)
      expect(status === 500 ? json : json.error).toMatch(/^(broken|Internal Server Error)$/);
    expect(server.sessions()).toBe(0);
    await server.close();
  });
});

it('a wrong id is the client’s mistake: the operator’s log gets nothing', async () => {
  const reported: unknown[] = [];
  const server = await startServer(['sql'], { report: (error) => reported.push(error) });
  for (const id of [7, -1, 2 ** 40])
    expect(await post(server, '/step', { env_idx: id, action: 'x' })).toEqual({
      status: 500,
      json: 'Internal Server Error',
    });
  expect(reported).toEqual([]);
  await server.close();
});

it('a path that the original answers with 500 alone writes nothing into the operator’s log', async () => {
  const reported: unknown[] = [];
  const server = await startServer(['textcraft'], { report: (error) => reported.push(error) });
  for (const path of ['/goal?id=0', '/commands?id=0'])
    expect(await get(server, path)).toEqual({ status: 500, json: 'Internal Server Error' });
  expect(reported).toEqual([]);
  await server.close();
});
