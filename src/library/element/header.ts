/** Header of the element: name, state, buttons, a link to the whole page, and a tab for each view. */
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { Texts } from './texts.ts';
import { button, make } from './views.ts';

export interface ShownHeader {
  name: string;
  /** State, step and success in one line. */
  line: string;
  buttons: readonly HTMLElement[];
  /** Address of the whole page; null: no link. */
  page: string | null;
  /** Views by name, each with its text; empty: no tabs. */
  tabs: readonly (readonly [name: string, label: string])[];
  view: string;
  choose(view: string): void;
}

function tabsOf({ tabs, view, choose }: ShownHeader, texts: Texts): HTMLElement[] {
  if (!tabs.length) return [];
  const bar = make('nav');
  bar.setAttribute('aria-label', texts.views);
  for (const [name, label] of tabs) {
    const tab = button(label, () => choose(name));
    if (name === view) tab.setAttribute('aria-current', 'true');
    bar.append(tab);
  }
  return [bar];
}

function linkTo(address: string | null, texts: Texts): HTMLElement[] {
  if (!address) return [];
  const link = make('a', '', texts.open);
  [link.href, link.target, link.rel] = [address, '_blank', 'noopener'];
  return [link];
}

/** Number and success of the last step. */
export function factsOf(last: StepRecord | undefined, texts: Texts): string[] {
  if (!last) return [];
  const { success } = last.metrics;
  const facts = [`${texts.step} ${last.step}`];
  return typeof success === 'number' ? [...facts, `${texts.success} ${success.toFixed(2)}`] : facts;
}

export function headerOf(shown: ShownHeader, texts: Texts): HTMLElement[] {
  const line = make('span', 'state', shown.line);
  line.setAttribute('role', 'status');
  return [
    make('strong', '', shown.name),
    line,
    ...shown.buttons,
    ...linkTo(shown.page, texts),
    ...tabsOf(shown, texts),
  ];
}
