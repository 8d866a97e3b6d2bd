/** States that all panels draw alike: empty, loading, error with an action. */
import { msg } from '@lit/localize';
import { html, nothing, type TemplateResult } from 'lit';

type Content = TemplateResult | string | typeof nothing;

export const emptyState = (title: string, sentence: Content, action: Content = nothing) =>
  html`<div class="state"><strong>${title}</strong><span>${sentence}</span>${action}</div>`;

export const loadingState = (what: string) =>
  html`<div class="state" role="status"><span>${what}</span><progress aria-label=${what}></progress></div>`;

export const errorState = (sentence: string, action: Content = nothing) =>
  html`<div class="state" role="alert"><strong>${msg('That did not work')}</strong><span>${sentence}</span>${action}</div>`;
