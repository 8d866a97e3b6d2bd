/**
 * Retrieval: Search-R1's transcripts for our server and our client, recorded responses of a search server, an index on
 * disk.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../proxies/config.ts';
import { OpenSearchRetriever, SearchServerError } from '../../proxies/retrieval/opensearch.ts';
import { mountRetrieval } from '../../proxies/retrieval/routes.ts';
import { openServer } from '../../proxies/service.ts';
import { SearchR1Retriever } from '../../src/corpus/retrieval/search-r1.ts';
import { AnswerError } from '../../src/envs/transport/http.ts';
import { openRecordedRetriever } from '../../tools/replay/search.ts';
import { goldenFolder, hasGolden } from '../envs/helpers.ts';

const token = 'a-token-of-the-test';
const file = `${goldenFolder}/search/retrieve.jsonl.gz`;

interface Exchange {
  note: string;
  method: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  request_headers: { [name: string]: string };
  body: string;
  status: number;
  response: string;
}

const recorded = (): Exchange[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

/**
 * True for exchanges that depend on the recorded stub: it pads its results for a large `topk`, and counts a negative
 * one from the end.
 */
const isStubs = ({ body }: Exchange) => {
  try {
    const { topk } = JSON.parse(body);
    return topk < 0 || topk > 40;
  } catch {
    return false;
  }
};
/** True for responses that the web framework or the door writes, with texts that are not ours. */
const isFrameworks = ({ method, path, response }: Exchange) =>
  method === 'OPTIONS' || path === '/' || /value_error.jsondecode/.test(response);

