/** Watched episodes that go on by themselves, and a person's contest with the agent. Pure parts, and the page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noContest, winnerOf, withWinner } from '../../src/ui/state/contest.ts';
import { nextTask, plainWatch, readWatch } from '../../src/ui/state/watch-view.ts';
import { hasWorlds } from '../worlds.ts';
import { launch, open, screenshot, serveMock } from './harness.ts';

test('a task is won by success, then reward, then fewer turns of a success', () => {
  const tried = (success: boolean, reward: number, turns: number) => ({ success, reward, turns });
  expect(winnerOf(tried(true, 1, 9), tried(false, 0.9, 2))).toBe('you');
  expect(winnerOf(tried(true, 1, 5), tried(true, 1, 3))).toBe('agent');
  expect(winnerOf(tried(false, 0.25, 5), tried(false, 0.5, 9))).toBe('agent');
  expect(winnerOf(tried(false, 0, 5), tried(false, 0, 3))).toBe('nobody');
  expect(winnerOf(tried(true, 1, 3), tried(true, 1, 3))).toBe('nobody');
  expect(withWinner(withWinner(noContest, 'you'), 'nobody')).toEqual({ you: 1, agent: 0, nobody: 1 });
});

test('the next task follows, or is drawn and never the same', () => {
  expect(nextTask(4, false)).toBe(5);
  const drawn = Array.from({ length: 999 }, (_, i) => nextTask(500, true, () => (i + 0.5) / 999));
  expect(new Set(drawn).size).toBe(999);
  expect(drawn).not.toContain(500);
  expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([0, 999]);
});

test('stored choices are read, and anything else is the plain choice', () => {
  expect(readWatch('{"speed":"fast","shuffled":true,"goesOn":true}')).toEqual({
    speed: 'fast',
    shuffled: true,
    goesOn: true,
  });
  for (const text of [null, '{', '3', 'null', '{"speed":"toString","goesOn":1}'])
    expect(readWatch(text)).toEqual(plainWatch);
});

/** Puts the page into a tab behind others, or in front of them. */
const putBehind = (page: Page, hidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

interface AppWithRun {
  store: {
    state: { run: { experiment: { worlds: { name: string; evaluated?: boolean }[] } } };
    set(patch: object): void;
  };
}

describe('on the page', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveMock>>;

  beforeAll(async () => {
    [site, browser] = await Promise.all([serveMock(), launch()]);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('the form proposes the task after the one that the gallery played', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    const task = page.locator('tabgym-watch').getByLabel('Task', { exact: true });
    await task.waitFor();
    expect(await task.inputValue()).toBe('0');
    await page.evaluate(() => {
      const app = document.querySelector('tabgym-app') as unknown as {
        app: { watch(split: string, task: number): Promise<void> };
      };
      return app.app.watch('test', 5);
    });
    await expect.poll(() => task.inputValue()).toBe('6');
    expect(errors).toEqual([]);
    await close();
  });

  test('watched episodes go on to the next task by themselves until they are stopped', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    await page.locator('tabgym-watch').getByLabel('Speed').selectOption('fast');
    await page.getByLabel('Next by itself').check();
    await page.getByRole('button', { name: 'Watch one episode' }).click();
    const task = () =>
      page.evaluate(() => {
        const app = document.querySelector('tabgym-app') as unknown as {
          app: { store: { state: { watchedTask: number } } };
        };
        return app.app.store.state.watchedTask;
      });
    await expect.poll(task, { timeout: 20_000 }).toBe(2);
    await putBehind(page, true);
    await page.waitForTimeout(3000);
    const behind = await task();
    await page.waitForTimeout(3000);
    expect(await task()).toBe(behind);
    await putBehind(page, false);
    await expect.poll(task, { timeout: 20_000 }).toBeGreaterThan(behind);
    await page.getByLabel('Next by itself').uncheck();
    await page.waitForTimeout(3000);
    const last = await task();
    await page.waitForTimeout(2500);
    expect(await task()).toBe(last);
    expect(await page.locator('tabgym-watch').getByLabel('Task').inputValue()).toBe(String(last + 1));
    expect(errors).toEqual([]);
    await close();
  });

  test.skipIf(!hasWorlds('babyai'))(
    'after a task of one’s own the agent plays the same one, and the score is kept',
    async () => {
      const { page, errors, close } = await open(browser, `${site.url}?mock=babyai#run=run-1&tab=play`);
      await page
        .locator('tabgym-play')
        .getByText(/the agent: \d+%/)
        .waitFor();
      // A second world, as in the first experiments: its tasks are not evaluated, and nobody plays it here.
      await page.evaluate(() => {
        const { app } = document.querySelector('tabgym-app') as unknown as { app: AppWithRun };
        const { run } = app.store.state;
        const [world] = run.experiment.worlds;
        const worlds = [{ ...world, name: 'none', evaluated: false }, world];
        app.store.set({ run: { ...run, experiment: { ...run.experiment, worlds } } });
      });
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const action = page.getByLabel('Action', { exact: true });
      await action.fill('turn right');
      await action.press('Enter');
      await expect.poll(() => action.inputValue()).toBe('');
      await action.fill('turn left');
      await action.press('Enter');
      await expect.poll(() => action.inputValue()).toBe('');
      await action.fill('go to red ball 1');
      await action.press('Enter');
      await page.getByText('✓ Done').waitFor();
      await page.getByRole('button', { name: 'Let the agent try it' }).click();
      await putBehind(page, true);
      await page.waitForTimeout(2000);
      await putBehind(page, false);
      await page.getByText(/^Score: you \d, the agent \d$/).waitFor();
      await page.getByText(/You: ✓ in 3 turns\. The agent: ✓ in 3 turns\./).waitFor();
      await screenshot(page, 'contest');
      expect(errors).toEqual([]);
      await close();
    },
  );
});
