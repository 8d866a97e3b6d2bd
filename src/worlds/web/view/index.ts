/** View of the world Web on the page: its lazily loaded element, and the controls with which a person plays. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const webView: ViewKind = {
  kind: 'web',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-web-view .view=${view}></tabgym-web-view>`,
  tall: true,
};
