/** View of SQL on the page: its lazily loaded element, and the form with which a person plays. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const sqlView: ViewKind = {
  kind: 'sql',
  load: () => import('./element.ts'),
  render: (view, typed) => html`<tabgym-sql-view .view=${view} ?playable=${typed !== null}></tabgym-sql-view>`,
  hasForm: () => true,
  tall: true,
};
