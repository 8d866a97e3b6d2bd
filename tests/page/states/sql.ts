/** States of the page that show the world SQL. */
import { expect } from 'vitest';
import type { State } from '../state.ts';

export const sqlStates: State[] = [
  {
    name: 'sql',
    address: '?mock=sql#run=run-1&step=30&group=0&member=1&turn=1&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-sql-view');
      await view.getByText(/Database library/).waitFor();
      expect(await view.locator('.schema li').count()).toBe(4);
      expect(await view.locator('.answer.refused').count()).toBe(1);
    },
  },
  {
    name: 'sql-play',
    address: '?mock=sql#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-sql-view');
      await view.locator('select[name=tool]').selectOption('tables');
      await view.getByRole('button', { name: 'List the tables' }).click();
      await view.locator('.answer').first().waitFor();
      await view.locator('select[name=tool]').selectOption('query');
      await view.locator('textarea').fill('SELECT 6 * 7 AS answer');
      await view.getByRole('button', { name: 'Run a statement' }).click();
      await view.getByText(/42/).first().waitFor();
    },
  },
];
