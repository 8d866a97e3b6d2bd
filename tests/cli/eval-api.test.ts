/**
 * `npm run eval` with a model behind an API over HTTP, and `npm run train` with a world on a server: their behaviour
 * when one of them is gone or sends invalid answers, and the results that are kept.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type EvaluationOptions, evaluate, reportText, writeReport } from '../../src/cli/evaluation.ts';
import { type TrainingOptions, train } from '../../src/cli/training-run.ts';
import { AgentGymServer, dialects, type Mishap } from '../envs/agentgym-server.ts';
import { hasWorlds } from '../worlds.ts';

type Body = { [field: string]: unknown } & { messages: { content: string }[] };

/** An OpenAI-compatible server whose answers a test chooses; the default looks at the inventory. */
class ModelServer {
  readonly bodies: Body[] = [];
  answer: (body: Body, response: ServerResponse) => boolean = () => false;
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      this.bodies.push(body);
      response.setHeader('content-type', 'application/json');
      if (!this.answer(body, response))
        response.end(
          JSON.stringify({ choices: [{ message: { content: 'Action:\ninventory' }, finish_reason: 'stop' }] }),
        );
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const servers: { close(): unknown }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'eval-api-'));
beforeAll(() => buildWasm(), 300_000);
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function started<Server extends { listen(): Promise<string>; close(): unknown }>(server: Server) {
  servers.push(server);
  return { server, address: await server.listen() };
}

const device = { device: 'wasm', threads: 1 } as const;

function evaluationOf(run: string, more: Partial<EvaluationOptions>) {
  const lines: string[] = [];
  const options: EvaluationOptions = {
    ...device,
    run,
    suite: 'textcraft-test',
    samples: 1,
    turns: [],
    greedy: false,
    seed: 1,
    model: 'm',
    print: (line) => void lines.push(line),
    ...more,
  };
  return { lines, options, done: evaluate(options) };
}

describe('an evaluation over an API', () => {
  const tooLong = (body: Body, response: ServerResponse) => {
    if (body.messages.length <= 3) return false;
    response.writeHead(400).end(
      JSON.stringify({
        object: 'error',
        message: "The input (9 tokens) is longer than the model's context length (8 tokens).",
        code: 400,
      }),
    );
    return true;
  };

  test('keeps what was played when the server is gone, and continues after it', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const { server, address } = await started(new ModelServer());
    const out = join(folder, 'gone');
    server.answer = (body, response) => {
      if (server.bodies.length <= 60) return tooLong(body, response);
      response.writeHead(401).end('{"error": "key expired"}');
      return true;
    };
    const first = evaluationOf(address, { out, replyTokens: 777 });
    await expect(first.done).rejects.toThrow(/HTTP 401: key expired\. Check the key\./);
    const kept = JSON.parse(readFileSync(join(out, 'partial-ours.json'), 'utf8')).items.length;
    expect(kept).toBeGreaterThan(20);
    expect(first.lines.at(-1)).toBe(`${kept} tries are kept in ${out}: the same command continues after them.`);
    expect(server.bodies.every(({ max_tokens: limit }) => limit === 777)).toBe(true);
    // One try has room for all its turns.
    let roomy: string | null = null;
    server.answer = (body, response) => {
      roomy ??= body.messages[2].content;
      return body.messages[2].content !== roomy && tooLong(body, response);
    };
    const before = server.bodies.length;
    const second = evaluationOf(address, { out, replyTokens: 777 });
    const { report, columns } = await second.done;
    expect(second.lines[0]).toBe(`continuing after ${kept} tries of ${kept} items`);
    const tries = report.items.map(({ tries: [only] }) => only);
    const played = tries.filter(({ overflowed }) => !overflowed);
    expect(played).toHaveLength(1);
    // As a set, because a request that the first evaluation gave up may still arrive, and the second evaluation sends
    // it again.
    const asked = new Set(server.bodies.slice(before).map(({ messages }) => JSON.stringify(messages)));
    expect(asked.size).toBe(2 * (99 - kept) + played[0].turns);
    expect(tries.filter(({ overflowed, turns }) => overflowed && turns === 1)).toHaveLength(99);
    expect(report.rows.at(-1)).toMatchObject({ label: 'All', items: 1 });
    expect(reportText(report, columns)).toContain('99 of 100 tries ended for lack of room for their tokens');
    writeReport(report, columns, out);
    expect(existsSync(join(out, 'partial-ours.json'))).toBe(false);
  });

  test('ends on request, with what was played', async () => {
    const { server, address } = await started(new ModelServer());
    const control = new AbortController();
    server.answer = (body, response) => {
      if (server.bodies.length === 50) control.abort(new Error('stopped'));
      return tooLong(body, response);
    };
    const out = join(folder, 'stopped');
    const { done, lines } = evaluationOf(address, { out, signal: control.signal });
    await expect(done).rejects.toThrow('stopped');
    expect(lines.at(-1)).toMatch(/^\d+ tries are kept in /);
  }, 120_000);

  test('stops where no first turn has room', async () => {
    const { server, address } = await started(new ModelServer());
    server.answer = (_, response) => {
      response.writeHead(413).end('<html><title>413 Request Entity Too Large</title></html>');
      return true;
    };
    await expect(evaluationOf(address, {}).done).rejects.toThrow(
      /no room for the first turn of TextCraft in each of its first 16 episodes: a web page: 413 Request Entity Too Large/,
    );
  }, 120_000);

  test.skipIf(!hasWorlds('web'))(
    'stops where the world is gone',
    async () => {
      const world = await started(new AgentGymServer(dialects.webarena));
      await world.server.close();
      const connect = { 'agentgym-webarena': { address: world.address } };
      const other = await started(new ModelServer());
      const { done } = evaluationOf(other.address, { suite: 'webarena-test', connect });
      await expect(done).rejects.toThrow(
        /WebArena \(AgentGym server\) failed in each of its first 16 episodes.*nothing listens/,
      );
      expect(other.server.bodies).toHaveLength(0);
    },
    120_000,
  );

  test.skipIf(!hasWorlds('web'))(
    'counts the failures of a world separately, with their reason',
    { tags: 'slow', timeout: 120_000 },
    async () => {
      const model = await started(new ModelServer());
      const { server, address } = await started(new AgentGymServer(dialects.webarena));
      const status: Mishap = (response) => response.writeHead(201).end('{}');
      server.onPath.set('/reset', [status, status, status]);
      const connect = { 'agentgym-webarena': { address } };
      const { done } = evaluationOf(model.address, { suite: 'webarena-test', connect });
      const { report, columns } = await done;
      const failed = report.items.filter(({ tries }) => tries[0].failure !== undefined).length;
      expect(failed).toBeGreaterThan(0);
      expect(report.rows.at(-1)).toMatchObject({ label: 'All', items: 50 - failed });
      expect(reportText(report, columns)).toMatch(
        new RegExp(`The world failed in ${failed} of 50 tries, which are not counted\\. .*status 201`),
      );
    },
  );
});

