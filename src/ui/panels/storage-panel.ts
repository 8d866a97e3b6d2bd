/** STORAGE: space in use, by run, and whether the browser promised to keep it, with the consequences if it did not. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { OwnKind } from '../../corpus/own-files.ts';
import { bytes } from '../kit/format.ts';
import './model-storage.ts';
import { Panel } from '../control/panel.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import type { StorageReport } from '../state/state.ts';

const ownKinds: readonly OwnKind[] = ['databases', 'shops', 'games'];

/** Upper bound of the quota in a private window of Chromium or Firefox on a small disk. */
const smallQuota = 2e9;

@customElement('tabgym-storage')
export class TabgymStorage extends Panel {
  static override styles = [
    controls,
    css`
      :host,
      .inner {
        display: grid;
        gap: 12px;
      }
      meter {
        width: 100%;
      }
      td.number {
        white-space: nowrap;
      }
    `,
  ];

  constructor() {
    super(['storage', 'busy']);
    // Loaded after the shell, since few visits use a corpus.
    void import('./corpora.ts');
    void import('./own-files.ts');
  }

  override render() {
    const { storage } = this.state;
    if (storage.state === 'error')
      return errorState(
        storage.message,
        html`<button @click=${() => this.app.layout.loadStorage()}>${msg('Try again')}</button>`,
      );
    return storage.state === 'ready' ? this.renderReport(storage.value) : loadingState(msg('Asking the browser'));
  }

  private renderReport(report: StorageReport) {
    const { usage, quota, persisted } = report;
    return html`<div class="inner">
      <div><p class="row spread"><strong class="number">${bytes(usage)}</strong><span class="soft number">${msg(str`of ${bytes(quota)} allowed`)}</span></p>
        <meter min="0" max=${quota || 1} high=${quota * 0.8} .value=${usage} aria-label=${msg('Storage used')}></meter></div>
      ${
        persisted
          ? html`<p><span class="badge good">✓ ${msg('persistent')}</span> ${msg('The browser keeps this data until you delete it.')}</p>`
          : html`<div class="message warning"><p>${msg('The browser may delete this data when the disk runs full.')}</p>
              <button ?disabled=${this.state.busy !== null} @click=${() => this.app.layout.persist()}>${msg('Ask it to keep the data')}</button></div>`
      }
      ${quota < smallQuota ? html`<p class="message">${msg('Little space is available. A private window deletes its data when it closes: export what you want to keep.')}</p>` : nothing}
      <p class="small soft">${msg('Safari deletes the data of a page that was not visited for seven days, unless it is on the home screen or in the Dock. A private window deletes its data when it closes.')}</p>
      ${report.runs.length ? this.renderRuns(report.runs) : nothing}
      <tabgym-model-storage .app=${this.app}></tabgym-model-storage>
      <tabgym-corpora @kept=${() => this.app.layout.loadStorage()}></tabgym-corpora>
      ${ownKinds.map((kind) => html`<tabgym-own-files .app=${this.app} .kind=${kind} @kept=${() => this.app.layout.loadStorage()}></tabgym-own-files>`)}
    </div>`;
  }

  private renderRuns(runs: StorageReport['runs']) {
    const sorted = [...runs].sort((a, b) => b.bytes - a.bytes);
    return html`<table><thead><tr><th scope="col">${msg('Run')}</th><th scope="col" class="number">${msg('Size')}</th></tr></thead>
      <tbody>${sorted.map((run) => html`<tr><td>${run.name}</td><td class="number">${bytes(run.bytes)}</td></tr>`)}</tbody></table>`;
  }
}
