/** States of the page that show ScienceWorld. */
import { expect } from 'vitest';
import { type State, seen } from '../state.ts';

export const sciworldStates: State[] = [
  {
    name: 'sciworld',
    address: '?mock=sciworld#run=run-1&step=30&group=0&member=1&turn=1&tab=trajectory',
    async shows(page) {
      await page
        .getByRole('img', { name: /^Plan of the house. The agent is in the foundry.*Open doors: [^.]*foundry/ })
        .waitFor();
      await seen(page, /Subgoals, in order: \d of 3 reached/);
      await seen(page, /Switched on: .*blast furnace/);
      // The furnace warms it, and the change since the turn before is shown.
      expect(await page.locator('tabgym-sciworld-view .readings').innerText()).toMatch(/up \d/);
    },
  },
  {
    name: 'sciworld-play',
    address: '?mock=sciworld#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      await page.getByRole('img', { name: /^Plan of the house/ }).waitFor();
      await page.getByLabel('Action', { exact: true }).fill('focus');
      await page.keyboard.press('ArrowDown');
      await page.locator('tabgym-play [role=option][aria-selected=true]').waitFor();
    },
  },
];
