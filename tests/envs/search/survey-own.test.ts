// The survey's files, a person's own corpus with a judge behind an API, and both protocols.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Document } from '../../../src/corpus/retrieval/retriever.ts';
import { TextIndex } from '../../../src/corpus/retrieval/text-index.ts';
import type { Task } from '../../../src/envs/env.ts';
import type { Server } from '../../../src/server/server.ts';
import { openWorld } from '../../../src/worlds/registry.ts';
import { readingBibtex, readingCsv } from '../../../src/worlds/search/survey/export.ts';
import { apiJudge, readFindings } from '../../../src/worlds/search/survey/own/judge.ts';
import { CorpusLibrary, surveyOf } from '../../../src/worlds/search/survey/own/library.ts';
import { post, startServer } from '../../server/helpers.ts';

const name = 'search-survey';

describe('a reading list', () => {
  const row = { id: '1', title: 'The "Iron" Map', author: 'Mira Tolson', year: '1203', truth: null };
  const rows = [
    { ...row, grade: 'yes', evidence: 'It costs 5 % & more, or less.' },
    { ...row, id: '2', grade: 'partly', evidence: '=SUM(A1)' },
    { ...row, id: '3', grade: 'no', evidence: ' ＝late()' },
    { ...row, id: '4', grade: null, evidence: '' },
  ] as const;

  it('is saved as CSV, with quotes doubled and no formulas', () => {
    expect(readingCsv({ rows: [...rows] }).split('\n')).toEqual([
      'title,author,year,filed,evidence',
      '"The ""Iron"" Map",Mira Tolson,1203,yes,"It costs 5 % & more, or less."',
      '"The ""Iron"" Map",Mira Tolson,1203,partly,\'=SUM(A1)',
      '"The ""Iron"" Map",Mira Tolson,1203,no,\' ＝late()',
      '',
    ]);
  });

  it('is saved as BibTeX, with distinct keys and TeX’s letters escaped, without what is filed under no', () => {
    const entries = readingBibtex({ rows: [...rows] });
    expect(entries.match(/@misc\{[^,]+/g)).toEqual(['@misc{tolson1203theironmap', '@misc{tolson1203theironmap-2']);
    expect(entries).toContain('note = {It costs 5 \\% \\& more, or less.}');
    expect(entries.split('{').length).toBe(entries.split('}').length);
  });
});

const papers = [
  ['Grid agents', 'We train an agent by rewards. It runs in a browser.'],
  ['Slow agents', 'We train an agent by rewards. It needs a cluster.'],
  ['Cakes', 'Bake for an hour. Eat in a browser.'],
];

/** An OpenAI-compatible server that finds each criterion's last word in the document's lines, by rules. */
async function startJudge(): Promise<{ http: HttpServer; address: string; requests: string[]; keys: unknown[] }> {
  const [requests, keys]: [string[], unknown[]] = [[], []];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { content } = JSON.parse(body).messages[0];
    requests.push(content);
    keys.push(request.headers.authorization);
    const criteria = [...content.matchAll(/^(\d+)\. .*?(\w+)$/gm)];
    const sentences = [...content.matchAll(/^\[(\d+)\] (.*)$/gm)];
    const lines = criteria.map(([, number, word]: RegExpMatchArray) => {
      const shows = sentences.find(([, , text]) => text.includes(word))?.[1];
      return `${number}: ${shows ? 'yes' : 'no'} [${shows ?? 0}]`;
    });
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { content: lines.join('\n') } }] }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { http, address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, requests, keys };
}

