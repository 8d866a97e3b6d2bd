/**
 * A SCORM 1.2 package in Chromium: the launcher of a package beside the page, under a stub of the platform's API that
 * keeps the data model's rules, and a stub of a record store; then under a real player, scorm-again
 * (https://github.com/jcputney/scorm-again), also with the whole page as it ships in the package.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/machine.mjs';
import { scormPackage } from '../../src/classroom/scorm/package.ts';
import { unzip } from '../../src/store/zip.ts';
import { group } from '../../src/ui/lessons/group.ts';
import { buildReal, launch, serveMock } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const content = { id: `lesson:${group.id}`, title: 'A "group" & more', hash: `#lesson=${group.id}`, xapi: true };
const encode = (text: string) => new TextEncoder().encode(text);
const parts = new Map(
  Object.entries(unzip(scormPackage(content, new Map([['index.html', encode('the page')]])))).map(([name, bytes]) => [
    name,
    new TextDecoder().decode(bytes),
  ]),
);

/** A platform that checks order and values of calls as the Run-Time Environment says. */
const stub = `(() => {
  const data = { 'cmi.core.lesson_status': 'not attempted' };
  let state = 'new', code = 0;
  const rules = {
    'cmi.core.lesson_status': /^(passed|completed|failed|incomplete|browsed)$/,
    'cmi.core.score.raw': /^\\d{1,3}(\\.\\d+)?$/, 'cmi.core.score.min': /^0$/, 'cmi.core.score.max': /^100$/,
    'cmi.core.session_time': /^\\d{4}:\\d{2}:\\d{2}(\\.\\d{1,2})?$/,
  };
  const seen = window.seen = [];
  const done = (name, values, error) => { code = error; seen.push([name, ...values, error]); return error ? 'false' : 'true'; };
  window.API = {
    LMSInitialize: (v) => { const e = state === 'new' && v === '' ? 0 : 101; state = 'open'; return done('LMSInitialize', [], e); },
    LMSFinish: () => { const e = state === 'open' ? 0 : 301; state = 'closed'; return done('LMSFinish', [], e); },
    LMSGetValue: (k) => { code = state === 'open' ? 0 : 301; return data[k] ?? ''; },
    LMSSetValue: (k, v) => { const e = state !== 'open' ? 301 : !rules[k] ? 401 : rules[k].test(v) ? 0 : 405; if (!e) data[k] = v; return done('LMSSetValue', [k, v], e); },
    LMSCommit: () => done('LMSCommit', [], state === 'open' ? 0 : 301),
    LMSGetLastError: () => String(code), LMSGetErrorString: (c) => 'error ' + c, LMSGetDiagnostic: () => '',
  };
  window.data = data;
})();`;

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/**
 * The platform's page with the package in a frame. `api`: its script. `files`: the files of a whole package; without them
 * the page with fixtures stands in for the package's.
 */
async function platform(api: string, answered: boolean, files: { [name: string]: Uint8Array } | null = null) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const answers = Object.fromEntries(
    group.questions.map(({ id, choices }, k) => [id, k ? 0 : choices.findIndex((each) => each.right)]),
  );
  const asked = Object.fromEntries(group.parts.filter(({ ask }) => ask).map(({ id }) => [id, 0]));
  const { id: last } = group.questions[1];
  if (!answered) delete answers[last];
  const lessons = { [group.id]: { done: group.parts.map(({ id }) => id), answers: { ...asked, ...answers } } };
  await context.addInitScript(
    (value) => localStorage.setItem('tabgym.lessons', value),
    JSON.stringify({ open: group.id, lessons }),
  );
  const page = await context.newPage();
  const absent: string[] = [];
  const statements: { body: unknown; authorization: string | undefined }[] = [];
  await page.route('**/lms/**', (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname.replace(/^.*\/lms\//, '');
    if (name === 'store/statements') {
      const { authorization } = route.request().headers();
      statements.push({ body: route.request().postDataJSON(), authorization });
      return route.fulfill({ json: ['one'] });
    }
    // The mock page needs its query; a redirect keeps the fragment.
    if (!files && name === 'site/index.html')
      return route.fulfill({ status: 302, headers: { location: '/?mock=paused' } });
    const launched = `endpoint=${encodeURIComponent('/lms/store')}&auth=Basic%20x&actor=${encodeURIComponent('{"mbox":"mailto:a@example.org"}')}`;
    const outer = `<!doctype html><title>LMS</title><script>${api}</script><iframe id="sco" src="/lms/index.html?${launched}" style="width:1400px;height:850px"></iframe>`;
    const body = name === 'platform.html' ? outer : files ? Buffer.from(files[name] ?? []) : (parts.get(name) ?? '');
    const missing = files && name !== 'platform.html' && !(name in files);
    if (missing) absent.push(name);
    return route.fulfill({ status: missing ? 404 : 200, contentType: types[extname(name)] ?? 'text/html', body });
  });
  await page.goto(`${site.url}lms/platform.html`);
  return { page, statements, absent, close: () => context.close() };
}

