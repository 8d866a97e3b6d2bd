/** The states that panels share, drawn one way: empty, loading with numbers, error with an action. */
import { msg, str } from '@lit/localize';
import { html, nothing, type TemplateResult } from 'lit';
import type { Progress } from '../session/protocol.ts';
import { bytes } from './format.ts';

type Content = TemplateResult | string | typeof nothing;

export const emptyState = (title: string, sentence: Content, action: Content = nothing) =>
  html`<div class="state"><strong>${title}</strong><span>${sentence}</span>${action}</div>`;

export const loadingState = (what: string) =>
  html`<div class="state" role="status"><span>${what}</span><progress aria-label=${what}></progress></div>`;

export const errorState = (sentence: string, action: Content = nothing) =>
  html`<div class="state" role="alert"><strong>${msg('That did not work')}</strong><span>${sentence}</span>${action}</div>`;

const units = (): { [unit in Progress['unit']]: string } => ({
  kernels: msg('kernels'),
  bytes: '',
  episodes: msg('episodes'),
  steps: msg('steps'),
  tokens: msg('tokens'),
  turns: msg('turns'),
});

const capital = (text: string) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

export function progressWords(progress: Progress): string {
  const what = capital(progress.what);
  const number = (value: number) => (progress.unit === 'bytes' ? bytes(value) : String(value));
  const unit = units()[progress.unit];
  return progress.total === null
    ? msg(str`${what}: ${number(progress.done)} ${unit}`)
    : msg(str`${what}: ${number(progress.done)} of ${number(progress.total)} ${unit}`);
}

export const progressBar = (progress: Progress) => html`
  <progress aria-label=${progress.what} max=${progress.total ?? 1} value=${progress.total === null ? nothing : progress.done}></progress>
`;
