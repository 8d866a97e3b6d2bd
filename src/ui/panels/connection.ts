/**
 * Where a world's server is, the token it asks for, and a look at it on demand. Kept in this page's memory. An experiment that came from
 * a file asks here before its first contact with a server.
 */
import { msg, str } from '@lit/localize';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ConnectionReport, ConnectionSettings } from '../../envs/module.ts';
import { worldModule } from '../../envs/registry.ts';
import type { Connecting } from '../app/connecting.ts';
import { findingWords, reportWords } from '../app/connection-words.ts';
import { controls } from '../styles/shared.ts';
import { KnobChangeEvent } from './knob-field.ts';

@customElement('tabgym-connection')
export class TabgymConnection extends LitElement {
  static override styles = [
    controls,
    css`
      label {
        display: grid;
        gap: 2px;
        padding: 3px 0;
      }
      .report {
        display: grid;
        gap: 4px;
        overflow-wrap: anywhere;
      }
      ul {
        padding-inline-start: 18px;
        font-size: var(--size-s);
      }
    `,
  ];

  @property() world = '';
  /** Where the world stands in the experiment. */
  @property() path = '';
  @property({ attribute: false }) connecting: Connecting | null = null;
  /** The imported run in focus; it redraws with it. */
  @property() foreign: string | null = null;
  @state() private problem = '';
  @state() private report: ConnectionReport | 'looking' | null = null;
  private looking: AbortController | null = null;

  override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('world')) this.forget();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.forget();
  }

  private forget() {
    this.looking?.abort();
    this.report = null;
    this.problem = '';
  }

  override render() {
    const { title, check, connection } = worldModule(this.world);
    const { address = '', token } = connection;
    const set = this.connecting?.of(this.world) ?? {};
    return html`<label>${msg('Server')}
        <input type="url" autocomplete="off" spellcheck="false" placeholder=${address || 'http://127.0.0.1:36001'} .value=${set.address ?? ''}
          @change=${(event: Event) => this.change({ address: typedIn(event) })} /></label>
      ${
        token
          ? html`<label>${token === 'required' ? msg('Token') : msg('Token, if it asks for one')}
              <input type="password" autocomplete="off" .value=${set.token ?? ''} @change=${(event: Event) => this.change({ token: typedIn(event) })} /></label>`
          : nothing
      }
      ${this.renderConsent(title, set.address ?? address)}
      ${
        check
          ? html`<div class="row"><button ?disabled=${this.report === 'looking' || this.withheld} @click=${this.look}>${this.report === 'looking' ? msg('Asking…') : msg('Connect')}</button></div>`
          : nothing
      }
      <div class="report" role="status">${this.renderReport()}</div>
      <p class="soft small">${msg('Kept until this page is closed. It is in no experiment, no export and no link.')}</p>
      ${this.renderInstruction()}
      ${this.problem ? html`<p class="message error" role="alert">${this.problem}</p>` : nothing}`;
  }

  /** Where an instruction of one's own may be given: the original's, from a file that carries it. */
  private renderInstruction() {
    if (!('acknowledgement' in worldModule(this.world).options.schema.entries)) return nothing;
    return html`<label>${msg("The original's instruction, from an AgentTraj file")}
      <input type="file" accept=".json,.jsonl" @change=${this.readInstruction} /></label>`;
  }

  private readInstruction = async (event: Event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (!file) return;
    await this.attempt(async () => {
      const { instructionOf } = await import('../../envs/agentgym/agenttraj.ts');
      for (const [option, value] of Object.entries(instructionOf(await file.text())))
        this.dispatchEvent(new KnobChangeEvent(`${this.path}.options.${option}`, value));
    });
  };

  private get withheld(): boolean {
    return this.connecting?.mayUse() === false;
  }

  private renderConsent(title: string, address: string) {
    if (!this.withheld || !address) return nothing;
    return html`<div class="message warning">
      <p>${msg(str`This experiment came from a file, and would use your server of ${title}. It has not asked it anything yet.`)}</p>
      <button @click=${this.allow}>${msg('Let it use this server')}</button>
    </div>`;
  }

  private renderReport() {
    const { report } = this;
    if (!report || report === 'looking') return nothing;
    return html`<p class=${report.works ? '' : 'message error'}>${report.works ? '✓' : '✕'} ${reportWords(report)}</p>
      ${report.findings.length ? html`<ul>${report.findings.map((each) => html`<li>${findingWords(each)}</li>`)}</ul>` : nothing}`;
  }

  private look = async () => {
    this.looking?.abort();
    const control = new AbortController();
    this.looking = control;
    this.report = 'looking';
    this.problem = '';
    const { check, connection } = worldModule(this.world);
    const { address } = connection;
    try {
      const report = await check!({ ...(address && { address }), ...this.connecting!.of(this.world) }, control.signal);
      if (this.looking === control) this.report = report;
    } catch (error) {
      if (this.looking !== control || control.signal.aborted) return;
      this.report = null;
      this.say(error);
    }
  };

  private allow = () => this.attempt(() => this.connecting!.allow());

  private change(settings: ConnectionSettings) {
    this.forget();
    return this.attempt(() => this.connecting!.change(this.world, settings));
  }

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

const typedIn = (event: Event) => (event.target as HTMLInputElement).value.trim();
