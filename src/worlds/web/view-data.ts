/**
 * The data that a view of the world Web draws: the page as sent by its site, the content of its fields, and the tree
 * beside it.
 */
import type { WorldView } from '../../envs/env.ts';

export interface WebView extends WorldView {
  kind: 'web';
  objective: string;
  url: string;
  tabs: { title: string; current: boolean }[];
  /** HTML of the page's body. */
  html: string;
  title: string;
  /** Controls that were changed since the page was loaded, by their index in the document. */
  controls: { [index: number]: { value?: string; checked?: boolean } };
  /** Lines of the observation, each with its printed id and the index of its element among all elements of the page. */
  lines: { text: string; id: string; element: number }[];
  /** Index of the last action's element, or -1 if there is none. */
  acted: number;
  lastAction: string;
  score: number | null;
  steps: number;
}
