/**
 * Row of tabs above a panel, after the ARIA practices (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/): only the chosen
 * tab is in the page's tab order, arrow keys choose another. Each component brings its own styles.
 */
import { html, type LitElement, type TemplateResult } from 'lit';

export interface Tabs<Name extends string> {
  /** Label of the row, for screen readers. */
  label: string;
  order: readonly Name[];
  labels: { readonly [name in Name]: string };
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

/** The row of tabs. The panel is an element with `role="tabpanel" id="panel"`, labelled by `tab-NAME`. */
export function tabList<Name extends string>(host: LitElement, tabs: Tabs<Name>): TemplateResult {
  const { label, order, labels, chosen, choose } = tabs;
  const tab = (name: Name) =>
    html`<button role="tab" id=${`tab-${name}`} aria-controls="panel" tabindex=${name === chosen ? 0 : -1}
      aria-selected=${name === chosen ? 'true' : 'false'} @click=${() => choose(name)}>${labels[name]}</button>`;
  return html`<div role="tablist" aria-label=${label} @keydown=${(event: KeyboardEvent) => arrow(host, tabs, event)}>${order.map(tab)}</div>`;
}
