/**
 * Recorded trajectories replayed in our worlds. Their task is found by AgentGym's number, by our own task, or by the
 * first observation.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { World } from '../../src/envs/env.ts';
import { originalTasks, taskOfItem } from '../../src/envs/serving/items.ts';
import { RecordedReplays } from '../../src/session/play/recorded-replay.ts';
import type { Message, TrajectoryRecord } from '../../src/trajectories/files/record.ts';
import { UnmappedError } from '../../src/trajectories/recorded/record-play.ts';
import { openWorld, worldModule } from '../../src/worlds/registry.ts';
import { rowsHere } from '../worlds.ts';

const replays = new RecordedReplays((name) => openWorld(name));
const open: World[] = [];

afterAll(async () => {
  await replays.close();
  for (const world of open) await world.close();
});

const message = (role: Message['role'], content: string): Message => ({
  ...{ role, content, trained: null, reasoning: null, source: null },
});

const record = (itemId: string | null, texts: string[]): TrajectoryRecord => {
  const [, world, item] = /^(?:(.+)_)?(\d+)$/.exec(itemId ?? '') ?? [];
  return {
    ...{ itemId, reward: null, success: null, source: null, world: world ?? null },
    item: item === undefined ? null : Number(item),
    messages: texts.map((content, i) => message(i % 2 ? 'assistant' : 'user', content)),
  };
};

/**
 * Task and texts of an item under the rules of its original: the first observation, then each action with its
 * observation.
 */
async function playOf(name: string, item: number, actions: string[]) {
  const world = await openWorld(name);
  open.push(world);
  const form = (await worldModule(name).agentgym!())!;
  const task = await taskOfItem(world, form, item);
  const texts = [(await world.reset([0], [task]))[0].observation];
  for (const action of actions) texts.push(action, (await world.step([0], [action]))[0].observation);
  return { task, texts };
}

const cases: [string, string, number, string[]][] = [
  ['textcraft', 'textcraft', 12, ['get 1 oak log', 'inventory']],
  ['maze', 'maze', 3, ['move up', 'move left']],
  ['wordle', 'wordle', 5, ['c r a n e', 's t o n e']],
  ['babyai', 'babyai', 41, ['turn left', 'turn right']],
];

describe.each(rowsHere(cases))('%s', (name, prefix, item, actions) => {
  it('the task is found by AgentGym’s number, and answers as in the file', async () => {
    const { task, texts } = await playOf(name, item, [...actions]);
    const replay = await replays.replay(record(`${prefix}_${item}`, texts));
    expect(replay.task).toEqual(task);
    expect(replay.differs).toEqual([]);
    expect(replay.frames.map(({ turn }) => turn)).toEqual([-1, 0, 1]);
    expect(replay.frames.map(({ observation }) => observation)).toEqual(texts.filter((_, i) => i % 2 === 0));
  });

  it('reports a turn whose answer differs from the file', async () => {
    const { texts } = await playOf(name, item, [...actions]);
    texts[2] = 'Something else happened.';
    expect((await replays.replay(record(`${prefix}_${item}`, texts))).differs).toEqual([0]);
  });
});

it('a task with another numbering is found by its first observation, as in AgentTraj’s TextCraft', async () => {
  const { task, texts } = await playOf('textcraft', 40, ['inventory']);
  const form = (await worldModule('textcraft').agentgym!())!;
  const all = await originalTasks(open[0], form);
  expect(all.some(({ id }) => id === task.id)).toBe(true);
  const replay = await replays.replay(record('textcraft_41', texts));
  expect([replay.task.id, replay.differs]).toEqual([task.id, []]);
  const nameless = await replays.replay(record(null, texts), 'textcraft');
  expect(nameless.task.id).toBe(task.id);
});

it('the last of 3,100 tasks is found by its first observation', async () => {
  const textcraft = await openWorld('textcraft');
  open.push(textcraft);
  const tasks = Array.from({ length: 3100 }, (_, id) => ({ world: 'textcraft', id, options: {}, strata: {} }));
  const observed = (id: number) => `You are in room ${id}.`;
  let reset = 0;
  const large: World = {
    describe: () => textcraft.describe(),
    tasks: async (_, split) => (split === 'train' ? tasks : []),
    reset: async (_, some) => {
      reset += some.length;
      return some.map(({ id }) => ({ observation: observed(id), reward: 0, done: false, valid: true }));
    },
    step: async () => [{ observation: 'Nothing happens.', reward: 0, done: false, valid: true }],
    oracle: async () => [],
    view: async () => ({ kind: 'text', text: '' }),
    close: async () => {},
  };
  const found = new RecordedReplays(async () => large);
  const texts = (id: number) => [observed(id), 'inventory', 'Nothing happens.'];
  const first = await found.replay(record(null, texts(10)), 'textcraft');
  expect(first.task.id).toBe(10);
  // The index is extended only as far as a search needs: one batch of 64, and the reset of the replay.
  expect(reset).toBe(64 + 1);
  const last = await found.replay(record(null, texts(3099)), 'textcraft');
  expect([last.task.id, last.differs]).toEqual([3099, []]);
  await found.close();
});

it('a trajectory without a task here is refused by name', async () => {
  const { texts } = await playOf('textcraft', 1, ['inventory']);
  await expect(replays.replay(record('farmworld_3', texts))).rejects.toThrow('world farmworld does not exist here');
  await expect(replays.replay(record(null, texts))).rejects.toThrow('names no world');
  const other = ['A first observation of no task.', ...texts.slice(1)];
  await expect(replays.replay(record('textcraft_3', other))).rejects.toThrow(UnmappedError);
  await expect(replays.replay({ ...record('textcraft_3', texts), messages: null })).rejects.toThrow(
    'holds no messages',
  );
});
