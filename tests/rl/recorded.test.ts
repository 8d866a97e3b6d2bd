// Learning from recorded trajectories: they are replayed in the run's world, reported by line if they do not map, and
// drawn in epochs that depend only on the step.
import { describe, expect, it } from 'vitest';
import { oneAction } from '../../src/envs/reply.ts';
import { withAlgorithm } from '../../src/rl/algorithms/replace-algorithm.ts';
import { acknowledgement, Conversation } from '../../src/rl/episode/conversation.ts';
import { demonstrate } from '../../src/rl/episode/demonstrations.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { TokenSource } from '../../src/rl/episode/trajectory.ts';
import { RecordingError } from '../../src/rl/recorded.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { TrajectoryFile } from '../../src/trajectories/files/file.ts';
import { recordOf } from '../../src/trajectories/files/lossless.ts';
import type { JsonObject } from '../../src/trajectories/files/record.ts';
import { actionIn, playOf } from '../../src/trajectories/recorded/record-play.ts';
import { inMemory, openRecordings, Recordings } from '../../src/trajectories/recorded/recordings.ts';
import { mapFile } from '../../src/trajectories/recorded/replay.ts';
import { capacity, colour, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer } from './setup.ts';

const room = { maskActions: true, promptTokens: 64, completionTokens: 128 };
const conversation = new Conversation(tokenizer);

async function parts() {
  const world = new DoorWorld();
  return { worlds: new Map([['doors', world]]), conversation, tasks: await world.tasks({}, 'train') };
}

