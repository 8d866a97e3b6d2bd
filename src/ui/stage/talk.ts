/**
 * TALK: a conversation with the language model of the run or of the setup, in its own chat template, with or without
 * the run's adapter.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { TalkProgress, TalkReply } from '../../session/talk-protocol.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { tokenCount } from '../kit/counts.ts';
import { bytes, fixed } from '../kit/format.ts';
import { onNumber } from '../kit/number-field.ts';
import { emptyState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { type TalkTarget, talkTarget } from '../state/talk.ts';
import type { TalkMessage } from '../state/talk-state.ts';
import { talkStyles } from './talk-styles.ts';

/** Tokens a second after the first one, whose time is that of reading. */
const perSecond = (tokens: number, ms: number) => (tokens > 1 && ms > 0 ? fixed(((tokens - 1) * 1000) / ms, 1) : '–');

@customElement('tabgym-talk')
export class TabgymTalk extends Panel {
  static override styles = [controls, talkStyles];

  @state() private typed = '';
  @state() private untrained = false;
  @state() private temperature = 0.7;
  @state() private maxTokens = 200;

  @query('.log') private list!: HTMLElement | null;
  @query('textarea') private field!: HTMLTextAreaElement | null;
  /** True if the newest message was in sight before it changed. */
  private follows = true;

  constructor() {
    super(['run', 'draft', 'status', 'watching', 'talk']);
  }

  override render() {
    const target = talkTarget(this.state);
    if (!target) return this.renderNothing();
    return html`${this.renderHead(target)}
      <div class="log" tabindex="0" role="log" aria-live="off" aria-label=${msg('Conversation')} @scroll=${this.scrolled}>${this.renderLog(target)}</div>
      ${this.renderTraining()} ${this.renderForm()}`;
  }

  private renderNothing() {
    return emptyState(
      msg('No language model to talk to'),
      msg(
        'A tiny policy knows only the words of its worlds. Choose a language model in the setup, or drop a .gguf file on the page.',
      ),
      html`<button class="primary" @click=${this.chooseModel}>${msg('Choose a language model')}</button>`,
    );
  }

  private chooseModel = () => this.app.layout.openModelPicker();

  private renderHead({ name, step }: TalkTarget) {
    return html`<div class="row head">
      <strong class="name">${name}</strong>
      ${
        step > 0
          ? html`<label class="row">${msg('Replies')}
              <select @change=${(event: Event) => (this.untrained = (event.target as HTMLSelectElement).value === 'untrained')}>
                <option value="adapter" ?selected=${!this.untrained}>${msg(str`trained, step ${step}`)}</option>
                <option value="untrained" ?selected=${this.untrained}>${msg('as it came, without the adapter')}</option>
              </select></label>`
          : html`<span class="soft">${msg('not trained here')}</span>`
      }
      <label class="row">${msg('Temperature')}
        <input class="number" type="number" min="0" max="4" step="0.1" .value=${String(this.temperature)} @change=${onNumber((typed) => (this.temperature = Math.max(0, Math.min(4, Number.isNaN(typed) ? 0.7 : typed))))} /></label>
      <label class="row">${msg('Longest reply')}
        <input class="number" type="number" min="1" max="1000" step="1" .value=${String(this.maxTokens)} @change=${onNumber((typed) => (this.maxTokens = Math.max(1, Math.min(1000, Math.round(typed) || 200))))} /></label>
      ${this.state.talk.messages.length ? html`<button @click=${this.clear}>${msg('New conversation')}</button>` : nothing}
    </div>`;
  }

  private renderLog(target: TalkTarget) {
    const { messages, busy, problem, progress } = this.state.talk;
    if (!messages.length) return this.renderStarters();
    return html`${messages.map((message, index) => this.renderMessage(message, index === messages.length - 1))}
      ${busy ? this.renderProgress(target, progress) : nothing}
      ${
        problem
          ? html`<div class="message error" role="alert"><p>${problem}</p>
              <button @click=${this.again}>${msg('Try again')}</button></div>`
          : nothing
      }`;
  }

  private renderStarters() {
    const starters = [
      msg('What is reinforcement learning?'),
      msg('How do I craft a stick in Minecraft?'),
      msg('Write a haiku about a robot that learns.'),
    ];
    return html`<div class="starters">
      <p class="soft">${msg('Nothing is sent anywhere: the model replies in this tab.')}</p>
      ${starters.map((each) => html`<button ?disabled=${this.isTraining} @click=${() => this.send(each)}>${each}</button>`)}
    </div>`;
  }

