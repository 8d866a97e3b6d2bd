// Rows of other programs: lists as text, instructions, preference pairs, records around which an object stands, values
// that only Python's JSON has, and files of other kinds. What is not read is described.
import { describe, expect, it } from 'vitest';
import { TrajectoryFile, writeRecords } from '../../src/trajectories/files/file.ts';
import { callTexts } from '../../src/trajectories/files/messages.ts';
import { trajectoryFormat } from '../../src/trajectories/files/registry.ts';

const open = (text: string | Uint8Array, name = 'rows.jsonl') => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return TrajectoryFile.open({
    name,
    size: bytes.length,
    slice: async (from, to) => bytes.slice(from, to),
    async *stream() {
      yield bytes;
    },
  });
};
const user = { role: 'user', content: 'Go.' };
const reply = { role: 'assistant', content: 'north' };
const both = ['user: Go.', 'assistant: north'];
const said = async (text: string) =>
  (await (await open(text)).read(0)).messages!.map(({ role, content }) => `${role}: ${content}`);
const row = (fields: object) => said(JSON.stringify(fields));

describe('a row is read as messages', () => {
  it.each<[string, object]>([
    ['a list as text', { messages: JSON.stringify([user, reply]) }],
    ["ShareGPT's list as text", { conversations: '[{"from":"human","value":"Go."},{"from":"gpt","value":"north"}]' }],
    ['prompt and completion as text', { prompt: JSON.stringify([user]), completion: JSON.stringify([reply]) }],
    ['a bare list', [user, reply]],
    // Tables of several sources have empty lists, or the same conversation in both forms.
    ['messages beside an empty list', { messages: [user, reply], conversations: [] }],
    ['a list beside no messages', { messages: [], conversation: [user, reply] }],
    [
      'the same in both forms',
      {
        messages: [user, reply],
        conversations: [
          { from: 'human', value: 'Go.' },
          { from: 'gpt', value: 'north' },
        ],
      },
    ],
    ["Alpaca's row", { instruction: 'Go.', input: '', output: 'north' }],
    ["ms-swift's row", { query: 'Go.', response: 'north' }],
    ["OpenAI's pair", { input: { messages: [user] }, preferred_output: [reply], non_preferred_output: [user] }],
    ["Gemma's role", { messages: [user, { role: 'model', content: 'north' }] }],
    ["AgentBench's role", { messages: [user, { role: 'agent', content: 'north' }] }],
    [
      "another assistant's name",
      {
        conversations: [
          { from: 'human', value: 'Go.' },
          { from: 'chatgpt', value: 'north' },
        ],
      },
    ],
  ])('%s', async (_, fields) => {
    expect(await said(JSON.stringify([fields]))).toEqual(both);
  });

  it('with input, system and history, in their order', async () => {
    const fields = { instruction: 'Add.', input: '1 2', output: '3', system: 'Be brief.', history: [['Hi', 'Hello']] };
    const expected = ['system: Be brief.', 'user: Hi', 'assistant: Hello', 'user: Add.\n1 2', 'assistant: 3'];
    expect(await row(fields)).toEqual(expected);
  });

  it('with the results of tools under other names', async () => {
    const [, call, result] = await row({
      messages: [user, { role: 'tool_call', content: '{}' }, { role: 'tool_response', content: 'x' }],
    });
    expect([call, result]).toEqual(['assistant: {}', 'tool: x']);
  });

  it('and large numbers in a list as text keep their digits', async () => {
    const file = await open(
      `{"messages": "[{\\"role\\": \\"user\\", \\"content\\": \\"a\\", \\"id\\": 9007199254740993}]"}`,
    );
    const text = [...writeRecords([await file.read(0)], trajectoryFormat('openai-messages'))].join('');
    expect(text).toContain('"id":9007199254740993');
  });
});

// TRL takes `conversations`, NeMo `messages` (github.com/NVIDIA-NeMo/Automodel/pull/2375).
it('two different conversations are not guessed, and a copy does not stay behind a change', async () => {
  const conversations = [
    { from: 'human', value: 'Go.' },
    { from: 'gpt', value: 'south' },
  ];
  await expect(row({ messages: [user, reply], conversations })).rejects.toThrow(
    'its lists "messages" and "conversations" are different conversations: take one out',
  );
  const form = trajectoryFormat('sharegpt');
  const read = form.read({ messages: [user, { ...reply, content: 'south' }], conversations, id: 7 });
  expect(form.write(read)).toEqual({ messages: [user, { ...reply, content: 'south' }], conversations, id: 7 });
  const [first, last] = read.messages!;
  expect(form.write({ ...read, messages: [first, { ...last, content: 'west' }] })).toEqual({
    conversations: [conversations[0], { from: 'gpt', value: 'west' }],
    id: 7,
  });
});

