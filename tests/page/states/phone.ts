/** States of the page that show the phone. */
import { expect } from 'vitest';
import type { State } from '../state.ts';

export const phoneStates: State[] = [
  {
    name: 'phone',
    address: '?mock=phone#run=run-1&step=30&group=0&member=1&turn=3&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-phone-view');
      await view.locator('.screen').waitFor();
      expect(await view.locator('.screen button').count()).toBe(0);
      expect(await view.locator('.trail li.missed').count()).toBe(1);
    },
  },
  {
    name: 'phone-play',
    address: '?mock=phone#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-phone-view');
      await view.getByRole('button', { name: 'Messages' }).click();
      await view.locator('.row').first().click();
      const field = view.getByRole('textbox', { name: 'Message' });
      await field.fill('hello');
      await field.press('Tab');
      await view.locator('.trail li', { hasText: 'hello' }).waitFor();
      const send = view.getByRole('button', { name: 'Send' });
      await send.focus();
      await page.keyboard.press('Enter');
      await view.locator('.bubble.sent', { hasText: 'hello' }).waitFor();
    },
  },
];
