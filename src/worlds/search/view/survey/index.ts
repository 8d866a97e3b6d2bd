/** View of the survey on the page: its lazily loaded element. */
import { html } from 'lit';
import type { ViewKind } from '../../../../ui/kit/view-kind.ts';

export const surveyView: ViewKind = {
  kind: 'search-survey',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-survey-view .view=${view}></tabgym-survey-view>`,
  tall: true,
};
