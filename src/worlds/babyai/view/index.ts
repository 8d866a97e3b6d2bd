/** BabyAI on the page: its element, loaded when there is one to show, and the keys for playing. */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const babyaiView: ViewKind = {
  kind: 'babyai',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-babyai-grid .view=${view}></tabgym-babyai-grid>`,
  keys: {
    ArrowLeft: ['turn left'],
    ArrowRight: ['turn right'],
    ArrowUp: ['move forward'],
    ' ': ['toggle'],
    d: ['drop'],
  },
  keysLabel: () => msg('The world: arrow keys turn and move, Space toggles, D drops'),
};
