/** With forced colours (high contrast) what a colour or a background tells stays visible. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, open, serveMock, wide } from './harness.ts';
import { button } from './state.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const background = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor);

/** Number of hues among the opaque pixels of a canvas, in twelve parts of the circle. */
const hues = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const { data } = element.getContext('2d')!.getImageData(0, 0, element.width, element.height);
    const found = new Set<number>();
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = data.subarray(at, at + 3);
      const most = Math.max(red, green, blue);
      const range = most - Math.min(red, green, blue);
      if (data[at + 3] < 200 || range < 60) continue;
      const sixth =
        most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
      found.add(Math.round(2 * sixth + 12) % 12);
    }
    return found.size;
  });

test('primary buttons and the chosen tab are filled, charts and tokens keep their colours', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`, wide, {
    forcedColors: 'active',
  });
  const train = button(page, /Train/);
  await train.waitFor();
  // It is not enabled, and so not filled, until the run is open.
  await expect.poll(() => train.isEnabled()).toBe(true);
  const canvas = await page.locator('body').evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await background(train)).not.toBe(canvas);
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  expect(await background(tab('Watch'))).not.toBe(await background(tab('Group')));
  await expect.poll(() => hues(page.locator('tabgym-chart canvas').first())).toBeGreaterThan(1);
  await tab('Trajectory').click();
  const tokens = page.locator('tabgym-trajectory .t.p');
  await tokens.first().waitFor();
  expect(new Set(await Promise.all((await tokens.all()).slice(0, 12).map(background))).size).toBeGreaterThan(1);
  expect(errors).toEqual([]);
  await close();
});
