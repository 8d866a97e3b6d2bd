/** States of the page that show the shop. */
import { expect } from 'vitest';
import type { State } from '../state.ts';

export const shopStates: State[] = [
  {
    name: 'shop',
    address: '?mock=shop#run=run-1&step=30&group=0&member=1&turn=2&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-shop-view');
      await view.getByText(/^Wish/).waitFor();
      expect(await view.locator('.item h3').count()).toBe(1);
      expect(await view.locator('.trail li').count()).toBe(3);
      expect(await view.locator('.trail li.missed').count()).toBe(1);
    },
  },
  {
    name: 'shop-play',
    address: '?mock=shop#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-shop-view');
      await view.locator('input[name=words]').fill('jackets');
      await view.getByRole('button', { name: 'Search the shop' }).click();
      await view.locator('.product button').first().click();
      await view.locator('.options button').first().click();
      await view.locator('.options button.acted').waitFor();
      await view.getByRole('button', { name: 'Buy now' }).click();
      await view.getByText(/The purchase scores/).waitFor();
    },
  },
];
