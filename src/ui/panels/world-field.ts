/** Code of a typed world in the setup, with a button that opens its editor. The editor is loaded when it is opened. */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { lineCount } from '../kit/counts.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-world-field')
export class TabgymWorldField extends LocalizedElement {
  static override styles = [
    controls,
    css`
      .field {
        display: grid;
        gap: 2px;
        padding: 3px 0;
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  /** Path of the code: `worlds.0.options.code`. */
  @property() path = '';
  @property({ attribute: false }) value: string | undefined;
  @property({ attribute: false }) error = '';
  @state() private open = false;
  @state() private loading = false;
  /** False: the code came with the experiment, and the person has not allowed it yet. */
  @state() private allowed = true;

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('value')) void this.look();
  }

  private async look() {
    const { value, app } = this;
    const foreign = value !== undefined && app.servers.foreign !== null;
    this.allowed = !foreign || (await app.consent.isAllowed(value));
  }

  private async allow() {
    const { draft } = this.app.store.state;
    if (draft) await this.app.consent.ask(draft);
    await this.look();
  }

  override render() {
    const lines = this.value?.split('\n').length ?? 0;
    return html`<div class="field">
      <div class="row spread">
        <button aria-haspopup="dialog" ?disabled=${this.loading} @click=${() => void this.edit()}>${msg('Edit the world')}</button>
        ${
          this.value === undefined
            ? html`<span class="soft small">${msg('a first template')}</span>`
            : html`<span class="badge warn">${msg(str`typed, ${lineCount(lines)}`)}</span>`
        }
      </div>
      ${this.allowed ? nothing : html`<div class="row"><span class="small">${msg('This code came with the experiment.')}</span> <button @click=${() => void this.allow()}>${msg('Read and allow it')}</button></div>`}
      ${this.error ? html`<div class="bad small"><span aria-hidden="true">✕ </span>${this.error}</div>` : nothing}
      ${this.open ? html`<tabgym-world-editor .app=${this.app} path=${this.path} @closed=${this.closed}></tabgym-world-editor>` : nothing}
    </div>`;
  }

  private async edit() {
    this.loading = true;
    try {
      await import('./world-editor.ts');
      this.open = true;
    } catch (error) {
      this.app.notifier.notify('error', sentence(error));
    } finally {
      this.loading = false;
    }
  }

  private async closed() {
    this.open = false;
    await this.updateComplete;
    this.renderRoot.querySelector('button')?.focus();
  }
}