function openServed() {
  const config = readConfig(
    { origins: ['http://x.example'], forward: [{ name: 'a', address: 'http://127.0.0.1:1' }] },
    'test',
  );
  const app = openServer(config, token, { version: '0', report: () => {} });
  mountRetrieval(app, '', { retriever: openRecordedRetriever(file), topk: 3, report: () => {} });
  return app;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server that gives one response after the other and records the requests. */
async function answering(answers: { status?: number; json: unknown }[]) {
  const requests: { url: string; body: string; headers: object }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ url: request.url!, body, headers: request.headers });
      const { status = 200, json } = answers.shift() ?? { status: 500, json: {} };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { requests, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('Search-R1’s /retrieve', () => {
  it('is answered as recorded', async () => {
    if (!hasGolden('search/retrieve.jsonl.gz')) return console.log(`skipped: there is no ${file}`);
    const app = openServed();
    const wrong: string[] = [];
    let compared = 0;
    for (const exchange of recorded()) {
      const { method, path, request_headers, body, status, response } = exchange;
      if (isStubs(exchange) || isFrameworks(exchange)) continue;
      const payload = method === 'GET' ? {} : { payload: body };
      const answer = await app.inject({
        method,
        url: `/${token}${path}`,
        headers: { ...request_headers, host: 'localhost' },
        ...payload,
      });
      const same =
        status >= 500 ||
        status === 307 ||
        JSON.stringify(JSON.parse(answer.body)) === JSON.stringify(JSON.parse(response));
      compared++;
      if (answer.statusCode !== status || !same)
        wrong.push(
          `${exchange.note} ${body}: ${answer.statusCode} ${answer.body.slice(0, 300)}, not ${status} ${response.slice(0, 300)}`,
        );
    }
    await app.close();
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(40);
  });

  it('is queried in batches with scores, as its own client does', async () => {
    const document = { id: '14', contents: '"Velora"\nA town.' };
    const { requests, address } = await answering([
      {
        json: {
          result: [
            [
              { document, score: 0.5 },
              { document, score: 0.25 },
              { document, score: 0.1 },
            ],
            [],
          ],
        },
      },
    ]);
    const retriever = new SearchR1Retriever(`${address}/retrieve`);
    const found = await retriever.retrieve(['who', 'what'], 2);
    expect(requests).toMatchObject([
      { url: '/retrieve', body: '{"queries":["who","what"],"topk":2,"return_scores":true}' },
    ]);
    expect(found).toEqual([
      [
        { id: '14', title: '"Velora"', text: 'A town.', score: 0.5 },
        { id: '14', title: '"Velora"', text: 'A town.', score: 0.25 },
      ],
      [],
    ]);
  });
  it('agrees with itself: our client of our server finds the retriever’s results', async () => {
    if (!hasGolden('search/retrieve.jsonl.gz')) return console.log(`skipped: there is no ${file}`);
    const app = openServed();
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const queries = ['who founded Velora', 'oldest café', 'zebra'];
    const found = await new SearchR1Retriever(`${address}/${token}`).retrieve(queries, 4);
    const direct = await openRecordedRetriever(file).retrieve(queries, 4);
    expect(found).toEqual(
      direct.map((documents) => documents.map(({ id, title, text, score }) => ({ id, title, text, score }))),
    );
    await app.close();
  });
  it.each([
    [{ result: [[]] }, 'returned 1 results for 2 queries'],
    [{ results: [] }, 'returned an unexpected answer'],
    [{ result: [[{ document: { id: '1' } }], []] }, 'returned an unexpected answer'],
  ])('refuses the response %j by name', async (json, message) => {
    const { address } = await answering([{ json }]);
    const asking = new SearchR1Retriever(address).retrieve(['a', 'b'], 3);
    await expect(asking).rejects.toThrow(AnswerError);
    await expect(asking).rejects.toThrow(message);
  });
});

describe('a search server', () => {
  const config = {
    kind: 'opensearch' as const,
    address: 'http://127.0.0.1:1',
    index: 'wiki-18',
    contents: 'text',
    title: 'title',
    passwordFrom: 'TABGYM_NO_SUCH_PASSWORD',
  };
  // The form in OpenSearch's documentation: docs.opensearch.org/latest/api-reference/search-apis/multi-search
  const hits = (entries: [string, number, object][]) => ({
    took: 3,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: {
      total: { value: entries.length, relation: 'eq' },
      max_score: entries[0]?.[1] ?? null,
      hits: entries.map(([_id, _score, _source]) => ({ _index: 'wiki-18', _id, _score, _source })),
    },
    status: 200,
  });

  it('is queried by one multi-search, and its hits are documents', async () => {
    const { requests, address } = await answering([
      {
        json: {
          took: 4,
          responses: [hits([['7', 8.3, { title: 'Velora', text: 'A town.' }]]), hits([])],
        },
      },
    ]);
    const retriever = new OpenSearchRetriever({ ...config, address });
    expect(await retriever.retrieve(['where is Velora', 'zebra'], 2)).toEqual([
      [{ id: '7', title: 'Velora', text: 'A town.', score: 8.3 }],
      [],
    ]);
    const lines = requests[0].body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(requests[0].url).toBe('/_msearch');
    expect(lines).toEqual([
      { index: 'wiki-18' },
      { size: 2, query: { multi_match: { query: 'where is Velora', fields: ['title^4', 'text'] } } },
      { index: 'wiki-18' },
      { size: 2, query: { multi_match: { query: 'zebra', fields: ['title^4', 'text'] } } },
    ]);
    await retriever.close();
  });
  it('reads Search-R1’s contents if there is no title', async () => {
    const { address } = await answering([{ json: { took: 1, responses: [hits([['1', 1, { contents: '"A"\nb' }]])] } }]);
    const retriever = new OpenSearchRetriever({ ...config, address, contents: 'contents', title: undefined });
    expect(await retriever.retrieve(['a'], 1)).toEqual([[{ id: '1', title: '"A"', text: 'b', score: 1 }]]);
  });
  it.each([
    [
      [
        {
          json: {
            took: 1,
            responses: [
              { error: { type: 'index_not_found_exception', reason: 'no such index [wiki-18]' }, status: 404 },
            ],
          },
        },
      ],
      'no such index',
    ],
    [[{ status: 401, json: { error: 'x' } }], 'status 401'],
    [[{ json: { responses: [] } }], 'unexpected form'],
  ])('is refused by name: %j', async (answers, message) => {
    const { address } = await answering(answers);
    const retriever = new OpenSearchRetriever({ ...config, address }, { maxRetries: 0 });
    const asking = retriever.retrieve(['a'], 1);
    await expect(asking).rejects.toThrow(SearchServerError);
    await expect(asking).rejects.toThrow(message);
    await expect(asking).rejects.not.toThrow(address);
  });
});
