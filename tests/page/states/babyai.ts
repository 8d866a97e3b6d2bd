/** States of the page that show BabyAI. */
import { type State, seen } from '../state.ts';

export const babyaiStates: State[] = [
  {
    name: 'babyai',
    address: '?mock=babyai#run=run-1&step=30&group=0&member=1&turn=1&tab=trajectory',
    async shows(page) {
      await page.getByRole('img', { name: /^Goal: go to the red ball.*facing down/ }).waitFor();
      await seen(page, 'green key');
    },
  },
  {
    name: 'play',
    address: '?mock=babyai#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      await page.getByRole('img', { name: /facing right/ }).waitFor();
      await page
        .getByRole('log')
        .getByText(/red ball 1 ahead 1 left 1/)
        .waitFor();
    },
  },
];
