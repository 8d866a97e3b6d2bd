/**
 * The real page with the real trainer, world and kernels, on the processor (the alternative here is a software
 * adapter): train, look, reload in the middle, continue, export, import elsewhere; and WebGPU if requested. In
 * Chromium; firefox.test.ts repeats a part of it in Firefox.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import { rememberLab, screenshot, serveReal } from './harness.ts';

const minutes = 60_000;
const folders: string[] = [];
let url = '';
let stopServer = async () => {};

beforeAll(async () => {
  ({ url, close: stopServer } = await serveReal());
}, 3 * minutes);

afterAll(async () => {
  await stopServer();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function profile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-page-'));
  folders.push(folder);
  return folder;
}

/**
 * Opens the page in a clean profile and collects the errors that it prints. `clock`: if true, the test can advance the
 * page's clock.
 */
async function chromiumPage({
  clock = false,
  query = '',
} = {}): Promise<{ context: BrowserContext; page: Page; errors: string[] }> {
  const viewport = { width: 1440, height: 900 };
  const context = await chromium.launchPersistentContext(profile(), {
    executablePath: findChromium()!,
    args: chromiumArgs,
    viewport,
    acceptDownloads: true,
  });
  await context.addInitScript(rememberLab);
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  if (clock) await page.clock.install();
  await page.goto(url + query);
  await page.getByLabel('Preset').waitFor({ timeout: minutes });
  return { context, page, errors };
}

const stepOf = (page: Page) =>
  page
    .locator('tabgym-transport .steps strong')
    .textContent()
    .then((text) => Number(/\d+/.exec(text ?? '')?.[0] ?? -1));

const reach = (page: Page, step: number) =>
  expect.poll(() => stepOf(page), { timeout: 3 * minutes, interval: 200 }).toBeGreaterThanOrEqual(step);

/**
 * The Micro preset with more steps, so that the run lasts longer than the test: the processor takes eight steps a
 * second.
 */
async function micro(page: Page, steps: number): Promise<void> {
  await page.getByLabel('Preset').selectOption({ label: 'Micro' });
  await page.getByLabel('Steps', { exact: true }).fill(String(steps));
  await page.getByLabel('Steps', { exact: true }).blur();
}

/** All rows of a chart's table, as text. */
async function tableOf(page: Page, chart: string): Promise<string[]> {
  await page.getByRole('button', { name: `Table: ${chart}` }).click();
  const rows = await page.locator('tabgym-chart tbody tr').allTextContents();
  await page.getByRole('button', { name: `Chart: ${chart}` }).click();
  return rows;
}

/** The trajectory at a place, as text in the reader. */
async function textOf(page: Page, place: string): Promise<string[]> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  await page.getByRole('listbox', { name: 'Tokens of the policy' }).first().waitFor();
  await page.getByText(/The world after turn 1/).waitFor();
  return page.locator('tabgym-trajectory [role=listbox]').allTextContents();
}

