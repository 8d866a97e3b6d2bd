// A world over a connection, with its guard: deadlines, failures that affect only their slot, aborted calls.
import { describe, expect, it } from 'vitest';
import type { Feedback, Task, World } from '../../src/envs/env.ts';
import { WorldError } from '../../src/envs/env.ts';
import { connectionOf, type WorldModule } from '../../src/envs/module.ts';
import { RemoteWorld } from '../../src/envs/transport/remote.ts';
import { textcraft } from '../../src/worlds/textcraft/index.ts';
import { taskOf } from './helpers.ts';

/** Repeats its input; on `silence` it never answers and ignores the signal, on `break` the call fails. */
class Line implements World {
  readonly calls: (readonly number[])[] = [];
  lastSignal: AbortSignal | undefined;

  describe() {
    return { ...textcraft, freeRunning: true, replayable: false };
  }

  async tasks(): Promise<Task[]> {
    throw new TypeError('fetch failed');
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    this.calls.push(slots);
    return slots.map((_, k) => ({ observation: `task ${tasks[k].id}`, reward: 0, done: false, valid: true }));
  }

  async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    this.calls.push(slots);
    this.lastSignal = signal;
    if (actions[0] === 'silence') await new Promise(() => {});
    if (actions[0] === 'break') throw new TypeError('fetch failed');
    if (actions[0] === 'refuse') throw new WorldError('no such session');
    return actions.map((observation) => ({ observation, reward: 0, done: false, valid: true }));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    if (slots[0] === 1) throw new TypeError('fetch failed');
    return [[`slot ${slots[0]}`]];
  }

  async view() {
    return { kind: 'text', text: 'a line' };
  }

  async close(): Promise<void> {}
}

const open = (timeoutMs = 30) => {
  const line = new Line();
  return { line, world: new RemoteWorld({ title: 'Line', connection: { kind: 'http', timeoutMs } }, line) };
};
const tasks = [taskOf(10), taskOf(11), taskOf(12)];

describe('a world over a connection', () => {
  it('is called slot by slot, all at once', async () => {
    const { line, world } = open();
    const answers = await world.reset([0, 1, 2], tasks);
    expect(answers.map(({ observation }) => observation)).toEqual(['task 10', 'task 11', 'task 12']);
    expect(line.calls).toEqual([[0], [1], [2]]);
  });

  it.each([
    ['silence', /no answer within 30 ms/],
    ['break', /fetch failed/],
  ])('ends only the episode whose call fails, until it is reset: %s', async (action, reason) => {
    const { line, world } = open();
    await world.reset([0, 1, 2], tasks);
    const answers = await world.step([0, 1, 2], ['a', action, 'c']);
    expect(answers.map(({ observation }) => observation)).toEqual(['a', '', 'c']);
    expect(answers[1]).toMatchObject({ done: true, failure: expect.stringMatching(reason) });
    const before = line.calls.length;
    expect((await world.step([1], ['again']))[0].failure).toMatch(reason);
    expect(line.calls).toHaveLength(before);
    await world.reset([1], [tasks[1]]);
    expect((await world.step([1], ['again']))[0]).toMatchObject({ observation: 'again', done: false });
  });

  it('passes its deadline on to the world', async () => {
    const { line, world } = open();
    await world.step([0], ['silence']);
    expect(line.lastSignal?.aborted).toBe(true);
  });

  it('aborts a call at once, without a failure', async () => {
    const { world } = open(60_000);
    const stop = new AbortController();
    const waiting = world.step([0], ['silence'], stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect((await world.step([0], ['on']))[0].observation).toBe('on');
    await expect(world.oracle([1], AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('passes on a refusal, and has no oracle if that gives no answer', async () => {
    const { world } = open();
    await expect(world.step([0], ['refuse'])).rejects.toThrow(WorldError);
    expect(await world.oracle([0, 1, 2])).toEqual([['slot 0'], null, ['slot 2']]);
    await expect(world.tasks({}, 'train')).rejects.toThrow(/Line could not list its tasks: fetch failed/);
  });
});

describe('the settings of a connection', () => {
  const module = (connection: WorldModule['connection']) => ({ ...textcraft, title: 'Line', connection });

  it('takes the set address, else the module’s', () => {
    const connection = { kind: 'http' as const, address: 'http://127.0.0.1:8000' };
    expect(connectionOf(module(connection), {})).toEqual({ address: 'http://127.0.0.1:8000' });
    const set = { address: 'https://worlds.example', token: 'secret' };
    expect(connectionOf(module(connection), set)).toEqual(set);
  });

  it('is refused without an address, or without a required token', () => {
    expect(() => connectionOf(module({ kind: 'socket' }), {})).toThrow(/whose address is missing/);
    const locked = module({ kind: 'http', address: 'http://127.0.0.1:8000', token: 'required' });
    expect(() => connectionOf(locked, {})).toThrow(/needs a token/);
    expect(connectionOf(module({ kind: 'wasm' }), {})).toEqual({});
  });

  it('is refused to an experiment without permission', () => {
    const withheld = { address: 'http://127.0.0.1:8000', withheld: true };
    expect(() => connectionOf(module({ kind: 'http' }), withheld)).toThrow(/Allow the server in the setup/);
    expect(connectionOf(module({ kind: 'wasm' }), { withheld: true })).toEqual({ withheld: true });
  });
});