describe('training with a world on a server', () => {
  const experiment = {
    format: 'tabgym-experiment-1',
    name: 'remote',
    description: 'For a test.',
    seed: 7,
    steps: 2,
    policy: {
      kind: 'tiny',
      layers: 1,
      hidden: 32,
      heads: 2,
      kvHeads: 1,
      headDim: 16,
      intermediate: 64,
      tieEmbeddings: true,
      qkNorm: false,
      initStd: 0.05,
    },
    worlds: [{ name: 'agentgym-textcraft', weight: 1, options: { trainItems: '0-3', testItems: '4-5' } }],
    algorithm: { name: 'grpo', groups: 2, groupSize: 4 },
    horizon: [{ steps: 2, turns: 2 }],
    sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 8, promptTokens: 128, completionTokens: 128 },
    optimizer: { learningRate: 0.002, weightDecay: 0.01, maxGradNorm: 1 },
    evaluation: { every: 0, episodes: 2 },
  };
  const file = join(folder, 'experiment.json');
  writeFileSync(file, JSON.stringify(experiment));
  const trainingOf = (address: string, out: string) => {
    const connect = { 'agentgym-textcraft': { address } };
    const options: TrainingOptions = {
      ...device,
      file,
      connect,
      out: join(folder, out),

      print: () => {},
    };
    return train(options);
  };
  const answering =
    (text: string, status = 200): Mishap =>
    (response) =>
      response.writeHead(status).end(text);

  test('stops at invalid answers', async () => {
    const { server, address } = await started(new AgentGymServer(dialects.textcraft));
    const nonsense = answering('{"observation": "x", "reward": true, "done": false}');
    server.onPath.set(
      '/step',
      Array.from({ length: 99 }, () => nonsense),
    );
    await expect(trainingOf(address, 'nonsense')).rejects.toThrow(
      /TextCraft \(AgentGym server\) failed in each of its first 8 episodes\..*reward must be a number/,
    );
  }, 120_000);

  test('stops when the server dies, and continues when it is back', async () => {
    const { server, address } = await started(new AgentGymServer(dialects.textcraft));
    const status = answering('{}', 201);
    // The evaluations and the first step are answered.
    let steps = 0;
    server.onPath.set('/step', { shift: () => (++steps > 8 + 16 ? status : undefined) } as unknown as Mishap[]);
    const died = await trainingOf(address, 'dies').catch((reason) => reason);
    expect(died.message).toMatch(/failed in each of its first 8 episodes\..*status 201/);
    server.onPath.delete('/step');
    const { finished, records } = await trainingOf(address, 'dies');
    expect([finished, records.length]).toEqual([true, 3]);
  }, 120_000);
});
