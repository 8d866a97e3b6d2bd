/** View of a typed world on the page: its lazily loaded element. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const ownView: ViewKind = {
  kind: 'own-world',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-own-view .view=${view}></tabgym-own-view>`,
};
