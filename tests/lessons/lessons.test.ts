/**
 * Every lesson from its first text to its last question, twice: by keyboard alone in Chromium, and by a page that
 * drives itself in Firefox. `npm run test:lessons`; TABGYM_LESSONS=agent,clip selects some of them.
 */
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { build, type Plugin } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgs, findChromium, findFirefox, root } from '../../scripts/machine.mjs';
import { openFirefox } from '../../tools/firefox.ts';
import { axeFindings } from '../page/axe.ts';
import { listener } from '../page/driven.ts';
import { type Opened, open, screenshot, serveReal } from '../page/harness.ts';
import { keyboardOf } from './chromium-hands.ts';
import { driveLesson } from './drives.ts';
import { textProblems } from './layout.ts';
import { matrix, pairsOf, type Settings } from './settings.ts';

const minutes = 60_000;
const wanted = process.env.TABGYM_LESSONS?.split(',');
const rows = matrix.filter(({ lesson }) => !wanted || wanted.includes(lesson));
const reports: [about: string, what: string][] = [];
let site: Awaited<ReturnType<typeof serveReal>>;
let browser: Browser;

/** The driving script and its module chunks, by file name. */
async function driverScripts(): Promise<Map<string, string>> {
  const input = join(root, 'tests/lessons/firefox-page.ts');
  const built = await build({
    root,
    logLevel: 'error',
    build: { write: false, lib: { entry: input, formats: ['es'], fileName: 'drive' } },
  });
  const [{ output }] = built as unknown as { output: { fileName: string; code?: string }[] }[];
  return new Map(output.flatMap(({ fileName, code }) => (code === undefined ? [] : [[`/${fileName}`, code]])));
}

/** Serves the driving page beside the driven one. */
function serving(scripts: Map<string, string>): Plugin {
  return {
    name: 'driving',
    configurePreviewServer({ middlewares }) {
      middlewares.use(
        '/said',
        listener((each: [string, string]) => void reports.push(each)),
      );
      middlewares.use('/drive.html', (_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(
          '<!doctype html><body style="margin:0"><script type="module" src="/driver/drive.js" onerror="fetch(`/said`,{method:`POST`,body:`[&quot;failed&quot;,&quot;the script that drives was not loaded&quot;]`})"></script>',
        );
      });
      middlewares.use('/driver', (request, response, next) => {
        const script = scripts.get(new URL(request.url!, 'http://localhost').pathname);
        if (script === undefined) return next();
        response.setHeader('content-type', 'text/javascript');
        response.end(script);
      });
    },
  };
}

beforeAll(async () => {
  site = await serveReal([serving(await driverScripts())]);
  browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgs });
}, 15 * minutes);

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function check(opened: Opened, { lesson, language, width }: Settings, where: 'begin' | 'end') {
  const { page } = opened;
  await screenshot(page, `lesson-${lesson}-${where}-${width}`);
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.evaluate(`(${textProblems})('tabgym-lessons')`)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  if (where === 'begin')
    await expect(await page.locator('tabgym-lessons').ariaSnapshot()).toMatchFileSnapshot(
      `snapshots/${lesson}.${language}.yml`,
    );
}

test('every pair of settings is covered, with two rows per lesson', () => {
  expect(pairsOf(matrix).size).toBe(6 * 4);
  for (const { lesson } of matrix) expect(matrix.filter((each) => each.lesson === lesson)).toHaveLength(2);
});

describe('by the keyboard in Chromium', () => {
  test.each(rows.filter((each) => each.browser === 'chromium'))(
    '$lesson, $language, $width, $theme',
    { timeout: 20 * minutes },
    async (row) => {
      const view = { width: row.width, height: row.width === 390 ? 844 : 900, colorScheme: row.theme };
      const opened = await open(browser, `${site.url}#lang=${row.language}`, view);
      await opened.page.waitForFunction(() =>
        document.querySelector('tabgym-app')?.shadowRoot?.querySelector('tabgym-stage'),
      );
      const hands = await keyboardOf(opened.page);
      await driveLesson(hands, row.lesson, (where) => check(opened, row, where));
      expect(opened.errors).toEqual([]);
      await opened.close();
    },
  );
});

describe.skipIf(!findFirefox())('by itself in Firefox', () => {
  test.each(rows.filter((each) => each.browser === 'firefox'))(
    '$lesson, $language, $width, $theme',
    { timeout: 22 * minutes },
    async (row) => {
      reports.length = 0;
      const close = openFirefox(`${site.url}drive.html?settings=${encodeURIComponent(JSON.stringify(row))}`, {
        'dom.webgpu.enabled': false,
      });
      try {
        await expect
          .poll(() => reports.at(-1)?.[0], { timeout: 21 * minutes, interval: 300 })
          .toMatch(/^(done|failed)$/);
      } finally {
        await close();
      }
      for (const [, note] of reports.filter(([about]) => about === 'note')) console.log(`Firefox, ${note}`);
      expect(reports.at(-1)!.join(': ')).toBe(`done: ${row.lesson}`);
    },
  );
});
