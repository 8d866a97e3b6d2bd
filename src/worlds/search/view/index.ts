/** Search on the page: its element, loaded when there is one to show, and how a person plays in it. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const searchView: ViewKind = {
  kind: 'search',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-search-view .view=${view}></tabgym-search-view>`,
};
