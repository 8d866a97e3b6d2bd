/** Two records side by side: the facts of each, and their messages in aligned rows with the differences marked. */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { turnsOf } from '../../trajectories/files/messages.ts';
import type { TrajectoryRecord } from '../../trajectories/files/record.ts';
import { turnCount } from '../kit/counts.ts';
import { compact } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { worldTitle } from '../state/labels.ts';
import { alignedMessages, type DifferenceRow, type DifferenceSide } from './differences.ts';
import { messageTemplate, turnStyles } from './turns.ts';

/** Rows drawn at first, and added by each press of the button. */
const mostRows = 150;

@customElement('tabgym-comparison')
export class TabgymComparison extends LocalizedElement {
  static override styles = [
    controls,
    turnStyles,
    css`
      :host {
        display: block;
      }
      .pair,
      .facts {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        gap: 4px 14px;
      }
      .facts {
        position: sticky;
        top: -10px;
        background: var(--bg, var(--surface));
        border-block-end: 1px solid var(--line);
        padding: 4px 0 6px;
        margin-block-end: 8px;
        z-index: 1;
      }
      .facts .row {
        gap: 4px 8px;
      }
      .same {
        opacity: 0.85;
      }
      .nothing {
        border-inline-start: 3px dashed var(--line);
        padding-inline-start: 10px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
    `,
  ];

  @property({ attribute: false }) left!: TrajectoryRecord;
  @property({ attribute: false }) right!: TrajectoryRecord;
  /** True if the two records are the chosen and the rejected one of a preference pair. */
  @property({ type: Boolean }) pair = false;
  @state() private onlyDifferences = false;
  @state() private most = mostRows;
  private rows: DifferenceRow[] = [];

  protected override willUpdate(changed: PropertyValues) {
    if (!changed.has('left') && !changed.has('right')) return;
    this.rows = alignedMessages(this.left.messages ?? [], this.right.messages ?? []);
    this.most = mostRows;
  }

  override render() {
    const { rows } = this;
    const differing = rows.filter(({ same }) => !same);
    const shown = this.onlyDifferences ? differing : rows;
    const turns = [turnsOf(this.left.messages ?? []), turnsOf(this.right.messages ?? [])];
    return html`<div class="facts"><div class="row">${this.renderFacts(this.left, this.pair ? msg('chosen') : msg('left'))}</div>
        <div class="row">${this.renderFacts(this.right, this.pair ? msg('rejected') : msg('right', { id: 'side.right' }))}</div></div>
      <div class="row" .style=${'margin-block-end:8px'}>
        <span role="status">${differing.length ? msg(str`${differing.length} of ${rows.length} messages differ.`) : msg('Every message is the same.')}</span>
        <label class="row" .style=${'gap:4px'}><input type="checkbox" .checked=${this.onlyDifferences} @change=${this.toggle} /> ${msg('show only differences')}</label>
      </div>
      ${shown.slice(0, this.most).map((row) => this.renderRow(row, turns))}
      ${shown.length > this.most ? html`<button class="link" @click=${this.more}>${msg(str`${shown.length - this.most} more`)}</button>` : nothing}`;
  }

  private toggle = (event: Event) => {
    this.onlyDifferences = (event.target as HTMLInputElement).checked;
  };

  private more = () => {
    this.most += mostRows;
  };

  private renderFacts({ itemId, world, item, reward, success, step, messages }: TrajectoryRecord, side: string) {
    const turns = turnsOf(messages ?? []).filter((turn) => turn !== null).length;
    return html`<span class="small soft">${side}</span> <strong>${world !== null && item !== null ? `${worldTitle(world)} ${item}` : itemId}</strong>
      ${success === null ? nothing : html`<span class="badge ${success ? 'good' : 'bad'}">${success ? '✓' : '✕'} ${success ? msg('success') : msg('failure')}</span>`}
      <span class="small number">${reward === null ? nothing : html`${msg('score')} ${compact(reward)} · `}${turnCount(turns)}${step === undefined ? nothing : html` · ${msg(str`step ${step}`)}`}</span>`;
  }

  private renderRow({ same, left, right }: DifferenceRow, turns: (number | null)[][]) {
    return html`<div class="pair ${same ? 'same' : ''}">${this.renderSide(left, turns[0])}${this.renderSide(right, turns[1])}</div>`;
  }

  private renderSide(side: DifferenceSide | null, turns: (number | null)[]) {
    if (!side) return html`<div class="nothing">${msg('no message')}</div>`;
    return messageTemplate(side.message, { turn: turns[side.at], stretches: side.stretches });
  }
}
