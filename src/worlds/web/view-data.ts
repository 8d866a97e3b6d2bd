/** What a view of the web draws: the page as its site sent it, what stands in its fields, and the tree beside it. */
import type { WorldView } from '../../envs/env.ts';

export interface WebView extends WorldView {
  kind: 'web';
  objective: string;
  url: string;
  tabs: { title: string; current: boolean }[];
  /** The page's body, and its title. */
  html: string;
  title: string;
  /** Controls that are not as the page was sent, by their number in its order. */
  controls: { [index: number]: { value?: string; checked?: boolean } };
  /** The lines of the observation: with the id of each, and the number of its element among all of the page's. */
  lines: { text: string; id: string; element: number }[];
  /** The element of the last action, by its number; -1: none. */
  acted: number;
  lastAction: string;
  score: number | null;
  steps: number;
}
