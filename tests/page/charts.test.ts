/** Charts and notices on the page: values under the cursor, zoom, an enlarged chart; notices that leave or stay. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, narrow, open, serveMock } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const places = (page: Page) => page.locator('tabgym-chart .place').allTextContents();
const firstValue = (page: Page, chart: number) =>
  page.locator('tabgym-chart').nth(chart).locator('.legend .value').first().textContent();
const successPlot = (page: Page) => page.getByRole('slider', { name: /^Success by step/ });

async function overSuccess(page: Page) {
  const over = page.locator('tabgym-chart .u-over').first();
  await over.waitFor();
  return (await over.boundingBox())!;
}

test('the cursor over one chart shows the step and its values in all of them, and leaves with the pointer', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1&step=30&tab=group`);
  const box = await overSuccess(page);
  await expect.poll(async () => new Set(await places(page))).toEqual(new Set(['step 30']));
  const before = await firstValue(page, 1);
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await expect.poll(async () => (await places(page))[0]).toMatch(/^step (9|10|11|12)$/);
  await expect.poll(async () => new Set(await places(page)).size).toBe(1);
  await expect.poll(() => firstValue(page, 1)).not.toBe(before);
  await page.mouse.move(box.x + 40, 20);
  await expect.poll(async () => new Set(await places(page))).toEqual(new Set(['step 30']));
  expect(errors).toEqual([]);
  await close();
});

test('a drag zooms every chart and selects no step; a double click, a button and a key show all again', {
  tags: 'slow',
}, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1&step=20&tab=group`);
  const zoom = page.getByRole('group', { name: 'Zoom of the charts' });
  const box = await overSuccess(page);
  const drag = async () => {
    await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await zoom.getByText(/^Steps (10|11)–(31|32)$/).waitFor();
  };
  await drag();
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('step')).toBe('20');
  // Half of the axis is shown, so the marked step 20 has moved: (20 - 10.5) / 21.
  const marks = await page.locator('tabgym-chart').evaluateAll((all) =>
    all.map((each) => {
      const over = each.shadowRoot!.querySelector('.u-over')!.getBoundingClientRect();
      return (each.shadowRoot!.querySelector('.marker')!.getBoundingClientRect().left - over.left) / over.width;
    }),
  );
  for (const mark of marks) expect(mark).toBeCloseTo(0.45, 1);
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 40);
  await expect.poll(() => zoom.getByText(/^Steps/).count()).toBe(0);
  await drag();
  await zoom.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => zoom.getByText(/^Steps/).count()).toBe(0);
  await zoom.getByRole('button', { name: 'Zoom in' }).click();
  await zoom.getByText(/^Steps/).waitFor();
  await zoom.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(() => zoom.getByText(/^Steps/).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('by keyboard: plus zooms around the step, arrows take the shown part along, values are read, 0 shows all', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1&step=20&tab=group`);
  await successPlot(page).focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const shown = page.getByRole('group', { name: 'Zoom of the charts' }).getByText(/^Steps/);
  await expect.poll(() => shown.textContent()).toMatch(/^Steps 15–25$/);
  await page.keyboard.press('PageDown');
  await expect.poll(() => shown.textContent()).toMatch(/^Steps 5–15$/);
  expect(await successPlot(page).getAttribute('aria-valuetext')).toMatch(
    /^Step 10: training 0\.\d+, chance 0\.22, oracle 1, evaluated 0\.\d\d \[0\.\d\d, 0\.\d\d\] · step 0, held-out /,
  );
  await page.keyboard.press('0');
  await expect.poll(() => shown.count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('plots are tall enough to read, and one can be shown large', { tags: 'slow' }, async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  const heights = () =>
    page.locator('tabgym-chart .u-over').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  await overSuccess(page);
  for (const height of await heights()) expect(height).toBeGreaterThan(120);
  await page.getByRole('button', { name: 'Enlarge: Success' }).click();
  await page.getByRole('button', { name: 'Show small: Success' }).waitFor();
  await expect.poll(async () => (await heights())[0]).toBeGreaterThan(290);
  const box = await overSuccess(page);
  expect(box.width).toBeGreaterThan(900);
  expect(box.y + box.height).toBeLessThan(900);
  await page.getByRole('button', { name: 'Show small: Success' }).click();
  await expect.poll(async () => (await heights())[0]).toBeLessThan(200);
  await close();
  const phone = await open(browser, `${site.url}?mock=paused#run=run-1`, narrow);
  await phone.page.getByRole('navigation').getByRole('button', { name: 'Progress' }).click();
  expect((await overSuccess(phone.page)).height).toBeGreaterThan(150);
  await phone.close();
});

test('notes leave, errors stay until dismissed, a held note stays, and the log has all of them', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused`);
  await page.getByLabel('Preset').waitFor();
  await page.clock.install();
  const notify = (level: string, message: string) =>
    page.evaluate(
      ([level, message]) => {
        const app = document.querySelector('tabgym-app') as unknown as {
          app: { notifier: { notify(level: string, message: string): void } };
        };
        app.app.notifier.notify(level, message);
      },
      [level, message],
    );
  const notices = page.getByRole('status', { name: 'Notices' });
  await notify('error', 'first fault');
  await notify('info', 'a note');
  await notices.getByText('a note').hover();
  await page.clock.runFor(20_000);
  expect(await notices.getByText('a note').count()).toBe(1);
  await page.mouse.move(600, 300);
  await page.clock.runFor(20_000);
  await expect.poll(() => notices.getByText('a note').count()).toBe(0);
  expect(await notices.getByText('first fault').count()).toBe(1);
  for (const each of ['one', 'two', 'three', 'four']) await notify('warning', each);
  await expect.poll(() => notices.getByText('one').count()).toBe(0);
  await page.clock.runFor(20_000);
  await expect.poll(() => notices.locator('.notice').count()).toBe(1);
  await page.keyboard.press('m');
  for (const each of ['first fault', 'a note', 'one', 'four'])
    await page.locator('tabgym-log li', { hasText: each }).waitFor();
  await notices.getByRole('button', { name: 'Dismiss' }).click();
  await expect.poll(() => notices.locator('.notice').count()).toBe(0);
  await close();
});

test('rows of groups name the goal and the first action', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1&step=30&tab=group`);
  const row = page.getByRole('button', {
    name: /^Group 1: \d of 8 succeed\.\s*craft lever\s*\d of 8 begin with get /,
  });
  await row.waitFor();
  await row.getByText('craft lever').waitFor();
  await page.getByRole('heading', { name: /^Group 1: craft lever TextCraft task 31/ }).waitFor();
  await close();
});

test('charts are drawn again after the GPU process of the browser ended', { tags: 'slow' }, async () => {
  // A browser of its own: the others of this file keep their GPU process.
  const own = await launch();
  const { page, errors, close } = await open(own, `${site.url}?mock=paused#run=run-1&step=30&tab=group`);
  await overSuccess(page);
  const losses = page
    .locator('tabgym-chart canvas')
    .evaluateAll((all) =>
      Promise.all(all.map((each) => new Promise((resolve) => each.addEventListener('contextlost', resolve)))).then(
        (lost) => lost.length,
      ),
    );
  const painted = () =>
    page.locator('tabgym-chart canvas').evaluateAll((all) =>
      (all as HTMLCanvasElement[]).map((canvas) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value > 0);
      }),
    );
  const { processInfo } = await (await own.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  process.kill(processInfo.find(({ type }) => type === 'GPU')!.id, 'SIGKILL');
  const charts = await losses;
  expect(charts).toBeGreaterThan(0);
  await expect.poll(painted, { timeout: 20_000 }).toEqual(Array(charts).fill(true));
  expect(errors).toEqual([]);
  await close();
  await own.close();
});
