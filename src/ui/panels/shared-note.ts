/**
 * Note above the stage after a link was opened: names the experiment in the setup, and explains how to open its run.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import { inputFiles } from '../state/picked-files.ts';

@customElement('tabgym-shared-note')
export class TabgymSharedNote extends Panel {
  static override styles = [
    controls,
    css`
      .message {
        display: grid;
        gap: 6px;
        margin: 8px 12px;
      }
      input {
        display: none;
      }
    `,
  ];

  constructor() {
    super(['shared', 'draft', 'run', 'busy']);
  }

  override render() {
    const { shared, draft, run, busy } = this.state;
    if (!shared || run) return nothing;
    const name = draft?.name ?? '';
    const { step } = shared.place;
    return html`<div class="message" role="note">
      <p>${msg(str`The experiment “${name}” of a link or a file is in the setup.`)}
        ${
          shared.run
            ? step === null
              ? msg('Its run is not stored in this browser: open its file to see it, or train it here.')
              : msg(str`Its run is not stored in this browser: open its file to see step ${step}, or train it here.`)
            : nothing
        }</p>
      <div class="row">
        ${shared.run ? html`<button ?disabled=${busy !== null} @click=${this.choose}>${msg('Open the run’s file')}</button><input type="file" aria-label=${msg('The run’s file')} @change=${this.pick} />` : nothing}
        <button ?disabled=${busy !== null} @click=${() => this.app.train()}><span aria-hidden="true">▶</span> ${msg('Train it')}</button>
        <button class="quiet" @click=${() => this.app.links.forget()}>${msg('Dismiss')}</button>
      </div></div>`;
  }

  private choose() {
    this.renderRoot.querySelector<HTMLInputElement>('input')?.click();
  }

  private pick(event: Event) {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length) void this.app.fileDrop.take(inputFiles(files));
  }
}
