/** Messages made to stop the server or to be repeated at length, over sockets, JSON-RPC and OpenAI's protocol. */
import { afterEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { parseMessage } from '../../src/server/messages.ts';
import { readChatBody } from '../../src/server/openai/request.ts';
import type { Server } from '../../src/server/server.ts';
import { sendRaw, startServer } from './helpers.ts';

let server: Server;
afterEach(() => server?.close());

const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const long = 'm'.repeat(500_000);

/** Answer of a new socket to one text, or how the socket closed. */
async function answerOf(port: number, text: string, path = '/ws'): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  try {
    return await new Promise((resolve, reject) => {
      socket.once('open', () => socket.send(text));
      socket.once('message', (data) => resolve(String(data)));
      socket.once('close', (code) => resolve(`closed with ${code}`));
      socket.once('error', reject);
    });
  } finally {
    socket.terminate();
  }
}

async function listen(options: Parameters<typeof startServer>[1] = {}): Promise<number> {
  server = await startServer(['textcraft'], options);
  return Number(new URL(await server.app.listen({ port: 0 })).port);
}

describe('a socket', () => {
  test('refuses lists and objects nested a hundred thousand deep, wherever they stand', async () => {
    const port = await listen();
    for (const deep of [lists(100_000), objects(50_000)])
      for (const text of [
        `{"type":${deep}}`,
        `{"type":"reset","data":${deep}}`,
        `{"type":"step","data":{"message":${deep}}}`,
        `{"type":"step","data":{"type":"call_tool","tool_name":${deep}}}`,
        `{"type":"mcp","data":{"jsonrpc":"2.0","id":${deep},"method":"tools/list"}}`,
      ])
        expect(await answerOf(port, text)).toContain('nested more than 100 deep');
    expect(await answerOf(port, `{"jsonrpc":"2.0","id":${lists(100_000)}}`, '/mcp')).toContain('nested more than 100');
    expect(await answerOf(port, '{"type":"reset","data":{}}')).toContain('Crafting commands');
  });

  test('repeats no long text of a message', async () => {
    const port = await listen();
    for (const text of [
      `{"type":"${long}"}`,
      `{"type":"reset","data":{"split":"${long}"}}`,
      `{"type":"step","data":{"${long}":1}}`,
      `{"type":"mcp","data":{"jsonrpc":"2.0","id":"${long}","method":"tools/list"}}`,
      `{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"${long}"}}`,
      `{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${long}"}}}`,
    ])
      expect((await answerOf(port, text)).length).toBeLessThan(1500);
  });

  test('whose message the server fails on is closed, and the failure is reported', async () => {
    const reported: unknown[] = [];
    const port = await listen({ report: (error) => reported.push(error) });
    // An answer that JSON cannot express: stands for any failure outside of a world.
    const { stringify } = JSON;
    JSON.stringify = ((value: { type?: string }, ...more: []) => {
      if (value?.type === 'state') throw new RangeError('Maximum call stack size exceeded');
      return stringify(value, ...more);
    }) as typeof JSON.stringify;
    try {
      expect(await answerOf(port, '{"type":"state"}')).toBe('closed with 1011');
    } finally {
      JSON.stringify = stringify;
    }
    expect(reported).toEqual([expect.any(RangeError)]);
    expect(await answerOf(port, '{"type":"state"}')).toContain('episode_id');
  });
});

describe('a request', () => {
  const post = async (url: string, payload: string) => {
    const { statusCode, body } = await server.app.inject({ method: 'POST', url, payload });
    return { statusCode, body };
  };

  test('of JSON-RPC or a chat is refused by its nesting, and repeats no long text', async () => {
    server = await startServer(['textcraft']);
    const call = (id: string, method = 'x', params = '{}') =>
      post('/mcp', `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    expect((await call(lists(100_000))).body).toContain('nested more than 100 deep');
    for (const answer of [
      await call('1', long),
      await call(`"${long}"`),
      await call('1', 'openenv/session/close', `{"session_id":"${long}"}`),
      await post('/v1/chat/completions', `{"model":"${long}","messages":[{"role":"user","content":"a"}]}`),
    ])
      expect(answer.body.length).toBeLessThan(1500);
    expect((await call('1', 'openenv/session/close', '{"session_id":{"toString":1}}')).body).toContain(
      'There is no session',
    );
    const deep = await post('/v1/chat/completions', `{"model":"m","messages":${lists(100_000)}}`);
    expect(deep).toMatchObject({ statusCode: 400, body: expect.stringContaining('nested more than 100 deep') });
  });

  test.each(['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'])(
    "that asks for HTTP/2, as Java's client does, is answered without it (%j)",
    async (rest) => {
      const port = await listen();
      const asked = `POST /create HTTP/1.1\r\nHost: localhost\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nContent-Type: application/json\r\n${rest}`;
      expect(await sendRaw(port, asked)).toMatch(/^HTTP\/1\.1 200 OK.*"id":0/s);
      expect(await sendRaw(port, asked.replace('localhost', 'evil.example'))).toMatch(/^HTTP\/1\.1 403.*ForeignHost/s);
    },
  );
});

test('nesting is counted outside of texts alone', () => {
  expect(parseMessage(JSON.stringify({ text: '['.repeat(1000), quote: '"[[\\"', deep: [[{}]] }))).toMatchObject({
    deep: [[{}]],
  });
  expect(parseMessage(lists(100))).toBeInstanceOf(Array);
  expect(() => parseMessage(lists(101))).toThrow('nested more than 100 deep');
  expect(() => parseMessage('{"a":')).toThrow(SyntaxError);
});

test.each(['temperature', 'n', 'seed', 'guided_choice'])(
  'a chat request whose %s is long is refused briefly',
  (name) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], [name]: long };
    const refusal = expect.objectContaining({ message: expect.stringMatching(/^Invalid '\w+': .{20,250}$/) });
    expect(() => readChatBody(Buffer.from(JSON.stringify(body)))).toThrow(refusal);
  },
);
