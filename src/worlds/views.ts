/** How each kind of view is drawn: its element, loaded when there is one to show, and how a person plays in it. To add one: its file
 * here and one line below. A kind that is not listed is shown by its words.
 */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { WorldView } from '../envs/env.ts';
import type { OpenEnvView } from './openenv/view-data.ts';
import type { ViewKind } from '../ui/kit/view-kind.ts';

const viewKinds: { readonly [kind: string]: ViewKind } = {
  text: {
    load: () => import('../ui/kit/text-view.ts'),
    render: (view) => html`<tabgym-text-view .view=${view}></tabgym-text-view>`,
  },
  textcraft: {
    load: () => import('./textcraft/view/element.ts'),
    render: (view) => html`<tabgym-textcraft-view .view=${view}></tabgym-textcraft-view>`,
  },
  babyai: {
    load: () => import('./babyai/view/element.ts'),
    render: (view) => html`<tabgym-babyai-grid .view=${view}></tabgym-babyai-grid>`,
    keys: {
      ArrowLeft: ['turn left'],
      ArrowRight: ['turn right'],
      ArrowUp: ['move forward'],
      ' ': ['toggle'],
      d: ['drop'],
    },
    keyWords: () => msg('The world: arrow keys turn and move, Space toggles, D drops'),
  },
  sciworld: {
    load: () => import('./sciworld/view/element.ts'),
    render: (view) => html`<tabgym-sciworld-view .view=${view}></tabgym-sciworld-view>`,
    tall: true,
  },
  maze: {
    load: () => import('./maze/view/element.ts'),
    render: (view) => html`<tabgym-maze-view .view=${view}></tabgym-maze-view>`,
    keys: {
      ArrowLeft: ['move left'],
      ArrowRight: ['move right'],
      ArrowUp: ['move up'],
      ArrowDown: ['move down'],
    },
    keyWords: () => msg('The maze: arrow keys move'),
  },
  wordle: {
    load: () => import('./wordle/view/element.ts'),
    render: (view, typed) => html`<tabgym-wordle-view .view=${view} .typed=${typed}></tabgym-wordle-view>`,
    types: true,
    keyWords: () => msg('The game: type letters, Enter guesses, Backspace takes one back'),
  },
  search: {
    load: () => import('./search/view/element.ts'),
    render: (view) => html`<tabgym-search-view .view=${view}></tabgym-search-view>`,
  },
  openenv: {
    load: () => import('./openenv/view/element.ts'),
    render: (view, typed) =>
      html`<tabgym-openenv-view .view=${view} ?playable=${typed !== null}></tabgym-openenv-view>`,
    hasForm: (view) => (view as OpenEnvView).fields.length > 0,
    tall: true,
  },
  web: {
    load: () => import('./web/view/element.ts'),
    render: (view) => html`<tabgym-web-view .view=${view}></tabgym-web-view>`,
    tall: true,
  },
};

export const viewKind = ({ kind }: WorldView): ViewKind =>
  Object.hasOwn(viewKinds, kind) ? viewKinds[kind] : viewKinds.text;
