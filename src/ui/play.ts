/**
 * Play: the world of this experiment under a person's hands, with the text that the agent would read beside it. Everything
 * can be typed, with completion; on BabyAI's grid arrow keys turn and move, where the text offers it.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { Experiment } from '../session/experiment.ts';
import type { PlayFrame, PlayStart } from '../session/protocol.ts';
import { Panel } from './panel.ts';
import { controls } from './styles/shared.ts';
import './world-view.ts';

interface Said {
  who: 'you' | 'world';
  text: string;
}

interface Tally {
  tries: number;
  successes: number;
}

/** A person's tries outlive the tab that shows them, a reload ends them. */
const tallies = new Map<string, Tally>();

const mostListed = 40;

/** What a key of the grid stands for; taken where the text offers it. */
const keyActions: { [key: string]: readonly string[] } = {
  ArrowLeft: ['turn left'],
  ArrowRight: ['turn right'],
  ArrowUp: ['move forward'],
  ' ': ['toggle'],
  d: ['drop'],
};

@customElement('tabgym-play')
export class TabgymPlay extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        padding: 12px;
        container-type: inline-size;
      }
      .head {
        margin-block-end: 10px;
      }
      .head input {
        width: 72px;
      }
      .parts {
        display: grid;
        gap: 12px;
      }
      @container (min-width: 620px) {
        .parts {
          grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
        }
      }
      .said {
        max-height: 240px;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        font-family: var(--mono);
        font-size: var(--size-s);
        background: var(--surface-2);
        border-radius: var(--radius);
        padding: 8px;
        list-style: none;
      }
      .said .you {
        font-weight: 700;
      }
      .type input {
        flex: 1;
        min-width: 120px;
      }
      .side {
        display: grid;
        gap: 8px;
        align-content: start;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
        max-height: 240px;
        overflow: auto;
      }
      .actions button {
        font-family: var(--mono);
        font-size: var(--size-s);
      }
    `,
  ];

  @state() private split: 'train' | 'test' = 'test';
  @state() private index = 0;
  @state() private frame: PlayFrame | null = null;
  @state() private said: Said[] = [];
  @state() private problem = '';
  @state() private typed = '';
  @state() private busy = false;

  @query('.said') private list!: HTMLElement | null;
  @query('#action') private input!: HTMLInputElement | null;

  constructor() {
    super(['run', 'draft', 'records']);
  }

  private get experiment(): Experiment | null {
    return this.state.run?.experiment ?? this.state.draft;
  }

  private get tally(): Tally {
    const key = JSON.stringify(this.experiment?.worlds[0]);
    const known = tallies.get(key) ?? { tries: 0, successes: 0 };
    tallies.set(key, known);
    return known;
  }

  override render() {
    const world = this.experiment?.worlds[0];
    if (!world) return html`<div class="state">${msg('Choose a preset first.')}</div>`;
    return html`<form class="row head" @submit=${this.begin}>
        <strong>${world.name}</strong>
        <label class="row" style="gap:4px">${msg('Goals')}
          <select @change=${(event: Event) => (this.split = (event.target as HTMLSelectElement).value as 'train' | 'test')}>
            <option value="test" ?selected=${this.split === 'test'}>${msg('held-out')}</option>
            <option value="train" ?selected=${this.split === 'train'}>${msg('training')}</option>
          </select></label>
        <label class="row" style="gap:4px">${msg('Task')}
          <input class="number" type="number" min="0" .value=${live(String(this.index))} @change=${(event: Event) => (this.index = Math.max(0, Math.floor(Number((event.target as HTMLInputElement).value)) || 0))} /></label>
        <button class=${this.frame && !this.frame.done ? '' : 'primary'} ?disabled=${this.busy}>${this.frame ? msg('Next task') : msg('Play')}</button>
        ${this.renderScore()}
      </form>
      ${this.problem ? html`<div class="message error" role="alert">${this.problem}</div>` : nothing}
      ${this.frame ? this.renderFrame(this.frame) : html`<div class="state">${msg('Play the world that the agent learns, and see how you compare.')}</div>`}`;
  }

  private renderScore() {
    const { tries, successes } = this.tally;
    const agent = this.state.records.findLast((each) => each.evaluation)?.evaluation?.[this.split].policy.rate ?? null;
    return html`<span class="soft" role="status">${msg(str`You: ${successes} of ${tries}`)}${
      agent === null ? nothing : html`; ${msg(str`the agent: ${Math.round(100 * agent)}%`)}`
    }</span>`;
  }

  private renderFrame(frame: PlayFrame) {
    const grid = frame.view.kind === 'babyai';
    return html`<div class="parts">
      <div class=${grid ? 'keeps-arrows' : ''} id="world" tabindex="0" role="group"
        aria-label=${grid ? msg('The world: arrow keys turn and move, Space toggles, D drops') : msg('The world')}
        @keydown=${this.key}><tabgym-world-view .view=${frame.view}></tabgym-world-view></div>
      <div class="side">
        <h3>${msg('What the agent would read')}</h3>
        <div class="said" tabindex="0" role="log" aria-label=${msg('What was said')}>${this.said.map(
          ({ who, text }) => html`<p class=${who}>${who === 'you' ? html`&gt; ` : nothing}${text}</p>`,
        )}</div>
        ${frame.done ? this.renderEnd(frame) : this.renderActions(frame)}
      </div>
    </div>`;
  }

  private renderEnd({ success, reward }: PlayFrame) {
    return html`<p role="status"><strong>${success ? `✓ ${msg('Done')}` : `✕ ${msg('Over')}`}</strong>, ${msg(str`reward ${reward.toFixed(2)}`)}</p>
      <button class="primary" @click=${this.begin}>${msg('Next task')}</button>`;
  }

  private renderActions({ actions }: PlayFrame) {
    const fitting = (actions ?? []).filter((each) => each.includes(this.typed.trim()));
    return html`<form class="row type" @submit=${this.submit}>
        <label for="action">${msg('Action')}</label>
        <input id="action" list="actions" autocomplete="off" autocapitalize="off" .value=${live(this.typed)}
          @input=${(event: Event) => (this.typed = (event.target as HTMLInputElement).value)} @keydown=${this.complete} />
        <datalist id="actions">${fitting.slice(0, mostListed).map((each) => html`<option value=${each}></option>`)}</datalist>
        <button ?disabled=${this.busy}>${msg('Do it')}</button>
      </form>
      ${
        actions
          ? html`<div class="actions" role="group" tabindex="0" aria-label=${msg('Valid actions')}>${fitting
              .slice(0, mostListed)
              .map(
                (each) => html`<button ?disabled=${this.busy} @click=${() => this.act(each)}>${each}</button>`,
              )}</div>
              ${fitting.length > mostListed ? html`<p class="soft small">${msg(str`${fitting.length - mostListed} more: type to narrow them`)}</p>` : nothing}`
          : nothing
      }`;
  }

  private begin = (event: Event) => {
    event.preventDefault();
    const { name, options } = this.experiment!.worlds[0];
    const start = { name, options: options as PlayStart['options'], split: this.split, index: this.index++ };
    void this.ask(async () => {
      const frame = await this.app.api.playReset(start);
      this.said = [{ who: 'world', text: frame.observation }];
      return frame;
    });
  };

  private submit = (event: Event) => {
    event.preventDefault();
    if (this.typed.trim()) this.act(this.typed.trim());
  };

  /** Tab takes the one action that begins as typed, or what all that do have in common. */
  private complete = (event: KeyboardEvent) => {
    const fitting = (this.frame?.actions ?? []).filter((each) => each.startsWith(this.typed));
    if (event.key !== 'Tab' || event.shiftKey || !this.typed || !fitting.length) return;
    const common = fitting.reduce((stem, each) => {
      let length = 0;
      while (length < stem.length && stem[length] === each[length]) length++;
      return stem.slice(0, length);
    });
    if (common.length <= this.typed.length) return;
    event.preventDefault();
    this.typed = common;
  };

  private key = (event: KeyboardEvent) => {
    const wanted = keyActions[event.key];
    if (!wanted || this.frame?.view.kind !== 'babyai' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const action = wanted.find((each) => this.frame?.actions?.includes(each));
    if (action) this.act(action);
  };

  private act(action: string) {
    if (this.busy || this.frame?.done) return;
    void this.ask(async () => {
      const frame = await this.app.api.playStep(action);
      this.said = [...this.said, { who: 'you', text: action }, { who: 'world', text: frame.observation }];
      this.typed = '';
      if (frame.done) {
        this.tally.tries++;
        if (frame.success) this.tally.successes++;
      }
      return frame;
    });
  }

  private async ask(call: () => Promise<PlayFrame>) {
    this.busy = true;
    this.problem = '';
    const first = this.frame === null;
    try {
      this.frame = await call();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.busy = false;
    await this.updateComplete;
    this.list?.scrollTo({ top: this.list.scrollHeight });
    if (first) this.focusWorld();
  }

  /** Where the next key goes: the grid, or the line to type in. */
  private focusWorld() {
    if (this.frame?.view.kind === 'babyai') this.renderRoot.querySelector<HTMLElement>('#world')?.focus();
    else this.input?.focus();
  }
}
