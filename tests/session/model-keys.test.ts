// Keys of models behind an API: a judge and a teacher at one address get the keys that were given for each, over HTTP.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectionsOf } from '../../src/library/options.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { judgeAsker } from '../../src/session/api/judge.ts';
import { type ModelSettings, modelSettings } from '../../src/session/api/model-connection.ts';
import { servedTeacher } from '../../src/session/api/served-teacher.ts';

const keys: { [call: string]: string | undefined } = {};
const server = createServer((request, response) => {
  keys[request.url!.slice('/v1/'.length)] = request.headers.authorization;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { content: '7' }, finish_reason: 'stop' }] }));
});
let address = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => void server.close());

async function askBoth(settings: ModelSettings): Promise<void> {
  expect(await judgeAsker(settings)({ address, model: 'm', content: 'Score it.', maxTokens: 4 })).toBe('7');
  const named = { text: `m@${address}`, model: 'm', address };
  const teacher = servedTeacher(named, buildTokenizer(['a b']), settings);
  await expect(teacher.tokenLogprobs(Int32Array.of(1, 2))).rejects.toThrow('cannot teach this run');
}

it('a judge and a teacher at one address have their own', async () => {
  const own = { allowJudge: `${address}/`, judgeKey: 'j', allowTeacher: address, teacherKey: 't' };
  const connections = connectionsOf({ ...own, modelKeys: { [address]: 'm' } });
  await askBoth((at, role) => modelSettings(connections, at, role));
  expect(keys).toEqual({ 'chat/completions': 'Bearer j', completions: 'Bearer t' });
  expect(modelSettings(connections, address)).toEqual({ token: 'm' });
});

it('a judge and a teacher without keys of their own have that of their address', async () => {
  const connections = connectionsOf({ modelKeys: { [address]: 'm' } });
  await askBoth((at, role) => modelSettings(connections, at, role));
  expect(keys).toEqual({ 'chat/completions': 'Bearer m', completions: 'Bearer m' });
});
