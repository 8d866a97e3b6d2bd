import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { playBaselines } from '../../src/envs/baseline-play.ts';
import { type BaselineEpisode, type BaselineResult, WorldError } from '../../src/envs/env.ts';
import { ActionListReader, ActionListWriter, numberedActions } from '../../src/envs/transport/action-lists.ts';
import { WorldPool } from '../../src/envs/transport/pool.ts';
import { packPlayed, unpackPlayed } from '../../src/envs/transport/port.ts';
import { spawnNodeWorker } from '../../src/workers/spawn-world.ts';
import { textcraftDescription } from '../../src/worlds/textcraft/description.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';
import { buildNodeWorker, taskOf } from './helpers.ts';

let misbehavingFile: string;
let worldFile: string;
const open: WorldPool[] = [];

beforeAll(async () => {
  await buildWasm();
  misbehavingFile = await buildNodeWorker('tests/envs/misbehaving-worker.ts');
  worldFile = await buildNodeWorker('src/workers/world-worker.ts');
});

afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

async function openPool(file: string, name: string, timeoutMs = 1000): Promise<WorldPool> {
  const pool = await WorldPool.open({
    description: { ...textcraftDescription, name },
    spawn: () => spawnNodeWorker(file),
    timeoutMs,
  });
  open.push(pool);
  return pool;
}

describe('a pool over the TextCraft worker', () => {
  it('gives the same answers as the world in this process', async () => {
    const pool = await openPool(worldFile, 'textcraft', 10_000);
    const plain = await TextCraft.open();
    expect(pool.describe()).toEqual(plain.describe());
    const tasks = await pool.tasks({ depths: [2] }, 'test');
    expect(tasks).toEqual(await plain.tasks({ depths: [2] }, 'test'));
    const slots = tasks.map((_, k) => k);
    expect(await pool.reset(slots, tasks)).toEqual(await plain.reset(slots, tasks));
    const plans = (await pool.oracle(slots)) as string[][];
    expect(plans).toEqual(await plain.oracle(slots));
    const actions = plans.map((plan, k) => (k % 2 ? plan[0] : 'é\n😀'));
    expect(await pool.step(slots, actions)).toEqual(await plain.step(slots, actions));
    expect(await pool.view(3)).toEqual(await plain.view(3));
  });
  it('plays whole episodes in the worker as in this process', async () => {
    const pool = await openPool(worldFile, 'textcraft', 10_000);
    const tasks = (await pool.tasks({ depths: [1, 2] }, 'test')).slice(0, 5);
    // More than one message can carry, with repeated tasks.
    const episodes = Array.from({ length: 300 }, (_, i) => {
      const player: BaselineEpisode['player'] = i % 3 ? 'chance' : 'oracle';
      return { player, task: tasks[i % 5], key: i * 77 };
    });
    for (const turns of [4, { oraclePlus: 1 }]) {
      const play = { turns, endOnInvalid: false, seed: 3 };
      const played = await pool.playBaselines(episodes, play);
      expect(played).toEqual(await playBaselines(await TextCraft.open(), episodes, play));
      const byChance = played.filter((_, i) => episodes[i].player === 'chance');
      expect(byChance.some(({ success }) => success)).toBe(true);
      expect(byChance.every(({ success }) => success)).toBe(false);
      expect(played.every(({ success }, i) => success || episodes[i].player === 'chance')).toBe(true);
    }
  });
  it('keeps the mark of an episode whose world failed', () => {
    const played: BaselineResult[] = [
      { success: true, score: 0.5, turns: 3 },
      { success: false, score: 0, turns: 2, failed: true },
      { success: true, score: 1, turns: 4, failed: true },
    ];
    expect(unpackPlayed(packPlayed(played))).toStrictEqual(played);
  });
  it('passes on the messages of refusals, and the worker keeps running', async () => {
    const pool = await openPool(worldFile, 'textcraft', 10_000);
    await expect(pool.tasks({ depths: [9] }, 'train')).rejects.toThrow(/options\.depths\.0/);
    await expect(pool.step([5], ['x'])).rejects.toThrow(WorldError);
    expect((await pool.reset([5], [taskOf(0)]))[0].valid).toBe(true);
    expect(pool.restarts).toBe(0);
  });
  it('reports an unknown world', async () => {
    await expect(openPool(worldFile, 'nowhere')).rejects.toThrow(/no world named "nowhere".*textcraft/);
  });
});

