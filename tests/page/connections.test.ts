/**
 * Worlds on servers, in the real page: an address is typed and checked, a server that refuses pages is reported, an
 * action has a form, and an imported experiment asks for permission first.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LitElement } from 'lit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildIndex } from '../../proxies/retrieval/build-index.ts';
import { train } from '../../src/cli/training-run.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { exportRun } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { unzip } from '../../src/store/zip.ts';
import { AgentGymServer, dialects, mishaps } from '../envs/agentgym-server.ts';
import { OpenEnvServer } from '../envs/openenv-server.ts';
import { openOver } from '../proxies/opened.ts';
import { SixSites } from '../proxies/six-sites.ts';
import { hasWorlds } from '../worlds.ts';
import { axeFindings, wcagOnly } from './axe.ts';
import { launch, narrow, open, screenshot, serveReal, sizes, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveReal>>;
const servers: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  [site, browser] = await Promise.all([serveReal(), launch()]);
}, 180_000);
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function started<Server extends { listen(): Promise<string>; close(): Promise<void> }>(server: Server) {
  servers.push(server);
  return { server, address: await server.listen() };
}

async function choose(page: Page, world: string): Promise<void> {
  await page.getByLabel('Preset').waitFor({ timeout: 60_000 });
  const second = page.getByRole('button', { name: 'Remove world 2' });
  if (await second.count()) await second.click();
  await page.getByRole('combobox', { name: 'World', exact: true }).selectOption(world);
  await page.locator('tabgym-connection').getByLabel('Server').waitFor();
}

async function connect(page: Page, address: string): Promise<void> {
  const fields = page.locator('tabgym-connection');
  await fields.getByLabel('Server').fill(address);
  await fields.getByLabel('Server').press('Tab');
  await fields.getByRole('button', { name: 'Connect' }).click();
}

const play = (page: Page) => page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();

/** Console messages of a browser about blocked requests. */
const refusals = /CORS|net::ERR|Failed to load resource/;

test('an AgentGym server is checked, told apart from one that is closed to pages, and played', async () => {
  const { address: closed } = await started(new AgentGymServer(dialects.textcraft));
  const { server, address } = await started(new AgentGymServer(dialects.textcraft, true));
  const { page, errors, close } = await open(browser, site.url, wide);
  await choose(page, 'agentgym-textcraft');
  await connect(page, closed);
  await page.getByText(/this server does not allow pages; use the proxy or the command line/).waitFor();
  await screenshot(page, 'connect-closed-wide');
  await connect(page, address);
  await page.getByText(/The connection works\. This is environment TextCraft\. Response time:/).waitFor();
  expect(await axeFindings(page, wcagOnly)).toEqual([]);
  await screenshot(page, 'connect-wide');
  await page.getByRole('tab', { name: 'Play' }).click();
  await play(page);
  await page
    .getByRole('log')
    .getByText(/^Task \d+\.$/)
    .waitFor();
  await page.getByLabel('Action', { exact: true }).fill('look');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('You said look.').waitFor();
  expect(server.count('/create')).toBe(1);
  const stored = await page.evaluate(async () => {
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    return JSON.stringify({ ...localStorage, ...sessionStorage, hash: location.href, databases });
  });
  expect(stored).not.toContain(new URL(address).port);
  await page.reload();
  await choose(page, 'agentgym-textcraft');
  expect(await page.locator('tabgym-connection').getByLabel('Server').inputValue()).toBe('');
  expect(errors.filter((error) => !refusals.test(error))).toEqual([]);
  await close();
});

test('a narrow screen has the same fields', { tags: 'slow' }, async () => {
  const { address } = await started(new AgentGymServer(dialects.babyai, true));
  const { page, close } = await open(browser, site.url, narrow);
  await page.getByLabel('Preset').waitFor({ state: 'attached', timeout: 60_000 });
  await page.getByRole('button', { name: 'Setup' }).first().click();
  await choose(page, 'agentgym-textcraft');
  await connect(page, address);
  await page.getByText(/This is another kind of server\. Its answer: “This is environment BabyAI”/).waitFor();
  await page.locator('tabgym-connection').scrollIntoViewIfNeeded();
  await screenshot(page, 'connect-narrow');
  await close();
});

