/** A state of the page, and what its checks share. */
import type { Page } from 'playwright-core';

export interface State {
  name: string;
  address: string;
  /** Waits until the page is settled, and checks by role and name that it shows this state. */
  shows(page: Page): Promise<void>;
}

/** First button of that name; a text is the whole name. */
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first();
export const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
/** Waits until the paused run is open; before that, a change in the setup would be replaced by its experiment. */
export const opened = (page: Page) => seen(page, 'Paused');
