/** View of the phone on the page: its lazily loaded element, in which a person plays by touch, mouse and keyboard. */
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const phoneView: ViewKind = {
  kind: 'phone',
  load: () => import('./element.ts'),
  render: (view, typed, group) =>
    html`<tabgym-phone-view .view=${view} .group=${group} ?playable=${typed !== null}></tabgym-phone-view>`,
  tall: true,
};