test('an OpenEnv server with several fields per action has a form', { tags: 'slow' }, async () => {
  const schema = {
    properties: {
      message: { type: 'string', description: 'what is said' },
      loud: { type: 'boolean', default: false },
    },
    required: ['message', 'loud'],
  };
  const { server, address } = await started(new OpenEnvServer({ places: 1, schema }));
  const { page, errors, close } = await open(browser, site.url, wide);
  await choose(page, 'openenv');
  await connect(page, address);
  await page.getByText(/The connection works\./).waitFor();
  await page.getByText(/Episodes that the server runs at once: 1/).waitFor();
  await page.getByText(/The server does not publish its action schema/).waitFor();
  await page.getByLabel('Show advanced settings').check();
  await page.getByLabel('Action schema', { exact: true }).fill(JSON.stringify(schema));
  await page.getByLabel('Action schema', { exact: true }).press('Tab');
  await page.getByRole('tab', { name: 'Play' }).click();
  await play(page);
  const form = page.locator('tabgym-openenv-view');
  await form.getByLabel(/^message/).fill('win');
  // The form replaces the line for typing an action as JSON.
  expect(await page.getByRole('button', { name: 'Send the action' }).count()).toBe(1);
  expect(await page.getByLabel('Action', { exact: true }).count()).toBe(0);
  await form.getByLabel(/^loud/).selectOption('true');
  expect(await axeFindings(page, wcagOnly)).toEqual([]);
  await screenshot(page, 'openenv-form-wide');
  await page.setViewportSize({ width: narrow.width, height: narrow.height });
  await form.scrollIntoViewIfNeeded();
  await screenshot(page, 'openenv-form-narrow');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.setViewportSize({ width: wide.width, height: wide.height });
  await form.getByRole('button', { name: 'Send the action' }).click();
  await page.getByRole('log').getByText('You won.').waitFor();
  expect(server.frames.at(-1)).toEqual({ type: 'step', data: { message: 'win', loud: true } });
  expect(errors.filter((error) => !refusals.test(error))).toEqual([]);
  await close();
});

/** The proxy over the six sites and a small corpus, open to this page. */
async function startedProxy(): Promise<{ webarena: string; retrieval: string; token: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-proxy-page-'));
  const file = join(folder, 'towns.jsonl');
  writeFileSync(file, `${JSON.stringify({ id: '1', contents: '"Velora"\nVelora lies on the Aster.' })}\n`);
  await buildIndex({ name: 'towns', folder, files: [file], signal: new AbortController().signal, print: () => {} });
  const sites = await new SixSites().listen();
  const judged = { eval_types: ['string_match'], reference_answers: { fuzzy_match: ['a'] } };
  const task = { task_id: 7, sites: ['shopping'], start_url: '__SHOPPING__', intent: 'x', eval: judged };
  const retrieval = { source: { kind: 'corpus', name: 'towns', folder } };
  const opened = await openOver(sites, [task], {}, { origins: [new URL(site.url).origin], retrieval });
  const { token, app } = opened.proxy;
  servers.push({ close: () => opened.close() }, sites as unknown as { close(): Promise<void> });
  servers.push({ close: async () => rmSync(folder, { recursive: true }) });
  const address = `${await app.listen({ host: '127.0.0.1', port: 0 })}/${token}`;
  return { token, webarena: `${address}/webarena`, retrieval: `${address}/retrieval/retrieve` };
}

