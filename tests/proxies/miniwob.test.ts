/**
 * MiniWoB++'s pages (github.com/Farama-Foundation/miniwob-plusplus, MIT) through the proxy. Skipped unless
 * `TABGYM_MINIWOB` is the folder `miniwob/html` of a clone. Every start page gives an accessibility tree, and
 * handwritten oracles solve twelve tasks.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Opened, openOver } from './opened.ts';
import { Client } from './playing.ts';
import type { SixSites } from './six-sites.ts';

const folder = process.env.TABGYM_MINIWOB ?? '';
const skip = !existsSync(join(folder, 'miniwob'));
if (skip) console.log('skipped: TABGYM_MINIWOB names no folder miniwob/html of MiniWoB++');

const types: { [extension: string]: string } = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Starts the task at once, without a time limit, and sets the page's title to its goal. */
const begin = `<script>core.EPISODE_MAX_TIME = 1e9; addEventListener('load', () => { Math.seedrandom('7'); core.startEpisodeReal();
  const said = core.getUtterance(); document.title = typeof said === 'string' ? said : said.utterance; });</script>`;

interface Line {
  id: string;
  role: string;
  name: string;
}

const linesOf = (observation: string): Line[] =>
  observation.split('\n').flatMap((line) => {
    const found = /^\t*\[(\d+)\] (\S+) (['"])(.*?)\3(?: |$)/.exec(line);
    return found ? [{ id: found[1], role: found[2], name: found[4].trim() }] : [];
  });

interface Page {
  goal: string;
  of(role: string): Line[];
  named(name: string): Line;
}

function pageOf(observation: string): Page {
  const lines = linesOf(observation);
  return {
    goal: lines[0].name,
    of: (role) => lines.filter((line) => line.role === role),
    named: (name) => {
      const found = lines.slice(1).find((line) => line.name === name);
      if (!found) throw new Error(`Nothing is called "${name}":\n${observation}`);
      return found;
    },
  };
}

const quotedIn = (goal: string) => [...goal.matchAll(/"(.*?)"/g)].map(([, text]) => text);
const click = ({ id }: Line) => `click [${id}]`;
const type = ({ id }: Line, text: string) => `type [${id}] [${text}] [0]`;
const fill = (button: string) => (page: Page) => {
  const texts = quotedIn(page.goal);
  const fields = page.of('textbox');
  return [...fields.map((field, k) => type(field, texts[k % texts.length])), click(page.named(button))];
};

/** Actions of each task's oracle, from its first page. */
const oracles: { [task: string]: (page: Page) => string[] } = {
  'click-test': (page) => [click(page.named('Click Me!'))],
  'click-test-2': (page) => [click(page.named('ONE'))],
  'click-button': (page) => [click(page.of('button').find(({ name }) => name === quotedIn(page.goal)[0])!)],
  'click-link': (page) => [click(page.named(quotedIn(page.goal)[0]))],
  'click-dialog': (page) => [click(page.named('Close'))],
  'focus-text': (page) => [click(page.of('textbox')[0])],
  'focus-text-2': (page) => [click(page.of('textbox')[Number(/\d/.exec(page.goal)![0]) - 1])],
  'enter-text': fill('Submit'),
  'enter-text-dynamic': fill('Submit'),
  'enter-password': fill('Submit'),
  'login-user': fill('Login'),
  'click-checkboxes': (page) => {
    const wanted = /Select (.*) and click/.exec(page.goal)![1].split(', ');
    const boxes = page.of('checkbox').filter(({ name }) => wanted.includes(name));
    return [...boxes.map(click), click(page.named('Submit'))];
  },
};

let server: Server;
let opened: Opened;
let client: Client;
const pages = skip ? [] : readdirSync(join(folder, 'miniwob')).filter((name) => name.endsWith('.html'));

const idOf = (name: string) => pages.indexOf(`${name}.html`);

const task = (page: string, id: number) => ({
  task_id: id,
  sites: ['homepage'],
  start_url: `__HOMEPAGE__/miniwob/${page}`,
  intent: page,
  eval: {
    eval_types: ['program_html'],
    program_html: [
      { url: 'last', locator: 'document.defaultView.WOB_RAW_REWARD_GLOBAL', required_contents: { exact_match: '1' } },
    ],
  },
});

beforeAll(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? '/').split('?')[0]));
    const file = join(folder, path);
    if (!existsSync(file) || !extname(file)) return void response.writeHead(404).end();
    const body = readFileSync(file);
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    response.end(extname(file) === '.html' ? body.toString().replace('</head>', `${begin}</head>`) : body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const config = { homepage: { address: `http://miniwob.localhost:${(server.address() as AddressInfo).port}` } };
  opened = await openOver({ config } as unknown as SixSites, pages.map(task), {
    viewport: { width: 1280, height: 720 },
  });
  client = new Client(opened.proxy);
}, 60_000);
afterAll(async () => {
  await opened?.close();
  server?.close().closeAllConnections();
});

describe.skipIf(skip)('MiniWoB++ through the proxy', () => {
  it.each(Object.keys(oracles))('%s is solved by its oracle', async (name) => {
    const env = await client.create();
    const started = await client.reset(env, idOf(name));
    for (const action of oracles[name](pageOf(started.observation))) {
      const { info } = await client.step(env, action);
      expect(info?.fail_error).toBe('');
    }
    expect(await client.step(env, 'stop [done]')).toMatchObject({ reward: 1, terminated: true });
    await client.close(env);
  });
  it('every start page gives a tree', async () => {
    const env = await client.create();
    const without: string[] = [];
    for (const [id, page] of pages.entries()) {
      const { observation, why } = await client.reset(env, id);
      if (why || linesOf(observation).length < 2) without.push(`${page}: ${why ?? observation.slice(0, 200)}`);
    }
    console.log(`${pages.length} pages, ${without.length} without a tree`);
    expect(without).toEqual([]);
    await client.close(env);
  }, 900_000);
});
