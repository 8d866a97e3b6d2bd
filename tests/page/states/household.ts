/** States of the page that show the household. */
import { expect } from 'vitest';
import type { State } from '../state.ts';

export const householdStates: State[] = [
  {
    name: 'household',
    address: '?mock=household#run=run-1&step=30&group=0&member=1&turn=3&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-household-view');
      await view.getByText('In hand').waitFor();
      expect(await view.locator('.place').count()).toBe(9);
      expect(await view.locator('button').count()).toBe(0);
    },
  },
  {
    name: 'household-play',
    address: '?mock=household#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-household-view');
      await view.getByRole('button', { name: 'Go there: go to fridge 1' }).click();
      await view.locator('.place.here', { hasText: 'fridge 1' }).waitFor();
      const open = view.getByRole('button', { name: 'Open: open fridge 1' });
      await open.focus();
      await page.keyboard.press('Enter');
      await view.getByRole('button', { name: 'Close: close fridge 1' }).waitFor();
      // The button of a thing that was taken is gone; the next key must still reach the place.
      const take = view.getByRole('button', { name: /^Take: take .* from fridge 1/ }).first();
      await take.focus();
      await page.keyboard.press('Enter');
      await view.locator('.place.here button:focus').waitFor();
    },
  },
];
