// Servers that answer in another form than they were asked for: as events, in other interfaces, with marks of reasoning.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readAnswer, withoutReasoning } from '../../src/session/api/api-answer.ts';
import { ApiModel } from '../../src/session/api/api-model.ts';
import { wholeAnswer } from '../../src/session/api/event-stream.ts';

const act = 'Thought:\nI look.\n\nAction:\ninventory';
const read = (body: string) => readAnswer(new Response(body, { status: 200 }), body, []);
const piece = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const events = (pieces: (object | string)[], end = '\n') =>
  pieces.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}${end}${end}`).join('');
const said = [piece({ role: 'assistant', content: '' }), piece({ content: act.slice(0, 9) })];
const rest = piece({ content: act.slice(9) });

it.each([
  ['with a reason and an end', events([...said, rest, piece({}, 'stop'), '[DONE]'])],
  [
    'with CRLF, comments and the count of tokens',
    `: PROCESSING\r\n\r\n${events([...said, rest, piece({}, 'stop'), { choices: [], usage: {} }], '\r\n')}`,
  ],
  ['without a reason', events([...said, rest, '[DONE]'])],
  ['with names of events and without a last line', `event: m\n${events([...said, rest])}event: m\ndata: [DONE]`],
  ['with a list of parts', events([piece({ content: [{ type: 'text', text: act }] }), '[DONE]'])],
  ['without blank lines', events([...said, rest, piece({}, 'stop'), '[DONE]']).replaceAll('\n\n', '\n')],
  ['as plain completions', events([{ choices: [{ text: act, finish_reason: 'stop' }] }])],
  ['with other choices', events([...said, { choices: [{ index: 1, delta: { content: 'x' } }] }, rest, '[DONE]'])],
  ['and once more as a message', events([...said, { choices: [{ message: { content: act } }] }, '[DONE]'])],
])('a reply that comes as events %s is read', (_, body) => {
  expect(read(body)).toEqual({ kind: 'reply', text: act, calls: [], empty: null });
});

it('a call that comes as events is put together by its index', () => {
  const part = (index: number, rest: object, args: string) => ({
    index,
    ...rest,
    function: { ...rest, arguments: args },
  });
  const body = events([
    piece({ tool_calls: [part(0, { id: 'a', name: 'get' }, '{"n"'), part(1, { id: 'b', name: 'go' }, '')] }),
    piece({ tool_calls: [part(0, {}, ':1}')] }),
    piece({}, 'tool_calls'),
  ]);
  expect(read(body)).toMatchObject({
    kind: 'reply',
    calls: [
      { id: 'a', function: { name: 'get', arguments: '{"n":1}' } },
      { id: 'b', function: { name: 'go', arguments: '{}' } },
    ],
  });
});

it.each([
  // github.com/ollama/ollama/issues/15457, github.com/ai-dynamo/dynamo/pull/4723
  ['the same index', { index: 0 }],
  ['no index', {}],
])('calls with %s are told apart by their ids', (_, place) => {
  const part = (id: string, name: string, args: string) =>
    piece({ tool_calls: [{ ...place, id, function: { name, arguments: args } }] });
  const body = events([part('a', 'get', '{"n"'), part('', '', ':1}'), part('b', 'go', '{"n":2}'), '[DONE]']);
  expect(read(body)).toMatchObject({
    calls: [
      { id: 'a', function: { name: 'get', arguments: '{"n":1}' } },
      { id: 'b', function: { name: 'go', arguments: '{"n":2}' } },
    ],
  });
});

it('calls of one index without ids are told apart by their names', () => {
  // github.com/vercel/ai/issues/18440
  const part = (name: string, args: string, id?: string) =>
    piece({ tool_calls: [{ index: 0, ...(id !== undefined && { id }), function: { name, arguments: args } }] });
  const body = events([
    part('get', '{"n":1}'),
    part('go', '{"n"', ' '),
    part('', ':2}', ' '),
    part('get', '{}'),
    '[DONE]',
  ]);
  expect(read(body)).toMatchObject({
    calls: [
      { id: 'call_0', function: { name: 'get', arguments: '{"n":1}' } },
      { id: 'call_1', function: { name: 'go', arguments: '{"n":2}' } },
      { id: 'call_2', function: { name: 'get', arguments: '{}' } },
    ],
  });
});

it('a call in the older form, or with its name beside its id, is one', () => {
  const call = { function: { name: 'get', arguments: '{"n":1}' } };
  const older = [{ function_call: { name: 'get', arguments: '{"n"' } }, { function_call: { arguments: ':1}' } }];
  expect(read(events([...older.map((each) => piece(each)), '[DONE]']))).toMatchObject({ calls: [call] });
  const whole = (message: object) => read(JSON.stringify({ choices: [{ message: { content: null, ...message } }] }));
  expect(whole({ function_call: call.function })).toMatchObject({ calls: [call] });
  expect(whole({ tool_calls: [{ id: 'a', ...call.function }] })).toMatchObject({ calls: [{ id: 'a', ...call }] });
});

it.each([
  ['', [...said], 'ended before the reply'],
  // github.com/PowerShell/AIShell/issues/350: KoboldCpp
  [' whose reason is the text "null"', [...said, piece({ content: ' ' }, 'null')], 'ended before the reply'],
  [' without a reply', ['[DONE]'], 'has no reply'],
  [' with damaged data', [...said, '{"choices":[{"del', rest, '[DONE]'], 'not JSON'],
  [' with an error', [...said, { error: { message: 'overloaded', code: 503 } }], 'overloaded'],
  [' with an error of the choice', [{ choices: [{ delta: {}, error: { message: 'overloaded' } }] }], 'overloaded'],
  [' with an error in the older form', [{ object: 'error', message: 'overloaded', code: 500 }, '[DONE]'], 'overloaded'],
])('events that end early%s are asked for again', (_, pieces, words) => {
  expect(read(events(pieces))).toMatchObject({ kind: 'later', words: expect.stringContaining(words) });
});

it('an event with the name of an error is one', () => {
  const body = `${events(said)}event: error\ndata: {"message":"overloaded"}\n\ndata: [DONE]\n\n`;
  expect(read(body)).toMatchObject({ kind: 'later', words: expect.stringContaining('overloaded') });
});

it("vLLM's name for reasoning is read in events too", () => {
  expect(read(events([piece({ reasoning: 'hm' }), piece({}, 'stop')]))).toMatchObject({ empty: 'reasoning' });
});

it.each([
  ["Anthropic's /v1/messages", { type: 'message', role: 'assistant', content: [{ type: 'text', text: act }] }],
  ["Gemini's generateContent", { candidates: [{ content: { parts: [{ text: act }] } }] }],
  ["OpenAI's /v1/responses", { object: 'response', output: [] }],
  ["Ollama's /api/chat", { message: { role: 'assistant', content: act }, done: true }],
])('an answer in the form of %s is named at once', (form, body) => {
  expect(read(JSON.stringify(body))).toMatchObject({ kind: 'failed', words: expect.stringContaining(form) });
});

// Ollama's own interface streams if it is not told otherwise (docs.ollama.com/api/streaming).
it("Ollama's lines of JSON are named", () => {
  const lines = [false, true].map((done) => JSON.stringify({ model: 'm', message: { content: act }, done }));
  expect(read(lines.join('\n'))).toMatchObject({
    kind: 'failed',
    words: expect.stringContaining("Ollama's /api/chat"),
  });
});

it('the reply follows the reasoning of gpt-oss, Gemma, Sky-T1 and others', () => {
  const analysis = '<|channel|>analysis<|message|>Action:\nget 5 diamond<|end|>';
  expect(withoutReasoning(`${analysis}<|start|>assistant<|channel|>final<|message|>${act}<|return|>`)).toBe(act);
  expect(withoutReasoning(analysis)).toBe('');
  expect(withoutReasoning(`<|channel>thought\nhm<channel|>${act}`)).toBe(act);
  expect(withoutReasoning(`<|begin_of_thought|>hm<|end_of_thought|>\n\n${act}`)).toBe(act);
  expect(
    withoutReasoning(`<|begin_of_thought|>hm<|end_of_thought|>\n<|begin_of_solution|>${act}<|end_of_solution|>`),
  ).toBe(act);
  expect(withoutReasoning(`<|start|>assistant<|channel|>final<|message|>${act}`)).toBe(act);
  // Without the special tokens.
  expect(withoutReasoning(`analysisI look around.assistantfinal${act}`)).toBe(act);
  const call = '<|channel|>commentary to=functions.get <|constrain|>json<|message|>{"n":1}<|call|>';
  expect(withoutReasoning(call)).toBe('');
  for (const [begin, end] of [
    ['<thought>', '</thought>'],
    ['<longcat_think>', '</longcat_think>'],
    ['<mm:think>', '</mm:think>'],
    ['<unused94>thought', '<unused95>'],
  ])
    expect(withoutReasoning(`${begin}\nAction:\nlook${end}${act}`)).toBe(act);
  for (const plain of ['a <|channel|>final<|message|> b', 'a <|begin_of_thought|>'])
    expect(withoutReasoning(plain)).toBe(plain);
});

it('an address may end with the path of a request', async () => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    response.end(JSON.stringify({ choices: [{ message: { content: act } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions/`;
    const model = new ApiModel({ address, model: 'm', key: () => null });
    const asking = { temperature: 1, maxTokens: 9, seed: 1, signal: new AbortController().signal };
    expect(await model.reply([{ role: 'user', content: 'u' }], asking)).toBe(act);
    expect(paths).toEqual(['/v1/chat/completions']);
  } finally {
    server.close();
  }
});