describe.skipIf(!findChromium())('in Chromium', () => {
  test('train, look, reload in the middle, continue, export, import into a clean profile', {
    timeout: 8 * minutes,
  }, async () => {
    const first = await chromiumPage();
    const { page } = first;
    const steps = 60;
    await micro(page, steps);
    await page.getByText('fits').first().waitFor();
    await page.getByRole('button', { name: 'Train', exact: true }).first().click();
    await reach(page, 2);
    expect(await page.locator('[role=slider][aria-label^="Success by step"]').getAttribute('aria-valuetext')).toMatch(
      /^Step \d+: training [\d.]+, chance [\d.]+, oracle [\d.]+(, |$)/,
    );

    await page.reload();
    await page
      .getByText(/The run continues from step \d+, where this page was closed/)
      .first()
      .waitFor({ timeout: minutes });
    await page.getByRole('button', { name: 'Finished' }).waitFor({ timeout: 4 * minutes });
    expect(await stepOf(page)).toBe(steps);
    const rows = await tableOf(page, 'Success');
    expect(rows).toHaveLength(steps + 1);

    const run = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run');
    const tokens = await textOf(page, `run=${run}&step=${steps}&tab=trajectory`);
    expect(tokens.join(' ')).toMatch(/Goal|goal/);
    expect(tokens.some((text) => /\b(get|craft)\b/.test(text))).toBe(true);
    await screenshot(page, 'real-trajectory');

    await page.locator('tabgym-stage').focus();
    await page.keyboard.press('r');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Export: Micro/ }).click();
    const file = await (await download).path();

    const second = await chromiumPage();
    await second.page.getByRole('button', { name: 'Open an exported run' }).click();
    await second.page.getByLabel('File to import').setInputFiles({
      name: 'micro.tabgym',
      mimeType: 'application/zip',
      buffer: (await import('node:fs')).readFileSync(file),
    });
    await second.page
      .getByText(/was imported/)
      .first()
      .waitFor();
    await second.page.getByRole('button', { name: 'Close the drawer' }).click();
    expect(await tableOf(second.page, 'Success')).toEqual(rows);
    const imported = new URLSearchParams(new URL(second.page.url()).hash.slice(1)).get('run');
    expect(await textOf(second.page, `run=${imported}&step=${steps}&tab=trajectory`)).toEqual(tokens);

    expect([...first.errors, ...second.errors]).toEqual([]);
    await second.context.close();
    await first.context.close();
  });

  test('a trainer that no longer answers is replaced, and the run continues', {
    tags: 'slow',
    timeout: 5 * minutes,
  }, async () => {
    const { context, page, errors } = await chromiumPage({ clock: true });
    await micro(page, 2000);
    await page.getByRole('button', { name: 'Train', exact: true }).first().click();
    await reach(page, 1);
    await page.getByLabel('Learning rate', { exact: true }).fill('0.002');
    const [trainer] = page.workers();
    // Each world has a worker, which ends with the trainer.
    await trainer.evaluate(() => {
      setTimeout(() => {
        for (;;);
      });
    });
    // The page's minute passes in milliseconds, so the trainer must have stopped answering before.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await page.clock.runFor(61_000);
    await page
      .getByText(/The trainer stopped answering and was replaced, at step \d+\./)
      .first()
      .waitFor({ timeout: minutes });
    const again = await stepOf(page);
    await screenshot(page, 'real-replaced');
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, 'real-replaced-narrow');
    await page.setViewportSize({ width: 1440, height: 900 });
    await reach(page, again + 1);
    expect(await page.getByLabel('Learning rate', { exact: true }).inputValue()).toBe('0.002');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('two tabs: the second reads, takes over, and trains on', { tags: 'slow', timeout: 5 * minutes }, async () => {
    const { context, page, errors } = await chromiumPage();
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await reach(page, 1);
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByText('This run is open in another tab. This tab is read-only').waitFor({ timeout: minutes });
    expect(await other.getByRole('button', { name: 'Train', exact: true }).isDisabled()).toBe(true);
    await other.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('This run is open in another tab. This tab is read-only').waitFor({ timeout: minutes });
    await other.getByRole('button', { name: 'Step', exact: true }).click();
    await reach(other, 2);
    // What one tab makes, the other lists.
    await other.getByRole('button', { name: 'Runs', exact: true }).click();
    await other.getByRole('button', { name: /^Duplicate/ }).click();
    const listed = (tab: Page) => tab.getByRole('list', { name: 'Runs' }).getByRole('listitem').count();
    await expect.poll(() => listed(other)).toBe(2);
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await expect.poll(() => listed(page)).toBe(2);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('an own objective trains, fails with its line, is fixed, and asks elsewhere before it runs', {
    tags: 'slow',
    timeout: 8 * minutes,
  }, async () => {
    const first = await chromiumPage();
    const { page } = first;
    const editor = page.getByRole('textbox', { name: /^Objective as JavaScript/ });
    /** Inserts a line at the start of the objective. */
    const begin = async (line: string) => {
      await page.getByRole('button', { name: 'Edit the objective' }).click();
      await editor.focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.insertText(line);
      await page.getByRole('button', { name: 'Done', exact: true }).click();
    };
    const step = (of: Page) => of.getByRole('button', { name: 'Step', exact: true }).click();
    const question = (of: Page) => of.getByRole('dialog', { name: 'May this code run?' });
    await micro(page, 20);
    await begin('// My own words.\n');
    await step(page);
    await reach(page, 1);
    expect(await question(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });

    await begin('throw new Error("not yet");\n');
    await step(page);
    await page
      .getByText(/objective\.js, line 1, column \d+: Error: not yet/)
      .first()
      .waitFor({ timeout: minutes });
    expect(await stepOf(page)).toBe(1);
    await screenshot(page, 'real-objective-failed');
    await page.getByRole('button', { name: 'Edit the objective' }).click();
    await editor.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await step(page);
    await reach(page, 2);
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });

    await page.locator('tabgym-stage').focus();
    await page.keyboard.press('r');
    const download = page.waitForEvent('download');
    await page
      .getByRole('button', { name: /^Export: Micro/ })
      .first()
      .click();
    const file = await (await download).path();

    const second = await chromiumPage();
    const other = second.page;
    await other.getByRole('button', { name: 'Open an exported run' }).click();
    const buffer = (await import('node:fs')).readFileSync(file);
    await other.getByLabel('File to import').setInputFiles({ name: 'own.tabgym', mimeType: 'application/zip', buffer });
    await other
      .getByText(/was imported/)
      .first()
      .waitFor();
    await other.getByRole('button', { name: 'Close the drawer' }).click();
    const steps = await stepOf(other);
    await step(other);
    await question(other).getByText('// My own words.').waitFor();
    await screenshot(other, 'real-code-question');
    await other.setViewportSize({ width: 390, height: 844 });
    await screenshot(other, 'real-code-question-narrow');
    await other.setViewportSize({ width: 1440, height: 900 });
    await other.getByRole('button', { name: 'Do not run it' }).click();
    await other
      .getByText(/its custom code was not allowed/)
      .first()
      .waitFor();
    expect(await stepOf(other)).toBe(steps);
    await step(other);
    await other.getByRole('button', { name: 'Run it', exact: true }).click();
    await reach(other, steps + 1);
    await other.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });
    await step(other);
    await reach(other, steps + 2);
    expect(await question(other).count()).toBe(0);
    expect([...first.errors, ...second.errors]).toEqual([]);
    await second.context.close();
    await first.context.close();
  });

  test('WebGPU trains if the address asks for it', { tags: 'slow', timeout: 5 * minutes }, async () => {
    const { context, page, errors } = await chromiumPage({ query: '?device=webgpu' });
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await reach(page, 1);
    const device = page.getByRole('combobox', { name: 'Device that trains' });
    expect(await device.inputValue()).toBe('webgpu');
    expect(await device.getAttribute('title')).toBe('software adapter. You chose it.');
    await page.getByRole('button', { name: 'Device', exact: true }).click();
    await page.getByText(/Checked against plain arithmetic: \d+ kernels\./).waitFor();
    // The kernels are shown as WGSL, so WebGPU computed.
    expect(await page.locator('tabgym-gpu pre').first().textContent()).toContain('@compute');
    await screenshot(page, 'real-webgpu');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('a run with steps continues as a fork on another device', { tags: 'slow', timeout: 5 * minutes }, async () => {
    const { context, page, errors } = await chromiumPage();
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await reach(page, 1);
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor({ timeout: minutes });
    const runOf = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run');
    const parent = runOf();
    const device = page.getByRole('combobox', { name: 'Device that trains' });
    expect(await device.locator('option').first().textContent()).toBe('Fastest: processor');
    expect(await device.getAttribute('title')).toMatch(
      /^processor, \d+ threads?\. The only WebGPU adapter here is software/,
    );

    await device.selectOption('webgpu');
    await page
      .getByText('From step 1 the run continues as a fork: software adapter rounds differently.')
      .first()
      .waitFor({ timeout: minutes });
    expect(runOf()).not.toBe(parent);
    expect(await stepOf(page)).toBe(1);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await reach(page, 2);
    await screenshot(page, 'real-device-fork');
    // This browser remembers the choice.
    await page.reload();
    await expect.poll(() => device.inputValue(), { timeout: minutes }).toBe('webgpu');
    expect(errors).toEqual([]);
    await context.close();
  });
});
