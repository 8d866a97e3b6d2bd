/** An index on disk: building, stopping and resuming; queries through `/retrieve`; play as AgentGym's SearchQA. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../proxies/config.ts';
import { buildIndex } from '../../proxies/retrieval/build-index.ts';
import { openProxy } from '../../proxies/service.ts';
import { checkAgentGym } from '../../src/worlds/agentgym/check.ts';
import { searchqa } from '../../src/worlds/agentgym/kinds/searchqa.ts';
import { worldModule } from '../../src/worlds/registry.ts';
import { hasWorlds } from '../worlds.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-corpus-'));
afterAll(() => rmSync(folder, { recursive: true }));

const count = 40_000;
const file = join(folder, 'passages.jsonl');
const lines = Array.from({ length: count }, (_, k) =>
  JSON.stringify({
    id: `p${k}`,
    contents: `"Town ${k}"\nTown ${k} lies on the river ${'abcdefgh'[k % 8]}${k % 997}. ${'It is old. '.repeat(6)}`,
  }),
);
writeFileSync(file, `${lines.join('\n')}\n`);
const questions = join(folder, 'questions.jsonl');
writeFileSync(questions, `${JSON.stringify({ question: 'On which river lies Town 4321?', answer: ['b333'] })}\n`);

const build = (signal: AbortSignal, print: (line: string) => void = () => {}) =>
  buildIndex({ name: 'towns', folder: join(folder, 'corpora'), files: [file], signal, print });

it.skipIf(!hasWorlds('search'))(
  'an index is built, stopped, resumed, searched and played',
  { tags: 'slow' },
  async () => {
    const stop = new AbortController();
    const half = await build(stop.signal, () => stop.abort());
    expect(half.complete).toBe(false);
    expect(half.documents).toBeLessThan(count);
    const whole = await build(new AbortController().signal);
    expect(whole).toMatchObject({ complete: true, documents: count, refused: 0 });

    const source = { kind: 'corpus', name: 'towns', folder: join(folder, 'corpora') };
    const proxy = await openProxy(readConfig({ retrieval: { source, questions } }, 'the test'), {
      version: '0.1.0',
      report: (error) => {
        throw error;
      },
    });
    const address = `${await proxy.app.listen({ host: '127.0.0.1', port: 0 })}/${proxy.token}`;
    const response = await fetch(`${address}/retrieval/retrieve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ queries: ['town 4321'], topk: 2, return_scores: true }),
    });
    const { result } = (await response.json()) as { result: { document: { id: string; contents: string } }[][] };
    expect(result[0][0].document).toMatchObject({ id: 'p4321', contents: expect.stringContaining('"Town 4321"\n') });

    expect(await checkAgentGym(searchqa, { address: `${address}/searchqa` })).toMatchObject({
      works: true,
      version: '0.1.0',
    });
    const world = await worldModule('agentgym-searchqa').open({ address: `${address}/searchqa` });
    const [task] = await world.tasks({ trainItems: '0' }, 'train');
    const [started] = await world.reset([0], [task]);
    expect(started.observation).toContain('On which river lies Town 4321?');
    const [found] = await world.step([0], ['<search>town 4321 river</search>']);
    expect(found.observation).toContain('b333');
    const [end] = await world.step([0], ['<answer>b333</answer>']);
    expect(end).toMatchObject({ reward: 1, done: true });
    await world.close();
    await proxy.close();
  },
);
it('a missing index is refused by name', async () => {
  const config = readConfig({ retrieval: { source: { kind: 'corpus', name: 'x', folder } } }, 'the test');
  await expect(openProxy(config, { version: '0', report: () => {} })).rejects.toThrow('There is no corpus "x"');
});
