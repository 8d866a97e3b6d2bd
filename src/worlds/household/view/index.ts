/** View of the household on the page: its lazily loaded element, whose buttons a person plays with. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const householdView: ViewKind = {
  kind: 'household',
  load: () => import('./element.ts'),
  render: (view, typed) =>
    html`<tabgym-household-view .view=${view} ?playable=${typed !== null}></tabgym-household-view>`,
  hasForm: () => true,
  tall: true,
};
