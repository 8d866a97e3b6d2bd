// The built page in a Chromium without WebGPU: what is missing is said, and a trained policy plays all the same, over the ONNX
// runtime, whose files come from this site and only when they are needed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import { screenshot, serveReal } from './harness.ts';

const minutes = 60_000;
const profile = mkdtempSync(join(tmpdir(), 'tabgym-without-gpu-'));
let url = '';
let stopServer = async () => {};

beforeAll(async () => {
  ({ url, close: stopServer } = await serveReal('page-without-gpu'));
}, 3 * minutes);

afterAll(async () => {
  await stopServer();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

async function openPage() {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!,
    args: [...chromiumArgs.filter((arg) => !arg.includes('webgpu')), '--disable-gpu', '--disable-features=WebGPU'],
    viewport: { width: 1440, height: 900 },
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  context.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { context, page, errors, requests };
}

describe.skipIf(!findChromium())('without WebGPU', () => {
  test('the shipped policy plays over the ONNX runtime', { timeout: 5 * minutes }, async () => {
    const { context, page, errors, requests } = await openPage();
    expect(await page.evaluate(async () => (await navigator.gpu?.requestAdapter()) ?? null)).toBeNull();
    await page.getByText('Training needs WebGPU, which is missing here.').waitFor({ timeout: minutes });
    await page.getByText(/What works without it: a trained policy plays here/).waitFor();
    await screenshot(page, 'without-gpu-welcome');
    const runtime = () => requests.filter((address) => /ort[.-]/.test(address));
    expect(runtime()).toEqual([]);

    await page.getByRole('button', { name: 'Watch a trained policy' }).click();
    await page.getByText(/There is no WebGPU here: the policy plays on the processor/).waitFor({ timeout: minutes });
    // The horizon is a turn more than the oracle needs: an episode ends within a few turns.
    const turns = () => page.locator('tabgym-watch').evaluate((each) => each.shadowRoot?.textContent ?? '');
    await expect.poll(turns, { timeout: 2 * minutes }).toContain('the last episode watched');
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

    // Another task, with the runtime at hand; and it can be stopped.
    const before = runtime().length;
    await page.getByRole('button', { name: 'Watch it try' }).click();
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('button', { name: 'Watch it try' }).waitFor();
    expect(runtime().length).toBe(before);
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, 'without-gpu-narrow');
    expect(errors).toEqual([]);
    await context.close();
  });
});
