/**
 * The door of a class under 2,000 tries: wrong codes, messages that are malformed, out of bounds or huge, other types,
 * foreign hosts and pages, unknown paths. None is accepted, and nothing changes.
 */
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedTraining } from '../../src/classroom/together/shared-training.ts';
import { type ClassServer, createClassServer } from '../../src/cli/classroom/class-server.ts';
import { mountTraining } from '../../src/cli/classroom/training-routes.ts';
import { Random } from '../../src/envs/random.ts';
import { sendRaw } from '../server/helpers.ts';

const code = 'K7QM3TXR';
const tries = 2000;
let server: ClassServer;
let secret: string;
let shared: SharedTraining;
const failures: unknown[] = [];

beforeAll(() => {
  const nameOf = (each: string) => server.board.nameOf(each);
  shared = new SharedTraining({ staleness: 0, patienceMs: 1000, nameOf, print: () => {} });
  server = createClassServer({
    ...{ title: 'Class', code, teacherKey: 'teacher-key-of-the-class', page: null },
    door: { host: '0.0.0.0', hosts: [] },
    report: (error) => failures.push(error),
    mount: (app) => mountTraining(app, { nameOf }, { shared, experiment: {} as never }),
  });
  secret = server.board.join('Li').secret;
});
afterAll(() => server.close());

interface Try {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  payload?: string;
  headers?: { [name: string]: string };
  remoteAddress?: string;
}

const report = { run: 'Maze', step: 3, steps: 9, status: 'running', curve: [[1, 0.5]], heldOut: [[0, 0.1, 0, 0.2]] };
const episode = { tokens: [1, 2], logprobs: [-0.5, 0], score: 1 };
const messages = () => ({
  join: { name: 'Li' },
  report: { secret, report },
  work: { secret },
  episodes: { secret, part: 1, version: 0, episodes: [episode] },
});

/** Values that no field of these messages may have. */
const wrong: unknown[] = [-1, 1.5, 1e300, true, 'a\u0000b', '\u202E', '', 'a'.repeat(5000), {}, [[[[]]]], [1, 'a']];

/** One field of a message, at any depth, made wrong, missing or more. */
function broken(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    if (!value.length || random.below(4) === 0) return { length: 1 };
    return value.map((each, k) => (k === 0 ? broken(each, random) : each));
  }
  if (value === null || typeof value !== 'object') return wrong[random.below(wrong.length)];
  const names = Object.keys(value);
  const name = names[random.below(names.length)];
  const kind = random.below(5);
  if (kind === 0) return { ...value, [`more${random.below(100)}`]: 1 };
  const { [name]: changed, ...others } = value as { [name: string]: unknown };
  return kind === 1 ? others : { ...others, [name]: broken(changed, random) };
}

const json = { 'content-type': 'application/json' };

function malformed(n: number, random: Random): Try {
  const all = messages();
  const names = Object.keys(all) as (keyof typeof all)[];
  const path = names[n % names.length];
  const text = JSON.stringify(all[path]);
  switch (random.below(8)) {
    case 0:
      return { method: 'POST', path, payload: text.slice(0, 1 + random.below(text.length - 1)), headers: json };
    case 1:
      return { method: 'POST', path, payload: text, headers: { 'content-type': 'text/plain' } };
    case 2:
      return { method: 'POST', path, payload: text, headers: { ...json, host: 'evil.example' } };
    case 3:
      return { method: 'POST', path, payload: text, headers: { ...json, origin: 'https://evil.example' } };
    case 4:
      return { method: (['PUT', 'DELETE', 'GET'] as const)[random.below(3)], path, headers: {} };
    case 5:
      return { method: 'POST', path, payload: `{"__proto__":${text}}`, headers: json };
    case 6:
      return {
        method: 'POST',
        path: `${path}${['/', '.json', '/..', '%00'][random.below(4)]}`,
        payload: text,
        headers: json,
      };
    default:
      return { method: 'POST', path, payload: JSON.stringify(broken(all[path], random)), headers: json };
  }
}

/** A wrong code, from one of many machines. */
function wrongCode(n: number, random: Random): Try {
  const guess = Array.from({ length: 8 }, () => 'ABCDEFGHJKMNPQRSTVWXYZ23456789'[random.below(30)]).join('');
  const authorization = [`Bearer ${guess}`, `Basic ${code}`, '', `Bearer ${code}x`, `Bearer ${code.toLowerCase()}`][
    n % 5
  ];
  const [path, body] = Object.entries(messages())[random.below(4)];
  const payload = JSON.stringify(body);
  return { method: 'POST', path, payload, headers: { ...json, authorization }, remoteAddress: `10.0.${n % 250}.7` };
}

