/** ScienceWorld on the page: its element, loaded when there is one to show. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const sciworldView: ViewKind = {
  kind: 'sciworld',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-sciworld-view .view=${view}></tabgym-sciworld-view>`,
  tall: true,
};
