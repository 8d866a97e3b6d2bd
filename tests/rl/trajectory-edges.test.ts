/**
 * Files of other programs at their edges: null fields as `datasets` writes them, arrays on one line, tool calls, other
 * encodings and containers, whole numbers above 2^53, and what AgentGym's trainers need. `rows.parquet` is writeRecords by
 * pyarrow 26.0.1 (`pq.write_table`, snappy) from two AgentTraj records, the second without id and reward.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TrajectoryFile, writeRecords } from '../../src/trajectories/files/file.ts';
import { recordOf } from '../../src/trajectories/files/lossless.ts';
import { trajectoryFormat } from '../../src/trajectories/files/registry.ts';
import { playOf } from '../../src/trajectories/recorded/record-play.ts';
import { inMemory } from '../../src/trajectories/recorded/recordings.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';
import { sourceOf } from '../../tools/fuzz/trajectory-files.ts';

const open = (text: string) => TrajectoryFile.open(sourceOf(text));
const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n');
const talk = [
  { from: 'human', value: 'hi', loss: null },
  { from: 'gpt', value: 'a', loss: true },
];

describe('messages of a prompt and a completion', () => {
  const [asks, shows, asksAgain] = [
    { role: 'user', content: 'look' },
    { role: 'assistant', content: 'an example' },
    { role: 'user', content: 'go on' },
  ];
  const answers = { role: 'assistant', content: 'north' };

  it('are read with a reward, and without learned replies in the prompt', async () => {
    const saved = { example_id: 3, prompt: [asks, shows, asksAgain], completion: [answers], reward: 0.5, task: 'maze' };
    const file = await open(lines(saved, { ...saved, reward: null }, { prompt: [asks], completion: 'north' }));
    expect(file.problems).toMatchObject([{ line: 3, message: expect.stringContaining('no known format') }]);
    const [record, without] = [await file.read(0), await file.read(1)];
    expect([record.reward, without.reward]).toEqual([0.5, null]);
    expect(record.messages!.map(({ content, trained }) => [content, trained])).toEqual([
      ['look', null],
      ['an example', false],
      ['go on', null],
      ['north', null],
    ]);
    const written = trajectoryFormat('openai-messages').write(record);
    const { prompt: _prompt, completion: _completion, ...rest } = saved;
    expect(written).toEqual({ ...rest, messages: [asks, { ...shows, weight: 0 }, asksAgain, answers] });
  });

  it('leave a prompt beside messages as it is', async () => {
    const record = await (await open(lines({ prompt: 'look', messages: [asks, answers] }))).read(0);
    expect(trajectoryFormat('openai-messages').write(record)).toEqual({ prompt: 'look', messages: [asks, answers] });
  });
});

describe('a field that is null', () => {
  it('is absent in AgentTraj, evaluation logs, ShareGPT and OpenAI messages', async () => {
    const weighed = [
      { role: 'user', content: 'hi', weight: null },
      { role: 'assistant', content: 'a', weight: null },
    ];
    const files = [
      lines(
        { item_id: 'textcraft_1', conversations: talk, reward: 1 },
        { item_id: 'textcraft_2', conversations: talk, reward: null },
      ),
      lines(
        { item_id: 'textcraft_1', conversations: talk, reward: 1, success: 1 },
        { item_id: 'textcraft_2', conversations: talk, reward: 0, success: null },
      ),
      lines({ item_id: 'textcraft_1', conversations: talk }, { item_id: null, conversations: talk }),
      lines(
        { messages: weighed, format: null },
        { messages: [weighed[0], { ...weighed[1], weight: 1, tool_calls: null }] },
      ),
    ];
    for (const text of files) {
      const file = await open(text);
      expect([file.records.length, file.problems]).toEqual([2, []]);
    }
    const { reward, success } = await (await open(files[1])).read(1);
    expect([reward, success]).toEqual([0, null]);
    expect((await (await open(files[3])).read(1)).messages?.map(({ trained }) => trained)).toEqual([null, true]);
  });

  it('is not an episode that was lost', async () => {
    const file = await open(
      lines({ item_id: 'textcraft_1', conversations: talk }, { item_id: 'textcraft_2', conversations: null }),
    );
    expect(file.problems).toEqual([{ line: 2, message: expect.stringContaining('"conversations" is missing') }]);
  });
});

it('every record of an array is counted, on one line or on many', async () => {
  const records = Array.from({ length: 18 }, (_, i) =>
    i % 3 === 0 ? { item_id: `textcraft_${i}`, conversations: talk } : { item_id: `textcraft_${i}`, said: i },
  );
  for (const text of [JSON.stringify(records), JSON.stringify(records, null, 1), lines(...records)]) {
    const file = await open(text);
    expect([file.records.length, file.refused]).toEqual([6, 12]);
  }
});

it('records of one line with numbers that are not JSON are counted', async () => {
  const good = JSON.stringify({ item_id: 'textcraft_1', conversations: talk });
  const bad = good.replace('}]', '}],"reward":NaN');
  expect(() => JSON.parse(bad)).toThrow();
  const file = await open(`[${[good, '{"said":1}', bad, bad, good].join(',')}]`);
  expect([file.records.length, file.refused]).toEqual([2, 3]);
});

describe('a reply', () => {
  const play = async (...messages: object[]) => playOf(await (await open(lines({ messages }))).read(0));
  const user = { role: 'user', content: 'Goal: craft furnace.' };
  const call = (fields: object) => ({ role: 'assistant', content: null, ...fields });

  it('of tool calls is learnt as name and arguments', async () => {
    const stone = { id: '1', type: 'function', function: { name: 'get', arguments: '{"item": "stone"}' } };
    const asObject = { function: { name: 'craft', arguments: { item: 'furnace' } } };
    const { turns } = await play(
      user,
      call({ tool_calls: [stone] }),
      { role: 'tool', content: 'Got 1 stone' },
      {
        ...call({ tool_calls: [stone, asObject] }),
        content: 'Now both.',
      },
    );
    expect(turns.map(({ reply }) => reply)).toEqual([
      'get({"item": "stone"})',
      'Now both.\nget({"item": "stone"})\ncraft({"item":"furnace"})',
    ]);
    const older = await play(user, call({ function_call: { name: 'get', arguments: '{}' } }));
    expect(older.turns[0].reply).toBe('get({})');
    const bare = [{}, { arguments: null }, { arguments: '' }].map((given) => ({
      function: { name: 'look', ...given },
    }));
    const silent = await play(user, call({ tool_calls: bare }));
    expect(silent.turns[0].reply).toBe('look({})\nlook({})\nlook({})');
  });

  it('without text, or without a mark of training, is refused', async () => {
    await expect(play(user, call({ reasoning_content: 'hm' }))).rejects.toThrow(
      'its reply 1 has no text and calls no tool',
    );
    await expect(play(user, call({ tool_calls: [{ id: '1' }] }))).rejects.toThrow('a tool call without a name');
    await expect(play(user, { role: 'assistant', content: 'a', weight: 0 })).rejects.toThrow(
      'none of its replies is marked as trained',
    );
  });
});

it('AgentGym learns the replies of our episodes', () => {
  const record = recordOf(aTrajectory(3));
  for (const name of ['agenttraj', 'agentgym-eval']) {
    const { conversations } = trajectoryFormat(name).write(record) as {
      conversations: { from: string; loss: unknown }[];
    };
    expect(conversations.some(({ from }) => from === 'gpt')).toBe(true);
    for (const { from, loss } of conversations) expect(loss).toBe(from === 'gpt' ? true : null);
  }
  const chat = trajectoryFormat('sharegpt').read({
    conversations: ['Be brief.', 'OK.', 'hi', 'a'].map((value, i) => ({ from: i % 2 ? 'gpt' : 'human', value })),
  });
  const { conversations } = trajectoryFormat('agenttraj').write(chat) as { conversations: { loss: unknown }[] };
  expect(conversations.map(({ loss }) => loss)).toEqual([null, false, null, true]);
});

it("AgentGym's form has the speakers human and gpt only, and tool calls as text", () => {
  // AgentGym's bc_trainer.py (3ef9235) learns every message that is not from human; AgentGym-RL's sft_dataset.py
  // (82402a9) raises NotImplementedError for `tool`.
  const called = { id: '1', type: 'function', function: { name: 'get', arguments: '{"item":"log"}' } };
  const chat = trajectoryFormat('openai-messages').read({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Goal: craft planks.' },
      { role: 'assistant', content: 'I get a log.', tool_calls: [called] },
      { role: 'tool', tool_call_id: '1', content: 'Got a log' },
      { role: 'assistant', content: null, tool_calls: [called] },
    ],
  });
  const values = ['Be brief.', 'Goal: craft planks.', 'I get a log.\nget({"item":"log"})', 'Got a log'];
  const expected = [...values, 'get({"item":"log"})'].map((value, i) => {
    const isReply = i === 2 || i === 4;
    return { from: isReply ? 'gpt' : 'human', loss: isReply ? true : null, value };
  });
  for (const name of ['agenttraj', 'agentgym-eval']) {
    const format = trajectoryFormat(name);
    expect((format.write(chat) as { conversations: unknown }).conversations).toEqual(expected);
    expect(format.loses(chat)).toEqual([expect.stringMatching(/^the roles system and tool/)]);
  }
  const factory = trajectoryFormat('sharegpt').read({
    conversations: ['user', 'function_call', 'observation', 'assistant'].map((from) => ({ from, value: from })),
  });
  const { conversations } = trajectoryFormat('agenttraj').write(factory) as { conversations: { from: string }[] };
  expect(conversations.map(({ from }) => from)).toEqual(['human', 'gpt', 'human', 'gpt']);
});

describe('a file', () => {
  const text = lines({ item_id: 'textcraft_1', conversations: talk }, { item_id: 'textcraft_2', conversations: talk });
  const utf16 = (littleEndian: boolean, mark: boolean) => {
    const units = Array.from(`${mark ? '\uFEFF' : ''}${text}`, (character) => character.charCodeAt(0));
    return Uint8Array.from(units.flatMap((unit) => (littleEndian ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])));
  };

  it('in UTF-16 is read, with and without a byte-order mark', async () => {
    for (const bytes of [utf16(true, true), utf16(false, true), utf16(true, false), utf16(false, false)]) {
      const file = await TrajectoryFile.open(inMemory('t.jsonl', bytes));
      expect([file.records.length, file.problems]).toEqual([2, []]);
      expect((await file.read(1)).itemId).toBe('textcraft_2');
    }
  });

  it('of Parquet is read row by row', async () => {
    const file = await TrajectoryFile.open(inMemory('rows.parquet', readFileSync('tests/fixtures/rows.parquet')));
    expect([file.records.length, file.problems]).toEqual([2, []]);
    const [first, second] = [await file.read(0), await file.read(1)];
    expect([first.itemId, first.reward, second.itemId, second.reward]).toEqual(['textcraft_1', 1, null, null]);
    expect(second.messages?.map(({ content, trained }) => [content, trained])).toEqual([
      ['好', null],
      ['b', true],
    ]);
    await expect(TrajectoryFile.open(inMemory('t.parquet', new TextEncoder().encode('PAR1 cut off')))).rejects.toThrow(
      't.parquet is a Parquet file that cannot be read',
    );
  });

  it('of Parquet is not reported as read before its rows are', async () => {
    const bytes = readFileSync('tests/fixtures/rows.parquet');
    const reported: number[] = [];
    await TrajectoryFile.open(inMemory('rows.parquet', bytes), { onProgress: (done) => reported.push(done) });
    expect(reported[0]).toBeLessThan(bytes.length);
  });

  it('of another kind is named', async () => {
    const named = [
      ['PK\x03\x04', 'a zip archive', 'unzip'],
      ['\xfd7zXZ\0', 'compressed by xz', 'xz -d'],
      ['BZh9', 'compressed by bzip2', 'bzip2 -d'],
      ['\x28\xb5\x2f\xfd', 'compressed by Zstandard', 'zstd -d'],
      ['ARROW1', 'an Arrow file', 'Parquet'],
      ['\xff\xfe\0\0', 'text in UTF-32', 'UTF-8'],
    ];
    for (const [begin, what, remedy] of named) {
      const bytes = Uint8Array.from(`${begin} and more bytes`, (character) => character.charCodeAt(0));
      const opening = TrajectoryFile.open(inMemory('file', bytes));
      await expect(opening).rejects.toThrow(`file is ${what}, which is not read`);
      await expect(opening).rejects.toThrow(remedy);
    }
  });
});

describe('a whole number above 2^53', () => {
  const big = '9007199254740993';
  const line = `{"item_id":"textcraft_1","conversations":${JSON.stringify(talk)},"stamp":${big},"text":"${big}"}`;

  it('keeps its digits through reading and writing', async () => {
    const file = await open(line);
    const text = [...writeRecords([await file.read(0)], trajectoryFormat('agenttraj'))].join('');
    expect(text).toContain(`"stamp":${big}`);
    expect(text).toContain(`"text":"${big}"`);
  });

  it('is refused as an id', async () => {
    await expect(open(line.replace('"textcraft_1"', big))).rejects.toThrow(`item_id: ${big} is larger than 2^53`);
  });
});
