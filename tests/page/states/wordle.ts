/** States of the page that show Wordle. */
import type { State } from '../state.ts';

export const wordleStates: State[] = [
  {
    name: 'wordle-play',
    address: '?mock=wordle#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      await page.getByRole('img', { name: 'Try 1, empty' }).waitFor();
      await page.keyboard.type('about');
      await page.keyboard.press('Enter');
      await page.getByRole('img', { name: /^Guess 1: a (in|not in) .*, t (in|not in)/ }).waitFor();
      await page.keyboard.type('cra');
      await page.getByRole('img', { name: 'Typed: c r a' }).waitFor();
    },
  },
];
