/** View of an OpenEnv server on the page: its lazily loaded element, and the form with which a person plays. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';
import type { OpenEnvView } from '../view-data.ts';

export const openenvView: ViewKind = {
  kind: 'openenv',
  load: () => import('./element.ts'),
  render: (view, typed) => html`<tabgym-openenv-view .view=${view} ?playable=${typed !== null}></tabgym-openenv-view>`,
  hasForm: (view) => (view as OpenEnvView).fields.length > 0,
  tall: true,
};