describe('records inside an object', () => {
  const record = { messages: [user, reply] };
  it.each<[string, object, number]>([
    ["Inspect's samples", { version: 2, eval: {}, samples: [record, record] }, 2],
    ['a field named data', { data: [record] }, 1],
    ['one for each name', { a: record, b: record, c: record }, 3],
  ])('%s', async (_, fields, count) => {
    for (const text of [JSON.stringify(fields), JSON.stringify(fields, null, 2)]) {
      const file = await open(text);
      expect([file.records.length, file.refused]).toEqual([count, 0]);
      expect((await file.read(count - 1)).messages).toHaveLength(2);
    }
  });

  it('of two lists are not guessed', async () => {
    await expect(open(JSON.stringify({ train: [record], test: [record] }))).rejects.toThrow('no known format');
  });
});

it("Inspect's calls have a name, and its reasoning is a thought", async () => {
  const call = { id: 'a', type: 'function', function: 'bash', arguments: { cmd: 'ls' } };
  const content = [
    { type: 'reasoning', reasoning: 'Hm.' },
    { type: 'text', text: 'north' },
  ];
  const file = await open(JSON.stringify({ messages: [user, { ...reply, content, tool_calls: [call] }] }));
  const [, answer] = (await file.read(0)).messages!;
  expect(answer.reasoning).toBe('Hm.');
  expect(callTexts(answer)).toEqual(['bash({"cmd":"ls"})']);
});

it('values of Python’s JSON are kept, and are no rewards', async () => {
  const messages = JSON.stringify([user, reply]);
  const text = `{"messages":${messages},"score":NaN,"most":Infinity,"least":-Infinity,"words":"NaN"}`;
  const file = await open(text);
  const back = [...writeRecords([await file.read(0)], trajectoryFormat('openai-messages'))].join('');
  expect(back.trim()).toBe(text);
  await expect(open(`{"prompt":[],"completion":${messages},"reward":NaN}`)).rejects.toThrow('reward must be a number');
});

it('a JSON text sequence is read', async () => {
  const line = `\u001e${JSON.stringify({ messages: [user, reply] })}\n`;
  expect((await open(line + line)).records.length).toBe(2);
});

describe('a refusal describes', () => {
  it.each<[object, string]>([
    [{ prompt: 'The sky is', completion: ' blue.' }, 'prompt and completion are texts'],
    [{ text: 'The sky is blue.' }, 'text is a text'],
    [{ chosen: '\n\nHuman: a', rejected: '\n\nHuman: b' }, 'chosen and rejected are texts'],
    [{ prompt: "[{'role': 'user'}]", completion: 'b' }, 'json.dumps'],
    [{ prompt: [user], data_source: 'x' }, 'needs a list "completion"'],
    [{ history: [user, reply], info: {} }, 'list "history" has messages'],
    [{ output: { history: [user, reply] } }, 'list "output.history" has messages'],
    [user, 'It is one message'],
    [{ conversations: [{ from: 'human', text: 'a' }] }, 'conversations.0.value: it is missing'],
  ])('%o', async (fields, words) => {
    await expect(open(JSON.stringify(fields))).rejects.toThrow(words);
  });

  const bytes = (...values: number[]) => Uint8Array.from([...values, ...new Array(300).fill(0)]);
  const tar = bytes();
  tar.set(new TextEncoder().encode('ustar'), 257);
  it.each<[string, string | Uint8Array, string]>([
    ['a.eval', 'PK\u0003\u0004', 'inspect log convert'],
    ['a.csv', 'messages\n"[]"\n', 'to_json'],
    ['a.h5', bytes(0x89, 0x48, 0x44, 0x46), 'HDF5'],
    ['a.npy', bytes(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59), 'NumPy'],
    ['a.pkl', bytes(0x80, 4, 0x95), 'pickle'],
    ['a.wandb', ':W&B...', 'Weights & Biases'],
    ['a.tar', tar, 'tar -xf'],
    ['a.jsonl', '<!DOCTYPE html><html>', 'a web page'],
    ['a.jsonl', 'version https://git-lfs.github.com/spec/v1\n', 'git lfs pull'],
  ])('%s', async (name, content, words) => {
    await expect(open(content, name)).rejects.toThrow(words);
  });

  it('no JSON for its name', async () => {
    expect((await open(JSON.stringify({ messages: [user, reply] }), 'a.csv')).records.length).toBe(1);
  });
});
