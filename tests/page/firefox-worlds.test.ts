// Worlds in Firefox: the same universes, ranking, calls of tools, databases and web pages as on Node, to the byte.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build, type Plugin, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFrameScript, frameScript } from '../../scripts/frame-script.mjs';
import { root } from '../../scripts/machine.mjs';
import { templates } from '../../src/worlds/web/tasks/index.ts';
import { openFirefox } from '../../tools/firefox.ts';
import { expected } from '../envs/search/sameness.ts';
import { expectedEpisodes } from '../envs/tools/sameness.ts';
import { playOracles, webTask } from '../envs/web-oracles.ts';

const outDir = join(root, 'build/page-firefox-worlds');
const tasks = templates.flatMap((_, index) => (index % 6 === 0 ? [webTask(index)] : []));
const reports = new Map<string, unknown>();
let url = '';
let stop = async () => {};

/** Serves the page and its files, and receives its reports. */
const driven = (frame: string): Plugin => ({
  name: 'driven',
  configurePreviewServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const pages: { [path: string]: [type: string, body: string] } = {
        '/': ['text/html', '<!DOCTYPE html><title>page</title><body><script type="module" src="/page.js"></script>'],
        '/frame.js': ['text/plain', frame],
        '/tasks': ['application/json', JSON.stringify(tasks)],
      };
      if (request.url === '/said')
        return void text(request).then((body) => {
          reports.set(...(JSON.parse(body) as [string, unknown]));
          response.end();
        });
      const found = pages[request.url ?? ''];
      if (!found) return next();
      response.setHeader('content-type', `${found[0]}; charset=utf-8`);
      response.end(found[1]);
    });
  },
});

async function serve(): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [frameScript({ empty: true })],
    worker: { format: 'es' },
    build: {
      outDir,
      target: 'esnext',
      rollupOptions: { input: 'tests/page/firefox-worlds-page.ts', output: { entryFileNames: 'page.js' } },
    },
  });
  const at = { port: 0, host: '127.0.0.1' };
  const plugins = [driven(await buildFrameScript('web'))];
  const server = await preview({ root, configFile: false, logLevel: 'error', plugins, build: { outDir }, preview: at });
  url = server.resolvedUrls!.local[0];
  stop = () => server.close();
}

beforeAll(serve, 120_000);
afterAll(async () => {
  await stop();
  rmSync(outDir, { recursive: true, force: true });
});

describe('in Firefox', () => {
  it('worlds give the same bytes as on Node', async () => {
    const close = openFirefox(url);
    try {
      const ended = () => reports.has('done') || reports.has('failed');
      await expect.poll(ended, { timeout: 150_000, interval: 300 }).toBe(true);
    } finally {
      await close();
    }
    expect(reports.get('failed')).toBeUndefined();
    expect(reports.get('search')).toEqual(expected);
    expect(reports.get('tools')).toEqual(expectedEpisodes);
    expect(reports.get('web')).toEqual(await playOracles(tasks));
  }, 240_000);
});
