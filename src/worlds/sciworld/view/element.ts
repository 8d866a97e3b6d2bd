/**
 * Drawing of ScienceWorld: the plan of the house, the task's subgoals, temperatures as they change, and the things in
 * the room as a tree. Nothing depends on colour alone: marks on things are text, and open and closed doors differ in
 * shape and in the plan's description.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { bracketed, colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { SciWorldThing, SciWorldView } from '../view-data.ts';
import { drawPlan, planSize } from './map.ts';
import { everyThing, onScale, readingsOf } from './readings.ts';

type Mark = SciWorldThing['marks'][number];

const splitAtTerms = (): { [mark in Mark]: string } => ({
  open: msg('open'),
  closed: msg('closed'),
  on: `● ${msg('on')}`,
  off: `○ ${msg('off')}`,
  broken: `✕ ${msg('broken')}`,
  'on fire': `▲ ${msg('on fire')}`,
  burned: msg('burned'),
  unwell: msg('unwell'),
  dead: `✕ ${msg('dead')}`,
  liquid: msg('liquid'),
  gas: msg('gas'),
});
const loud: readonly Mark[] = ['on', 'on fire', 'broken', 'dead'];

const degrees = (value: number) => `${value.toFixed(1).replace('-', '−')} °C`;

@customElement('tabgym-sciworld-view')
export class TabgymSciWorldView extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        container-type: inline-size;
      }
      .parts {
        display: grid;
        gap: 12px;
        align-content: start;
      }
      .parts > div {
        display: grid;
        gap: 12px;
        align-content: start;
        min-width: 0;
      }
      @container (min-width: 640px) {
        .parts {
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        }
        .head {
          grid-column: 1 / -1;
        }
      }
      h3 {
        margin-block-end: 4px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      ul,
      ol {
        list-style: none;
      }
      svg.plan {
        display: block;
        width: 100%;
        max-width: 480px;
        margin-inline: auto;
      }
      .room rect {
        fill: var(--surface);
        stroke: var(--text-2);
        stroke-width: 0.7;
      }
      .room.outdoors rect {
        fill: var(--surface-2);
      }
      .room.here rect {
        fill: var(--accent-soft);
        stroke: var(--text);
      }
      .room text {
        font: 500 3.7px var(--sans);
        fill: var(--text-2);
        text-anchor: middle;
      }
      .room.here text {
        fill: var(--text);
        font-weight: 750;
      }
      .door .gap {
        fill: var(--surface);
      }
      .door .leaf {
        fill: var(--text);
        stroke: var(--text);
        stroke-width: 0.9;
      }
      .door.closed .leaf {
        stroke-width: 0.3;
      }
      .door .knob {
        fill: var(--surface);
      }
      .door .swing {
        fill: none;
        stroke: var(--text-2);
        stroke-width: 0.4;
        stroke-dasharray: 1 0.8;
      }
      .agent {
        fill: var(--text);
      }
      .agent .halo {
        fill: var(--surface);
        stroke: var(--text);
        stroke-width: 0.6;
      }
      .score {
        display: grid;
        grid-template-columns: auto minmax(60px, 1fr) auto;
        gap: 8px;
        align-items: center;
        margin-block: 4px;
      }
      .track {
        position: relative;
        height: 8px;
        border-radius: 4px;
        background: var(--surface-3);
        box-shadow: inset 0 0 0 1px var(--line-strong);
      }
      .score .fill {
        height: 100%;
        border-radius: 4px;
        background: var(--accent);
      }
      .goals li {
        display: grid;
        grid-template-columns: 1.3em minmax(0, 1fr) auto;
        gap: 4px;
        padding: 1px 4px;
        border-inline-start: 3px solid transparent;
        overflow-wrap: anywhere;
      }
      .goals .next {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      .goals .reached .mark {
        color: var(--good);
        font-weight: 700;
      }
      .goals li:not(.reached, .next) {
        color: var(--text-2);
      }
      .optional {
        font-size: var(--size-s);
      }
      summary {
        cursor: pointer;
        color: var(--text-2);
        font-size: var(--size-s);
        font-weight: 650;
        padding-block: 4px;
      }
      .readings {
        display: grid;
        grid-template-columns: minmax(0, max-content) minmax(60px, 1fr) max-content max-content;
        gap: 2px 8px;
        align-items: center;
        font-size: var(--size-s);
      }
      .readings li {
        display: contents;
      }
      .readings .name {
        justify-self: start;
      }
      .goals .badge {
        align-self: start;
      }
      .readings .track {
        height: 6px;
      }
      .readings .now,
      .readings .tick {
        position: absolute;
        inset-block: -3px;
        width: 3px;
        margin-inline-start: -1.5px;
        background: var(--text);
      }
      .readings .tick {
        inset-block: 0;
        width: 1px;
        margin-inline-start: 0;
        background: var(--line-strong);
      }
      .readings .from {
        position: absolute;
        inset-block: 1px;
        background: var(--text-2);
      }
      .readings .value,
      .readings .change {
        text-align: end;
        font-variant-numeric: tabular-nums;
      }
      .tree {
        font-size: var(--size-s);
        line-height: 1.45;
      }
      @container (min-width: 460px) {
        .tree.long {
          columns: 2;
          column-gap: 18px;
        }
        .tree.long > li {
          break-inside: avoid;
        }
      }
      .tree ul {
        margin-inline-start: 5px;
        padding-inline-start: 9px;
        border-inline-start: 1px solid var(--line-strong);
      }
      .tree li {
        overflow-wrap: anywhere;
      }
      .name {
        font-family: var(--mono);
      }
      .focused {
        font-weight: 700;
        background: var(--accent-soft);
        outline: 1px solid var(--accent);
        border-radius: 3px;
        padding-inline: 3px;
      }
      .tag {
        color: var(--text-2);
        white-space: nowrap;
      }
      .tag.loud {
        color: var(--text);
        font-weight: 700;
      }
      .tag::before {
        content: ' · ';
        font-weight: 400;
        color: var(--text-2);
      }
    `,
  ];

  @property({ attribute: false }) view: SciWorldView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      ${this.renderHead(view)}
      <div>
        <svg class="plan" viewBox="-1 -1 ${planSize.width + 2} ${planSize.height + 2}" role="img" aria-label=${planWords(view)}>${drawPlan(view)}</svg>
        ${this.renderReadings(view)}
      </div>
      <div>${this.renderGoals(view)}${this.renderThings(view)}</div>
    </div>`;
  }

  private renderHead({ description, score, moves, stepLimit }: SciWorldView) {
    return html`<div class="head">
      <p>${description}</p>
      <div class="score number"><strong>${msg(str`Score ${score} of 100`)}</strong>
        <div class="track" aria-hidden="true"><div class="fill" .style=${`width:${Math.max(0, score)}%`}></div></div>
        <span class="soft small">${msg(str`${moves} of ${stepLimit} moves`)}</span></div>
      ${score < 0 ? html`<p class="bad">✕ ${msg('The task is failed.')}</p>` : nothing}
    </div>`;
  }

  private renderGoals({ goals }: SciWorldView) {
    const ordered = goals.filter((goal) => goal.ordered);
    const optional = goals.filter((goal) => !goal.ordered);
    const count = (list: typeof goals) => list.filter(({ reached }) => reached).length;
    const next = ordered.findIndex(({ reached }) => !reached);
    return html`<section>
      <h3>${msg(str`Subgoals, in order: ${count(ordered)} of ${ordered.length} reached`)}</h3>
      <ol class="goals">${ordered.map((goal, k) => renderGoal(goal, k === next))}</ol>
      <details open>
        <summary>${msg(str`Optional, in any order: ${count(optional)} of ${optional.length} reached`)}</summary>
        <ul class="goals optional">${optional.map((goal) => renderGoal(goal, false))}</ul>
      </details>
    </section>`;
  }

  private renderReadings(view: SciWorldView) {
    const readings = readingsOf(view);
    const running = everyThing([...view.things, ...view.inventory]).filter(({ marks }) => marks.includes('on'));
    return html`<section>
      <h3>${msg('Temperatures and devices')}</h3>
      ${
        readings.length
          ? html`<ul class="readings">${readings.map((thing) => renderReading(thing, thing.id === view.focus))}</ul>`
          : html`<p class="soft small">${msg('No thermometer here, nothing in focus, nothing warms or cools.')}</p>`
      }
      ${running.length ? html`<p class="small">● ${msg('Switched on')}${colon()}${running.map(({ name, detail }) => (detail ? `${name} (${detail})` : name)).join(', ')}</p>` : nothing}
    </section>`;
  }

  private renderThings({ room, things, inventory, focus }: SciWorldView) {
    const tree = (list: readonly SciWorldThing[]) =>
      html`<ul class="tree ${list.length > 8 ? 'long' : ''}">${list.map((thing) => renderThing(thing, focus))}</ul>`;
    return html`<section>
        <h3>${msg('Inventory')}</h3>
        ${inventory.length ? tree(inventory) : html`<p class="soft small">${msg('Nothing carried.')}</p>`}
      </section>
      <section><h3>${msg(str`In the room: ${room}`)}</h3>${tree(things)}</section>`;
  }
}

function planWords({ room, doors }: SciWorldView): string {
  const named = (open: boolean) =>
    doors
      .filter((door) => door.open === open)
      .map(({ from, to }) => `${from} – ${to}`)
      .join(', ') || msg('none');
  return msg(
    str`Plan of the house. The agent is in the ${room}. Open doors: ${named(true)}. Closed doors: ${named(false)}.`,
  );
}

function renderGoal({ text, reached, fresh }: SciWorldView['goals'][number], next: boolean): TemplateResult {
  const words = reached ? msg('reached') : next ? msg('next') : msg('not reached');
  return html`<li class="${reached ? 'reached' : ''} ${next ? 'next' : ''}">
    <span class="mark" aria-hidden="true">${reached ? '✓' : next ? '→' : '○'}</span>
    <span>${text}<span class="visually-hidden"> (${words})</span></span>
    ${fresh ? html`<span class="badge good">${msg('new')}</span>` : nothing}
  </li>`;
}

function renderChange(change: number) {
  if (Math.abs(change) < 0.05) return nothing;
  const size = Math.abs(change).toFixed(1);
  return change > 0
    ? html`<span aria-hidden="true">▲ ${size}</span><span class="visually-hidden">${msg(str`up ${size}`)}</span>`
    : html`<span aria-hidden="true">▼ ${size}</span><span class="visually-hidden">${msg(str`down ${size}`)}</span>`;
}

function renderReading({ name, temperature, change }: SciWorldThing, focused: boolean): TemplateResult {
  const [now, was] = [100 * onScale(temperature!), 100 * onScale(temperature! - change)];
  const [left, width] = [Math.min(now, was), Math.abs(now - was)];
  return html`<li>
    <span class="name ${focused ? 'focused' : ''}">${name}${focused ? html`<span class="visually-hidden">${bracketed(msg('in focus'))}</span>` : nothing}</span>
    <span class="track" aria-hidden="true">${[0, 100, 1000].map((mark) => html`<span class="tick" .style=${`inset-inline-start:${100 * onScale(mark)}%`}></span>`)}
      <span class="from" .style=${`inset-inline-start:${left}%;width:${width}%`}></span><span class="now" .style=${`inset-inline-start:${now}%`}></span></span>
    <span class="value">${degrees(temperature!)}</span>
    <span class="change">${renderChange(change)}</span>
  </li>`;
}

function renderThing(thing: SciWorldThing, focus: number | null): TemplateResult {
  const words = splitAtTerms();
  const { name, detail, marks, temperature, change, contents } = thing;
  const focused = thing.id === focus;
  return html`<li>
    <span class="name ${focused ? 'focused' : ''}">${name}</span>${focused ? html`<span class="tag loud">${msg('in focus')}</span>` : nothing}
    ${detail ? html`<span class="tag">${detail}</span>` : nothing}
    ${marks.map((mark) => html`<span class="tag ${loud.includes(mark) ? 'loud' : ''}">${words[mark]}</span>`)}
    ${temperature === null ? nothing : html`<span class="tag number">${degrees(temperature)} ${renderChange(change)}</span>`}
    ${contents.length ? html`<ul>${contents.map((inner) => renderThing(inner, focus))}</ul>` : nothing}
  </li>`;
}
