/** View of Maze on the page: its lazily loaded element, and the keys with which a person plays. */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { ViewKind } from '../../../ui/kit/view-kind.ts';

const compact = /^goal .*; (towards|away) /;

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
  explain: (observation) =>
    compact.test(observation)
      ? msg(
          'First where the goal lies from here, then the directions that are open: those towards the goal, and those away from it.',
        )
      : '',
  keysLabel: () => msg('Maze: arrow keys move'),
};