describe('a person’s corpus', () => {
  const survey = 'Which papers fit? | trains an agent | runs in a browser';

  it('is judged by the model behind the address, over the pool and what was shown, once each', async () => {
    const { http, address, requests, keys } = await startJudge();
    const index = await TextIndex.inMemory(papers.map(([title, text], k) => ({ id: String(k), title, text })));
    const corpora = {
      retrieve: (_: string, queries: readonly string[], k: number): Promise<Document[][]> => index.retrieve(queries, k),
    };
    const options = { corpus: 'papers', surveys: [survey], pool: 2 };
    const library = new CorpusLibrary(corpora, options, apiJudge({ address, token: 'key-1', model: 'judge' }));
    const [grid] = await library.find('Grid');
    expect(grid.sentences).toEqual(['We train an agent by rewards.', 'It runs in a browser.']);
    const truths = await library.truth(0, [grid]);
    await library.truth(0, [grid]);
    expect(requests.length).toBe(truths.size);
    expect(new Set(keys)).toEqual(new Set(['Bearer key-1']));
    const grades = Object.fromEntries([...truths].map(([id, { grade }]) => [papers[Number(id)][0], grade]));
    expect(grades).toMatchObject({ 'Grid agents': 'yes', 'Slow agents': 'partly' });
    expect(truths.get('0')!.shows).toEqual({ met: [0, 1], missed: [] });
    http.close();
    await index.close();
  });

  it('refuses a survey without criteria, and a reply without a line for each', () => {
    expect(() => surveyOf('Which papers fit?')).toThrow(/two to four criteria/);
    expect(surveyOf(survey)).toMatchObject({ criteria: ['trains an agent', 'runs in a browser'] });
    expect(readFindings('1: yes [2]\n2. No, nothing [0]', 2, 3)).toEqual([
      { met: true, sentence: 1 },
      { met: false, sentence: null },
    ]);
    expect(() => readFindings('1: yes [2]', 2, 3)).toThrow(/no line "2: yes/);
  });

  it('needs a server and a model’s name, and contacts nothing while it is withheld', async () => {
    const options = { corpus: 'papers', surveys: [survey], judge: 'judge' };
    const task = { world: name, id: 0, options, strata: {} };
    await expect((await openWorld(name)).reset([0], [task])).rejects.toThrow(/judged by a model/);
    const withheld = await openWorld(name, { address: 'http://127.0.0.1:9/v1', withheld: true });
    await expect(withheld.reset([0], [task])).rejects.toThrow(/Allow the server/);
  });
});

describe('served', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer([name]);
  });
  afterAll(() => server?.close());

  async function ownAnswers() {
    const world = await openWorld(name);
    const [task]: Task[] = await world.tasks({}, 'train');
    const [{ observation }] = await world.reset([0], [task]);
    const [plan] = await world.oracle([0]);
    const answers = [];
    for (const action of plan!) {
      const [{ observation, reward, done }] = await world.step([0], [action]);
      answers.push({ action, observation, reward, done });
    }
    expect(answers.at(-1)).toMatchObject({ reward: 1, done: true });
    return { observation, answers };
  }

  it('answers over AgentGym’s protocol as the world does', async () => {
    const own = await ownAnswers();
    const { id } = (await post(server, `/${name}/create`)).json;
    expect((await post(server, `/${name}/reset`, { id, data_idx: 0 })).json.observation).toBe(own.observation);
    for (const { action, ...answer } of own.answers)
      expect((await post(server, `/${name}/step`, { id, action })).json).toEqual(answer);
  });

  it('answers over OpenEnv’s socket as the world does', async () => {
    const own = await ownAnswers();
    const address = (await server.app.listen({ port: 0 })).replace('http', 'ws');
    const socket = new WebSocket(`${address}/${name}/ws`);
    await new Promise((resolve) => socket.once('open', resolve));
    const ask = (message: object) =>
      // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers.
      new Promise<any>((resolve) => {
        socket.once('message', (data) => resolve(JSON.parse(String(data)).data));
        socket.send(JSON.stringify(message));
      });
    expect((await ask({ type: 'reset', data: { index: 0 } })).observation.text).toBe(own.observation);
    for (const { action, observation, reward, done } of own.answers) {
      const answer = await ask({ type: 'step', data: { message: action } });
      expect([answer.observation.text, answer.reward, answer.done]).toEqual([observation, reward, done]);
    }
    socket.terminate();
  });
});
