/** States of the page that show Search. */
import { expect } from 'vitest';
import { type State, seen } from '../state.ts';

export const searchStates: State[] = [
  {
    name: 'search',
    address: '?mock=search#run=run-1&step=30&group=0&member=1&turn=2&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-search-view');
      await view.getByText(/Evidence: 3 of 3 found/).waitFor();
      expect(await view.locator('mark').count()).toBeGreaterThan(3);
      expect(await view.locator('details').count()).toBe(3);
    },
  },
  {
    name: 'search-play',
    address: '?mock=search#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      await seen(page, /Evidence: 0 of 2 found/);
      await page.getByLabel('Action', { exact: true }).fill('search');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await seen(page, /Evidence: [12] of 2 found/);
      await page.getByLabel('Action', { exact: true }).fill('answer');
      await page.locator('tabgym-play [role=option]').first().waitFor();
    },
  },
];