describe('a stream of events', () => {
  const piece = (delta: unknown, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (name: string, given: string) =>
    piece({ tool_calls: [{ index: 0, function: { name, arguments: given } }] });
  const messageOf = (stream: string) => (wholeAnswer(stream) as { choices: [{ message: object }] }).choices[0].message;

  it('passes over events that keep the connection open', () => {
    const stream = `event: ping\ndata: ping\n\n${piece('look')}event: heartbeat\ndata: 17:00\n\ndata: [done]\n\n`;
    expect(messageOf(stream)).toMatchObject({ content: 'look' });
  });

  it.each([
    ['in pieces', call('get_', '') + call('tasks', '{}')],
    ['repeated', call('get_tasks', '{') + call('get_tasks', '}')],
    ['growing', call('get_', '') + call('get_tasks', '{}')],
  ])('has the name of a call %s', (_, pieces) => {
    const called = { tool_calls: [{ function: { name: 'get_tasks', arguments: '{}' } }] };
    expect(messageOf(`${pieces}${piece({}, 'tool_calls')}`)).toMatchObject(called);
  });

  it.each([
    ['message_start', "Anthropic's /v1/messages"],
    ['response.created', "OpenAI's /v1/responses"],
  ])('%s of another interface is named', (type, words) => {
    const text = `event: ${type}\ndata: ${JSON.stringify({ type })}\n\n`;
    expect(readAnswer(new Response(text), text, [])).toMatchObject({
      kind: 'failed',
      words: expect.stringContaining(words),
    });
  });
});
