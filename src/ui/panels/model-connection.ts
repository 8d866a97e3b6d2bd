/**
 * The server of a model behind an API: its key, which stays in this page's memory, a look at which models it has, and consent where the
 * experiment came from somebody else.
 */
import { msg, str } from '@lit/localize';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ModelLook } from '../../session/api-check.ts';
import { modelConnection } from '../../session/model-connection.ts';
import type { Connecting } from '../app/connecting.ts';
import { findingWords, reportWords } from '../app/connection-words.ts';
import { controls } from '../styles/shared.ts';
import { KnobChangeEvent } from './knob-field.ts';

/** Some servers have hundreds. */
const mostListed = 40;

@customElement('tabgym-model-connection')
export class TabgymModelConnection extends LitElement {
  static override styles = [
    controls,
    css`
      label {
        display: grid;
        gap: 2px;
        padding: 3px 0;
      }
      .report {
        overflow-wrap: anywhere;
      }
      .models {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
      }
    `,
  ];

  @property() address = '';
  /** As the experiment names it. */
  @property() name = '';
  @property({ attribute: false }) connecting: Connecting | null = null;
  /** The imported run in focus; it redraws with it. */
  @property() foreign: string | null = null;
  @state() private problem = '';
  @state() private found: ModelLook | 'looking' | null = null;
  private looking: AbortController | null = null;

  override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('address')) this.forget();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.forget();
  }

  private forget() {
    this.looking?.abort();
    this.found = null;
    this.problem = '';
  }

  override render() {
    const looking = this.found === 'looking';
    return html`<label>${msg('Key, if the server asks for one')}
        <input type="password" autocomplete="off" .value=${this.key ?? ''} @change=${this.changeKey} /></label>
      ${this.renderConsent()}
      <div class="row"><button ?disabled=${looking || this.withheld} @click=${this.look}>${looking ? msg('Asking…') : msg('Connect')}</button></div>
      <div class="report" role="status">${this.renderFound()}</div>
      <p class="soft small">${msg('Kept until this page is closed, for this address alone. It is in no experiment, no export and no link.')}</p>
      ${this.problem ? html`<p class="message error" role="alert">${this.problem}</p>` : nothing}`;
  }

  private get key(): string | undefined {
    return this.connecting?.of(modelConnection(this.address)).token;
  }

  private get withheld(): boolean {
    return this.connecting?.mayUse() === false;
  }

  private renderConsent() {
    if (!this.withheld) return nothing;
    return html`<div class="message warning">
      <p>${msg(str`This experiment came from a file, and would send what it plays to ${this.address}. It has not asked it anything yet.`)}</p>
      <button @click=${this.allow}>${msg('Let it use this server')}</button>
    </div>`;
  }

  private renderFound() {
    const { found } = this;
    if (!found || found === 'looking') return nothing;
    const { report, models } = found;
    if (!report.works)
      return html`<p class="message error">✕ ${reportWords(report)} ${report.findings.map(findingWords).join(' ')}</p>`;
    const ms = Math.max(1, Math.round(report.ms!));
    return html`<p>✓ ${msg(str`It answers in ${ms} ms. It has these models:`)}</p>
      <div class="models">${models
        .slice(0, mostListed)
        .map(
          (id) =>
            html`<button class="quiet" aria-pressed=${id === this.name} @click=${() => this.choose(id)}>${id}</button>`,
        )}</div>
      ${models.length > mostListed ? html`<p class="soft small">${msg(str`and ${models.length - mostListed} more`)}</p>` : nothing}`;
  }

  private choose(id: string) {
    this.dispatchEvent(new KnobChangeEvent('policy.name', id));
  }

  private look = async () => {
    this.looking?.abort();
    const control = new AbortController();
    this.looking = control;
    this.found = 'looking';
    this.problem = '';
    try {
      const { lookAtModels } = await import('../../session/api-check.ts');
      const found = await lookAtModels(this.address, this.key ?? null, control.signal);
      if (this.looking === control) this.found = found;
    } catch (error) {
      if (this.looking !== control || control.signal.aborted) return;
      this.found = null;
      this.say(error);
    }
  };

  private allow = () => this.attempt(() => this.connecting!.allow());

  private changeKey = (event: Event) => {
    this.forget();
    const token = (event.target as HTMLInputElement).value.trim();
    return this.attempt(() => this.connecting!.change(modelConnection(this.address), { token }));
  };

  private async attempt(change: () => Promise<void>) {
    this.problem = '';
    try {
      await change();
    } catch (error) {
      this.say(error);
    }
    this.requestUpdate();
  }

  private say(error: unknown) {
    this.problem = error instanceof Error ? error.message : String(error);
  }
}
