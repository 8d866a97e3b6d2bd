/** Bar of an embedded view, in one line: title, progress, one button, and a link to the full page. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { fixed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { addressOutside } from '../state/embedded-view.ts';
import { focusedDocument } from '../state/focus.ts';
import { readSuccess } from '../state/score.ts';

@customElement('tabgym-embed-bar')
export class TabgymEmbedBar extends Panel {
  static override styles = [
    controls,
    css`
      header {
        display: flex;
        align-items: center;
        gap: 4px 12px;
        flex-wrap: wrap;
        padding: 4px 10px;
        background: var(--surface);
        border-block-end: 1px solid var(--line);
      }
      h1 {
        margin: 0;
        font-size: var(--size-m);
      }
      a {
        margin-inline-start: auto;
        color: var(--accent);
      }
    `,
  ];

  constructor() {
    super(['phase', 'absent', 'run', 'draft', 'status', 'records', 'busy', 'gpu', 'owner', 'selection']);
  }

  /** Name of the run; of the experiment before a run is open. Empty while the address is still being read. */
  private get heading() {
    const { phase, run } = this.state;
    return run?.name ?? (phase === 'ready' ? focusedDocument(this.state)?.name : undefined) ?? 'Tabgym';
  }

  override render() {
    const { phase, absent, gpu, busy, owner, status, records } = this.state;
    const running = isActive(status);
    const off =
      phase !== 'ready' || !gpu?.supported || busy !== null || owner === 'another-tab' || status === 'finished';
    const success = readSuccess(records);
    if (absent) return html`<header><h1>Tabgym</h1></header>`;
    return html`<header>
      <h1>${this.heading}</h1>
      <button ?disabled=${off} @click=${() => this.app.toggle()}><span aria-hidden="true">${running ? '❚❚' : '▶'}</span> ${running ? msg('Pause') : msg('Train')}</button>
      ${records.length ? html`<span class="number">${msg(str`Step ${records.at(-1)!.step}`)}</span>` : nothing}
      ${success ? html`<span>${msg('Success')} <strong class="number">${fixed(success.rate)}</strong></span>` : nothing}
      <a href=${addressOutside()} target="_blank" rel="noopener">${msg('Open in Tabgym')}</a>
    </header>`;
  }
}
