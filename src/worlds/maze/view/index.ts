/** View of Maze on the page: its lazily loaded element, and the keys with which a person plays. */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

export const mazeView: ViewKind = {
  kind: 'maze',
  load: () => import('./element.ts'),
  render: (view) => html`<tabgym-maze-view .view=${view}></tabgym-maze-view>`,
  keys: {
    ArrowLeft: ['move left'],
    ArrowRight: ['move right'],
    ArrowUp: ['move up'],
    ArrowDown: ['move down'],
  },
  keysLabel: () => msg('Maze: arrow keys move'),
};
