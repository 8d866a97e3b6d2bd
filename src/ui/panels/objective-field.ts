/**
 * Objective in the setup: built-in or edited, with a button that opens it as code. The editor is loaded when it is
 * first opened.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { readPath } from '../../experiment/paths.ts';
import type { AnyAlgorithmSettings } from '../../rl/algorithms/registry.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { lineCount } from '../kit/counts.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-objective-field')
export class TabgymObjectiveField extends LocalizedElement {
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
  /** Path of the algorithm's settings. */
  @property() path = 'algorithm';
  @property({ attribute: false }) value: string | undefined;
  @property({ attribute: false }) error = '';
  @state() private open = false;
  @state() private loading = false;

  override render() {
    const lines = this.value?.split('\n').length ?? 0;
    return html`<div class="field">
      <div class="row spread">
        <button aria-haspopup="dialog" ?disabled=${this.loading} @click=${() => void this.edit()}>${msg('Edit the objective')}</button>
        ${
          this.value === undefined
            ? html`<span class="soft small">${msg('built-in')}</span>`
            : html`<span class="badge warn">${msg(str`edited, ${lineCount(lines)}`)}</span>`
        }
      </div>
      ${this.value === undefined ? nothing : html`<div><button class="link" @click=${this.reset}>${msg('Back to the built-in')}</button></div>`}
      ${this.error ? html`<div class="bad small"><span aria-hidden="true">✕ </span>${this.error}</div>` : nothing}
      ${this.open ? html`<tabgym-objective-editor .app=${this.app} path=${this.path} @closed=${this.closed}></tabgym-objective-editor>` : nothing}
    </div>`;
  }

  private async edit() {
    this.loading = true;
    try {
      const [{ objectiveText }] = await Promise.all([
        import('../../rl/objective-code/text/index.ts'),
        import('./objective-editor.ts'),
      ]);
      // Throws if this algorithm's objective has no text.
      objectiveText(readPath(this.app.store.state.draft, this.path) as AnyAlgorithmSettings);
      this.open = true;
    } catch (error) {
      this.app.notifier.notify('error', sentence(error));
    } finally {
      this.loading = false;
    }
  }

  private reset() {
    const { value, app, path } = this;
    const set = (code: string | undefined) => app.draft.edit(`${path}.objectiveCode`, code);
    set(undefined);
    app.notifier.notify('info', msg('The objective is the built-in one again.'), undefined, () => set(value));
  }

  private async closed() {
    this.open = false;
    await this.updateComplete;
    this.renderRoot.querySelector('button')?.focus();
  }
}
