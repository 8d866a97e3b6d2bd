/**
 * The phone as a person sees it, in a sandboxed frame; the element of the last action is outlined on the screen where it
 * was taken before the next screen is shown. Beside it: the elements, the actions and the judgement. In Play, touches and
 * typing on the screen are converted to the agent's actions.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { NestedFrame } from '../../../ui/kit/nested-frame.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { GroupViews } from '../../../ui/kit/view-kind.ts';
import type { StepReward } from '../measures.ts';
import type { ElementSeen, PhoneView, ScreenSeen } from '../view-data.ts';
import { pageFrameScript, pageFrameStyle, tints } from './frame-script.ts';
import { type GroupTaps, groupTapsOn } from './group-taps.ts';
import { phoneStyles } from './styles.ts';

/** Duration for which the screen of the last action stays, with its target outlined. */
const targetMs = 700;
/** Ends and keys that stand outside the screen, with their actions. */
const buttons = (): readonly [string, string][] => [
  [msg('Wait'), 'wait()'],
  [msg('Scroll on'), 'scroll(500,450,up)'],
  [msg('Scroll back'), 'scroll(500,450,down)'],
  [msg('Swipe left'), 'scroll(500,450,left)'],
  [msg('Swipe right'), 'scroll(500,450,right)'],
  [msg('Enter'), 'enter()'],
  [msg('Take a screenshot'), 'screen_shot()'],
  [msg('Task done'), 'finish()'],
  [msg('Cannot be done'), 'no_answer()'],
  [msg('Hand over'), 'take_over(please)'],
];

/** Message of the frame: its readiness, or a person's touch. */
interface FrameInput {
  ready?: boolean;
  tap?: Point;
  hold?: Point;
  type?: Point;
  slider?: string;
  value?: string | number;
  enter?: boolean;
  swipe?: string;
  wheel?: string;
}

interface Point {
  x: number;
  y: number;
}

/** An app's tint follows from its name. */
const tintOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % tints;

const drawn = (each: ElementSeen) => ({ ...each, tint: each.kind === 'tile' ? tintOf(each.text) : 0 });

const isPoint = (point: unknown): point is Point =>
  [(point as Point)?.x, (point as Point)?.y].every((each) => Number.isInteger(each) && each >= 0 && each <= 999);

const directions = ['up', 'down', 'left', 'right'];

@customElement('tabgym-phone-view')
export class TabgymPhoneView extends LocalizedElement {
  static override styles = [controls, phoneStyles];

  @property({ attribute: false }) view: PhoneView | null = null;
  /** True if a person plays; a view that only shows an episode has no working elements. */
  @property({ type: Boolean }) playable = false;
  /** Group of a stored episode; null for others. */
  @property({ attribute: false }) group: GroupViews | null = null;
  /** True while the screen of the last action is shown. */
  @state() private looksBack = false;

  /** True while all taps of the episode are shown. */
  @state() private showsHeat = false;
  /** True while the touches of the whole group on the shown screen are shown. */
  @state() private showsGroup = false;
  @query('iframe') private frame!: HTMLIFrameElement | null;

