/**
 * Server of a model behind an API: its key, which stays in the memory of the page, a list of its models on demand, and
 * consent if the experiment came from somebody else.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ModelLook } from '../../session/api/api-check.ts';
import { modelConnection } from '../../session/api/model-connection.ts';
import { sentences } from '../kit/format.ts';
import { findingText, reportText } from './connection-texts.ts';
import { KnobChangeEvent } from './knob-field.ts';
import { ServerPanel, typedIn } from './server-panel.ts';

/** Some servers have hundreds of models. */
const mostListed = 40;

@customElement('tabgym-model-connection')
export class TabgymModelConnection extends ServerPanel<ModelLook> {
  static override styles = [
    ...ServerPanel.styles,
    css`
      .models {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
      }
    `,
  ];

  @property() address = '';
  /** Name of the model in the experiment. */
  @property() name = '';

  override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('address')) this.forget();
  }

  override render() {
    const consent = msg(
      str`This experiment came from a file and would send its episodes to ${this.address}. It has not contacted the server yet.`,
    );
    return html`<label>${msg('Key, if the server asks for one')}
        <input type="password" autocomplete="off" .value=${this.key ?? ''} @change=${this.changeKey} /></label>
      ${this.renderConsent(consent)}
      ${this.renderLook()}
      <div class="report" role="status">${this.renderFound()}</div>
      <p class="soft small">${msg('Kept until this page is closed, for this address alone. Experiments, exports and links do not contain it.')}</p>
      ${this.renderProblem()}`;
  }

  private get key(): string | undefined {
    return this.servers?.of(modelConnection(this.address)).token;
  }

  private renderFound() {
    if (!this.found) return nothing;
    const { report, models } = this.found;
    if (!report.works)
      return html`<p class="message error">✕ ${sentences(reportText(report), ...report.findings.map(findingText))}</p>`;
    const ms = Math.max(1, Math.round(report.ms!));
    return html`<p>✓ ${msg(str`Response time ${ms} ms. Models:`)}</p>
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

  protected override async ask(signal: AbortSignal) {
    const { lookAtModels } = await import('../../session/api/api-check.ts');
    return lookAtModels(this.address, this.key ?? null, signal);
  }

  private changeKey = (event: Event) => this.change(modelConnection(this.address), { token: typedIn(event) });
}
