/**
 * PLAY: a person plays the experiment's world and sees the text that the agent would read. Every action can be typed,
 * with completion; some views also accept keys.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { Experiment } from '../../experiment/experiment.ts';
import type { PlayFrame, PlayStart } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { actionCount } from '../kit/counts.ts';
import { gap, listed, listedApart } from '../kit/format.ts';
import { onNumber } from '../kit/number-field.ts';
import { controls } from '../kit/styles/shared.ts';
import { worldTitle } from '../state/labels.ts';
import type { Played } from '../state/state.ts';
import { viewKind } from '../worlds/view-kinds.ts';
import { choicesOf, commonStem, fittingActions } from './completion.ts';
import type { PlayedTask } from './contest.ts';
import { firstField } from './first-field.ts';
import { playStyles } from './play-styles.ts';
import { addTry, tallyOf } from './tally.ts';
import './contest.ts';
import '../worlds/world-view.ts';

interface Line {
  who: 'you' | 'world';
  text: string;
}

const mostListed = 40;

@customElement('tabgym-play')
export class TabgymPlay extends Panel {
  static override styles = [controls, playStyles];

  @state() private split: 'train' | 'test' = 'test';
  @state() private index = 0;
  @state() private frame: PlayFrame | null = null;
  @state() private transcript: Line[] = [];
  @state() private problem = '';
  @state() private typed = '';
  /** Index of the listed action chosen with the arrow keys; -1: the typed text is sent. */
  @state() private chosen = -1;
  @state() private busy = false;
  /** The task that was just played to its end, for the contest with the agent. */
  @state() private finished: PlayedTask | null = null;
  /** Key of the world whose task is shown. */
  private playing = '';

  @query('.said') private list!: HTMLElement | null;
  @query('#action') private input!: HTMLInputElement | null;

  constructor() {
    super(['run', 'draft', 'records', 'playWanted']);
  }

  private get experiment(): Experiment | null {
    return this.state.run?.experiment ?? this.state.draft;
  }

  /** The first world whose tasks are evaluated: their success is the agent's. */
  private get entry(): Experiment['worlds'][number] | undefined {
    const worlds = this.experiment?.worlds;
    return worlds?.find(({ evaluated }) => evaluated !== false) ?? worlds?.[0];
  }

  /** Key of the world in focus with its options. */
  private get world(): string {
    return JSON.stringify(this.entry);
  }

  /** Another world in focus ends the task of the one before it. */
  override willUpdate(changed: PropertyValues) {
    super.willUpdate(changed);
    if (!this.frame || this.playing === this.world) return;
    this.countAbandoned();
    this.frame = null;
    this.finished = null;
    this.transcript = [];
    this.problem = '';
    this.index = 0;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.countAbandoned();
    this.transcript = [];
  }

  override render() {
    const world = this.entry;
    if (!world) return html`<div class="state">${msg('Choose a preset first.')}</div>`;
    return html`<form class="row head" @submit=${this.begin}>
        <strong>${worldTitle(world.name)}</strong>
        <label class="row" .style=${'gap:4px'}>${msg('Goals')}
          <select @change=${(event: Event) => (this.split = (event.target as HTMLSelectElement).value as 'train' | 'test')}>
            <option value="test" ?selected=${this.split === 'test'}>${msg('held-out')}</option>
            <option value="train" ?selected=${this.split === 'train'}>${msg('training')}</option>
          </select></label>
        <label class="row" .style=${'gap:4px'}>${msg('Task')}
          <input class="number" type="number" min="0" .value=${String(this.index)} @change=${onNumber((typed) => (this.index = Math.max(0, Math.floor(typed) || 0)))} /></label>
        <button class=${this.frame && !this.frame.done ? '' : 'primary'} ?disabled=${this.busy}>${this.frame ? msg('Next task') : msg('Play')}</button>
        ${this.renderScore()}
      </form>
      ${this.problem ? html`<div class="message error" role="alert">${this.problem}</div>` : nothing}
      ${this.frame ? this.renderFrame(this.frame) : html`<div class="state">${msg('Play the agent’s world yourself, and compare your success with the agent’s.')}</div>`}`;
  }

  private renderScore() {
    const { tries, successes, score } = tallyOf(this.world);
    const evaluated = this.state.records.findLast((each) => each.evaluation)?.evaluation?.[this.split] ?? null;
    // An evaluation over several worlds has a stratum of each.
    const agent = evaluated?.strata[this.world] ?? evaluated;
    const agentScore = agent?.scores?.policy.mean ?? evaluated?.score ?? 0;
    const mean = (value: number) => msg(str`mean score ${value.toFixed(2)}`);
    const parts = [
      ...(tries ? [listed([msg(str`You: ${successes} of ${tries}`), mean(score / tries)])] : []),
      ...(agent ? [listed([msg(str`the agent: ${Math.round(100 * agent.policy.rate)}%`), mean(agentScore)])] : []),
    ];
    return html`<span class="soft" role="status">${listedApart(parts)}</span>`;
  }

  private renderFrame(frame: PlayFrame) {
    const { keys, keysLabel, tall, explain } = viewKind(frame.view);
    const explained = explain?.(frame.observation);
    return html`<div class="parts ${tall ? 'tall' : ''}" @keydown=${this.keepLetters}>
      <div class=${keys ? 'keeps-arrows' : ''} id="world" tabindex="0" role="group"
        aria-label=${keysLabel?.() ?? msg('The world')}
        @keydown=${this.key} @world-act=${this.actOnWorld}><tabgym-world-view .view=${frame.view} .typed=${this.typed}></tabgym-world-view></div>
      <div class="side">
        <h3>${msg('What the agent reads')}</h3>
        ${explained ? html`<p class="soft small">${explained}</p>` : nothing}
        <div class="said" tabindex="0" role="log" aria-label=${msg('Actions and observations')}>${this.transcript.map(
          ({ who, text }) => html`<p class=${who}>${who === 'you' ? html`&gt; ` : nothing}${text}</p>`,
        )}</div>
        ${frame.done ? this.renderEnd(frame) : this.renderActions(frame)}
      </div>
    </div>`;
  }

  private renderEnd({ success, reward }: PlayFrame) {
    return html`<p role="status"><strong>${success ? `✓ ${msg('Done')}` : `✕ ${msg('Failed')}`}</strong>, ${msg(str`reward ${reward.toFixed(2)}`)}</p>
      <button class="primary" id="next" @click=${this.begin}>${msg('Next task')}</button>
      ${this.finished ? html`<tabgym-contest .app=${this.app} .played=${this.finished}></tabgym-contest>` : nothing}`;
  }

  /** Actions to choose from: the answers to an open question, or the actions that match the typed text. */
  private get candidates(): string[] {
    const { actions, observation } = this.frame!;
    return fittingActions(choicesOf(observation, actions) ?? actions ?? [], this.typed);
  }

  private renderActions({ actions, view }: PlayFrame) {
    if (viewKind(view).hasForm?.(view)) return nothing;
    const candidates = actions ? this.candidates : [];
    const shown = candidates.slice(0, mostListed);
    return html`${this.renderLine()}
      ${
        actions
          ? html`<div class="actions" id="actions" role="listbox" aria-label=${msg('Valid actions')} @click=${this.choose}>${shown.map(
              (each, k) =>
                html`<div role="option" id=${`action-${k}`} aria-selected=${k === this.chosen ? 'true' : 'false'}>${each}</div>`,
            )}</div>
            <p class="soft small" role="status">${this.renderCount(candidates.length, actions.length)}</p>`
          : nothing
      }`;
  }

  private renderLine() {
    const { actions, observation } = this.frame!;
    const asked = choicesOf(observation, actions) !== null;
    return html`<form class="row type" @submit=${this.submit}>
        <label for="action">${asked ? msg('Which one') : msg('Action')}</label>
        <input id="action" role="combobox" aria-autocomplete="list" aria-expanded=${actions ? 'true' : 'false'} aria-controls="actions"
          aria-activedescendant=${this.chosen >= 0 ? `action-${this.chosen}` : nothing} autocomplete="off" autocapitalize="off" spellcheck="false"
          .value=${live(this.typed)} @input=${this.type} @keydown=${this.complete} />
        <button ?disabled=${this.busy}>${msg('Send the action')}</button>
        ${asked ? html`<button type="button" ?disabled=${this.busy} @click=${() => this.act('')}>${msg('None of these')}</button>` : nothing}
      </form>`;
  }

  private renderCount(candidates: number, all: number) {
    if (!candidates) return msg('No valid action matches. Enter sends your text as it is.');
    const keys = msg('Arrow keys choose, Tab completes, Enter sends.');
    const more = candidates > mostListed ? msg(str`${candidates - mostListed} more: type to narrow the list.`) : '';
    return html`${msg(str`Matching: ${candidates} of ${actionCount(all)}.`)}${gap()}${more}${gap()}${keys}`;
  }

  protected override updated() {
    if (!this.state.playWanted) return;
    this.app.store.set({ playWanted: false });
    if (!this.frame && this.entry) this.start();
  }

  private begin = (event: Event) => {
    event.preventDefault();
    this.start();
  };

  private start() {
    const { name, options } = this.entry!;
    const start = { name, options: options as PlayStart['options'], split: this.split, index: this.index++ };
    const { world } = this;
    void this.ask(async () => {
      const frame = await this.app.api.playReset(start);
      this.finished = null;
      this.countAbandoned();
      this.playing = world;
      this.typed = '';
      this.chosen = -1;
      this.transcript = [{ who: 'world', text: frame.observation }];
      return frame;
    }, true);
  }

  /** Counts an unfinished task, in which an action was sent, as a try at its own world. */
  private countAbandoned() {
    if (this.frame && !this.frame.done && this.transcript.length > 1) this.count(this.frame);
  }

  /** Characters typed into a task are never shortcuts of the page, also while no field has the focus. */
  private keepLetters = (event: KeyboardEvent) => {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  };

  private submit = (event: Event) => {
    event.preventDefault();
    const action = this.chosen >= 0 ? this.candidates[this.chosen] : this.typed.trim();
    if (action) this.actAs(action);
  };

  private type = (event: Event) => {
    this.typed = (event.target as HTMLInputElement).value;
    this.chosen = -1;
  };

  private choose = (event: Event) => {
    const id = (event.target as HTMLElement).closest('[role=option]')?.id;
    if (id) this.actAs(this.candidates[Number(id.replace('action-', ''))]);
  };

  /** Sends an action; an answer to a question is sent as its number. */
  private actAs(action: string) {
    const { observation, actions } = this.frame!;
    const answer = choicesOf(observation, actions)?.includes(action) ? Number.parseInt(action, 10) : null;
    this.act(answer === null ? action : String(answer));
  }

  /**
   * Keys of the input line: Tab fills in the common beginning, arrows move through the list, Escape returns to the
   * typed text.
   */
  private complete = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.walk(step);
    else if (event.key === 'Escape' && this.chosen >= 0) this.chosen = -1;
    else if (event.key !== 'Tab' || event.shiftKey || !this.fillIn()) return;
    event.preventDefault();
    event.stopPropagation();
  };

  private walk(step: number) {
    const count = Math.min(mostListed, this.candidates.length);
    if (count) this.chosen = Math.max(-1, Math.min(count - 1, this.chosen + step));
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector('.actions [aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    );
  }

  /**
   * Fills in the chosen action or the common beginning. Returns false if that adds nothing; Tab then moves the focus as
   * usual.
   */
  private fillIn(): boolean {
    const stem = this.chosen >= 0 ? this.candidates[this.chosen] : commonStem(this.frame?.actions ?? [], this.typed);
    if (stem.length <= this.typed.length) return false;
    this.typed = stem;
    this.chosen = -1;
    return true;
  }

  private key = (event: KeyboardEvent) => {
    if (!this.frame || this.frame.done || event.ctrlKey || event.metaKey || event.altKey) return;
    const { keys, types } = viewKind(this.frame.view);
    const wanted = keys?.[event.key];
    if (!wanted && !(types && this.typeKey(event))) return;
    event.preventDefault();
    event.stopPropagation();
    const action = wanted?.find((each) => this.frame?.actions?.includes(each));
    if (action) this.act(action);
  };

  /** Handles a key on a view that accepts typed letters. Returns false if the key has no meaning there. */
  private typeKey(event: KeyboardEvent): boolean {
    const { key } = event;
    if (key === 'Enter') this.submit(event);
    else if (key === 'Backspace') this.typed = this.typed.slice(0, -1);
    else if (/^[a-z]$/i.test(key)) this.typed += key.toLowerCase();
    else return false;
    return true;
  }

  /** Sends an action chosen inside the view. */
  private actOnWorld = ({ detail }: CustomEvent<string>) => this.act(detail);

  private act(action: string) {
    if (this.busy || this.frame?.done) return;
    void this.ask(async () => {
      const frame = await this.app.api.playStep(action);
      this.transcript = [
        ...this.transcript,
        { who: 'you', text: action || msg('(blank)') },
        { who: 'world', text: frame.observation },
      ];
      this.typed = '';
      this.chosen = -1;
      this.addPlayed({ turns: 1, refused: frame.valid ? 0 : 1 });
      if (frame.done) this.finish(frame);
      return frame;
    });
  }

  private finish(frame: PlayFrame) {
    this.count(frame);
    const turns = this.transcript.filter(({ who }) => who === 'you').length;
    this.finished = { task: frame.task, you: { success: frame.success, reward: frame.reward, turns } };
  }

  private count({ success, reward }: PlayFrame) {
    addTry(this.playing, { success, reward });
    this.addPlayed({ tries: 1, successes: success ? 1 : 0 });
  }

  /** Adds to the counts by which lessons recognise that a part is done. */
  private addPlayed(more: Partial<Played>) {
    const { played } = this.state;
    const sum = (name: keyof Played) => played[name] + (more[name] ?? 0);
    this.app.store.set({
      played: { turns: sum('turns'), refused: sum('refused'), tries: sum('tries'), successes: sum('successes') },
    });
  }

  /** `begins`: the call starts a task, so its world takes the focus. */
  private async ask(call: () => Promise<PlayFrame>, begins = false) {
    this.busy = true;
    this.problem = '';
    const typing = this.input?.matches(':focus') ?? false;
    const { world } = this;
    try {
      const frame = await call();
      // The world may have changed while the answer was on its way.
      if (world !== this.world) return;
      this.frame = frame;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.busy = false;
    }
    await this.updateComplete;
    this.list?.scrollTo({ top: this.list.scrollHeight });
    if (this.frame?.done) this.renderRoot.querySelector<HTMLElement>('#next')?.focus();
    else if (begins) this.focusWorld();
    else if (typing) this.input?.focus();
  }

  /** Moves the focus to the view if it accepts keys or has a form, otherwise to the input line. */
  private focusWorld() {
    const { keys, types } = this.frame ? viewKind(this.frame.view) : {};
    const world = this.renderRoot.querySelector<HTMLElement>('#world');
    const field = keys || types ? null : (this.input ?? firstField(world));
    (field ?? world)?.focus();
  }
}
