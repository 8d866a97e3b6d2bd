/** Page of an embedded view: the stage, or one sentence if its address names what is not here. */
import { msg } from '@lit/localize';
import { css, html, type TemplateResult } from 'lit';
import type { Controller } from '../control/controller.ts';
import { emptyState } from '../kit/states.ts';
import { addressOutside } from '../state/embedded-view.ts';

export const embeddedStyles = css`
  .embedded {
    position: relative;
    min-height: 0;
    overflow: hidden;
  }
  .embedded a {
    color: var(--accent);
  }
`;

/** Link to the same place as a page of its own. */
export const outside = () =>
  html`<a href=${addressOutside()} target="_blank" rel="noopener">${msg('Open in Tabgym')}</a>`;

export function renderEmbedded(app: Controller): TemplateResult {
  const { absent } = app.store.state;
  return html`<main class="embedded">${
    absent
      ? emptyState(msg('Nothing to show here'), absent, outside())
      : html`<tabgym-stage id="stage" tabindex="-1" .app=${app} role="region" aria-label=${msg('Stage')}></tabgym-stage>`
  }</main>`;
}
