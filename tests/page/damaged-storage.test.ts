/**
 * What the page stored, damaged while it is closed, in Chromium: the page opens without an error, and names runs that it
 * cannot open.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import { rememberLab, serveReal } from './harness.ts';

const minutes = 60_000;
const profile = mkdtempSync(join(tmpdir(), 'tabgym-page-'));
let url = '';
let stopServer = async () => {};
let context: BrowserContext;
let page: Page;
let errors: string[] = [];

beforeAll(async () => {
  if (!findChromium()) return;
  ({ url, close: stopServer } = await serveReal());
  context = await chromium.launchPersistentContext(profile, { executablePath: findChromium()!, args: chromiumArgs });
  await context.addInitScript(rememberLab);
  page = context.pages()[0] ?? (await context.newPage());
  // The manifest, opened as a document, names no icon, so Chromium asks for /favicon.ico, and may say so later.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  await page.getByLabel('Preset').waitFor({ timeout: minutes });
  await page.getByLabel('Preset').selectOption({ label: 'Micro' });
  await page.getByLabel('Steps', { exact: true }).fill('2');
  await page.getByLabel('Steps', { exact: true }).blur();
  await page.getByRole('button', { name: 'Train', exact: true }).first().click();
  await page.getByRole('button', { name: 'Finished' }).waitFor({ timeout: 2 * minutes });
}, 5 * minutes);

afterAll(async () => {
  await context?.close();
  await stopServer();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens the page again. Returns the errors that it printed. */
async function reopened(): Promise<string[]> {
  errors = [];
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByLabel('Preset').waitFor({ timeout: minutes });
  return errors;
}

describe.skipIf(!findChromium())('in Chromium', () => {
  test('settings that are nonsense', { timeout: 5 * minutes }, async () => {
    const keys = await page.evaluate(() => Object.keys(localStorage));
    expect(keys.length).toBeGreaterThan(0);
    for (const value of ['{', 'null', '[null,5]', '{"__proto__":1,"document":7,"stages":{}}']) {
      await page.evaluate(
        ([names, text]) => {
          for (const name of names) if (name !== 'tabgym.arrangement') localStorage.setItem(name, text);
        },
        [keys, value] as const,
      );
      expect(await reopened()).toEqual([]);
    }
    await page.evaluate(() => localStorage.clear());
  });

  test('no room for settings', { timeout: 2 * minutes }, async () => {
    const full = await context.newPage();
    const thrown: string[] = [];
    full.on('pageerror', (error) => thrown.push(error.message));
    await full.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await full.goto(url);
    await full.getByLabel('Preset').waitFor({ timeout: minutes });
    await full.getByRole('button', { name: /^Theme/ }).click();
    await full.getByRole('button', { name: /^Theme: light/ }).waitFor();
    expect(thrown).toEqual([]);
    await full.close();
  });

  test('no storage: the page trains, and a notice that stays names what is lost', {
    timeout: 3 * minutes,
  }, async () => {
    const denied = mkdtempSync(join(tmpdir(), 'tabgym-page-'));
    mkdirSync(join(denied, 'Default'));
    const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
    writeFileSync(join(denied, 'Default', 'Preferences'), JSON.stringify(settings));
    const options = { executablePath: findChromium()!, args: chromiumArgs };
    const browser = await chromium.launchPersistentContext(denied, options);
    const tab = browser.pages()[0] ?? (await browser.newPage());
    await tab.goto(url);
    await tab.getByRole('button', { name: 'Train', exact: true }).click({ timeout: minutes });
    await tab.getByText(/^Update [1-9]/).waitFor({ timeout: minutes });
    const notices = await tab.locator('tabgym-notices .notice.error').allTextContents();
    expect(notices.map((text) => text.includes('does not let the page store anything'))).toEqual([true]);
    await browser.close();
    rmSync(denied, { recursive: true, force: true, maxRetries: 5 });
  });

  test('files in place of the folders of weights and corpora', { timeout: 2 * minutes }, async () => {
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      for (const name of ['weights', 'tabgym-corpora', 'trajectories']) {
        await root.removeEntry(name, { recursive: true }).catch(() => {});
        const file = await (await root.getFileHandle(name, { create: true })).createWritable();
        await file.write('x');
        await file.close();
      }
    });
    expect(await reopened()).toEqual([]);
  });

  test('a database of a newer version of the page is named, and left as it is', { timeout: 2 * minutes }, async () => {
    await page.goto('about:blank');
    await page.goto(`${url}manifest.webmanifest`);
    await page.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.open('tabgym', 2);
          request.onerror = () => reject(request.error);
          request.onsuccess = () => {
            request.result.close();
            resolve();
          };
        }),
    );
    expect(await reopened()).toEqual([]);
    await page
      .getByText(/written by a newer version of this page/)
      .first()
      .waitFor();
    const runs = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const request = indexedDB.open('tabgym');
          request.onsuccess = () => {
            const count = request.result.transaction('manifests').objectStore('manifests').count();
            count.onsuccess = () => resolve(count.result);
          };
        }),
    );
    expect(runs).toBe(1);
  });
});
