// The built page in a Chromium without WebGPU: it trains on the processor. If WebGPU was requested nevertheless, the
// page explains what is missing. A trained policy then still plays over the ONNX runtime, whose files come from this
// site and only when needed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { rememberLab, screenshot, serveReal } from './harness.ts';

const minutes = 60_000;
const profiles: string[] = [];
let url = '';
let stopServer = async () => {};

beforeAll(async () => {
  ({ url, close: stopServer } = await serveReal());
}, 3 * minutes);

afterAll(async () => {
  await stopServer();
  for (const profile of profiles) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

async function openPage(query = '') {
  // A new visitor each time.
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-without-gpu-'));
  profiles.push(profile);
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!,
    args: [...chromiumArgsWithoutWebGpu, '--disable-gpu'],
    viewport: { width: 1440, height: 900 },
  });
  await context.addInitScript(rememberLab);
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  // Requests of the page itself, without those of the service worker, which caches files in the background.
  const byPage: string[] = [];
  context.on('request', (request) => {
    requests.push(request.url());
    if (!request.serviceWorker()) byPage.push(request.url());
  });
  await page.goto(url + query);
  return { context, page, errors, requests, byPage };
}

const hasAdapter = (page: Page) =>
  page.evaluate(async () => ((await navigator.gpu?.requestAdapter()) ?? null) !== null);

describe.skipIf(!findChromium())('without WebGPU', () => {
  test('a run trains on the processor', { timeout: 5 * minutes }, async () => {
    const { context, page, errors, requests } = await openPage();
    expect(await hasAdapter(page)).toBe(false);
    const device = page.getByRole('combobox', { name: 'Device that trains' });
    await device.waitFor({ timeout: minutes });
    expect(await device.locator('option').first().textContent()).toBe('Fastest: processor');
    await screenshot(page, 'without-gpu-welcome');
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await page
      .locator('tabgym-transport .steps strong')
      .filter({ hasText: /^Step 1$/ })
      .waitFor({ timeout: 3 * minutes });
    const successes = page.locator('[role=slider][aria-label^="Success by step"]');
    await expect
      .poll(() => successes.getAttribute('aria-valuetext'))
      .toMatch(/^Step 1: training [\d.]+, chance [\d.]+/);
    await screenshot(page, 'without-gpu-trained');
    expect(requests.filter((address) => !address.startsWith(url) && !/^(blob|data):/.test(address))).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('a request for WebGPU is answered with what is missing; the shipped policy plays over the ONNX runtime', {
    tags: 'slow',
    timeout: 5 * minutes,
  }, async () => {
    const { context, page, errors, requests, byPage } = await openPage('?device=webgpu');
    await page.getByText('WebGPU was chosen, but this browser does not offer it.').waitFor({ timeout: minutes });
    await page.getByText(/You can still watch a trained policy play/).waitFor();
    await screenshot(page, 'without-gpu-asked');
    const runtime = () => byPage.filter((address) => /\/ort[.-]/.test(address));
    expect(runtime()).toEqual([]);

    await page.getByRole('button', { name: 'Watch a trained policy' }).click();
    await page.getByText(/The policy can play on the processor with ONNX Runtime/).waitFor({ timeout: minutes });
    // The horizon is one turn more than the oracle needs, so an episode ends within a few turns.
    const turns = () => page.locator('tabgym-watch').evaluate((each) => each.shadowRoot?.textContent ?? '');
    await expect.poll(turns, { timeout: 2 * minutes }).toContain('the episode you watched last');
    const actions = await page.evaluate(() => {
      const { live } = (
        document.querySelector('tabgym-app') as unknown as {
          app: { store: { state: { live: { action: string; done: boolean }[] } } };
        }
      ).app.store.state;
      return live.map(({ action, done }) => ({ action, done }));
    });
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.every(({ action }) => /^(get|craft) /.test(action))).toBe(true);
    expect(actions.at(-1)?.done).toBe(true);
    await screenshot(page, 'without-gpu-watching');

    expect(runtime().some((address) => address.endsWith('.wasm'))).toBe(true);
    expect(requests.filter((address) => !address.startsWith(url) && !/^(blob|data):/.test(address))).toEqual([]);
    expect(await page.getByRole('button', { name: 'Train', exact: true }).isDisabled()).toBe(true);

    // Another task, with the runtime already loaded; it can be stopped.
    console.log(runtime().join('\n'));
    const before = runtime().length;
    await page.getByRole('button', { name: 'Watch one episode' }).click();
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('button', { name: 'Watch one episode' }).waitFor();
    expect(runtime().length).toBe(before);
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, 'without-gpu-narrow');
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.getByRole('combobox', { name: 'Device that trains' }).selectOption('');
    await expect.poll(() => page.getByRole('button', { name: 'Train', exact: true }).isEnabled()).toBe(true);
    expect(new URL(page.url()).search).toBe('');
    expect(errors).toEqual([]);
    await context.close();
  });
});
