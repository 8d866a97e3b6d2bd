/**
 * Notices in a corner of the page. Errors stay until they are dismissed. Other notices leave after a while, or when
 * newer ones need their place, but not while the pointer or the focus is on them or the page is hidden. The log keeps
 * all of them.
 */
import { msg, str } from '@lit/localize';
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
      button.more {
        justify-self: end;
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: var(--radius);
        padding: 2px 8px;
      }
      @media (max-width: 860px) {
        :host {
          bottom: 60px;
        }
      }
    `,
  ];

  /** Timers of the shown notices that leave, by id. */
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();

  constructor() {
    super(['notices']);
  }

  private get unread(): Notice[] {
    return this.state.notices.filter((notice) => !notice.read);
  }

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.restart);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.restart);
    this.stop();
  }

  override render() {
    const { unread } = this;
    const shown = unread.slice(-most);
    const more = unread.length - shown.length;
    return html`<div role="status" aria-live="polite" aria-label=${msg('Notices')} .style=${'display:contents'}
        @pointerenter=${this.stop} @pointerleave=${this.restart} @focusin=${this.stop} @focusout=${this.restart}>${shown.map((notice) => this.renderNotice(notice))}</div>
      ${shown.length ? html`<button class="link small more" @click=${this.openLog}>${more > 0 ? msg(str`${more} more in the log`) : msg('All notices')}</button>` : nothing}`;
  }

  private openLog() {
    void this.app.layout.openDrawer('log');
  }

  private readonly restart = () => {
    this.stop();
    this.requestUpdate();
  };

  /** True while the pointer or the focus is on a notice. */
  private get held(): boolean {
    return this.renderRoot.querySelector('.notice:is(:hover, :focus-within)') !== null;
  }

  private stop() {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private renderNotice(notice: Notice) {
    const icon = { info: 'i', warning: '!', error: '✕' }[notice.level];
    const undo = () => {
      notice.undo?.();
      this.app.notifier.dismiss(notice.id);
    };
    return html`<div class="notice ${notice.level}">
      <p><strong aria-hidden="true">${icon}</strong> ${notice.message}</p>
      <div class="row" .style=${'gap:2px;flex-wrap:nowrap'}>${notice.action ? html`<button class="small" @click=${() => this.app.layout.openDrawer(notice.action!)}>${msg('Free space')}</button>` : nothing}${notice.undo ? html`<button class="small" @click=${undo}>${notice.undoLabel ?? msg('Undo')}</button>` : nothing}
        <button class="quiet" aria-label=${msg('Dismiss')} @click=${() => this.app.notifier.dismiss(notice.id)}>✕</button></div>
    </div>`;
  }

  protected override updated(_: PropertyValues) {
    const leaving = this.unread.filter(({ level }) => level !== 'error');
    const shown = new Set(this.unread.slice(-most));
    for (const [id, timer] of this.timers) {
      if (leaving.some((notice) => notice.id === id)) continue;
      clearTimeout(timer);
      this.timers.delete(id);
    }
    const crowdedOut = leaving.filter((notice) => !shown.has(notice));
    if (crowdedOut.length) this.app.notifier.dismiss(...crowdedOut.map(({ id }) => id));
    if (this.held || document.hidden) return;
    for (const { id, undo } of leaving)
      if (!this.timers.has(id))
        this.timers.set(
          id,
          setTimeout(() => this.app.notifier.dismiss(id), undo ? undoMs : noteMs),
        );
  }
}
