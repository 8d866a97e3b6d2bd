/** States of the page that show a world of tools. */
import { expect } from 'vitest';
import { type State, seen } from '../state.ts';

export const toolsStates: State[] = [
  {
    name: 'tools',
    address: '?mock=tools-todo#run=run-1&step=30&group=0&member=1&turn=1&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-tools-view');
      await view.getByText(/State behind the tools/).waitFor();
      expect(await view.locator('table').count()).toBeGreaterThan(1);
      expect(await view.locator('.answer').count()).toBeGreaterThan(0);
    },
  },
  {
    name: 'tools-play',
    address: '?mock=tools-todo#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-tools-view');
      await view.getByLabel('Tool', { exact: false }).first().selectOption('get_projects');
      await view.getByRole('button', { name: 'Call the tool' }).click();
      await view.locator('.answer').first().waitFor();
      await view.locator('select[name=tool]').selectOption('get_tasks');
      await seen(page, /project_id/);
      expect(await view.locator('datalist option').count()).toBeGreaterThan(1);
    },
  },
];
