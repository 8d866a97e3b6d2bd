/** View of the shop on the page: its lazily loaded element, in which a person plays by its own buttons. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const shopView: ViewKind = {
  kind: 'shop',
  load: () => import('./element.ts'),
  render: (view, typed) => html`<tabgym-shop-view .view=${view} ?playable=${typed !== null}></tabgym-shop-view>`,
  hasForm: () => true,
  tall: true,
};
