/** TextCraft on the page: its element, loaded when there is one to show. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const textcraftView: ViewKind = {
  kind: 'textcraft',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-textcraft-view .view=${view}></tabgym-textcraft-view>`,
};