describe.each(sizes)('$size', ({ size: name, view, tags }) => {
  test.skipIf(!hasWorlds('search'))(
    'Connect reports about the proxy: server, version, speed, and what is missing',
    { tags },
    async () => {
      const { token, webarena, retrieval } = await startedProxy();
      const { page, errors, close } = await open(browser, site.url, view);
      await page.getByLabel('Preset').waitFor({ state: 'attached', timeout: 60_000 });
      if (view === narrow) await page.getByRole('button', { name: 'Setup' }).first().click();
      await choose(page, 'agentgym-webarena');
      await connect(page, webarena.replace(token, 'x'.repeat(token.length)));
      await page
        .getByText(/The server refused this page: .*the first part of the address is not the token of this server/)
        .waitFor();
      await connect(page, webarena);
      await page.getByText(/The connection works\. ok\. Version 0\.1\.0\. Response time: [\d.]+ ms/).waitFor();
      await page
        .getByText(/Something is missing: 1 of 1 tasks are refused: its answer needs a language model/)
        .waitFor();
      expect(await axeFindings(page, wcagOnly)).toEqual([]);
      await page.locator('tabgym-connection').scrollIntoViewIfNeeded();
      await screenshot(page, `connect-proxy-${name}`);
      await page.getByRole('combobox', { name: 'World', exact: true }).selectOption('search');
      await page.getByLabel('Show advanced settings').check();
      expect(await page.locator('tabgym-connection').count()).toBe(0);
      await page.getByRole('checkbox', { name: 'Search on a server' }).check();
      await connect(page, retrieval);
      await page
        .getByText(
          /The connection works\. Retrieval behind Tabgym's proxy\. Version 0\.1\.0\. Response time: [\d.]+ ms/,
        )
        .waitFor();
      await page.locator('tabgym-connection').scrollIntoViewIfNeeded();
      await screenshot(page, `connect-retrieval-${name}`);
      const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, at: location.href }));
      expect(kept).not.toContain(token);
      expect(errors.filter((error) => !refusals.test(error))).toEqual([]);
      await close();
    },
  );
});

