/**
 * Base class of panels for a server: settings in the memory of the page, a check of the server on demand, where a newer
 * check replaces a running one, and consent if the experiment came from somebody else.
 */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { ConnectionSettings } from '../../envs/module.ts';
import type { WorldServers } from '../control/world-servers.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';

/** `Found`: result of a check. */
export abstract class ServerPanel<Found extends object> extends LocalizedElement {
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
    `,
  ];

  @property({ attribute: false }) servers: WorldServers | null = null;
  /** Imported run in focus; a change of it redraws the panel. */
  @property() foreign: string | null = null;
  @state() private problem = '';
  @state() private looked: Found | 'looking' | null = null;
  private control: AbortController | null = null;

  /** Queries the server. */
  protected abstract ask(signal: AbortSignal): Promise<Found>;

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.forget();
  }

  protected forget() {
    this.control?.abort();
    this.looked = null;
    this.problem = '';
  }

  /** Result of the last check; null if there was none, or while one runs. */
  protected get found(): Found | null {
    return this.looked === 'looking' ? null : this.looked;
  }

  protected get withheld(): boolean {
    return this.servers?.mayUse() === false;
  }

  protected renderConsent(words: unknown) {
    if (!this.withheld) return nothing;
    return html`<div class="message warning">
      <p>${words}</p>
      <button @click=${this.allow}>${msg('Let it use this server')}</button>
    </div>`;
  }

  protected renderLook() {
    const looking = this.looked === 'looking';
    return html`<div class="row"><button ?disabled=${looking || this.withheld} @click=${this.look}>${looking ? msg('Asking…') : msg('Connect')}</button></div>`;
  }

  protected renderProblem() {
    return this.problem ? html`<p class="message error" role="alert">${this.problem}</p>` : nothing;
  }

  private look = async () => {
    this.control?.abort();
    const control = new AbortController();
    this.control = control;
    this.looked = 'looking';
    this.problem = '';
    try {
      const found = await this.ask(control.signal);
      if (this.control === control) this.looked = found;
    } catch (error) {
      if (this.control !== control || control.signal.aborted) return;
      this.looked = null;
      this.say(error);
    }
  };

  private allow = () => this.attempt(() => this.servers!.allow());

  /** `name`: world or model that the settings belong to. */
  protected change(name: string, settings: ConnectionSettings) {
    this.forget();
    return this.attempt(() => this.servers!.change(name, settings));
  }

  protected async attempt(change: () => Promise<void>) {
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

export const typedIn = (event: Event) => (event.target as HTMLInputElement).value.trim();
