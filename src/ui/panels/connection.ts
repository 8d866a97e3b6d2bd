/**
 * Address and token of a world's server, and a check of the connection on demand. Both are kept in the memory of the
 * page. An experiment from a file asks for consent here before its first contact with a server.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ConnectionReport } from '../../envs/module.ts';
import { worldModule } from '../../worlds/registry.ts';
import { findingText, reportText } from './connection-texts.ts';
import { KnobChangeEvent } from './knob-field.ts';
import { ServerPanel, typedIn } from './server-panel.ts';

@customElement('tabgym-connection')
export class TabgymConnection extends ServerPanel<ConnectionReport> {
  static override styles = [
    ...ServerPanel.styles,
    css`
      .report {
        display: grid;
        gap: 4px;
      }
      ul {
        padding-inline-start: 18px;
        font-size: var(--size-s);
      }
    `,
  ];

  @property() world = '';
  /** Path of the world in the experiment. */
  @property() path = '';

  override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('world')) this.forget();
  }

  override render() {
    const { title, check, connection } = worldModule(this.world);
    const { address = '', token } = connection;
    const set = this.servers?.of(this.world) ?? {};
    return html`<label>${msg('Server')}
        <input type="url" autocomplete="off" spellcheck="false" placeholder=${address || 'http://127.0.0.1:36001'} .value=${set.address ?? ''}
          @change=${(event: Event) => this.change(this.world, { address: typedIn(event) })} /></label>
      ${
        token
          ? html`<label>${token === 'required' ? msg('Token') : msg('Token, if the server needs one')}
              <input type="password" autocomplete="off" .value=${set.token ?? ''} @change=${(event: Event) => this.change(this.world, { token: typedIn(event) })} /></label>`
          : nothing
      }
      ${(set.address ?? address) ? this.renderConsent(msg(str`This experiment came from a file and would use your ${title} server. It has not contacted the server yet.`)) : nothing}
      ${check ? this.renderLook() : nothing}
      <div class="report" role="status">${this.renderReport()}</div>
      <p class="soft small">${msg('Kept until this page is closed. Experiments, exports and links do not contain it.')}</p>
      ${this.renderInstruction()}
      ${this.renderProblem()}`;
  }

  /** Input for a file that holds the original's instruction, if the world reads one. */
  private renderInstruction() {
    if (!worldModule(this.world).optionsFromFile) return nothing;
    return html`<label>${msg("The original's instruction, from an AgentTraj file")}
      <input type="file" accept=".json,.jsonl" @change=${this.readInstruction} /></label>`;
  }

  private readInstruction = async (event: Event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (!file) return;
    await this.attempt(async () => {
      const options = await worldModule(this.world).optionsFromFile!(await file.text());
      for (const [option, value] of Object.entries(options))
        this.dispatchEvent(new KnobChangeEvent(`${this.path}.options.${option}`, value));
    });
  };

  private renderReport() {
    const report = this.found;
    if (!report) return nothing;
    return html`<p class=${report.works ? '' : 'message error'}>${report.works ? '✓' : '✕'} ${reportText(report)}</p>
      ${report.findings.length ? html`<ul>${report.findings.map((each) => html`<li>${findingText(each)}</li>`)}</ul>` : nothing}`;
  }

  protected override ask(signal: AbortSignal) {
    const { check, connection } = worldModule(this.world);
    const { address } = connection;
    return check!({ ...(address && { address }), ...this.servers!.of(this.world) }, signal);
  }
}