const fileOf = (lines: readonly (JsonObject | string)[]) =>
  inMemory(
    'play.jsonl',
    new TextEncoder().encode(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')),
  );

const opening = (id: number) => `Room ${id}. Goal: open the ${colour({ id } as never)} door.`;
const moves = (id: number) => [`get ${colour({ id } as never)} key`, `open ${colour({ id } as never)} door`];

/** AgentGym's form, which begins with the instruction and its acknowledgement. */
const agentTraj = (id: number, actions = moves(id), extra: JsonObject = {}): JsonObject => ({
  item_id: `doors_${id}`,
  conversations: [
    { from: 'human', loss: null, value: 'You are to open doors.' },
    { from: 'gpt', loss: false, value: acknowledgement },
    { from: 'human', loss: null, value: opening(id) },
    ...actions.flatMap((action) => [
      { from: 'gpt', loss: true, value: `Thought:\nSo.\n\nAction:\n${action}` },
      { from: 'human', loss: null, value: 'Got it.' },
    ]),
  ],
  ...extra,
});

/** A record without a task, so that the task must be found by the first observation. */
const chat = (id: number, actions = moves(id)): JsonObject => ({
  messages: [
    { role: 'system', content: 'Open doors.' },
    { role: 'user', content: opening(id) },
    ...actions.flatMap((action) => [
      { role: 'assistant', content: action },
      { role: 'user', content: 'Got it.' },
    ]),
  ],
});

const map = async (lines: readonly (JsonObject | string)[], options: Partial<typeof room> = {}) =>
  mapFile(await TrajectoryFile.open(fileOf(lines)), await parts(), { ...room, ...options });

describe('the play in a record', () => {
  it('excludes the opening instruction, and has actions by the world’s rule or whole replies', () => {
    const message = (role: 'user' | 'assistant', content: string, trained: boolean | null = null) => ({
      role,
      content,
      trained,
      reasoning: null,
      source: null,
    });
    const messages = [
      message('user', 'Do.'),
      message('assistant', acknowledgement),
      message('user', 'A room.'),
      message('assistant', 'Action: look', false),
      message('user', 'It is dark.'),
      message('assistant', 'wait'),
    ];
    expect(playOf({ messages })).toEqual({
      opening: 'A room.',
      turns: [
        { reply: 'Action: look', learnt: false, answer: 'It is dark.' },
        { reply: 'wait', learnt: true, answer: null },
      ],
    });
    expect(actionIn('Thought: so\nAction: get 1 log', oneAction)).toBe('get 1 log');
    expect(actionIn(' get 1 log ', oneAction)).toBe('get 1 log');
    expect(actionIn('get 1 log', undefined)).toBe('get 1 log');
  });
});

describe('a file is mapped to the run', () => {
  it('in any form, with the same trajectories as a demonstration', async () => {
    const { tasks, ...own } = await parts();
    const shown = (await demonstrate(own, tasks, room)).trajectories;
    const lines = [recordOf(shown[0]).source!.fields, agentTraj(1), chat(2)];
    const { trajectories, problems, records } = await map(lines);
    expect(problems).toEqual([]);
    expect(records).toBe(3);
    trajectories.forEach((trajectory, i) => {
      expect(trajectory.tokens).toEqual(shown[i].tokens);
      expect(trajectory.choices).toEqual(shown[i].choices);
      expect([...chosenPositions(trajectory)]).toEqual([...chosenPositions(shown[i])]);
      expect(trajectory.success).toBe(true);
    });
  });

  it('and lines that do not map are reported with the reason', async () => {
    const lines = [
      agentTraj(0),
      '{"not": "ended"',
      { ...agentTraj(0), item_id: 'maze_0' },
      agentTraj(6),
      agentTraj(1, moves(1).slice(0, 1)),
      agentTraj(2, ['sing']),
      { ...agentTraj(3), conversations: (agentTraj(2) as { conversations: never }).conversations },
      chat(7),
      { item_id: 'doors_4' },
      agentTraj(5, moves(5), { reward: 0, success: 0 }),
      chat(5),
    ];
    const { trajectories, problems } = await map(lines);
    expect(trajectories.map(({ task }) => task.id)).toEqual([0, 5]);
    const messages = Object.fromEntries(problems.map(({ line, message }) => [line, message]));
    expect(Object.keys(messages)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9', '10']);
    expect(messages[3]).toMatch(/the world maze, which the run does not have/);
    expect(messages[4]).toMatch(/doors_6 is not a training task/);
    expect(messages[5]).toMatch(/does not reach its goal \(score 0 after 1 turns\)/);
    expect(messages[6]).toMatch(/turn 1: "sing" is not among the actions/);
    expect(messages[7]).toMatch(/doors_3 begins differently in this run/);
    expect(messages[8]).toMatch(/no training task of the run begins with its first observation/);
    expect(messages[9]).toMatch(/"conversations" is missing; the first record of this file has it/);
    expect(messages[10]).toMatch(/did not reach its goal/);
  });

  it('or, if the policy writes freely, with the recorded replies as they are', async () => {
    const away = { ...chat(7), messages: [...(chat(7) as { messages: JsonObject[] }).messages] };
    const { trajectories, problems } = await map([away], { maskActions: false });
    expect(problems).toEqual([]);
    const [{ tokens, source, turns, choices, promptLength }] = trajectories;
    expect(choices).toBeNull();
    expect([...tokens.subarray(0, promptLength)]).toEqual([...conversation.prompt(opening(7)).tokens]);
    expect(turns.map(({ action }) => action)).toEqual(moves(7));
    for (const { action, actionStart, actionEnd } of turns) {
      expect(tokens.subarray(actionStart, actionEnd)).toEqual(conversation.action(action));
      expect(source.subarray(actionStart, actionEnd).every((who) => who === TokenSource.policy)).toBe(true);
    }
    const tooLong = await map([chat(7, ['zygomorphic'])], { maskActions: false, completionTokens: 3 });
    expect(tooLong.problems[0].message).toMatch(/tokens after the prompt, and the run has room for 3/);
  });
});

describe('a run’s recordings', () => {
  const recordings = async (lines: readonly (JsonObject | string)[]) =>
    new Recordings(new Map([['play.jsonl', fileOf(lines)]]), await parts(), { ...room, seed: 3 });

  it('are drawn in epochs that depend only on the step, each once before any twice', async () => {
    const lines = [0, 1, 2, 3, 4, 5].map((id) => agentTraj(id));
    const ids = async (from: Recordings, step: number) =>
      (await from.take('play.jsonl', step, 2)).map(({ task }) => task.id);
    const one = await recordings(lines);
    const taken = [await ids(one, 1), await ids(one, 2), await ids(one, 3)];
    expect(taken.flat().sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await ids(await recordings(lines), 3)).toEqual(taken[2]);
    const all = await one.take('play.jsonl', 9, 40);
    expect(all.map(({ group }) => group)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('report what was learnt from and what was not, and fail with a message', async () => {
    const notices: string[] = [];
    const listening = { onMapped: (message: string, complete: boolean) => notices.push(`${complete} ${message}`) };
    await (await recordings([agentTraj(0), agentTraj(6)])).take('play.jsonl', 1, 2, listening);
    expect(notices).toEqual([
      'false 1 of the 2 trajectories of play.jsonl can be learnt from. Line 2: doors_6 is not a training task of this run: it is held out, or excluded by the options.',
    ]);
    const array = [JSON.stringify([agentTraj(0), agentTraj(6), agentTraj(6)])];
    await (await recordings(array)).take('play.jsonl', 1, 2, listening);
    expect(notices[1]).toBe(
      'false 1 of the 3 trajectories of play.jsonl can be learnt from. Line 1: doors_6 is not a training task of this run: it is held out, or excluded by the options. (2 records)',
    );
    await expect((await recordings([agentTraj(6)])).take('play.jsonl', 1, 2)).rejects.toThrow(
      /Nothing of the 1 trajectories of play.jsonl/,
    );
    await expect((await recordings(['word'])).take('play.jsonl', 1, 2)).rejects.toThrow(RecordingError);
    await expect((await recordings([agentTraj(0)])).take('other.jsonl', 1, 2)).rejects.toThrow(
      /does not contain that file/,
    );
  });

  it('train a stage of SFT: the doors open', async () => {
    const lines = [0, 1, 2, 3, 4, 5].map((id) => agentTraj(id));
    const sft = withAlgorithm(settings().algorithm, 'sft');
    const algorithm = { ...sft, file: 'play.jsonl', groups: 2, groupSize: 3 } as typeof sft;
    const policy = new FakePolicy(tokenizer.vocabSize, capacity());
    const trainer = await Trainer.create(settings({ algorithm, steps: 40 }), {
      policy,
      worlds: new Map([['doors', new DoorWorld()]]),
      tokenizer,
      recorded: openRecordings(new Map([['play.jsonl', fileOf(lines)]])),
    });
    const losses: number[] = [];
    for (let step = 1; step <= 20; step++) {
      const { record, trajectories } = await trainer.step(step);
      expect(record.metrics.demonstrations).toBe(6);
      expect(trajectories).toHaveLength(6);
      losses.push(record.metrics.loss);
    }
    expect(losses.at(-1)!).toBeLessThan(losses[0] / 2);
  });
});