/** Sends at once: an injected request is otherwise sent when its answer is read. */
const send = async ({ path, headers, ...more }: Try) =>
  await server.app.inject({
    ...{ url: `/class/${path}`, ...more },
    headers: { host: '127.0.0.1', authorization: `Bearer ${code}`, ...headers },
  });

it(`accepts none of ${tries} tries`, async () => {
  const random = new Random(7);
  const answered = new Map<number, number>();
  for (let n = 0; n < tries; n++) {
    const one = n % 2 ? malformed(n, random) : wrongCode(n, random);
    const { statusCode, body } = await send(one);
    expect(statusCode, `${JSON.stringify(one).slice(0, 300)} ${body}`).toBeGreaterThanOrEqual(400);
    expect(statusCode, body).toBeLessThan(500);
    answered.set(statusCode, (answered.get(statusCode) ?? 0) + 1);
  }
  console.log(`answers by status: ${JSON.stringify([...answered].sort((a, b) => a[0] - b[0]))}`);
  expect(failures).toEqual([]);
  expect(server.board.view()).toMatchObject([{ name: 'Li', report: null }]);
  expect(shared.counts.late).toBe(0);
});

it('cuts bodies above the bound of their path, and answers 429 to a machine that guesses on', async () => {
  const large = JSON.stringify({ name: 'a'.repeat(100_000) });
  expect((await send({ method: 'POST', path: 'join', payload: large, headers: json })).statusCode).toBe(413);
  const larger = 'a'.repeat(9 * 2 ** 20);
  expect((await send({ method: 'POST', path: 'episodes', payload: larger, headers: json })).statusCode).toBe(413);
  const guesses = Array.from({ length: 60 }, () =>
    send({ method: 'GET', path: 'board', headers: { authorization: 'Bearer WRONGCODE' }, remoteAddress: '10.9.9.9' }),
  );
  const last = (await Promise.race(guesses.slice(-20))).statusCode;
  expect(last).toBe(429);
});

it('asks for the code however a path of the class is spelled', async () => {
  const port = Number(new URL(await server.app.listen({ port: 0, host: '127.0.0.1' })).port);
  const paths = ['board', 'info', 'training', 'join', 'work', 'episodes', 'report', 'leave', 'remove', 'weights/0'];
  const spellings = (path: string) => [
    ...[`/%63lass/${path}`, `/clas%73/${path}`, `/%63%6c%61%73%73/${path}`, `/class%2F${path}`, `//class/${path}`],
    ...[`/./class/${path}`, `/a/../class/${path}`, `/class;a/${path}`],
    ...[`http://127.0.0.1:${port}/class/${path}`, `https://a/class/${path}`, `class/${path}`, `/%2563lass/${path}`],
  ];
  for (const path of paths)
    for (const spelled of spellings(path))
      for (const request of [`GET ${spelled}`, `POST ${spelled}`]) {
        const rest = `Host: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"name":"Eve"}`;
        expect(await sendRaw(port, `${request} HTTP/1.1\r\n${rest}`), request).toMatch(/^HTTP\/1\.1 (?:40[0-9]|429) /);
      }
  expect(server.board.view()).toHaveLength(1);
});

it('sends the weights to many requests without a copy for each', async () => {
  const weights = new Uint8Array(8 << 20);
  const asked = createClassServer({
    ...{ title: 'Class', code, teacherKey: 'teacher-key-of-the-class', page: null },
    ...{ door: { host: '0.0.0.0', hosts: [] }, report: (error) => failures.push(error) },
    mount: (app) =>
      mountTraining(app, server.board, {
        shared: { counts: {}, weightsOf: () => weights } as unknown as SharedTraining,
        experiment: {} as never,
      }),
  });
  const port = Number(new URL(await asked.app.listen({ port: 0, host: '127.0.0.1' })).port);
  const one = `GET /class/weights/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${code}\r\n\r\n`;
  const before = process.memoryUsage().arrayBuffers;
  const socket = connect(port, '127.0.0.1', () => socket.write(one.repeat(30)));
  const begun = new Promise((resolve) => socket.once('readable', resolve));
  await begun;
  // 30 copies would be 240 MB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 << 20);
  socket.destroy();
  await asked.close();
});

it('leaves connections to others when one machine takes all that it can', async () => {
  const port = (server.app.server.address() as AddressInfo).port;
  const taken = Array.from({ length: 520 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const closed = () => taken.filter((socket) => socket.closed).length;
  await expect.poll(closed, { timeout: 20_000 }).toBe(20);
  const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  const answer = new Promise((resolve) => other.once('data', (data) => resolve(String(data))));
  other.write(`GET /class/info HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${code}\r\n\r\n`);
  expect(await answer).toContain('200 OK');
  for (const socket of [...taken, other]) socket.destroy();
});

it('still answers the right code', async () => {
  expect((await send({ method: 'GET', path: 'board' })).statusCode).toBe(200);
});
