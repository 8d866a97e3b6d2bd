/**
 * Share dialog: this experiment and place as an address, as an embedded view, and as files (the experiment, the run, a
 * report). Loaded when it is first opened.
 */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import type { MadeLink } from '../control/links.ts';
import { Panel } from '../control/panel.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { elementCode, embedCode } from '../state/embedded-view.ts';
import { focusedDocument } from '../state/focus.ts';

@customElement('tabgym-share')
export class TabgymShare extends Panel {
  static override styles = [
    controls,
    dialogStyles,
    css`
      .field {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 4px 8px;
      }
      .field > button {
        min-width: 124px;
      }
      .field > label {
        grid-column: 1 / -1;
        font-weight: 600;
      }
      textarea {
        resize: vertical;
        font-family: var(--mono);
        font-size: var(--size-s);
      }
    `,
  ];

  @query('dialog') private dialog!: HTMLDialogElement | null;
  @state() private made: MadeLink | null = null;
  private shown: HTMLDialogElement | null = null;

  constructor() {
    super(['sharing', 'run', 'draft', 'selection', 'busy']);
  }

  override render() {
    if (!this.state.sharing) return nothing;
    return html`<dialog aria-labelledby="title" @close=${() => this.app.layout.showSharing(false)}>
      <div class="inner">
        <div class="row spread"><h2 id="title">${msg('Share')}</h2><button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog?.close()}>✕</button></div>
        ${this.made ? this.renderLinks(this.made) : html`<p class="soft" role="status">${msg('Making the link')}…</p>`}
        ${this.renderFiles()}
      </div>
    </dialog>`;
  }

  private renderLinks({ href, tooLong }: MadeLink) {
    if (tooLong)
      return html`<p class="message warning">${msg('This experiment is too long for a link of 8 KB. Send it as a file.')}</p>`;
    const title = focusedDocument(this.state)?.name ?? 'Tabgym';
    return html`
      <p class="soft">${msg('The link contains the experiment and the place. The run stays in this browser: send its file with the link, and the link opens the same step, episode and token.')}</p>
      ${this.renderField('link', msg('Link'), href, msg('Copy the link'))}
      ${this.renderField('embed', msg('Embedded view, for slides and pages'), embedCode(href, title), msg('Copy the HTML'))}
      ${this.renderField('element', msg('The element, for a page that serves the package'), elementCode(this.fileName(title), href, this.state.selection), msg('Copy the tag'))}
      <p class="soft">${msg('The element reads the file that is named in it: save the experiment or the run below, and put it beside the page.')}</p>`;
  }

  /** Name of the file that the buttons below save. */
  private fileName(name: string) {
    const { run } = this.state;
    return run ? `${run.name}.tabgym` : `${name}.json`;
  }

  private renderField(id: string, label: string, value: string, button: string) {
    return html`<div class="field"><label for=${id}>${label}</label>
      <textarea id=${id} readonly rows="2" .value=${value} @focus=${(event: Event) => (event.target as HTMLTextAreaElement).select()}></textarea>
      <button @click=${() => this.copy(id, value)}>${button}</button></div>`;
  }

  /** If the browser refuses the clipboard, selects the text, so that it can be copied by hand. */
  private async copy(id: string, value: string) {
    if (!(await this.app.links.copy(value))) this.renderRoot.querySelector<HTMLTextAreaElement>(`#${id}`)?.focus();
  }

  private renderFiles() {
    const { run } = this.state;
    return html`<div><h3>${msg('Files')}</h3><div class="row">
      <button @click=${() => this.app.links.saveExperiment()}>${msg('The experiment (.json)')}</button>
      ${run ? html`<button ?disabled=${this.state.busy !== null} @click=${() => this.app.library.exportRun(run)}>${msg('The run (.tabgym)')}</button>` : nothing}
      ${run ? html`<button ?disabled=${this.state.busy !== null} @click=${() => this.app.library.saveReport()}>${msg('A report (.html)')}</button>` : nothing}
    </div></div>`;
  }

  protected override updated() {
    if (!this.dialog) {
      this.made = null;
      this.shown = null;
      return;
    }
    // Opens each dialog once: between its closing and the close event, the panel may be drawn again.
    if (this.shown === this.dialog) return;
    this.shown = this.dialog;
    this.dialog.showModal();
    void this.app.links.make().then((made) => {
      this.made = made;
    });
  }
}
