/**
 * A server for the soak: many clients play while hostile requests arrive. Each hostile request must be refused or
 * closed, the server must stay, and no other call may fail.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { generator } from '../../tools/fuzz/mutations.ts';
import { loaded, type Measured, played } from '../../tools/interop/load/players.ts';
import { collectedMb, collecting } from '../../tools/memory.ts';
import { sampledTrend } from '../../tools/memory-trend.ts';
import { type Part, sleep } from './part.ts';

/** Pause of a client between two calls. */
const thinkMs = 2000;
/** Longest time in which a hostile request may stay open. */
const mostMs = 60_000;

/** Sends text over a connection and, after `cutMs`, ends it. Resolves with the answer. */
function sent(port: number, text: string, cutMs = mostMs): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const timer = setTimeout(() => socket.destroy(), cutMs);
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

const request = (body: string, host = '127.0.0.1', path = '/textcraft/step') =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

interface Attack {
  name: string;
  text: string;
  cutMs?: number;
}

const attacks: readonly Attack[] = [
  { name: 'a body with an unclosed quote', text: request(`{"id": 0, "action": "${'\\"'.repeat(100_000)}`) },
  { name: 'a number of 100,000 digits', text: request(`{"id": ${'9'.repeat(100_000)}, "action": "look"}`) },
  { name: 'an id of 100,000 characters', text: request(JSON.stringify({ id: 'x'.repeat(100_000), action: 'look' })) },
  { name: 'nesting of 50,000', text: request(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) },
  { name: 'a foreign Host', text: request('{}', 'evil.example', '/textcraft/create') },
  { name: 'text that is not HTTP', text: 'hello\r\n\r\n' },
  { name: 'a body that is cut', text: request('{}').replace('Content-Length: 2', 'Content-Length: 999'), cutMs: 500 },
  { name: 'headers that never end', text: 'POST /textcraft/step HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ', cutMs: 2000 },
  { name: 'two Hosts', text: request('{}').replace('\r\n', '\r\nHost: localhost\r\n') },
];

/** True if an answer is a refusal: a status of 4xx, or a closed connection. */
const isRefused = (answer: string) => answer === '' || /^HTTP\/1\.1 4\d\d /.test(answer);

async function attacked(port: number, until: number, seed: number) {
  const random = generator(seed);
  const accepted: string[] = [];
  let [times, longestMs] = [0, 0];
  while (Date.now() < until) {
    const { name, text, cutMs } = attacks[times++ % attacks.length];
    const began = Date.now();
    const answer = await sent(port, text, cutMs);
    longestMs = Math.max(longestMs, Date.now() - began);
    if (!isRefused(answer) || Date.now() - began >= mostMs) accepted.push(`${name}: ${answer.slice(0, 100)}`);
    await sleep(random(2000));
  }
  return { times, longestMs, accepted };
}

async function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (chunk) => {
      output = (output + chunk).slice(-4000);
      const found = /listening on (http\S+?)[,\s]/.exec(output);
      if (found) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${output}`)));
  });
}

function played200(address: string, clients: number, until: number): Promise<Measured[]> {
  return Promise.all(
    played.map((each, k) => {
      const share = Math.floor(clients / played.length) + Number(k < clients % played.length);
      const load = { sessions: share, clients: share, seconds: Math.max(1, (until - Date.now()) / 1000), thinkMs };
      return loaded(`${address}/${each.world}`, each, load);
    }),
  );
}

export async function served(clients: number, until: number, seed: number): Promise<Part> {
  const names = played.flatMap(({ world }) => ['--world', world]);
  const args = [...collecting, 'build/cli/serve.js', '--port', '0', '--sessions', String(clients + 100), ...names];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const address = await addressOf(child);
    const port = Number(new URL(address).port);
    const [measured, hostile, memory] = await Promise.all([
      played200(address, clients, until),
      attacked(port, until, seed),
      sampledTrend('server', () => collectedMb(child.pid!), until),
    ]);
    const failures = measured.flatMap((each) => [...each.failures].map(([text, times]) => `${times} times: ${text}`));
    if (child.exitCode !== null) failures.push(`the server ended with ${child.exitCode}`);
    const steps = measured.reduce((sum, each) => sum + each.steps, 0);
    const slowest = Math.max(...measured.map(({ latencies }) => latencies.at(-1) ?? 0));
    return {
      lines: [
        `served: ${clients} clients, ${steps} actions, the slowest answer after ${(slowest / 1000).toFixed(1)} s`,
        `hostile requests: ${hostile.times} of ${attacks.length} kinds, each ended within ${(hostile.longestMs / 1000).toFixed(1)} s`,
      ],
      faults: hostile.times,
      lost: failures,
      accepted: hostile.accepted,
      memory: [memory],
    };
  } finally {
    child.removeAllListeners('exit');
    child.kill();
  }
}