  private timer = 0;
  /** Remaining actions of a person's last input; one is taken after each update of the view. */
  private queue: string[] = [];
  private readonly inner = new NestedFrame<FrameInput>(pageFrameScript, pageFrameStyle, (input) =>
    input.ready ? this.draw() : this.take(input),
  );

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('view')) return;
    clearTimeout(this.timer);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.looksBack = !this.playable && !still && Boolean(this.view?.before && this.view.turns.at(-1)?.point);
    if (this.looksBack) this.timer = setTimeout(() => (this.looksBack = false), targetMs) as unknown as number;
  }

  override updated(changed: PropertyValues<this>): void {
    this.draw();
    if (this.showsGroup && this.group?.state === 'none')
      this.dispatchEvent(new CustomEvent('world-group', { bubbles: true, composed: true }));
    if (!changed.has('view')) return;
    const next = this.queue.shift();
    if (next !== undefined && !this.view?.outcome) this.send(next);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.inner.close();
  }

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="goal">${msg('Goal')}${colon()}<strong>${view.goal}</strong></p>
      <div class="held">
        <div class="device"><iframe sandbox="allow-scripts" title=${msg(str`Screen of the phone: ${view.title}`)}
          srcdoc=${this.inner.source} @load=${() => this.inner.connect(this.frame)}></iframe></div>
        <label class="small"><input type="checkbox" .checked=${this.showsHeat} @change=${this.heated} /> ${msg('Show where it tapped')}</label>
        ${this.group ? this.renderGroup(view, this.group) : nothing}
      </div>
      <div class="side">
        ${view.outcome ? renderOutcome(view.outcome) : nothing}
        ${this.playable && !view.outcome ? this.renderBar() : nothing}
        ${this.renderElements(view)} ${renderTrail(view)}
      </div>
    </div>`;
  }

  /** Sends the screen to the frame, with the target of the last action while the view looks back. */
  private draw() {
    const { view, looksBack } = this;
    if (!view) return;
    const screen = looksBack && view.before ? view.before : view;
    const points = view.turns.flatMap(({ point, ok }) => (point && ok ? [{ x: point.x, y: point.y }] : []));
    this.inner.post({
      screen: { ...screen, elements: screen.elements.map(drawn), chrome: screen.chrome.map(drawn) },
      target: looksBack ? view.turns.at(-1)!.point : null,
      heat: [...(this.showsHeat ? points : []), ...(this.showsGroup ? this.groupTaps(screen).points : [])],
      plays: this.playable && !view.outcome,
      back: msg('Back'),
    });
  }

  private heated = (event: Event) => {
    this.showsHeat = (event.currentTarget as HTMLInputElement).checked;
  };

  private grouped = (event: Event) => {
    this.showsGroup = (event.currentTarget as HTMLInputElement).checked;
  };

  private groupTaps = (screen: ScreenSeen) => groupTapsOn(screen, (this.group?.views ?? []) as readonly PhoneView[]);

  /** The touches of the group on this screen in words. */
  private renderGroup(view: PhoneView, { state, views }: GroupViews) {
    return html`<label class="small"><input type="checkbox" .checked=${this.showsGroup} @change=${this.grouped} /> ${msg('Show where its group tapped on this screen')}</label>
      ${this.showsGroup ? html`<div class="small" role="status">${state === 'ready' ? renderTouched(this.groupTaps(view), views.length) : groupWords[state]()}</div>` : nothing}`;
  }

  private renderBar() {
    return html`<div class="bar" role="group" aria-label=${msg('Actions beside the screen')}>${buttons().map(
      ([label, action]) => html`<button @click=${() => this.send(action)}>${label}</button>`,
    )}</div>`;
  }

  private renderElements({ elements, above, below }: PhoneView) {
    return html`<div>
      <h3>${msg('Elements')}</h3>
      <div class="scrolls" tabindex="0" role="region" aria-label=${msg('Elements')}>
        <table>
          <thead><tr><th>${msg('No.')}</th><th>${msg('Kind')}</th><th>${msg('Text')}</th><th>${msg('State')}</th><th>${msg('Box')}</th></tr></thead>
          <tbody>${elements.map(
            ({ number, kind, text, detail, state: word, box }) =>
              html`<tr><td>${number || '–'}</td><td>${kind}</td><td>${text}${detail ? html` · ${detail}` : nothing}</td><td>${word}</td><td>${box.join(' ')}</td></tr>`,
          )}</tbody>
        </table>
      </div>
      ${above.length ? html`<p class="soft small">${msg('Above')}${colon()}${above.join(', ')}</p>` : nothing}
      ${below.length ? html`<p class="soft small">${msg('Under the fold')}${colon()}${below.join(', ')}</p>` : nothing}
    </div>`;
  }

  /** Converts a touch on the screen to an action. Only the forms that the frame's script sends are read. */
  private take(input: FrameInput) {
    if (!this.playable || !this.view || this.view.outcome) return;
    const { tap, hold, type, swipe, wheel } = input;
    if (isPoint(tap)) this.send(`tap(${tap.x},${tap.y})`);
    else if (isPoint(hold)) this.send(`long_press(${hold.x},${hold.y})`);
    else if (isPoint(type)) this.typed(type, String(input.value).slice(0, 200), input.enter === true);
    else if (input.slider !== undefined) this.slid(String(input.slider), Number(input.value));
    else if (directions.includes(String(swipe))) this.send(`scroll(500,450,${swipe})`);
    else if (wheel && (wheel === 'up' ? this.view.below : this.view.above).length)
      this.send(`scroll(500,450,${wheel === 'up' ? 'up' : 'down'})`);
  }

  private typed({ x, y }: Point, value: string, enter: boolean) {
    if (enter) this.queue.push('enter()');
    this.send(`text(${x},${y},${value})`);
  }

  private slid(key: string, value: number) {
    const slider = this.view?.elements.find((each) => each.key === key);
    if (slider && Number.isFinite(value)) this.send(`set ${slider.number} ${value}`);
  }

  private send(action: string) {
    this.dispatchEvent(new CustomEvent('world-act', { detail: action, bubbles: true, composed: true }));
  }
}

const groupWords: { readonly [state in Exclude<GroupViews['state'], 'ready'>]: () => string } = {
  none: () => msg('Replaying the group'),
  loading: () => msg('Replaying the group'),
  error: () => msg('The group could not be replayed.'),
};

/** What the episodes of a group touched on a screen. */
function renderTouched({ episodes, touched }: GroupTaps, all: number) {
  return html`<p>${msg(str`Episodes that touched this screen: ${episodes} of ${all}`)}</p>
    <ul class="touched">${touched.map(
      ({ text, episodes: count }) => html`<li>${text ?? msg('beside the elements')}${colon()}${count}</li>`,
    )}</ul>`;
}

const endings: { readonly [end: string]: () => string } = {
  finish: () => msg('said that the task is done'),
  no_answer: () => msg('said that it cannot be done'),
  take_over: () => msg('handed over'),
};

function renderOutcome({ success, falseCompletion, ended, missing, sideEffects }: NonNullable<PhoneView['outcome']>) {
  const line = (label: string, { path, before, after }: (typeof missing)[number]) =>
    html`<li class="missed">✕ ${label}${colon()}${path}: ${before ?? '–'} → ${after ?? '–'}</li>`;
  return html`<div role="status">
    <p><strong>${success ? `✓ ${msg('Task solved')}` : `✕ ${msg('Task not solved')}`}</strong> · ${msg('The agent')} ${endings[ended]()}</p>
    <ul>
      ${falseCompletion ? html`<li class="missed">✕ ${msg('False completion')}</li>` : nothing}
      ${missing.map((each) => line(msg('Missing'), each))} ${sideEffects.map((each) => line(msg('Side effect'), each))}
    </ul>
  </div>`;
}

const signed = (value: number) => (value < 0 ? `−${(-value).toFixed(2)}` : `+${value}`);

/** Parts of a step's reward against the oracle's action. */
const partsOf = ({ format, accuracy, distance }: StepReward) =>
  msg(str`format ${signed(format)}, target ${signed(accuracy)}, distance ${signed(distance)}`);

function renderTrail({ turns }: PhoneView) {
  return html`<div>
    <h3>${msg('Actions')}</h3>
    ${
      turns.length
        ? html`<ol class="trail">${turns.map(({ turn, action, ok, reward }) => html`<li class=${ok ? '' : 'missed'}>${turn}. ${action}${ok ? nothing : html` ✕ ${msg('refused')}`}${reward ? html` <span class="soft">${partsOf(reward)}</span>` : nothing}</li>`)}</ol>`
        : html`<p class="soft small">${msg('No actions yet.')}</p>`
    }
  </div>`;
}

declare global {
  interface HTMLElementTagNameMap {
    'tabgym-phone-view': TabgymPhoneView;
  }
}
