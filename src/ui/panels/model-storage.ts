/** Language models stored in this browser: size, completeness, deletion. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { KeptModelInfo } from '../../models/protocol.ts';
import { Panel } from '../control/panel.ts';
import { bytes } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-model-storage')
export class TabgymModelStorage extends Panel {
  static override styles = [
    controls,
    css`
      td {
        overflow-wrap: anywhere;
      }
      td.number {
        white-space: nowrap;
      }
    `,
  ];

  /** Model whose deletion waits for confirmation: it cannot be undone, and downloading again may take long. */
  @state() private asking: string | null = null;

  constructor() {
    super(['keptModels', 'model']);
  }

  override render() {
    const { keptModels, model } = this.state;
    if (!keptModels.length) return nothing;
    return html`<table><thead><tr><th scope="col">${msg('Language model')}</th><th scope="col" class="number">${msg('Size')}</th><th scope="col"><span class="visually-hidden">${msg('Delete')}</span></th></tr></thead>
      <tbody>${keptModels.map((each) => this.renderModel(each))}</tbody></table>
      ${model.problem ? html`<div class="message error" role="alert">${model.problem}</div>` : nothing}`;
  }

  private renderModel(model: KeptModelInfo) {
    const { label, precision, complete, folder } = model;
    const asking = this.asking === folder;
    return html`<tr>
      <td>${label} <span class="soft small">${precision}</span> ${complete ? nothing : html`<span class="badge warn">${msg('not whole')}</span>`}</td>
      <td class="number">${bytes(model.bytes)}</td>
      <td class="number">${
        asking
          ? html`<button @click=${() => this.deleteModel(folder)}>${msg('Delete for good')}</button> <button class="quiet" @click=${this.keep}>${msg('Keep')}</button>`
          : html`<button class="quiet" aria-label=${msg(str`Delete ${label}`)} @click=${() => this.ask(folder)}>${msg('Delete')}</button>`
      }</td></tr>`;
  }

  private ask(folder: string) {
    this.asking = folder;
  }

  private keep() {
    this.asking = null;
  }

  private async deleteModel(folder: string) {
    this.asking = null;
    await this.app.models.remove(folder);
    await this.app.layout.loadStorage();
  }
}
