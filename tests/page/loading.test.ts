/** The real page fetches a language model from a server of another origin into the browser's own file system, and has it after a reload. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { build, preview } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { chromiumArgs, findChromium, root } from '../../scripts/machine.mjs';
import { makeModel } from '../../src/cli/making-model.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { ModelServer } from '../session/model-server.ts';
import { screenshot } from './harness.ts';

const minutes = 60_000;
const outDir = join(root, 'build/page-loading');
const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 30_000 };
let folder: string;
let server: ModelServer;
let site: Awaited<ReturnType<typeof preview>>;
let context: BrowserContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-loading-'));
  const out = join(folder, 'models/test/small');
  await makeModel(findModel('qwen2.5-0.5b'), { out, seed: 7, dtype: 'bf16', overrides });
  server = await ModelServer.open(join(folder, 'models'));
  await buildWasm();
  process.env.NODE_ENV = 'production';
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  site = await preview({ root, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: findChromium()!,
    args: chromiumArgs,
    viewport: { width: 1440, height: 900 },
  });
}, 5 * minutes);

afterAll(async () => {
  await context?.close();
  await site?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens the picker and looks the model up. */
async function lookUp(page: Page) {
  await page.goto(site.resolvedUrls!.local[0]);
  await page.getByLabel('Preset').waitFor({ timeout: 2 * minutes });
  await page.locator('tabgym-setup summary', { hasText: 'Language model' }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('other');
  await page.getByRole('textbox', { name: 'Repository' }).fill('test/small');
  await page.locator('tabgym-model-picker summary').click();
  await page.getByRole('textbox', { name: 'Address of the hub or mirror' }).fill(server.base);
  await page.getByRole('button', { name: 'Look it up' }).click();
  await page.getByRole('heading', { name: 'test/small' }).waitFor({ timeout: minutes });
}

test(
  'a model is fetched into the tab, survives a cut and a reload, and goes into the setup',
  async () => {
    const page = context.pages()[0] ?? (await context.newPage());
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    server.reset({ cutAt: 1_500_000 });
    await lookUp(page);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('ready').waitFor({ timeout: 2 * minutes });
    expect(server.sent).toBeGreaterThan(3_900_000);
    server.reset();
    await page.reload();
    await lookUp(page);
    await page.getByText('nothing: it is kept here').waitFor();
    expect(server.requests).toEqual([]);
    await page.getByRole('button', { name: 'Use it in the setup' }).click();
    await page.getByText('Rank', { exact: true }).first().waitFor();
    await screenshot(page, 'loading-real');
    expect(errors).toEqual([]);
  },
  8 * minutes,
);
