/**
 * Edge between two panes: moved by dragging or by the arrow keys; a double click restores the initial size. Follows the
 * window splitter of the ARIA practices (https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/).
 */
import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { type PaneName, panes } from '../state/panes.ts';

/** Event `pane-resize`, with the pane and its new size. */
export class PaneResizeEvent extends Event {
  constructor(
    readonly pane: PaneName,
    readonly size: number,
  ) {
    super('pane-resize', { bubbles: true, composed: true });
  }
}

const keyStep = 16;

@customElement('tabgym-splitter')
export class TabgymSplitter extends LitElement {
  static override styles = css`
    :host {
      position: relative;
      z-index: 2;
      touch-action: none;
      background: var(--line);
    }
    :host([aria-orientation='vertical']) {
      width: 1px;
      cursor: col-resize;
    }
    :host([aria-orientation='horizontal']) {
      height: 1px;
      cursor: row-resize;
    }
    /* The target is wider than the visible line, so that it is easy to hit (WCAG 2.2, 2.5.8). */
    div {
      position: absolute;
      inset: -4px;
    }
    :host([aria-orientation='vertical']) div {
      inset: 0 -5px;
    }
    :host([aria-orientation='horizontal']) div {
      inset: -5px 0;
    }
    :host(:hover) div,
    :host(:focus-visible) div {
      background: color-mix(in srgb, var(--accent) 45%, transparent);
    }
    :host(:focus-visible) {
      outline: none;
    }
    @media (max-width: 860px) {
      :host {
        display: none;
      }
    }
  `;

  @property() pane: PaneName = 'setup';
  /** Direction in which the pane grows: +1 to the right or down, -1 to the left or up. */
  @property({ type: Number }) grows: 1 | -1 = 1;
  @property({ type: Boolean }) horizontal = false;
  @property({ type: Number }) size = 0;
  @property() label = '';
  private from: { at: number; size: number } | null = null;

  constructor() {
    super();
    this.addEventListener('pointerdown', (event) => this.begin(event));
    this.addEventListener('pointermove', (event) => this.drag(event));
    this.addEventListener('pointerup', () => this.end());
    this.addEventListener('pointercancel', () => this.end());
    this.addEventListener('dblclick', () => this.send(panes[this.pane].initial));
    this.addEventListener('keydown', (event) => this.key(event));
  }

  protected override willUpdate(_: PropertyValues) {
    const { min, max } = panes[this.pane];
    this.role = 'separator';
    this.tabIndex = 0;
    this.classList.add('keeps-arrows');
    this.ariaOrientation = this.horizontal ? 'horizontal' : 'vertical';
    this.ariaLabel = this.label;
    this.ariaValueMin = String(min);
    this.ariaValueMax = String(max);
    this.ariaValueNow = String(this.size);
  }

  override render() {
    return html`<div></div>`;
  }

  private at(event: PointerEvent) {
    return this.horizontal ? event.clientY : event.clientX;
  }

  private begin(event: PointerEvent) {
    if (event.button !== 0) return;
    this.setPointerCapture(event.pointerId);
    this.from = { at: this.at(event), size: this.size };
    event.preventDefault();
  }

  private drag(event: PointerEvent) {
    if (this.from) this.send(this.from.size + this.grows * (this.at(event) - this.from.at));
  }

  private end() {
    this.from = null;
  }

  private key(event: KeyboardEvent) {
    const [less, more] = this.horizontal ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    const { min, max } = panes[this.pane];
    const by = event.key === more ? keyStep : event.key === less ? -keyStep : null;
    const to =
      event.key === 'Home' ? min : event.key === 'End' ? max : by === null ? null : this.size + this.grows * by;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.send(to);
  }

  private send(size: number) {
    this.dispatchEvent(new PaneResizeEvent(this.pane, size));
  }
}
