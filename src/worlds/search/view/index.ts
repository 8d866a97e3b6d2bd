/** View of Search on the page: its lazily loaded element, and the controls with which a person plays. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const searchView: ViewKind = {
  kind: 'search',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-search-view .view=${view}></tabgym-search-view>`,
};
