/** States of the page that show the phone. */
import type { FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { State } from '../state.ts';

/** The document inside both frames of the phone. */
const screenIn = (page: Page): FrameLocator => page.frameLocator('tabgym-phone-view iframe').frameLocator('iframe');

export const phoneStates: State[] = [
  {
    name: 'phone',
    address: '?mock=phone#run=run-1&step=30&group=0&member=1&turn=3&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-phone-view');
      await screenIn(page).locator('.item').first().waitFor();
      expect(await screenIn(page).locator('button').count()).toBe(0);
      expect(await view.locator('.trail li.missed').count()).toBe(1);
      expect(await screenIn(page).locator('.heat').count()).toBe(0);
      await view.getByRole('checkbox', { name: 'Show where it tapped' }).check();
      await screenIn(page).locator('.heat').first().waitFor({ state: 'attached' });
      // The group's touches on this screen: every episode of the fixture makes the same ones here.
      await view.getByRole('checkbox', { name: 'Show where it tapped' }).uncheck();
      await view.getByRole('checkbox', { name: 'Show where its group tapped on this screen' }).check();
      await view.locator('.touched li').first().waitFor();
      const [, touched, all] = /touched this screen: (\d+) of (\d+)/.exec(await view.locator('.held').innerText())!;
      expect([Number(all) > 1, touched]).toEqual([true, all]);
      expect(await screenIn(page).locator('.heat').count()).toBeGreaterThanOrEqual(Number(all));
    },
  },
  {
    name: 'phone-play',
    address: '?mock=phone#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const screen = screenIn(page);
      // By mouse, by typing, and by keyboard.
      await screen.getByRole('button', { name: 'Messages' }).click();
      await screen.locator('.row').first().click();
      await screen.getByRole('textbox', { name: 'Message' }).fill('hello');
      await screen.getByRole('textbox', { name: 'Message' }).press('Tab');
      await page.locator('tabgym-phone-view .trail li', { hasText: 'hello' }).waitFor();
      await screen.getByRole('button', { name: 'Send' }).focus();
      await page.keyboard.press('Enter');
      await screen.locator('.bubble.sent', { hasText: 'hello' }).waitFor();
      // A long press opens the menu of a conversation.
      await screen.getByRole('button', { name: 'Back' }).first().click();
      await screen.locator('.row').first().click({ delay: 700 });
      await screen.getByRole('button', { name: 'Cancel' }).waitFor();
    },
  },
];
