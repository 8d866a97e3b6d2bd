/** The web on the page: its element, loaded when there is one to show, and how a person plays in it. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const webView: ViewKind = {
  kind: 'web',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-web-view .view=${view}></tabgym-web-view>`,
  tall: true,
};
