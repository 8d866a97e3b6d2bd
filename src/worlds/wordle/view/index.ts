/** View of Wordle on the page: its lazily loaded element, and the keys with which a person plays. */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const wordleView: ViewKind = {
  kind: 'wordle',
  load: () => import('./element.ts'),
  render: (view, typed) => html`<tabgym-wordle-view .view=${view} .typed=${typed}></tabgym-wordle-view>`,
  types: true,
  keysLabel: () => msg('Wordle: type letters, Enter submits the guess, Backspace deletes a letter'),
};
