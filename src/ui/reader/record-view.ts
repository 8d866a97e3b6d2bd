/** One record: its facts, its messages, and a replay in our world if the task belongs to one. */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { RecordedReplay } from '../../session/protocol.ts';
import { turnsOf } from '../../trajectories/files/messages.ts';
import { rejectedOf } from '../../trajectories/files/pairs.ts';
import type { TrajectoryRecord } from '../../trajectories/files/record.ts';
import { worldModules } from '../../worlds/registry.ts';
import type { Controller } from '../control/controller.ts';
import { compact, gap } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { worldTitle } from '../state/labels.ts';
import '../worlds/world-view.ts';
import './comparison.ts';
import { type ReaderController, ReaderUpdates } from './reader-controller.ts';
import { messageTemplate, turnStyles } from './turns.ts';

/** Largest number of messages drawn at once; of a longer conversation, those around the chosen turn. */
const mostMessages = 200;

@customElement('tabgym-record')
export class TabgymRecord extends LocalizedElement {
  static override styles = [
    controls,
    turnStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
      }
      .head {
        padding: 6px 12px;
        border-block-end: 1px solid var(--line);
        background: var(--surface);
        gap: 4px 10px;
      }
      .head h3 {
        overflow-wrap: anywhere;
      }
      .body {
        overflow: auto;
        padding: 10px 12px 24px;
        container-type: size;
      }
      .replay {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 8px 10px;
        margin-block-end: 12px;
        display: grid;
        gap: 8px;
      }
      .replay input[type='range'] {
        flex: 1 1 120px;
      }
      /* In a wide reader the world stands beside the messages and stays in view. */
      @container (min-width: 600px) {
        .beside {
          display: grid;
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
          gap: 16px;
          align-items: start;
        }
        .beside > .replay {
          position: sticky;
          inset-block-start: 0;
          max-block-size: 100cqb;
          overflow: auto;
        }
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  @property({ attribute: false }) controller!: ReaderController;
  @property({ type: Number }) turn = 0;
  @state() private world: string | null = null;
  @state() private pairShown = false;
  private scrolledTo = '';

  constructor() {
    super();
    new ReaderUpdates(this, () => this.controller);
  }

  override render() {
    const { shown, beside } = this.controller;
    if (!shown) return nothing;
    const { record } = shown;
    if (record.state === 'error')
      return errorState(record.message, html`<button @click=${this.controller.retry}>${msg('Try again')}</button>`);
    if (record.state !== 'ready') return loadingState(msg('Reading the record'));
    return html`${this.renderHead(record.value, shown.index)}
      <div class="body" tabindex="0" role="region" aria-label=${msg('Record')}>${this.renderBody(record.value, beside?.record.state === 'ready' ? beside.record.value : null)}</div>`;
  }

  private renderBody(record: TrajectoryRecord, beside: TrajectoryRecord | null) {
    const { besideLoading, besideError } = this;
    if (besideError) return errorState(besideError);
    if (besideLoading) return loadingState(msg('Reading the other record'));
    const other = beside ?? (this.pairShown ? rejectedOf(record) : null);
    if (other)
      return html`<tabgym-comparison .left=${record} .right=${other} .pair=${beside === null}></tabgym-comparison>`;
    const replayed = record.messages !== null && this.controller.replay.state === 'ready';
    const messages = html`<div>${this.renderMessages(record)}</div>`;
    return html`<div class=${replayed ? 'beside' : ''}>${record.messages ? this.renderReplay(record) : nothing}${messages}</div>`;
  }

  private get besideLoading(): boolean {
    return this.controller.beside?.record.state === 'loading';
  }

  private get besideError(): string {
    const record = this.controller.beside?.record;
    return record?.state === 'error' ? record.message : '';
  }

  private renderHead(record: TrajectoryRecord, index: number) {
    const { controller } = this;
    const { itemId, world, item, reward, success, step } = record;
    const name =
      world !== null && item !== null ? `${worldTitle(world)} ${item}` : (itemId ?? msg(str`record ${index + 1}`));
    const pair = rejectedOf(record) !== null;
    return html`<div class="row head">
      <button class="quiet" @click=${controller.closeRecord} aria-label=${msg('Back to the list')}>←</button>
      <h3>${name}</h3>
      ${success === null ? nothing : html`<span class="badge ${success ? 'good' : 'bad'}">${success ? '✓' : '✕'} ${success ? msg('success') : msg('failure')}</span>`}
      ${reward === null ? nothing : html`<span class="number small">${msg('score')} <strong>${compact(reward)}</strong></span>`}
      ${step === undefined ? nothing : html`<span class="number small">${msg(str`step ${step}`)}</span>`}
      <span class="row" .style=${'gap:4px'}>
        <button aria-label=${msg('Previous record')} @click=${() => controller.move(-1)}>‹</button>
        <button aria-label=${msg('Next record')} @click=${() => controller.move(1)}>›</button>
        ${
          controller.beside
            ? html`<button aria-pressed="true" @click=${controller.closeBeside}>${msg('Compare')}</button>`
            : html`<button aria-pressed=${controller.comparing ? 'true' : 'false'} @click=${() => controller.compare(!controller.comparing)}>${msg('Compare')}</button>`
        }
        ${pair ? html`<button aria-pressed=${this.pairShown ? 'true' : 'false'} @click=${() => this.togglePair()}>${msg('Compare with the rejected')}</button>` : nothing}
        ${controller.state?.kind === 'run' ? html`<button @click=${() => controller.openTokens()}>${msg('Show its tokens')}</button>` : nothing}
      </span>
      ${controller.comparing ? html`<span class="small" role="status">${msg('Choose a second record in the list to compare the two.')}</span>` : nothing}
    </div>`;
  }

  private togglePair() {
    this.pairShown = !this.pairShown;
  }

  private renderMessages({ messages }: TrajectoryRecord) {
    if (!messages) return html`<p class="soft">${msg('This record has a task but no messages.')}</p>`;
    const turns = turnsOf(messages);
    const chosen = Math.max(0, turns.indexOf(this.turn));
    const from =
      messages.length <= mostMessages
        ? 0
        : Math.max(0, Math.min(chosen - mostMessages / 2, messages.length - mostMessages));
    const to = Math.min(messages.length, from + mostMessages);
    const differs = new Set(this.differing);
    const jump = (at: number) => () => this.choose(turns.slice(0, at + 1).findLast((turn) => turn !== null) ?? 0);
    return html`${from > 0 ? html`<button class="link" @click=${jump(from - 1)}>${msg(str`${from} earlier messages`)}</button>` : nothing}
      ${messages.slice(from, to).map((message, i) => {
        const turn = turns[from + i];
        const note =
          turn !== null && differs.has(turn)
            ? html`<span class="badge warn">! ${msg('our world answers differently')}</span>`
            : nothing;
        return messageTemplate(message, { turn, here: turn !== null && turn === this.turn, note });
      })}
      ${to < messages.length ? html`<button class="link" @click=${jump(Math.min(messages.length - 1, to + mostMessages / 2))}>${msg(str`${messages.length - to} later messages`)}</button>` : nothing}`;
  }

  private get differing(): number[] {
    const { replay } = this.controller;
    return replay.state === 'ready' ? replay.value.differs : [];
  }

  private renderReplay(record: TrajectoryRecord) {
    const { replay } = this.controller;
    if (replay.state === 'loading') return html`<p class="soft" role="status">${msg('Replaying the world')}…</p>`;
    if (replay.state === 'ready') return this.renderFrames(replay.value);
    const nameless = record.world === null;
    return html`<div class="row" .style=${'margin-block-end:10px'}>
      ${nameless ? this.renderWorlds() : nothing}
      <button ?disabled=${nameless && this.world === null} @click=${() => this.controller.playAgain(this.world)}>${msg('Replay it in our world')}</button>
      ${replay.state === 'error' ? html`<div class="message warning" role="alert">${msg('The record could not be replayed.')}${gap()}${replay.message}</div>` : nothing}
    </div>`;
  }

  private renderWorlds() {
    const here = worldModules.filter(({ connection }) => connection.kind === 'wasm' || connection.kind === 'page');
    return html`<label class="row">${msg('World of this record')}
      <select @change=${(event: Event) => {
        this.world = (event.target as HTMLSelectElement).value || null;
      }}>
        <option value="">–</option>${here.map(({ name }) => html`<option value=${name} ?selected=${name === this.world}>${worldTitle(name)}</option>`)}
      </select></label>`;
  }

  private renderFrames({ frames, differs, success, reward }: RecordedReplay) {
    const turn = Math.max(-1, Math.min(this.turn, frames.length - 2));
    const frame = frames[turn + 1] ?? frames[0];
    return html`<section class="replay" aria-label=${msg('Replay')}>
      <div class="row"><strong>${frame.turn < 0 ? msg('The world before the first turn') : msg(str`The world after turn ${frame.turn + 1}`)}</strong>
        <input type="range" min="0" max=${frames.length - 2} .value=${String(turn)} aria-label=${msg('Turn')}
          @input=${(event: Event) => this.choose(Number((event.target as HTMLInputElement).value))} />
        <span class="badge ${success ? 'good' : ''}">${success ? msg('reaches the goal in our world') : msg(str`score ${compact(reward)} in our world`)}</span>
        <span class="badge ${differs.length ? 'warn' : 'good'}">${differs.length ? `! ${msg(str`different answers: ${differs.length}`)}` : `✓ ${msg('all answers are the same')}`}</span></div>
      <tabgym-world-view .view=${frame.view}></tabgym-world-view>
    </section>`;
  }

  private choose(turn: number) {
    this.app.navigation.select({ turn: Math.max(0, turn) });
  }

  protected override willUpdate(changed: PropertyValues) {
    const key = `${this.controller.shown?.index}`;
    if (changed.size && !this.scrolledTo.startsWith(`${key} `)) this.pairShown = false;
  }

  protected override updated() {
    const key = `${this.controller.shown?.index} ${this.turn}`;
    const element = this.renderRoot.querySelector(`#turn-${this.turn}`);
    if (key === this.scrolledTo || !element) return;
    this.scrolledTo = key;
    if (this.turn > 0) element.scrollIntoView({ block: 'nearest' });
    else this.renderRoot.querySelector('.body')?.scrollTo({ top: 0 });
  }
}
