/**
 * A row of tabs and its panel, by the pattern of the ARIA practices (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/): one tab is in
 * the page's tab order, the arrow keys choose among them. Looks are the component's own.
 */
import { html, type LitElement, type TemplateResult } from 'lit';

export interface Tabs<Name extends string> {
  /** What the tabs choose between, for those who cannot see them. */
  label: string;
  order: readonly Name[];
  words: { readonly [name in Name]: string };
  chosen: Name;
  choose(name: Name): void;
}

function arrow<Name extends string>(host: LitElement, { order, chosen, choose }: Tabs<Name>, event: KeyboardEvent) {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (!by) return;
  event.preventDefault();
  const next = order[(order.indexOf(chosen) + by + order.length) % order.length];
  choose(next);
  void host.updateComplete.then(() => host.renderRoot.querySelector<HTMLElement>(`#tab-${next}`)?.focus());
}

/** The tabs; what they choose is an element with `role="tabpanel" id="panel"` and the label `tab-NAME`. */
export function tabList<Name extends string>(host: LitElement, tabs: Tabs<Name>): TemplateResult {
  const { label, order, words, chosen, choose } = tabs;
  const tab = (name: Name) =>
    html`<button role="tab" id=${`tab-${name}`} aria-controls="panel" tabindex=${name === chosen ? 0 : -1}
      aria-selected=${name === chosen ? 'true' : 'false'} @click=${() => choose(name)}>${words[name]}</button>`;
  return html`<div role="tablist" aria-label=${label} @keydown=${(event: KeyboardEvent) => arrow(host, tabs, event)}>${order.map(tab)}</div>`;
}
