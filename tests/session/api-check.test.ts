/** Checking an API address: the models it serves, or the reason it cannot be used. */
import { expect, it } from 'vitest';
import { lookAtModels } from '../../src/session/api/api-check.ts';

const { signal } = new AbortController();
const address = 'http://127.0.0.1:36001/v1/';

function look(answer: () => Response, key: string | null = null, typed = address) {
  const requests: { url: string; headers: HeadersInit | undefined }[] = [];
  const options = {
    fetch: async (url: RequestInfo | URL, init?: RequestInit) => {
      requests.push({ url: String(url), headers: init?.headers });
      return answer();
    },
  };
  return lookAtModels(typed, key, signal, options).then((found) => ({ ...found, requests }));
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

it('lists the models of a server with one request that carries the key', async () => {
  const { report, models, requests } = await look(() => json({ data: [{ id: 'a' }, { id: 'b' }] }), 'secret');
  expect(report).toMatchObject({ works: true, description: 'OpenAI', findings: [] });
  expect(models).toEqual(['a', 'b']);
  expect(requests).toEqual([{ url: 'http://127.0.0.1:36001/v1/models', headers: { Authorization: 'Bearer secret' } }]);
});

it.each([
  // api.together.xyz, and an Ollama without models.
  ['a bare list', [{ id: 'a', type: 'chat' }], ['a']],
  ['null', { object: 'list', data: null }, []],
])('lists the models of a server that answers with %s', async (_, answer, names) => {
  expect(await look(() => json(answer))).toMatchObject({ report: { works: true }, models: names });
});

it.each([
  ['refused', () => json({ error: 'no key' }, 401)],
  ['refused', () => json({}, 403)],
  ['not-understood', () => json({}, 404)],
  ['not-understood', () => json({ models: [] })],
  ['not-understood', () => new Response('<html>')],
  ['unreachable', () => Promise.reject(new TypeError('fetch failed')) as never],
] as const)('reports that it was %s', async (what, answer) => {
  const { report, models } = await look(answer);
  expect(report.works).toBe(false);
  expect(report.findings.map((finding) => finding.kind)).toEqual([what]);
  expect(models).toEqual([]);
});

it('sends no request to an invalid address', async () => {
  const { report, requests } = await look(() => json({}), null, 'my model');
  expect(report.findings.map(({ kind: what }) => what)).toEqual(['bad-address']);
  expect(requests).toEqual([]);
});
