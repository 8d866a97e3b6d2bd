/** Finds the view of a world. `src/worlds/views.ts` lists them; a world that has none is shown by its text. */
import { html } from 'lit';
import type { WorldView } from '../../envs/env.ts';
import * as views from '../../worlds/views.ts';
import type { ViewKind } from '../kit/view-kind.ts';

const textView: ViewKind = {
  kind: 'text',
  load: () => import('../kit/text-view.ts'),
  render: (view) => html`<tabgym-text-view .view=${view}></tabgym-text-view>`,
};

const listed = Object.values<ViewKind>(views);

export const viewKind = ({ kind }: WorldView): ViewKind => listed.find((each) => each.kind === kind) ?? textView;