describe('a pool over a world that misbehaves', () => {
  const begin = async () => {
    const pool = await openPool(misbehavingFile, 'misbehaving', 500);
    await pool.reset([0, 1, 2], [taskOf(10), taskOf(11), taskOf(12)]);
    await pool.step([0, 1, 2], ['a', 'b', 'c']);
    return pool;
  };

  it('plays on in the other episodes after one ends the instance, and rebuilds those between episodes', async () => {
    const pool = await openPool(misbehavingFile, 'misbehaving', 200);
    await pool.reset([7], [taskOf(10)]);
    await pool.step([7], ['a']);
    const play = { turns: 3, endOnInvalid: false, seed: 1 };
    const episodes = [10, 13, 12].map((id) => ({ player: 'oracle' as const, task: taskOf(id), key: 0 }));
    const one = { success: false, score: 0, turns: 1 };
    expect(await pool.playBaselines(episodes, play)).toEqual([one, { ...one, turns: 0, failed: true }, one]);
    expect((await pool.step([7], ['b']))[0].observation).toBe('task 10 a b');
  });

  it.each([
    ['hang', /no answer to step within 500 ms/],
    ['trap', /trapped: unreachable/],
    ['exit', /ended with code 3/],
  ])('ends only the world at fault: %s', async (action, reason) => {
    const pool = await begin();
    const answers = await pool.step([0, 1, 2], ['d', action, 'f']);
    expect(answers.map(({ observation }) => observation)).toEqual(['task 10 a d', '', 'task 12 c f']);
    expect(answers[1]).toMatchObject({ done: true, valid: false, reward: 0 });
    expect(answers[1].failure).toMatch(reason);
    expect([answers[0].failure, answers[2].failure]).toEqual([undefined, undefined]);
    // The others continue where they were; the failed one repeats its failure until it is reset.
    const next = await pool.step([0, 1, 2], ['g', 'h', 'i']);
    expect(next.map(({ observation }) => observation)).toEqual(['task 10 a d g', '', 'task 12 c f i']);
    expect(next[1].failure).toMatch(reason);
    expect((await pool.reset([1], [taskOf(14)]))[0].observation).toBe('task 14');
    expect((await pool.step([1], ['j']))[0].observation).toBe('task 14 j');
  });

  it('finds two worlds at fault in one batch', async () => {
    const pool = await begin();
    const answers = await pool.step([0, 1, 2], ['trap', 'ok', 'hang']);
    expect(answers.map(({ failure }) => failure === undefined)).toEqual([false, true, false]);
    expect((await pool.view(1)) as object).toEqual({ kind: 'text', text: 'task 11 b ok' });
  });

  it('ends a world that hangs at its reset', async () => {
    const pool = await begin();
    const answers = await pool.reset([1, 2], [taskOf(13), taskOf(15)]);
    expect(answers[0].failure).toMatch(/no answer to reset/);
    expect(answers[1].observation).toBe('task 15');
    expect((await pool.step([0, 1, 2], ['x', 'y', 'z'])).map(({ observation }) => observation)).toEqual([
      'task 10 a x',
      '',
      'task 15 z',
    ]);
  });

  it('refuses by name where a package is missing: no other worker would have it', async () => {
    const pool = await begin();
    const reset = pool.reset([1, 2], [taskOf(25), taskOf(11)]);
    await expect(reset).rejects.toThrow(/part of the world could not be loaded: .*tabgym-absent-package.* Install/);
    await expect(reset).rejects.toThrow(WorldError);
    expect(pool.restarts).toBe(0);
  });

  it('tries 16 worlds of a batch that all fail at the first reset, and the next batch anew', async () => {
    const pool = await openPool(misbehavingFile, 'misbehaving', 500);
    const slots = Array.from({ length: 40 }, (_, k) => k);
    const answers = await pool.reset(slots, Array(40).fill(taskOf(24)));
    expect(answers.filter(({ failure }) => /trapped: unreachable/.test(failure ?? ''))).toHaveLength(40);
    // One for the batch, and one for each of those that were tried.
    expect(pool.restarts).toBe(17);
    const mended = await pool.reset(slots, [...Array(20).fill(taskOf(10)), ...Array(20).fill(taskOf(24))]);
    expect(mended.filter(({ failure }) => failure !== undefined)).toHaveLength(20);
    expect((await pool.step([0], ['a']))[0].observation).toBe('task 10 a');
  });

  it('returns null for an oracle that hangs, and keeps the worlds', async () => {
    const pool = await begin();
    await pool.step([1], ['no oracle']);
    expect(await pool.oracle([0, 1, 2])).toEqual([['slot 0'], null, ['slot 2']]);
    expect((await pool.step([1], ['on']))[0].observation).toBe('task 11 b no oracle on');
  });

  it('passes on a refusal without ending anything', async () => {
    const pool = await begin();
    await expect(pool.step([1], ['refuse'])).rejects.toThrow('refused, as told');
    expect(pool.restarts).toBe(0);
    expect((await pool.step([1], ['on']))[0].observation).toBe('task 11 b on');
  });

  it('aborts a call at once, and the instance and the other worlds keep running', async () => {
    const pool = await begin();
    const stop = new AbortController();
    const waiting = pool.step([1], ['wait'], stop.signal);
    const queued = pool.step([2], ['d'], stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(waiting).rejects.toThrow('enough');
    // The second call was never sent.
    await expect(queued).rejects.toThrow('enough');
    const [first, third] = await pool.step([0, 2], ['e', 'f']);
    expect([first.observation, third.observation]).toEqual(['task 10 a e', 'task 12 c f']);
    expect((await pool.reset([1], [taskOf(15)]))[0].observation).toBe('task 15');
    expect(pool.restarts).toBe(0);
  });

  it('waits for an uninterruptible call to end before the next, and rebuilds the others', async () => {
    const pool = await begin();
    const stop = new AbortController();
    const waiting = pool.step([1], ['hang'], stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 20);
    const order: string[] = [];
    const first = pool.step([0], ['e']).then((answers) => {
      order.push('the other worlds answer');
      return answers;
    });
    await expect(waiting.finally(() => order.push('the caller is free'))).rejects.toThrow('enough');
    expect((await first)[0].observation).toBe('task 10 a e');
    expect(order).toEqual(['the caller is free', 'the other worlds answer']);
    expect((await pool.step([1], ['f']))[0].failure).toMatch(/no answer to step within 500 ms/);
  });

  it('has one listener on a signal, however many calls wait with it, and all of them end with it', async () => {
    const pool = await begin();
    const stop = new AbortController();
    let listeners = 0;
    const { signal } = stop;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    const calls = Array.from({ length: 20 }, (_, k) => pool.step([1], [k ? 'd' : 'wait'], signal));
    // Of the pool for all calls, and of the instance for the one that it answers.
    expect(listeners).toBeLessThanOrEqual(2);
    stop.abort(new Error('enough'));
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    expect((await pool.reset([1], [taskOf(15)]))[0].observation).toBe('task 15');
  });

  it('refuses a call with an aborted signal', async () => {
    const pool = await begin();
    await expect(pool.view(0, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });

  it('refuses calls after it was closed', async () => {
    const pool = await begin();
    await pool.close();
    await expect(pool.step([0], ['a'])).rejects.toThrow(/was closed/);
    open.length = 0;
  });
});

describe('lists of valid actions in a message', () => {
  it('are the same on both sides, each different list sent once', () => {
    const shared = ['look', 'é 😀\n'];
    const lists = [shared, null, undefined, [], ['look'], shared, [...shared], ['']];
    const [writer, reader] = [new ActionListWriter(), new ActionListReader()];
    const packed = writer.write(lists);
    expect(packed.lists).toHaveLength(4);
    const read = reader.read(structuredClone(packed));
    expect(read).toEqual(lists);
    expect([read[5], read[6]]).toEqual([read[0], read[0]]);
    expect(read[5] === read[0] && read[6] === read[0]).toBe(true);
    // The reader reuses the array, so it must be frozen.
    const again = writer.write(lists);
    expect(again.named).toBe('');
    expect(reader.read(structuredClone(again))[0]).toBe(read[0]);
    expect(Object.isFrozen(read[0])).toBe(true);
  });

  it('may need numbers of more than one code unit, and start over after many', () => {
    const [writer, reader] = [new ActionListWriter(), new ActionListReader()];
    const through = (lists: string[][]) => reader.read(structuredClone(writer.write(lists)));
    const many = Array.from({ length: 70_000 }, (_, i) => `say ${i}`);
    const backwards = [...many].reverse();
    expect(through([['look'], many, backwards])).toEqual([['look'], many, backwards]);
    const after = writer.write([['look', 'wait']]);
    expect(after.before).toBe(0);
    expect(reader.read(after)).toEqual([['look', 'wait']]);
    expect(through([['wait']])).toEqual([['wait']]);
  });

  it('have numbers for their actions on the other side; a frozen list is sent again after a start over', () => {
    const [writer, reader] = [new ActionListWriter(), new ActionListReader()];
    const through = (list: readonly string[]) => reader.read(structuredClone(writer.write([list])))[0]!;
    const frozen = Object.freeze(['look', 'wait', 'look']);
    const received = [through(frozen), through(['wait', 'go']), through(frozen)];
    expect(received[2]).toBe(received[0]);
    const byNumber = received.map((list) => numberedActions(list)!);
    for (const [k, { actions, numbers }] of byNumber.entries())
      expect(Array.from(numbers, (number) => actions[number])).toEqual(received[k]);
    expect(new Set(byNumber.map(({ actions }) => actions)).size).toBe(1);
    through(Array.from({ length: 60_000 }, (_, i) => `say ${i}`));
    const anew = through(frozen);
    expect(anew).toEqual(frozen);
    expect(numberedActions(anew)!.actions).not.toBe(byNumber[0].actions);
    expect(numberedActions(frozen)).toBeUndefined();
  });

  it('are forgotten after many short lists, each of which costs more memory than its actions', () => {
    const [writer, reader] = [new ActionListWriter(), new ActionListReader()];
    const through = (list: string[]) => reader.read(structuredClone(writer.write([list])))[0]!;
    const pairs = Array.from({ length: 20_000 }, (_, i) => [`go ${i % 200}`, `take ${Math.floor(i / 200)}`]);
    const first = through(pairs[0]);
    for (const pair of pairs.slice(0, 5000)) through(pair);
    expect(through(pairs[0])).toBe(first);
    for (const pair of pairs) expect(through(pair)).toEqual(pair);
    expect(through(pairs[0])).not.toBe(first);
  });

  it('refuse actions that would be split, and references to lists that were not read', () => {
    const [writer, reader] = [new ActionListWriter(), new ActionListReader()];
    reader.read(writer.write([['look']]));
    expect(() => writer.write([['wait', 'a\0b']])).toThrow(WorldError);
    expect(reader.read(writer.write([['wait']]))).toEqual([['wait']]);
    writer.write([['open door']]);
    expect(() => reader.read(writer.write([['close door']]))).toThrow(/starts at number 2, but 1 actions are known/);
  });
});