const calls = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: unknown[][] }).seen);

test('the manifest names every file, and the title is escaped', () => {
  const manifest = parts.get('imsmanifest.xml')!;
  expect(manifest).toContain('<schemaversion>1.2</schemaversion>');
  expect(manifest).toContain('adlcp:scormtype="sco" href="index.html"');
  expect(manifest).toContain('A &quot;group&quot; &amp; more');
  for (const name of parts.keys()) if (name !== 'imsmanifest.xml') expect(manifest).toContain(`<file href="${name}"/>`);
});

test('completion and score arrive at the platform and at the record store, and the session ends', async () => {
  const { page, statements, close } = await platform(stub, false);
  const inner = page.frameLocator('#sco').frameLocator('#page');
  await inner.locator('.questions').waitFor({ timeout: 60_000 });
  expect((await calls(page)).map(([name]) => name)).toEqual(['LMSInitialize', 'LMSSetValue', 'LMSCommit']);
  const question = inner.locator('.questions fieldset').last();
  const right = group.questions[1].choices.findIndex((each) => each.right);
  await question.getByRole('radio').nth(right).check();
  await question.locator('[data-do=answer]').click();
  const value = (name: string) =>
    page.evaluate((key) => (globalThis as unknown as { data: { [k: string]: string } }).data[key], name);
  await expect.poll(() => value('cmi.core.lesson_status')).toBe('completed');
  expect(await value('cmi.core.score.raw')).toBe('100');
  await expect.poll(() => statements.length).toBe(1);
  expect(statements[0]).toMatchObject({
    authorization: 'Basic x',
    body: {
      actor: { mbox: 'mailto:a@example.org' },
      object: { id: `urn:tabgym:lesson:${group.id}` },
      result: { score: { scaled: 1 } },
    },
  });
  await page.evaluate(() => document.getElementById('sco')!.remove());
  await expect.poll(async () => (await calls(page)).at(-1)).toEqual(['LMSFinish', 0]);
  expect((await calls(page)).filter((call) => call.at(-1) !== 0)).toEqual([]);
  await close();
});

test('a real player takes the same calls', async () => {
  const player = readFileSync(join(root, 'node_modules/scorm-again/dist/scorm12.js'), 'utf8');
  const { page, close } = await platform(
    `${player};window.API = new Scorm12API({ autocommit: false, logLevel: 4 });`,
    true,
  );
  const value = (name: string) =>
    page.evaluate(
      (key) => (globalThis as unknown as { API: { lmsGetValue(k: string): string } }).API.lmsGetValue(key),
      name,
    );
  await expect.poll(() => value('cmi.core.lesson_status'), { timeout: 60_000 }).toBe('completed');
  expect(await value('cmi.core.score.raw')).toMatch(/^(50|100)$/);
  await page.evaluate(() => document.getElementById('sco')!.remove());
  const finished = () =>
    page.evaluate(() => (globalThis as unknown as { API: { isTerminated(): boolean } }).API.isTerminated());
  await expect.poll(finished).toBe(true);
  await close();
});

/** Files of a folder by path, as `npm run scorm` packs them. */
const filesOf = (folder: string) =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !each.name.endsWith('.map'))
      .map((each) => join(each.parentPath, each.name))
      .map((path) => [relative(folder, path).replaceAll('\\', '/'), new Uint8Array(readFileSync(path))]),
  );

test('the whole page in a package reports completion and score', { tags: 'slow', timeout: 600_000 }, async () => {
  const packed = scormPackage(content, filesOf(await buildReal()));
  const { page, absent, close } = await platform(stub, false, unzip(packed));
  const inner = page.frameLocator('#sco').frameLocator('#page');
  const question = inner.locator('.questions fieldset').last();
  await question.waitFor({ timeout: 240_000 });
  const right = group.questions[1].choices.findIndex((each) => each.right);
  await question.getByRole('radio').nth(right).check();
  await question.locator('[data-do=answer]').click();
  const value = (name: string) =>
    page.evaluate((key) => (globalThis as unknown as { data: { [k: string]: string } }).data[key], name);
  await expect.poll(() => value('cmi.core.lesson_status'), { timeout: 60_000 }).toBe('completed');
  expect(await value('cmi.core.score.raw')).toBe('100');
  await page.evaluate(() => document.getElementById('sco')!.remove());
  await expect.poll(async () => (await calls(page)).at(-1)).toEqual(['LMSFinish', 0]);
  expect((await calls(page)).filter((call) => call.at(-1) !== 0)).toEqual([]);
  expect(absent).toEqual([]);
  await close();
});
