/**
 * Search over another retriever: the questions of a corpus with the documents of a server. Missing permission and
 * missing parts are refused with a message.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex } from '../../../proxies/retrieval/build-index.ts';
import { openCorpora } from '../../../src/corpus/open.ts';
import { WorldError, type WorldOptions } from '../../../src/envs/env.ts';
import { openGuardedWorld } from '../../../src/workers/spawn-world.ts';
import { checkRetriever } from '../../../src/worlds/search/check.ts';
import { Search } from '../../../src/worlds/search/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-asked-'));
const before = process.env.TABGYM_CORPORA;
const options: WorldOptions = { corpus: 'towns', retriever: true, documents: 2 };
const task = { world: 'search', id: 0, options, strata: {} };

/** Queries that the server received; queries in `broken` get an error. */
const received: string[] = [];
let server: Server;
let address = '';

beforeAll(async () => {
  process.env.TABGYM_CORPORA = folder;
  const file = join(folder, 'towns.jsonl');
  writeFileSync(file, `${JSON.stringify({ id: 'own', contents: '"Here"\\nOnly in the corpus itself.' })}\n`);
  const signal = new AbortController().signal;
  await buildIndex({ name: 'towns', folder, files: [file], signal, print: () => {} });
  const question = { text: 'On which river does Velora lie?', golds: ['Aster'], hops: null, evidence: [] };
  await (await openCorpora()).addQuestions('towns', [question]);
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.url === '/x/openapi.json')
        return void response.end(
          JSON.stringify({ info: { title: 'Towns', version: '7', 'x-missing': ['half'] }, paths: {} }),
        );
      const { queries } = JSON.parse(body) as { queries: string[] };
      received.push(...queries);
      if (queries.includes('broken')) return void response.writeHead(400).end('{"detail": "no"}');
      const document = { id: 'far', contents: '"Velora"\nVelora lies on the Aster.' };
      response.end(JSON.stringify({ result: queries.map(() => [{ document, score: 1 }]) }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x/retrieve`;
});
afterAll(() => {
  server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env.TABGYM_CORPORA;
  else process.env.TABGYM_CORPORA = before;
});

describe('searches on a server', () => {
  it('are sent in one request per batch, and answer the questions of a corpus', async () => {
    const world = await Search.open({ address });
    const startedTasks = await world.reset([0, 1], [task, task]);
    expect(startedTasks[0].observation).toContain('On which river does Velora lie?');
    expect(received).toEqual([]);
    const found = await world.step([0, 1], ['<search>velora</search>', '<search>river aster</search>']);
    expect(received.splice(0)).toEqual(['velora', 'river aster']);
    for (const { observation } of found) expect(observation).toContain('Velora lies on the Aster.');
    const [end] = await world.step([0], ['<answer>Aster</answer>']);
    expect(end).toMatchObject({ reward: 1, done: true });
    await world.close();
  });
  it('without an answer end their episodes as failures of the world, and no others', async () => {
    const world = await Search.open({ address });
    await world.reset([0, 1], [task, { ...task, options: { ...options, documents: 1 } }]);
    const [failed, other] = await world.step([0, 1], ['<search>broken</search>', '<search>velora</search>']);
    expect(failed.failure).toMatch(/^The search failed: .*400.*no/);
    expect(failed.failure).not.toContain('127.0.0.1');
    expect(other.observation).toContain('Velora lies on the Aster.');
    expect(await world.oracle([1])).toHaveLength(1);
    await world.close();
  });
  it('are not started without permission, without an address, or without a corpus', async () => {
    received.length = 0;
    const withheld = await Search.open({ withheld: true });
    await expect(withheld.reset([0], [task])).rejects.toThrow(/came from somebody else. Allow the server in the setup/);
    await expect((await Search.open()).reset([0], [task])).rejects.toThrow(/its address is not set/);
    const made = { ...task, options: { retriever: true } };
    await expect((await Search.open({ address })).reset([0], [made])).rejects.toThrow(WorldError);
    expect(received).toEqual([]);
    // Tasks that need no server are played as before.
    expect((await withheld.reset([0], [{ ...task, options: {} }]))[0].observation).not.toBe('');
  });
  it('reach it from a worker too, at the address with which the world was opened', async () => {
    const world = await openGuardedWorld('search', { address });
    try {
      await world.reset([0], [task]);
      const [found] = await world.step([0], ['<search>velora</search>']);
      expect(found.observation).toContain('Velora lies on the Aster.');
    } finally {
      await world.close();
    }
  });
});

describe('Connect', () => {
  it('reports the server, its version, its speed, and what is missing', async () => {
    const report = await checkRetriever({ address });
    expect(report).toMatchObject({
      works: true,
      description: 'Towns',
      version: '7',
      findings: [{ kind: 'lacks', detail: 'half' }],
    });
    expect(report.ms).toBeGreaterThan(0);
  });
  it.each([
    [undefined, 'no-address'],
    ['ftp://x', 'bad-address'],
    ['http://127.0.0.1:1', 'unreachable'],
  ])('at %s finds %s', async (where, what) => {
    const { works, findings } = await checkRetriever({ address: where });
    expect([works, findings[0].kind]).toEqual([false, what]);
  });
});
