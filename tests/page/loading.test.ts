/**
 * The real page and language models from a server of another origin: downloaded into the browser's own file system,
 * still there after a reload, trained with an adapter through their chat template, exported, and played in ONNX.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import { exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { makeModel } from '../../src/cli/random-model.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { readAdapter } from '../../src/store/bundle.ts';
import { ModelServer } from '../session/model-server.ts';
import { rememberLab, screenshot, serveReal } from './harness.ts';

const minutes = 60_000;
const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 30_000 };
let folder: string;
let server: ModelServer;
let site: Awaited<ReturnType<typeof serveReal>>;
let context: BrowserContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-loading-'));
  const out = join(folder, 'models/test/small');
  await makeModel(findModel('qwen2.5-0.5b'), { out, seed: 7, dtype: 'bf16', overrides });
  const chat = join(folder, 'models/test/chat');
  await makeModel(findModel('qwen2.5-0.5b'), {
    out: chat,
    seed: 7,
    dtype: 'bf16',
    overrides: { ...overrides, vocab: 1500 },
  });
  mkdirSync(join(folder, 'models/test/in-onnx/onnx'), { recursive: true });
  const form = { format: 'onnx', operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
  for (const [name, pieces] of exportedFiles(await readCheckpoint(chat), form))
    writeFileSync(join(folder, 'models/test/in-onnx', name), Buffer.concat(pieces));
  server = await ModelServer.open(join(folder, 'models'));
  site = await serveReal();
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: findChromium()!,
    args: chromiumArgs,
    viewport: { width: 1440, height: 900 },
  });
  await context.addInitScript(rememberLab);
}, 5 * minutes);

afterAll(async () => {
  await context?.close();
  await site?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens the picker and looks the model up. */
async function lookUp(page: Page, repository = 'test/small', onnx = '') {
  await page.goto(site.url);
  await page.getByLabel('Preset').waitFor({ timeout: 2 * minutes });
  await page.locator('tabgym-setup summary', { hasText: 'Language model' }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('other');
  await page.getByRole('textbox', { name: 'Repository' }).fill(repository);
  await page.locator('tabgym-model-picker summary').click();
  await page.getByRole('textbox', { name: 'Address of the hub or mirror' }).fill(server.base);
  if (onnx) await page.getByRole('textbox', { name: 'An ONNX file instead, to play without training' }).fill(onnx);
  await page.getByRole('button', { name: 'Look it up' }).click();
  await page.getByRole('heading', { name: repository }).waitFor({ timeout: minutes });
}

test('a model is downloaded into the tab, survives an interruption and a reload, and goes into the setup', {
  tags: 'slow',
  timeout: 8 * minutes,
}, async () => {
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  server.reset({ cutAt: 1_500_000 });
  await lookUp(page);
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByText('✓ ready').waitFor({ timeout: 2 * minutes });
  expect(server.sent).toBeGreaterThan(3_900_000);
  server.reset();
  await page.reload();
  await lookUp(page);
  await page.getByText('nothing: already stored').waitFor();
  expect(server.requests).toEqual([]);
  await page.getByRole('button', { name: 'Use it in the setup' }).click();
  await page.getByText('Rank', { exact: true }).first().waitFor();
  await screenshot(page, 'loading-real');
  expect(errors).toEqual([]);
});

test(
  'a model trains its adapter for a step through its chat template, and the adapter is exported',
  async () => {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    server.reset();
    await lookUp(page, 'test/chat');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('✓ ready').waitFor({ timeout: minutes });
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await page.getByRole('button', { name: 'Use it in the setup' }).click();
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    const steps = page.locator('tabgym-transport .steps strong');
    await expect.poll(() => steps.textContent(), { timeout: 5 * minutes }).toMatch(/Step 1\b/);
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });
    const run = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run');
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `run=${run}&step=1&tab=trajectory`);
    await page.getByText(/The world after turn 1/).waitFor();
    const text = await page.locator('tabgym-trajectory').evaluate((each) => each.shadowRoot?.textContent ?? '');
    expect(text).toContain('<|im_start|>');
    await screenshot(page, 'loading-trajectory');

    await page.locator('tabgym-stage').focus();
    await page.keyboard.press('r');
    const download = page.waitForEvent('download');
    await page
      .getByRole('button', { name: /^Export policy/ })
      .first()
      .click();
    const adapter = readAdapter(new Uint8Array(readFileSync(await (await download).path())))!;
    const config = JSON.parse(new TextDecoder().decode(adapter['adapter_config.json']));
    expect(config).toMatchObject({ peft_type: 'LORA', r: 16, base_model_name_or_path: 'test/chat' });
    expect(errors).toEqual([]);
    await page.close();
  },
  9 * minutes,
);

test('a local folder may have its model in ONNX in a sub-folder', { tags: 'slow', timeout: 4 * minutes }, async () => {
  const page = await context.newPage();
  await page.goto(site.url);
  await page.getByLabel('Preset').waitFor({ timeout: 2 * minutes });
  await page.locator('tabgym-setup summary', { hasText: 'Language model' }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('files');
  await page.locator('tabgym-model-picker #folder').setInputFiles(join(folder, 'models/test/in-onnx'));
  await page.getByText(/in-onnx: \d+ files/).waitFor();
  await page.getByRole('button', { name: 'Look it up' }).click();
  await page.getByRole('heading', { name: 'in-onnx' }).waitFor({ timeout: minutes });
  expect(await page.locator('tabgym-model-picker').evaluate((each) => each.shadowRoot?.textContent)).toContain(
    'onnx/model.onnx',
  );
  await screenshot(page, 'loading-onnx-folder');
  await page.close();
});

test('a model in ONNX plays, and cannot be trained', { tags: 'slow', timeout: 6 * minutes }, async () => {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  server.reset();
  await lookUp(page, 'test/in-onnx', 'onnx/model.onnx');
  await page.getByText('Download, when it first plays').waitFor();
  await page.getByLabel('Preset').selectOption({ label: 'Micro' });
  await page.getByRole('button', { name: 'Use it in the setup' }).click();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page
    .getByText('ONNX Runtime runs this language model and downloads its files at the first episode.')
    .waitFor({ timeout: minutes });
  expect(await page.getByRole('button', { name: 'Train', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Watch one episode' }).click();
  await page.getByText('the episode you watched last').waitFor({ timeout: 3 * minutes });
  await screenshot(page, 'loading-onnx');
  expect(await page.getByRole('heading', { name: 'Device memory' }).count()).toBe(0);
  server.reset();
  await lookUp(page, 'test/in-onnx', 'onnx/model.onnx');
  await page.getByText('nothing: already stored').waitFor();
  expect(server.requests).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, 'loading-onnx-narrow');
  expect(errors).toEqual([]);
  await page.close();
});
