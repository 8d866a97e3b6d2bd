/** Asks whether the code of an experiment may run, and shows the code. */
import { msg, str } from '@lit/localize';
import { css, html } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import type { CustomCode } from '../../experiment/custom-code.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-code-question')
export class TabgymCodeQuestion extends LocalizedElement {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 860px;
        max-height: calc(100dvh - 24px);
      }
      pre {
        margin: 0;
        padding: 8px 10px;
        max-height: 52dvh;
        overflow: auto;
        background: var(--surface-2);
        border: 1px solid var(--line);
        border-radius: var(--radius);
        font: var(--size-s) / 1.5 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) name = '';
  @property({ attribute: false }) carried: readonly CustomCode[] = [];
  @query('dialog') private dialog!: HTMLDialogElement;
  private answer: (may: boolean) => void = () => {};
  private may = false;

  /** Resolves with the answer; closing the dialog any other way counts as no. */
  ask(): Promise<boolean> {
    document.body.append(this);
    void this.updateComplete.then(() => this.dialog.showModal());
    return new Promise((resolve) => {
      this.answer = resolve;
    });
  }

  override render() {
    return html`<dialog aria-labelledby="title" aria-describedby="about" @keydown=${(event: Event) => event.stopPropagation()} @close=${this.closed}>
      <div class="inner">
        <h2 id="title">${msg('May this code run?')}</h2>
        <p id="about">${msg(str`“${this.name}” contains code of its own, which this page has not run yet. It would run in a sandbox: no network, no files, bounded time and memory. It decides what the policy learns.`)}</p>
        ${this.carried.map(({ path, code }) => html`<h3 class="mono">${path}</h3><pre tabindex="0" role="region" aria-label=${path}>${code}</pre>`)}
        <div class="row" .style=${'justify-content:end'}>
          <button autofocus @click=${() => this.close(false)}>${msg('Do not run it')}</button>
          <button class="primary" @click=${() => this.close(true)}>${msg('Run it')}</button>
        </div>
      </div>
    </dialog>`;
  }

  private close(may: boolean) {
    this.may = may;
    this.dialog.close();
  }

  private closed() {
    this.remove();
    this.answer(this.may);
  }
}