  private renderMessage({ role, content, from }: TalkMessage, isLast: boolean) {
    if (role === 'user')
      return html`<div class="said you"><span class="who">${msg('You')}</span><p>${content}</p></div>`;
    return html`<div class="said"><span class="who">${from?.name}${from?.reply.step ? `, ${msg(str`step ${from.reply.step}`)}` : nothing}</span>
      <p>${content || html`<em class="soft">${msg('(an empty reply)')}</em>`}</p>
      <div class="row small soft">${from ? html`<span class="number">${this.counts(from.reply)}</span>` : nothing}
        ${isLast && !this.state.talk.busy ? html`<button class="link" ?disabled=${this.isTraining} @click=${this.again}>${msg('Another reply')}</button>` : nothing}</div>
    </div>`;
  }

  private counts({ tokens, replyMs, readTokens, readMs, ending, leftOut }: TalkReply): string {
    return [
      msg(str`${tokenCount(tokens)}, ${perSecond(tokens, replyMs)} a second`),
      msg(str`read ${readTokens} in ${fixed(readMs / 1000, 1)} s`),
      ...(ending === 'length' ? [msg('cut at its longest')] : []),
      ...(ending === 'stopped' ? [msg('stopped')] : []),
      ...(leftOut ? [msg(str`the first ${leftOut} messages no longer fit`)] : []),
    ].join(' · ');
  }

  private renderProgress({ name }: TalkTarget, progress: TalkProgress | null) {
    if (progress?.phase === 'replying')
      return html`<div class="said"><span class="who">${name}</span><p>${progress.text}<span class="caret" aria-hidden="true">▍</span></p>
        <div class="row small soft"><span class="number">${msg(str`${tokenCount(progress.tokens)}, ${perSecond(progress.tokens, progress.ms)} a second`)}</span></div></div>`;
    return html`<div class="said" role="status"><span class="soft">${this.progressLine(progress)}…</span>
      ${progress?.phase === 'opening' && progress.total ? html`<progress aria-label=${msg('Opening the model')} max=${progress.total} .value=${progress.done}></progress>` : nothing}</div>`;
  }

  private progressLine(progress: TalkProgress | null): string {
    if (progress?.phase === 'reading') return msg(str`Reading ${tokenCount(progress.tokens)}`);
    if (progress?.phase !== 'opening' || !progress.total || progress.total < 1e5) return msg('Opening the model');
    return msg(str`Opening the model: ${bytes(progress.done)} of ${bytes(progress.total)}`);
  }

  private get isTraining(): boolean {
    return isActive(this.state.status) && !this.state.watching;
  }

  /** One device cannot train and talk at once. */
  private renderTraining() {
    if (!this.isTraining) return nothing;
    return html`<div class="message warning row spread" role="status">
      <span>${msg('The run is training. Pause it to talk. The step in progress is repeated afterwards.')}</span>
      <button @click=${() => this.app.pause()}>${msg('Pause')}</button></div>`;
  }

  private renderForm() {
    const { busy } = this.state.talk;
    return html`<form class="ask" @submit=${this.submit}>
      <label class="visually-hidden" for="message">${msg('Message')}</label>
      <textarea id="message" rows="2" placeholder=${msg('Write to the model')} .value=${live(this.typed)} @input=${this.type} @keydown=${this.key}></textarea>
      ${
        busy
          ? html`<button type="button" @click=${() => this.app.talk.stop()}>■ ${msg('Stop')}</button>`
          : html`<button class="primary" ?disabled=${this.isTraining || !this.typed.trim()}>${msg('Send')}</button>`
      }
      <span class="small soft keys">${msg('Enter sends, Shift+Enter starts a line, Escape stops the reply.')}</span>
    </form>`;
  }

  private type = (event: Event) => {
    this.typed = (event.target as HTMLTextAreaElement).value;
  };

  private key = (event: KeyboardEvent) => {
    // Enter that ends the composition of a Chinese character does not send.
    if (event.isComposing) return;
    if (event.key === 'Escape' && this.state.talk.busy) void this.app.talk.stop();
    else if (event.key === 'Enter' && !event.shiftKey) this.submit(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private submit = (event: Event) => {
    event.preventDefault();
    if (this.isTraining || this.state.talk.busy) return;
    const { typed } = this;
    this.typed = '';
    this.send(typed);
  };

  private get settings() {
    const { untrained, temperature, maxTokens } = this;
    return { untrained, temperature, maxTokens };
  }

  private send(text: string) {
    this.follows = true;
    void this.app.talk.send(text, this.settings);
    this.field?.focus();
  }

  private again = () => void this.app.talk.again(this.settings);

  private clear = () => {
    void this.app.talk.clear();
    this.field?.focus();
  };

  private scrolled = () => {
    const { list } = this;
    if (list) this.follows = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  };

  protected override updated() {
    if (this.follows) this.list?.scrollTo({ top: this.list.scrollHeight });
  }
}