/** Writes the file of a run of this world, as from another person. */
async function foreignRun(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-foreign-'));
  try {
    const store = new RunStore(new FolderStore(folder));
    const preset = JSON.parse(readFileSync('experiments/textcraft-first.json', 'utf8'));
    const experiment = parseExperiment({
      ...preset,
      name: 'from elsewhere',
      worlds: [{ name: 'agentgym-textcraft', weight: 1, options: {} }],
      horizon: [{ steps: preset.steps, turns: 5 }],
    });
    const { id } = await store.create({ name: 'from elsewhere', experiment, origin: { kind: 'new' } });
    const file = join(tmpdir(), `from-elsewhere-${process.pid}.tabgym`);
    writeFileSync(file, await exportRun(store, id));
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('an experiment from a file asks before its first request', { tags: 'slow' }, async () => {
  const { server, address } = await started(new AgentGymServer(dialects.textcraft, true));
  const file = await foreignRun();
  const { page, close } = await open(browser, site.url, wide);
  await choose(page, 'agentgym-textcraft');
  await connect(page, address);
  await page.getByText(/The connection works\./).waitFor();
  const requestsBefore = server.requests.length;
  await page.getByRole('button', { name: 'Open an exported run' }).click();
  await page.getByLabel('File to import').setInputFiles(file);
  await page.getByText('“from elsewhere” was imported.').waitFor();
  await page.getByText(/This experiment came from a file and would use your .* server/).waitFor();
  await page.getByRole('tab', { name: 'Play' }).click();
  await play(page);
  await page
    .getByRole('alert')
    .getByText(/Allow the server in the setup/)
    .waitFor();
  expect(server.requests.length).toBe(requestsBefore);
  await screenshot(page, 'connect-foreign-wide');
  await page.getByRole('button', { name: 'Let it use this server' }).click();
  await play(page);
  await page
    .getByRole('log')
    .getByText(/^Task \d+\.$/)
    .waitFor();
  rmSync(file);
  await close();
});

test('a world with invalid answers stops the training with its message, and training continues once it is fixed', {
  tags: 'slow',
  timeout: 300_000,
}, async () => {
  const { server, address } = await started(new AgentGymServer(dialects.textcraft, true));
  server.onPath.set(
    '/step',
    Array.from({ length: 999 }, () => mishaps['a null reward']),
  );
  const { page, close } = await open(browser, site.url, wide);
  await choose(page, 'agentgym-textcraft');
  await connect(page, address);
  await page.getByText(/The connection works\./).waitFor();
  await page.getByRole('button', { name: 'Train', exact: true }).first().click();
  const stopped = page.getByText(/TextCraft \(AgentGym server\) failed in each of its first \d+ episodes/).first();
  await stopped.waitFor({ timeout: 120_000 });
  expect(await stopped.textContent()).toMatch(/reward must be a number/);
  expect(await axeFindings(page, wcagOnly)).toEqual([]);
  await screenshot(page, 'world-failed-wide');
  server.onPath.delete('/step');
  const before = server.count('/step');
  await page.getByRole('button', { name: 'Try again from the last step' }).click();
  await expect.poll(() => server.count('/step') - before, { timeout: 120_000 }).toBeGreaterThan(20);
  expect(await page.getByRole('button', { name: 'Try again from the last step' }).count()).toBe(0);
  await close();
});

/** A model server with OpenAI's protocol, open to pages. It requires a key and gives prepared replies. */
class ModelServer {
  readonly requests: { path: string; key: string | undefined; body: string }[] = [];
  private readonly server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => this.answer(request, body, response));
  });

  constructor(
    private readonly key: string,
    private readonly reply: string,
  ) {}

  private answer({ url = '', method, headers }: IncomingMessage, body: string, response: ServerResponse) {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    const send = (status: number, value: object) =>
      response.writeHead(status, { ...cors, 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (method === 'OPTIONS') return send(200, {});
    this.requests.push({ path: url, key: headers.authorization, body });
    if (headers.authorization !== `Bearer ${this.key}`) return send(401, { error: { message: 'Incorrect API key' } });
    if (url.endsWith('/models')) return send(200, { object: 'list', data: [{ id: 'big-one' }, { id: 'small-one' }] });
    return send(200, {
      choices: [{ index: 0, message: { role: 'assistant', content: this.reply }, finish_reason: 'stop' }],
    });
  }

  listen = () =>
    new Promise<string>((resolve) => {
      this.server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`),
      );
    });
  close = () => new Promise<void>((resolve) => this.server.close(() => resolve()));
}

test('a teacher behind an API is named with its address, and other text stays to be corrected', async () => {
  const { page, errors, close } = await open(browser, site.url, wide);
  await page.getByLabel('Preset').waitFor({ timeout: 60_000 });
  await page.getByLabel('Show advanced settings').check();
  await page
    .getByRole('combobox', { name: 'Algorithm', exact: true })
    .selectOption({ label: 'On-policy distillation' });
  const field = page.locator('tabgym-teacher-picker').getByLabel('Model behind an API');
  const type = async (text: string) => {
    await field.fill(text);
    // The list of agents may arrive while somebody types.
    await page.locator('tabgym-teacher-picker').evaluate((picker: LitElement) => {
      picker.requestUpdate();
      return picker.updateComplete;
    });
    await field.press('Tab');
  };
  await type('big-one');
  await page.getByText('“big-one” names no model behind an API. Write MODEL@https://HOST/v1.').waitFor();
  expect(await field.inputValue()).toBe('big-one');
  await type('big-one@https://models.example/v1');
  await page.getByText(/names no model behind an API/).waitFor({ state: 'detached' });
  await page.locator('tabgym-teacher-picker tabgym-model-connection').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a model behind an API plays with a key that the page does not store', { tags: 'slow' }, async () => {
  const secret = 'sk-kept-to-itself';
  const { server, address } = await started(new ModelServer(secret, 'Thought:\nI look.\n\nAction:\ninventory'));
  const { page, errors, close } = await open(browser, site.url, wide);
  await page.getByLabel('Preset').waitFor({ timeout: 60_000 });
  await page.getByLabel('Show advanced settings').check();
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption({ label: 'Model behind an API' });
  const fields = page.locator('tabgym-model-connection');
  const typed = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).press('Tab');
  };
  await typed('Address', address);
  await fields.getByRole('button', { name: 'Connect' }).click();
  await fields.getByText(/The server refused this page: GET \/models was answered with status 401/).waitFor();
  await fields.getByLabel('Key, if the server asks for one').fill(secret);
  await fields.getByLabel('Key, if the server asks for one').press('Tab');
  await fields.getByRole('button', { name: 'Connect' }).click();
  await fields.getByRole('button', { name: 'big-one' }).click();
  await page.getByText(/The texts of the worlds are sent to/).waitFor();
  await fields.scrollIntoViewIfNeeded();
  expect(await axeFindings(page, wcagOnly)).toEqual([]);
  await screenshot(page, 'api-model-wide');
  await page.getByRole('button', { name: 'Open the model' }).click();
  await page.getByRole('button', { name: 'Watch one episode' }).click();
  await page.locator('tabgym-episode').getByText('inventory').first().waitFor();
  await screenshot(page, 'api-model-watch-wide');
  const completions = server.requests.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(completions.length).toBeGreaterThan(0);
  expect(completions.every(({ key }) => key === `Bearer ${secret}`)).toBe(true);
  expect(JSON.parse(completions[0].body).model).toBe('big-one');
  // The key is only in the header, neither in storage nor in the address.
  const kept = await page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name!);
    const open = (name: string) =>
      new Promise<IDBDatabase>((done) =>
        Object.assign(indexedDB.open(name), {
          onsuccess: (event: Event) => done((event.target as IDBOpenDBRequest).result),
        }),
      );
    const all = (database: IDBDatabase, store: string) =>
      new Promise<unknown>((done) =>
        Object.assign(database.transaction(store).objectStore(store).getAll(), {
          onsuccess: (event: Event) => done((event.target as IDBRequest).result),
        }),
      );
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }, location.href];
    for (const name of names) {
      const database = await open(name);
      for (const store of database.objectStoreNames) found.push(await all(database, store));
      database.close();
    }
    return JSON.stringify(found);
  });
  expect(kept).toContain('big-one');
  expect(kept).not.toContain(secret);
  expect(completions.map(({ body }) => body).join()).not.toContain(secret);
  expect(errors.filter((error) => !refusals.test(error))).toEqual([]);
  await close();
});

test('a run is handed over as a folder in a zip', { tags: 'slow', timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-handed-'));
  const { page, errors, close } = await open(browser, site.url, wide);
  try {
    await train({ file: 'experiments/micro.json', out: folder, steps: 1, device: 'wasm', threads: 1, print: () => {} });
    await page.getByRole('button', { name: 'Open an exported run' }).click({ timeout: 60_000 });
    await page.getByLabel('File to import').setInputFiles(join(folder, 'run.tabgym'));
    await page.getByText('Continue in another trainer').click();
    await page.getByText('Continue in another trainer').scrollIntoViewIfNeeded();
    await screenshot(page, 'handoff-wide');
    expect(await axeFindings(page, wcagOnly)).toEqual([]);
    for (const label of ['verl', 'TRL']) {
      const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: 60_000 }),
        page.getByRole('button', { name: new RegExp(`^Continue with ${label}: `) }).click(),
      ]);
      const files = unzip(readFileSync(await download.path()));
      const names = Object.keys(files);
      for (const wanted of [
        'README.md',
        'run.sh',
        'serve.sh',
        'train.jsonl',
        'experiment.json',
        'model/model.safetensors',
      ])
        expect(names).toContain(wanted);
      expect(new TextDecoder().decode(files['README.md'])).toContain('maskActions');
    }
    await page.getByRole('button', { name: /^Continue with AgentGym-RL: / }).click();
    await page
      .getByText(/ChatML/)
      .first()
      .waitFor();
    await screenshot(page, 'handoff-refused-wide');
    await page.setViewportSize({ width: narrow.width, height: narrow.height });
    await page.getByText('Continue in another trainer').scrollIntoViewIfNeeded();
    await screenshot(page, 'handoff-narrow');
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(errors).toEqual([]);
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
});
