/**
 * Notices in a corner of the page. Errors stay until they are dismissed; other notices disappear after a while, unless
 * they offer an undo.
 */
import { msg } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import type { Notice } from '../state/state.ts';

const noteMs = 7000;
const undoMs = 15_000;
const most = 3;

@customElement('tabgym-notices')
export class TabgymNotices extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        position: fixed;
        inset: auto 12px 12px auto;
        z-index: 20;
        display: grid;
        gap: 8px;
        width: min(400px, calc(100vw - 24px));
      }
      .notice {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 4px 8px;
        align-items: start;
        background: var(--surface);
        border: 1px solid var(--line-strong);
        border-inline-start: 4px solid var(--line-strong);
        border-radius: var(--radius);
        box-shadow: var(--shadow-high);
        padding: 8px 8px 8px 12px;
      }
      .notice.error {
        border-color: var(--bad);
      }
      .notice.warning {
        border-color: var(--warn);
      }
      p {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        max-height: 9em;
        overflow: auto;
      }
      @media (max-width: 860px) {
        :host {
          bottom: 60px;
        }
      }
    `,
  ];

  private readonly timed = new Set<number>();

  constructor() {
    super(['notices']);
  }

  private get shown(): Notice[] {
    return this.state.notices.filter((notice) => !notice.read).slice(-most);
  }

  override render() {
    return html`<div role="status" aria-live="polite" aria-label=${msg('Notices')} .style=${'display:contents'}>${this.shown.map((notice) => this.renderNotice(notice))}</div>`;
  }

  private renderNotice(notice: Notice) {
    const icon = { info: 'i', warning: '!', error: '✕' }[notice.level];
    const undo = () => {
      notice.undo?.();
      this.app.notifier.dismiss(notice.id);
    };
    return html`<div class="notice ${notice.level}">
      <p><strong aria-hidden="true">${icon}</strong> ${notice.message}${notice.action ? html` <strong>${notice.action}</strong>` : nothing}</p>
      <div class="row" .style=${'gap:2px;flex-wrap:nowrap'}>${notice.undo ? html`<button class="small" @click=${undo}>${notice.undoLabel ?? msg('Undo')}</button>` : nothing}
        <button class="quiet" aria-label=${msg('Dismiss')} @click=${() => this.app.notifier.dismiss(notice.id)}>✕</button></div>
    </div>`;
  }

  protected override updated(_: PropertyValues) {
    for (const notice of this.shown) {
      if (notice.level === 'error' || this.timed.has(notice.id)) continue;
      this.timed.add(notice.id);
      setTimeout(() => this.app.notifier.dismiss(notice.id), notice.undo ? undoMs : noteMs);
    }
  }
}
