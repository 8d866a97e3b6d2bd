/** View of the worlds of tools on the page: its lazily loaded element, and the form with which a person plays. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const toolsView: ViewKind = {
  kind: 'tools',
  load: () => import('./element.ts'),
  render: (view, typed) => html`<tabgym-tools-view .view=${view} ?playable=${typed !== null}></tabgym-tools-view>`,
  hasForm: () => true,
  tall: true,
};
