/** States of the page that show Maze. */
import type { State } from '../state.ts';

export const mazeStates: State[] = [
  {
    name: 'maze-play',
    address: '?mock=maze#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      await page.getByRole('img', { name: /^A maze of 11 by 11 cells/ }).waitFor();
      for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) {
        await page.keyboard.press(key);
        await page
          .getByRole('log')
          .locator('.you', { hasText: key.replace('Arrow', 'move ').toLowerCase() })
          .waitFor();
      }
      await page.getByRole('img', { name: /4 of \d+ moves used/ }).waitFor();
    },
  },
];
