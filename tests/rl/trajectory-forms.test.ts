// Spellings of a record that programs in the wild have: marks of what is learned, thoughts, parts, names of the lists.
import { describe, expect, it } from 'vitest';
import { rejectedOf } from '../../src/trajectories/files/pairs.ts';
import type { JsonObject } from '../../src/trajectories/files/record.ts';
import { recognized, trajectoryFormat } from '../../src/trajectories/files/registry.ts';
import { playOf } from '../../src/trajectories/recorded/record-play.ts';

const user = { role: 'user', content: 'Go.' };
const reply = { role: 'assistant', content: 'north' };
const human = { from: 'human', value: 'Go.' };
const gpt = { from: 'gpt', value: 'north' };
const read = (fields: object) => {
  const format = recognized(fields as JsonObject);
  if (!format) throw new Error('no known format');
  return format.read(fields as JsonObject);
};
const written = (fields: object) => recognized(fields as JsonObject)!.write(read(fields));

describe('marks of what is learned', () => {
  it.each([
    // github.com/axolotl-ai-cloud/axolotl/pull/1703 and its message_field_training
    ["axolotl's weight", { conversations: [human, { ...gpt, weight: 0 }] }],
    ["axolotl's train", { conversations: [human, { ...gpt, train: false }] }],
    ["OpenAI's weight", { messages: [user, { ...reply, weight: 0 }] }],
    ["axolotl's training", { messages: [user, { ...reply, training: false }] }],
    ["ms-swift's loss", { messages: [user, { ...reply, loss: false }] }],
  ])('%s', (_, fields) => {
    const record = read(fields);
    expect(record.messages!.map(({ trained }) => trained)).toEqual([null, false]);
    expect(() => playOf(record)).toThrow('none of its replies is marked as trained');
    const back = trajectoryFormat('agenttraj').write(record) as { conversations: object[] };
    expect(back.conversations[1]).toMatchObject({ loss: false });
  });

  it('of ShareGPT are written as they came', () => {
    for (const fields of [
      { conversations: [human, { ...gpt, weight: 1 }] },
      { conversations: [human, { ...gpt, train: false }] },
    ])
      expect(written(fields)).toEqual(fields);
  });

  it('of parts of a message, and other numbers, are refused', () => {
    const detail = [{ begin_offset: 0, end_offset: 2, train: false }];
    expect(() => read({ messages: [user, { ...reply, train_detail: detail }] })).toThrow('train_detail');
    expect(() => read({ conversations: [human, { ...gpt, weight: 0.5 }] })).toThrow('"weight" must be 0 or 1');
  });

  it.each([
    ['label', { prompt: [user], completion: [reply], label: false }],
    ['kto_tag', { messages: [user, reply], kto_tag: false }],
  ])('a rejected example (%s) is a failure', (_, fields) => {
    expect(read(fields).success).toBe(false);
  });
});

it.each([
  ['vLLM and OpenRouter', { reasoning: 'Hm.' }],
  ['gpt-oss', { thinking: 'Hm.' }],
  ['others', { reasoning_content: 'Hm.' }],
  [
    'parts of Anthropic',
    {
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'north' },
      ],
    },
  ],
  [
    'parts of the AI SDK',
    {
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'north' },
      ],
    },
  ],
])('a thought as %s write it is no part of the reply', (_, more) => {
  const fields = { messages: [user, { ...reply, ...more }] };
  expect(read(fields).messages![1]).toMatchObject({ content: 'north', reasoning: 'Hm.' });
  expect(written(fields)).toEqual(fields);
});

it('parts that are no texts are shown without them, and not learned', () => {
  const parts = (...types: string[]) => types.map((type) => ({ type, text: 'x' }));
  for (const message of [
    { role: 'user', content: parts('image', 'text') },
    { role: 'assistant', content: parts('text', 'tool_use') },
    { role: 'tool', content: parts('tool_result') },
  ]) {
    const record = read({ messages: [user, message, reply] });
    expect(() => playOf(record)).toThrow(/a part of the type "(image|tool_use|tool_result)"/);
    expect(trajectoryFormat('sharegpt').loses(record)).toContain('parts of messages that are no texts');
    expect(trajectoryFormat('openai-messages').loses(record)).toEqual([]);
  }
});

it.each(['messages', 'conversations', 'conversation'])('messages by role in the field %s are read', (name) => {
  const fields = { id: 3, [name]: [user, reply] };
  expect(read(fields).messages!.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(written(fields)).toEqual(fields);
});

it("the system's message of a field of its own comes first, and is written there", () => {
  for (const fields of [
    { conversations: [human, gpt], system: 'Be brief.', tools: '[]' },
    { messages: [user, reply], system: 'Be brief.' },
  ]) {
    const record = read(fields);
    expect(record.messages!.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Go.'],
      ['assistant', 'north'],
    ]);
    expect(written(fields)).toEqual(fields);
    const other = trajectoryFormat(record.source!.form === 'sharegpt' ? 'openai-messages' : 'sharegpt');
    expect(JSON.stringify(other.write(record))).toContain('Be brief.');
  }
});

describe('a pair', () => {
  const worse = { role: 'assistant', content: 'south' };
  it.each([
    ['without a prompt', { chosen: [user, reply], rejected: [user, worse] }],
    ['with its prompt as a text', { prompt: 'Go.', chosen: [user, reply], rejected: [user, worse] }],
    ['beside its chosen messages', { messages: [user, reply], chosen: [user, reply], rejected: [user, worse] }],
  ])('%s is read as its chosen end', (_, fields) => {
    const record = read(fields);
    expect(record.messages!.map(({ content }) => content)).toEqual(['Go.', 'north']);
    expect(rejectedOf(record)!.messages!.map(({ content }) => content)).toEqual(['Go.', 'south']);
    expect(written(fields)).toEqual(fields);
  });

  it('whose ends lack their prompt, or are one message each, is not read as a conversation', () => {
    expect(() => read({ prompt: 'Go.', chosen: [reply], rejected: [worse] })).toThrow('lacks its prompt');
    const ends = { chosen: gpt, rejected: { from: 'gpt', value: 'south' } };
    expect(() => read({ conversations: [human], ...ends })).toThrow('no known format');
    expect(() => read({ messages: [user], chosen: reply, rejected: worse })).toThrow('no known format');
  });
});
