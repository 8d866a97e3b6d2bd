/** List of records. Only the rows in view are drawn. One row is active; keys move it, open, select and compare. */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { Row } from '../../trajectories/files/reader.ts';
import { compact, listed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { familyLabel, worldTitle } from '../state/labels.ts';
import { type ReaderController, ReaderUpdates } from './reader-controller.ts';
import { rowWindow, scrollTo } from './row-window.ts';

/** Heights of a row in one line and in two, and the width of the list below which a row has two, in pixels. */
const [lineHeight, twoLinesHeight, narrowWidth] = [34, 52, 480];

@customElement('tabgym-record-list')
export class TabgymRecordList extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
      }
      .columns,
      .line {
        display: grid;
        grid-template-columns: 30px 5.2em minmax(0, 1fr) 2.2em 4.4em 3.8em;
        gap: 6px;
        align-items: center;
        padding: 0 8px;
      }
      .columns {
        font-weight: 600;
        color: var(--text-2);
        border-block-end: 1px solid var(--line);
        min-height: 26px;
        padding-inline-end: 20px;
      }
      .columns > span {
        /* On the spans: the columns are in the font size of the rows. */
        font-size: var(--size-s);
      }
      .scroll {
        overflow: auto;
        position: relative;
        overflow-anchor: none;
      }
      .whole {
        position: relative;
      }
      .line {
        position: absolute;
        inset-inline: 0;
        height: ${lineHeight}px;
        border-block-end: 1px solid var(--line);
        cursor: pointer;
      }
      .line:hover {
        background: var(--surface-3);
      }
      .line.open {
        background: var(--accent-soft);
      }
      .line.beside {
        background: var(--warn-soft);
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      .scroll:focus-visible .line.active {
        outline: 2px solid var(--accent);
        outline-offset: -3px;
      }
      .cut {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .end {
        text-align: end;
      }
      :host([data-narrow]) .columns,
      :host([data-narrow]) .line {
        grid-template-columns: 26px 5em 2.2em 4.4em 4.4em minmax(0, 1fr);
        gap: 0 6px;
      }
      :host([data-narrow]) .line {
        height: ${twoLinesHeight}px;
        align-content: center;
      }
      :host([data-narrow]) .line > :first-child {
        grid-row: 1 / 3;
      }
      :host([data-narrow]) .line > :not(:first-child, .name) {
        grid-row: 2;
      }
      :host([data-narrow]) .line > .name {
        grid-row: 1;
        grid-column: 2 / -1;
      }
      :host([data-narrow]) .columns > .name {
        display: none;
      }
      input {
        width: 18px;
        height: 18px;
        margin: 0;
      }
    `,
  ];

  @property({ attribute: false }) controller!: ReaderController;
  @state() private active = 0;
  @state() private scrolledBy = 0;
  @state() private viewHeight = 400;
  @state() private rowHeight = lineHeight;
  @query('.scroll') private scroller!: HTMLElement | null;
  private readonly sizes = new ResizeObserver(([entry]) => {
    const { width, height } = entry.contentRect;
    // The list is hidden.
    if (!width) return;
    this.rowHeight = width < narrowWidth ? twoLinesHeight : lineHeight;
    this.viewHeight = Math.max(this.rowHeight, Math.round(height));
  });

  constructor() {
    super();
    new ReaderUpdates(this, () => this.controller);
  }

  protected override firstUpdated() {
    this.sizes.observe(this.scroller!);
  }

  protected override updated(changed: PropertyValues) {
    const before = changed.get('rowHeight') as number | undefined;
    if (before) this.keepPlace(this.rowHeight / before);
  }

  /** After the rows have become higher or lower by this factor, shows the same rows, with the active one if it is near. */
  private keepPlace(factor: number) {
    const { shape, active } = this;
    const top = this.scroller!.scrollTop * factor;
    const isNear = Math.abs(active * shape.rowHeight - top) < 2 * shape.viewHeight;
    this.scroller!.scrollTop = isNear ? scrollTo(shape, top, active) : top;
  }

  override disconnectedCallback() {
    this.sizes.disconnect();
    super.disconnectedCallback();
  }

  /** Scrolls to the top, after a change of the filter. */
  toTop() {
    this.active = 0;
    this.scroller?.scrollTo({ top: 0 });
  }

  private get shape() {
    const { rowHeight, viewHeight } = this;
    return { rows: this.controller.state?.shown ?? 0, rowHeight, viewHeight };
  }

  protected override willUpdate() {
    this.toggleAttribute('data-narrow', this.rowHeight === twoLinesHeight);
  }

  override render() {
    const { shape, controller } = this;
    const { height, first, end, top } = rowWindow(shape, this.scrolledBy);
    void controller.fetchRows(first, end);
    const places = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
    const steps = controller.state?.steps ?? false;
    return html`<div class="columns" aria-hidden="true"><span></span><span>${steps ? msg('Step') : msg('Line')}</span><span class="name">${msg('Item')}</span>
        <span></span><span class="end">${msg('Score')}</span><span class="end">${msg('Turns')}</span></div>
      <div class="scroll keeps-arrows" role="grid" tabindex="0" aria-label=${msg('Trajectories')} aria-rowcount=${shape.rows} aria-multiselectable="true"
        aria-activedescendant=${places.includes(this.active) ? `row-${this.active}` : nothing}
        @scroll=${this.scrolled} @keydown=${this.key}>
        <div class="whole" role="presentation" .style=${`height:${height}px`}>${places.map((place) => this.renderRow(place, top + (place - first) * shape.rowHeight, steps))}</div>
      </div>`;
  }

  private renderRow(place: number, top: number, steps: boolean) {
    const row = this.controller.row(place);
    if (!row)
      return html`<div class="line" role="row" id=${`row-${place}`} .style=${`top:${top}px`}><span role="gridcell">…</span></div>`;
    const { index, selected, line, step, success, reward, turns } = row;
    const marks = [
      'line',
      ...(place === this.active ? ['active'] : []),
      ...(this.controller.shown?.index === index ? ['open'] : []),
      ...(this.controller.beside?.index === index ? ['beside'] : []),
    ];
    return html`<div class=${marks.join(' ')} role="row" id=${`row-${place}`} aria-rowindex=${place + 1} aria-selected=${selected ? 'true' : 'false'}
      .style=${`top:${top}px`} @click=${() => this.open(place)}>
      <span role="gridcell"><input type="checkbox" tabindex="-1" .checked=${selected} aria-label=${msg(str`Select ${nameOf(row)}`)}
        @click=${(event: Event) => event.stopPropagation()} @change=${() => this.toggle(place)} /></span>
      <span role="gridcell" class="number soft small">${steps ? (step ?? '–') : line}</span>
      <span role="gridcell" class="cut name">${nameOf(row)}</span>
      <span role="gridcell" class=${success ? 'good' : success === false ? 'bad' : 'soft'}><span aria-hidden="true">${success ? '✓' : success === false ? '✕' : '–'}</span>
        <span class="visually-hidden">${success ? msg('success') : success === false ? msg('failure') : msg('unknown')}</span></span>
      <span role="gridcell" class="number end">${compact(reward)}</span>
      <span role="gridcell" class="number end">${turns}</span>
    </div>`;
  }

  private open(place: number) {
    this.active = place;
    const row = this.controller.row(place);
    if (row) this.controller.openRecord(row.index);
  }

  private toggle(place: number) {
    this.active = place;
    const row = this.controller.row(place);
    if (row) void this.controller.select([row.index], !row.selected);
  }

  private scrolled = () => {
    this.scrolledBy = this.scroller?.scrollTop ?? 0;
  };

  private move(to: number) {
    const { shape } = this;
    this.active = Math.max(0, Math.min(shape.rows - 1, to));
    const top = scrollTo(shape, this.scroller!.scrollTop, this.active);
    if (top !== this.scroller!.scrollTop) this.scroller!.scrollTop = top;
  }

  private key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.viewHeight / this.rowHeight) - 1);
    const moves: { [key: string]: number } = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: this.shape.rows - 1,
    };
    const acts: { [key: string]: () => void } = {
      Enter: () => this.open(this.active),
      ' ': () => this.toggle(this.active),
      c: () => this.controller.compare(!this.controller.comparing),
    };
    if (event.key in moves) this.move(moves[event.key]);
    else if (event.key in acts) acts[event.key]();
    else return;
    event.preventDefault();
  };
}

/** Name of a record in the list. */
function nameOf({ itemId, world, item, family, index }: Row): string {
  if (world !== null && item !== null)
    return listed([`${worldTitle(world)} ${item}`, ...(family === null ? [] : [familyLabel(family)])]);
  return itemId ?? msg(str`record ${index + 1}`);
}
