/** States of the page that show the survey. */
import { expect } from 'vitest';
import type { State } from '../state.ts';

export const surveyStates: State[] = [
  {
    name: 'search-survey',
    address: '?mock=search-survey#run=run-1&step=30&group=0&member=1&turn=2&tab=trajectory',
    async shows(page) {
      const view = page.locator('tabgym-survey-view');
      await view.getByText('F1 1.00').waitFor();
      expect(await view.locator('ol li').count()).toBeGreaterThan(2);
      expect(await view.getByRole('button', { name: 'Save as BibTeX' }).isEnabled()).toBe(true);
    },
  },
  {
    name: 'search-survey-play',
    address: '?mock=search-survey#run=run-1&tab=play',
    async shows(page) {
      await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
      const view = page.locator('tabgym-play tabgym-survey-view');
      const action = page.getByLabel('Action', { exact: true });
      for (const [words, shown] of [
        ['search', 'Searches'],
        ['open The', 'Open document'],
        ['partly', '1 of 1 document filed'],
      ]) {
        await action.fill(words);
        await page.locator('tabgym-play [role=option]').first().waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await view.getByText(shown).first().waitFor();
      }
      await view.getByText('partly').first().waitFor();
    },
  },
];
